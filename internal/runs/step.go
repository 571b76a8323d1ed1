package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// StepKind is what a step of a run was.
type StepKind string

// The kinds of step.
const (
	StepRouting    StepKind = "routing"
	StepRecall     StepKind = "recall"
	StepModel      StepKind = "model"
	StepTool       StepKind = "tool"
	StepHelper     StepKind = "helper"
	StepApproval   StepKind = "approval"
	StepQuestion   StepKind = "question"
	StepCompaction StepKind = "compaction"
	StepSteering   StepKind = "steering"
)

// stepFailed is the state of a step that ended in an error, as people see it.
const stepFailed = "failed"

// step is one line of the journal.
type step struct {
	Run        ids.Run         `db:"run_id"`
	Seq        int             `db:"seq"`
	Workspace  ids.Workspace   `db:"workspace_id"`
	Turn       int             `db:"turn"`
	Kind       StepKind        `db:"kind"`
	Name       string          `db:"name"`
	Title      string          `db:"title"`
	Origin     string          `db:"origin"`
	Call       string          `db:"call_id"`
	State      string          `db:"state"`
	Safe       bool            `db:"safe"`
	Input      json.RawMessage `db:"input"`
	Output     json.RawMessage `db:"output"`
	Need       json.RawMessage `db:"need"`
	Reply      json.RawMessage `db:"reply"`
	Approval   string          `db:"approval"`
	Usage      json.RawMessage `db:"usage"`
	StartedAt  time.Time       `db:"started_at"`
	FirstAt    time.Time       `db:"first_at"`
	FinishedAt time.Time       `db:"finished_at"`
}

func (s *step) insert(ctx context.Context, tx *store.Tx) error {
	return writeLines(ctx, tx, []line{fresh(s)})
}

// writeLines writes steps, of each only what it is in the end.
func writeLines(ctx context.Context, tx *store.Tx, lines []line) error {
	type key struct {
		run ids.Run
		seq int
	}
	at := make(map[key]int, len(lines))
	var added, altered []*step
	for i := range lines {
		l := &lines[i]
		k := key{l.Run, l.Seq}
		before, known := at[k]
		switch {
		case known && before >= 0:
			added[before] = l.step
		case known:
			altered[-before-1] = l.step
		case l.fresh:
			at[k] = len(added)
			added = append(added, l.step)
		default:
			altered = append(altered, l.step)
			at[k] = -len(altered)
		}
	}
	for _, s := range altered {
		if _, err := tx.Exec(ctx, updateStep, s.State, text(s.Output), text(s.Need), s.Approval, s.StartedAt, s.FinishedAt, s.Run, s.Seq); err != nil {
			return fmt.Errorf("keeping step %d of %s: %w", s.Seq, s.Run, err)
		}
	}
	return insertAll(ctx, tx, added)
}

func insertAll(ctx context.Context, tx *store.Tx, steps []*step) error {
	args := make([]any, 0, stepColumnCount*min(len(steps), stepSizes[0]))
	var numbers [maxSteps][5]int64
	for len(steps) > 0 {
		n := stepSizes[slices.IndexFunc(stepSizes[:], func(size int) bool { return size <= len(steps) })]
		args = args[:0]
		for i, s := range steps[:n] {
			k := &numbers[i]
			k[0], k[1] = int64(s.Seq), int64(s.Turn)
			args = append(args, (*string)(&s.Run), &k[0], (*string)(&s.Workspace), &k[1], (*string)(&s.Kind), &s.Name, &s.Title, &s.Origin, &s.Call, &s.State, s.Safe,
				text(s.Input), text(s.Output), text(s.Need), text(s.Reply), &s.Approval, text(s.Usage), moment(s.StartedAt, &k[2]), moment(s.FirstAt, &k[3]), moment(s.FinishedAt, &k[4]))
		}
		if _, err := tx.Exec(ctx, insertSteps[n], args...); err != nil {
			return fmt.Errorf("keeping step %d of %s: %w", steps[0].Seq, steps[0].Run, err)
		}
		steps = steps[n:]
	}
	return nil
}

// moment is a time for a row, kept at in.
func moment(t time.Time, in *int64) any {
	if t.IsZero() {
		return nil
	}
	*in = t.UnixMicro()
	return in
}

// text keeps nothing NULL.
func text(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

func encode(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encoding a %T: %w", v, err)
	}
	return string(raw), nil
}

func decode[T any](raw string) (T, error) {
	var v T
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		return v, fmt.Errorf("reading a %T: %w", v, err)
	}
	return v, nil
}

// answered is the output of a model step.
type answered struct {
	Parts []providers.Part     `json:"parts"`
	Stop  providers.StopReason `json:"stop"`
}

// said is the output of a steering step.
type said struct {
	Upto     int64            `json:"upto"` // signals that the model has got
	Messages []ids.Message    `json:"messages"`
	Parts    []providers.Part `json:"parts"`
}

// journal is what the steps of a run tell.
type journal struct {
	entries []agents.Entry
	turns   []*agents.Turn
	seq     int           // of the last step
	heard   int64         // signals delivered to the model
	recall  *recollection // nil: not looked up yet
}

// read loads the journal of a run.
func (d *Desk) read(ctx context.Context, id ids.Run) (*journal, error) {
	if err := d.scribe.settle(ctx, id); err != nil {
		return nil, err
	}
	j := &journal{}
	for s, err := range store.Each[step](ctx, d.opts.DB.Read(), selectSteps, id) {
		if err != nil {
			return nil, fmt.Errorf("reading the journal of %s: %w", id, err)
		}
		if err := j.add(&s); err != nil {
			return nil, fmt.Errorf("step %d of %s: %w", s.Seq, id, err)
		}
	}
	j.settle()
	return j, nil
}

// settle gives a turn the calls that its run has no lines of, as those of a fork: they have no result.
func (j *journal) settle() {
	for _, t := range j.turns {
		for i := range t.Parts {
			p := &t.Parts[i]
			if p.Kind == providers.PartToolCall && !slices.ContainsFunc(t.Calls, func(c *agents.Call) bool { return c.ID == p.ID }) {
				t.Calls = append(t.Calls, &agents.Call{Turn: t.Number, ID: p.ID, Tool: p.Name, Args: p.Args, State: agents.CallFinished})
			}
		}
	}
}

func (j *journal) add(s *step) error {
	j.seq = max(j.seq, s.Seq)
	switch s.Kind {
	case StepModel:
		out, err := decode[answered](string(s.Output))
		if err != nil {
			return err
		}
		t := &agents.Turn{Step: s.Seq, Number: s.Turn, Model: s.Name, Parts: out.Parts, Stop: out.Stop, Began: s.StartedAt, First: s.FirstAt, Ended: s.FinishedAt}
		if t.Usage, err = decode[providers.Usage](string(s.Usage)); err != nil {
			return err
		}
		j.turns = append(j.turns, t)
		j.entries = append(j.entries, agents.Entry{Turn: t})
	case StepTool, StepHelper:
		return j.addCall(s)
	case StepSteering:
		out, err := decode[said](string(s.Output))
		if err != nil {
			return err
		}
		j.heard = max(j.heard, out.Upto)
		j.entries = append(j.entries, agents.Entry{Said: out.Parts})
	case StepCompaction:
		c, err := decode[agents.Compaction](string(s.Output))
		if err != nil {
			return err
		}
		c.Step = s.Seq
		j.entries = append(j.entries, agents.Entry{Compact: &c})
	case StepRecall:
		out, err := decode[recollection](string(s.Output))
		if err != nil {
			return err
		}
		j.recall = &out
	case StepRouting, StepApproval, StepQuestion:
	}
	return nil
}

// addCall gives a call to its turn, with the arguments as the model wrote them.
func (j *journal) addCall(s *step) error {
	if len(j.turns) == 0 {
		return fmt.Errorf("a call of %s without a turn", s.Name)
	}
	t := j.turns[len(j.turns)-1]
	c := &agents.Call{
		Step: s.Seq, Turn: s.Turn, ID: s.Call, Tool: s.Name, Title: s.Title, Origin: s.Origin, Safe: s.Safe, State: agents.CallState(s.State),
		Approval: s.Approval, Began: s.StartedAt, Ended: s.FinishedAt,
	}
	for i := range t.Parts {
		if p := &t.Parts[i]; p.Kind == providers.PartToolCall && p.ID == c.ID {
			c.Args = p.Args
		}
	}
	var err error
	if s.Need != nil {
		var need tools.Need
		if need, err = decode[tools.Need](string(s.Need)); err != nil {
			return err
		}
		c.Need = &need
	}
	if s.Reply != nil {
		var reply agents.Reply
		if reply, err = decode[agents.Reply](string(s.Reply)); err != nil {
			return err
		}
		c.Reply = &reply
	}
	if c.State == agents.CallFinished {
		var result tools.Result
		if result, err = decode[tools.Result](string(s.Output)); err != nil {
			return err
		}
		c.Result = &result
	}
	t.Calls = append(t.Calls, c)
	return nil
}

// Step is one line of the execution log, with secrets masked.
type Step struct {
	Run        ids.Run          `json:"run"`
	Seq        int              `json:"seq"`
	Turn       int              `json:"turn,omitempty"`
	Kind       StepKind         `json:"kind"`
	Name       string           `json:"name" doc:"Of the model, the tool or the agent."`
	Title      string           `json:"title,omitempty"`
	Origin     string           `json:"origin,omitempty" doc:"Of the tool: builtin, mcp/server, agents."`
	Call       string           `json:"call,omitempty"`
	State      string           `json:"state" enum:"planned,started,waiting,finished,failed"`
	Input      json.RawMessage  `json:"input,omitempty"`
	Output     json.RawMessage  `json:"output,omitempty"`
	Preview    string           `json:"preview,omitempty" doc:"The output in short."`
	Code       string           `json:"code,omitempty" doc:"Of the error."`
	Images     []tools.Kept     `json:"images,omitempty" doc:"Pictures of the output, in its order."`
	Need       *tools.Need      `json:"need,omitempty"`
	Reply      *agents.Reply    `json:"reply,omitempty"`
	Usage      *providers.Usage `json:"usage,omitempty"`
	FirstMs    int64            `json:"ttft_ms,omitempty"`
	TookMs     int64            `json:"took_ms,omitempty"`
	StartedAt  time.Time        `json:"started_at,omitzero"`
	FinishedAt time.Time        `json:"finished_at,omitzero"`
}

// Steps reads the execution log of a run, oldest first.
func (d *Desk) Steps(ctx context.Context, who conversations.Asker, id ids.Run, q page.Query) (page.Page[Step], error) {
	if _, err := d.visible(ctx, who, id); err != nil {
		return page.Page[Step]{}, err
	}
	after, _, err := page.Decode[int](q.Cursor)
	if err != nil {
		return page.Page[Step]{}, err
	}
	if err := d.scribe.settle(ctx, id); err != nil {
		return page.Page[Step]{}, err
	}
	rows, err := store.All[step](ctx, d.opts.DB.Read(), listSteps, id, who.Workspace, after, q.Size()+1)
	if err != nil {
		return page.Page[Step]{}, fmt.Errorf("reading the steps of %s: %w", id, err)
	}
	steps := make([]Step, len(rows))
	for i := range rows {
		steps[i] = rows[i].shown()
	}
	return page.Of(q, steps, func(s Step) int { return s.Seq }), nil
}

// shown is a step as people read it.
func (s *step) shown() Step {
	out := Step{
		Run: s.Run, Seq: s.Seq, Turn: s.Turn, Kind: s.Kind, Name: s.Name, Title: s.Title, Origin: s.Origin, Call: s.Call, State: s.State,
		Input: masked(s.Input), Output: masked(s.Output), StartedAt: s.StartedAt, FinishedAt: s.FinishedAt,
	}
	if !s.FirstAt.IsZero() {
		out.FirstMs = s.FirstAt.Sub(s.StartedAt).Milliseconds()
	}
	if !s.FinishedAt.IsZero() && !s.StartedAt.IsZero() {
		out.TookMs = s.FinishedAt.Sub(s.StartedAt).Milliseconds()
	}
	if v, err := decode[tools.Need](string(s.Need)); err == nil && s.Need != nil {
		out.Need = &v
	}
	if v, err := decode[agents.Reply](string(s.Reply)); err == nil && s.Reply != nil {
		out.Reply = &v
	}
	if v, err := decode[providers.Usage](string(s.Usage)); err == nil && s.Usage != nil {
		out.Usage = &v
	}
	switch s.Kind {
	case StepTool, StepHelper:
		if r, err := decode[tools.Result](string(s.Output)); err == nil {
			out.Preview, out.Code = observe.Redact(preview(r.Text())), r.Code
			out.Images = r.Images()
			if r.IsError {
				out.State = stepFailed
			}
		}
	case StepModel:
		if r, err := decode[answered](string(s.Output)); err == nil {
			m := providers.Message{Parts: r.Parts}
			out.Preview = observe.Redact(preview(m.Text()))
		}
	case StepRouting, StepRecall, StepApproval, StepQuestion, StepCompaction, StepSteering:
	}
	return out
}

const previewSize = 2000

func preview(text string) string { return tools.Middle(text, previewSize) }

// masked hides secrets in JSON; where that cuts through the syntax, nothing is shown.
func masked(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	clean := json.RawMessage(observe.Redact(string(raw)))
	if !json.Valid(clean) {
		return json.RawMessage(`"•••"`)
	}
	return clean
}
