package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Verdict says how a case went.
type Verdict string

// The verdicts.
const (
	VerdictRunning Verdict = "running"
	VerdictPassed  Verdict = "passed"
	VerdictDiffers Verdict = "differs"
)

// Expectation is what a case should come to.
type Expectation struct {
	Answer   string         `json:"answer"`
	Contains []string       `json:"contains,omitempty" doc:"Phrases the answer must have, in any case of letters; left out: it must be the same."`
	Calls    []ExpectedCall `json:"calls" doc:"The tools that are called, in order, with these arguments."`
}

// ExpectedCall is a tool with its arguments.
type ExpectedCall struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// Outcome is what a case came to.
type Outcome struct {
	State   State
	Trouble *Trouble
	Answer  string
	Calls   []ExpectedCall
}

// Deviation is one thing that is not as expected.
type Deviation struct {
	Kind string `json:"kind" enum:"failed,call,answer"`
	Text string `json:"text" doc:"What is different, for people."`
}

// shownArgs bounds how much of arguments and answers a difference tells.
const shownArgs = 300

// Judge compares what a case came to with what was expected.
func (e Expectation) Judge(o Outcome) (Verdict, []Deviation) {
	var all []Deviation
	if o.State != Finished {
		why := "It was stopped."
		if o.Trouble != nil {
			why = "It failed: " + o.Trouble.Message
		}
		return VerdictDiffers, []Deviation{{"failed", why}}
	}
	for i := range max(len(e.Calls), len(o.Calls)) {
		switch {
		case i >= len(o.Calls):
			all = append(all, Deviation{"call", fmt.Sprintf("Call %d is missing: %s.", i+1, e.Calls[i])})
		case i >= len(e.Calls):
			all = append(all, Deviation{"call", fmt.Sprintf("Call %d is new: %s.", i+1, o.Calls[i])})
		case !e.Calls[i].same(o.Calls[i]):
			all = append(all, Deviation{"call", fmt.Sprintf("Call %d is %s, not %s.", i+1, o.Calls[i], e.Calls[i])})
		}
	}
	answer := strings.TrimSpace(o.Answer)
	for _, phrase := range e.lacking(answer) {
		all = append(all, Deviation{"answer", fmt.Sprintf("The answer does not have %q.", phrase)})
	}
	if len(e.Contains) == 0 && answer != e.Answer {
		all = append(all, Deviation{"answer", fmt.Sprintf("The answer is %q, not %q.", clip(answer, shownArgs), clip(e.Answer, shownArgs))})
	}
	if len(all) > 0 {
		return VerdictDiffers, all
	}
	return VerdictPassed, nil
}

// lacking are the phrases that an answer does not have.
func (e Expectation) lacking(answer string) (missing []string) {
	answer = strings.ToLower(answer)
	for _, phrase := range e.Contains {
		if !strings.Contains(answer, strings.ToLower(phrase)) {
			missing = append(missing, phrase)
		}
	}
	return missing
}

// String is the call as people read it.
func (c ExpectedCall) String() string { return c.Tool + " " + clip(string(c.Args), shownArgs) }

func (c ExpectedCall) same(other ExpectedCall) bool {
	return c.Tool == other.Tool && plain(c.Args) == plain(other.Args)
}

// plain is JSON with its keys in order and without blanks; what is not JSON stays as it is.
func plain(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// callsOf lists the calls of turns in order.
func callsOf(turns []*agents.Turn) []ExpectedCall {
	all := []ExpectedCall{}
	for _, t := range turns {
		for _, c := range t.Calls {
			all = append(all, ExpectedCall{c.Tool, c.Args})
		}
	}
	return all
}

// memo is what a case keeps so that it can be tried without what it came from.
type memo struct {
	Messages []conversations.Message `json:"messages"` // role and parts only; ends with the question
	Recall   *recollection           `json:"recall,omitempty"`
	Results  []recorded              `json:"results,omitempty"`
}

// recorded is a call and what came of it.
type recorded struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Result tools.Result    `json:"result"`
}

// memoOf reads what a run tries.
func (d *Desk) memoOf(ctx context.Context, run Run) (memo, error) {
	raw, err := store.One[string](ctx, d.opts.DB.Read(), selectMemo, run.ID)
	if errors.Is(err, store.ErrNoRows) {
		return memo{}, fault.New(fault.NotFound, "case_gone", "The case was deleted before it was tried.")
	}
	if err != nil {
		return memo{}, fmt.Errorf("reading what %s tries: %w", run.ID, err)
	}
	return decode[memo](raw)
}

// kept is what a case was asked, and remembers what was remembered then.
func (d *Desk) kept(ctx context.Context, a *attempt) ([]providers.Message, error) {
	m, err := d.memoOf(ctx, a.run)
	if err != nil {
		return nil, err
	}
	if a.recall == nil {
		a.recall = &recollection{}
		if m.Recall != nil && m.Recall.Prompt != "" {
			a.recall = m.Recall
			if err := a.keepRecall(ctx, time.Now()); err != nil {
				return nil, err
			}
		}
	}
	forgetPictures(m.Messages)
	for i := range m.Messages {
		if m.Messages[i].Parts, err = d.opts.Conversations.Load(ctx, a.run.Workspace, m.Messages[i].Parts); err != nil {
			return nil, err
		}
	}
	return prompt(m.Messages), nil
}

// player is a belt whose calls give what was recorded of them.
type player struct {
	agents.Belt
	d     *Desk
	run   Run
	looks bool // calls that were not recorded are made if they change nothing

	mu      sync.Mutex // guards results: the next of two equal calls gets the next result
	results []recorded
}

// plays puts what was recorded in the place of the tools, in the runs that want it: what a case keeps, or what the run that is
// done again got. A helper of such a run did not exist then; it can look at things, and changes nothing.
func (d *Desk) plays(ctx context.Context, a *attempt, belt agents.Belt) (agents.Belt, error) {
	p := &player{Belt: belt, d: d, run: a.run}
	switch top := a.root().run; {
	case a.run.Reason == Tried:
		m, err := d.memoOf(ctx, a.run)
		if err != nil {
			return nil, err
		}
		p.results = m.Results
	case top.Tools != ToolsRecorded:
		return belt, nil
	case a.parent != nil:
		p.looks = true
	default:
		turns, _, err := d.past(ctx, a.run.Origin)
		if err != nil {
			return nil, err
		}
		p.results, p.looks = results(turns), true
	}
	for _, done := range results(a.turns) { // before a crash, or taken over by a fork
		p.take(ExpectedCall{done.Tool, done.Args})
	}
	return p, nil
}

// results lists what the calls of turns got.
func results(turns []*agents.Turn) (all []recorded) {
	for _, t := range turns {
		for _, c := range t.Calls {
			if c.Result != nil {
				all = append(all, recorded{c.Tool, c.Args, *c.Result})
			}
		}
	}
	return all
}

// Call gives the recorded result of a call.
func (p *player) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	if result, ok := p.take(ExpectedCall{call.Tool, call.Args}); ok {
		return result, p.d.fetchImages(ctx, p.run.Workspace, &agents.Call{Tool: call.Tool, Result: &result})
	}
	if spec, err := p.Spec(call.Tool); p.looks && err == nil && spec.ReadOnly {
		return p.Belt.Call(ctx, call)
	}
	return tools.Fails(fault.New(fault.NotFound, "not_recorded", "This call was not made then, so there is no result of it, and nothing new is done here.").
		WithHint("Answer with what you have.")), nil
}

// take finds the first result of a call and, unless it is the only one left, does not give it again.
func (p *player) take(call ExpectedCall) (tools.Result, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := -1
	for i, r := range p.results {
		if !call.same(ExpectedCall{r.Tool, r.Args}) {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		result := p.results[first].Result
		p.results = append(p.results[:first:first], p.results[first+1:]...)
		return result, true
	}
	if first < 0 {
		return tools.Result{}, false
	}
	return p.results[first].Result, true
}
