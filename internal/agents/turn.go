package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/tools"
)

// Turn is one model call of a run, with the tool calls it asked for.
type Turn struct {
	Step   int // in the journal; 0: not kept yet
	Number int // within the run, from 1
	Model  string
	Parts  []providers.Part
	Usage  providers.Usage
	Stop   providers.StopReason
	Began  time.Time
	First  time.Time // when the first piece came; zero: none did
	Ended  time.Time
	Calls  []*Call
}

// CallState says how far a call is.
type CallState string

// The states of a call.
const (
	CallPlanned  CallState = "planned"  // its turn asked for it; others come first
	CallStarted  CallState = "started"  // from here on it may have happened
	CallWaiting  CallState = "waiting"  // a person has to answer first
	CallFinished CallState = "finished" // it has a result, good or bad
)

// What a person may be needed for besides an approval and an answer.
const (
	NeedRepeat tools.NeedKind = "repeat" // nobody knows whether the call happened: run it again?
	NeedHelper tools.NeedKind = "helper" // a helper waits for a person; Need.Ticket is its run
)

// The answers to NeedRepeat.
const (
	AnswerRepeat = "repeat"
	AnswerSkip   = "skip"
	AnswerStop   = "stop"
)

// Call is one tool call of a turn.
type Call struct {
	Step     int // in the journal; 0: not kept yet
	Turn     int
	ID       string // unique within the run
	Tool     string
	Title    string
	Origin   string // of the tool
	Args     json.RawMessage
	Safe     bool // looking, or harmless to do twice
	State    CallState
	Need     *tools.Need // while waiting
	Approval string      // the ticket that the gate asked for
	Reply    *Reply      // a person's answer to Need
	Answer   string      // the same, for a tool that is about to be called again with it
	Result   *tools.Result
	Began    time.Time
	Ended    time.Time
}

// Reply is what a person answered.
type Reply struct {
	Text    string   `json:"text,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

// String is the answer as one text.
func (r Reply) String() string {
	text := r.Text
	for i, c := range r.Choices {
		if i > 0 || text != "" {
			text += "\n"
		}
		text += c
	}
	return text
}

// newCalls lists what a turn asks for. A call without an id, or with one that the run has seen, gets its own,
// since results find their calls by it; parts are changed to match.
func newCalls(number int, parts []providers.Part, seen map[string]bool) []*Call {
	var calls []*Call
	for i := range parts {
		p := &parts[i]
		if p.Kind != providers.PartToolCall {
			continue
		}
		if p.ID == "" || seen[p.ID] {
			p.ID = fmt.Sprintf("call_%d_%d", number, len(calls)+1)
		}
		seen[p.ID] = true
		calls = append(calls, &Call{Turn: number, ID: p.ID, Tool: p.Name, Args: p.Args, State: CallPlanned})
	}
	return calls
}

// stages groups the calls of a turn: safe neighbours run together, every other call alone, in order, so that
// what reads after a change sees it.
func stages(calls []*Call) [][]*Call {
	var all [][]*Call
	open := false // the last stage takes more safe calls
	for _, c := range calls {
		if !c.Safe || !open {
			all = append(all, nil)
		}
		open = c.Safe
		all[len(all)-1] = append(all[len(all)-1], c)
	}
	return all
}

// ResultPart is what the model reads of a call's result.
func (c *Call) ResultPart() providers.Part {
	p := providers.Part{Kind: providers.PartToolResult, ID: c.ID, Name: c.Tool}
	if c.Result == nil {
		p.Text, p.IsError = "The call was stopped before it had a result. It may have been done in part.", true
		return p
	}
	p.IsError, p.Text = c.Result.IsError, c.Result.Text()
	for i := range c.Result.Parts {
		if c.Result.Parts[i].Kind == tools.PartImage {
			p.Parts = append(p.Parts, picture(&c.Result.Parts[i]))
		}
	}
	if len(p.Parts) > 0 && p.Text != "" {
		p.Parts = slices.Insert(p.Parts, 0, providers.Text(p.Text))
		p.Text = ""
	}
	return p
}

// picture is what the model gets of an image: itself, or, where no model could be shown it, a word about it.
func picture(r *tools.Part) providers.Part {
	kind := r.MediaType
	if r.Kept != nil {
		kind = r.Kept.MediaType
	}
	switch {
	case len(r.Data) == 0:
		return providers.Text("[There was a picture here. It is not kept any more.]")
	case !providers.Shows(kind):
		return providers.Text(fmt.Sprintf("[There is a picture here of the type %s, which cannot be shown to you. The person can open it.]", kind))
	}
	return providers.Part{Kind: providers.PartImage, Data: r.Data, MediaType: kind}
}

// Open says whether a call of the turn has no result yet.
func (t *Turn) Open() bool {
	for _, c := range t.Calls {
		if c.State != CallFinished {
			return true
		}
	}
	return false
}

// Waiting lists the calls of the turn that wait for a person.
func (t *Turn) Waiting() []*Call {
	var all []*Call
	for _, c := range t.Calls {
		if c.State == CallWaiting {
			all = append(all, c)
		}
	}
	return all
}
