package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// errMoved ends the work of an attempt that is not the run's current one any more.
var errMoved = fault.New(fault.Conflict, "run_state", "The run moved on meanwhile.").WithHint("Load it again.")

// number gives out the next n numbers of steps and says the first.
func (a *attempt) number(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq += n
	return a.seq - n + 1
}

// blank is a step of the run.
func (a *attempt) blank(kind StepKind, seq, turn int) *step {
	return &step{Run: a.run.ID, Workspace: a.run.Workspace, Seq: seq, Turn: turn, Kind: kind, State: string(agents.CallFinished)}
}

// totals is what the run's row says of its work.
type totals struct {
	turns, calls int
	spent        costs.Micros
	usage        providers.Usage
	first        time.Time
}

// with is what the run has done once a turn counts.
func (a *attempt) with(t *agents.Turn) totals {
	a.mu.Lock()
	defer a.mu.Unlock()
	spent, _ := a.allowance.Spent()
	sum := totals{turns: len(a.turns), calls: a.calls, spent: spent, usage: a.usage, first: a.first}
	if t != nil {
		sum.turns++
		sum.calls += len(t.Calls)
		sum.usage = sum.usage.Plus(t.Usage)
		if sum.first.IsZero() {
			sum.first = t.First
		}
	}
	return sum
}

// fence checks that the run is still this attempt's, writes its totals, and says which signals there are.
func (a *attempt) fence(ctx context.Context, tx *store.Tx, sum totals) (signals int64, err error) {
	a.mu.Lock()
	signals = a.signals
	a.mu.Unlock()
	for {
		n, err := tx.Exec(ctx, fenceRun, sum.turns, sum.calls, sum.spent, store.JSON(sum.usage), sum.first, a.run.ID, a.run.Attempt, signals)
		if err != nil || n > 0 {
			return signals, err
		}
		known := signals
		signals, err = store.One[int64](ctx, tx, selectSignals, a.run.ID, a.run.Attempt)
		if errors.Is(err, store.ErrNoRows) || (err == nil && signals == known) {
			return 0, errMoved
		}
		if err != nil {
			return 0, err
		}
	}
}

// modelStep is the line of a whole model call.
func (a *attempt) modelStep(t *agents.Turn) (*step, error) {
	s := a.blank(StepModel, t.Step, t.Number)
	s.Name, s.StartedAt, s.FirstAt, s.FinishedAt = t.Model, t.Began, t.First, t.Ended
	if s.Name == "" {
		s.Name = a.run.Model
	}
	var err error
	if s.Output, err = (&answered{t.Parts, t.Stop}).appendJSON(make([]byte, 0, 256)); err != nil {
		return nil, fmt.Errorf("encoding a turn: %w", err)
	}
	s.Usage = t.Usage.AppendJSON(make([]byte, 0, 64))
	return s, nil
}

// maxInput bounds the arguments in a call's own line; the turn's has them whole.
const maxInput = 16 << 10

// callStep is the line of a call as it is now.
func (a *attempt) callStep(c *agents.Call) (s *step, err error) {
	s = a.blank(StepTool, c.Step, c.Turn)
	if c.Origin == helperOrigin {
		s.Kind = StepHelper
	}
	s.Name, s.Title, s.Origin, s.Call, s.State, s.Safe, s.Approval, s.StartedAt = c.Tool, c.Title, c.Origin, c.ID, string(c.State), c.Safe, c.Approval, c.Began
	s.Input = c.Args
	if len(s.Input) > maxInput {
		s.Input = shorten(c.Args)
	}
	switch c.State {
	case agents.CallFinished:
		s.FinishedAt = c.Ended
		if s.Output, err = c.Result.Apart().AppendJSON(make([]byte, 0, 128)); err != nil {
			return nil, fmt.Errorf("encoding the result of %s: %w", c.Tool, err)
		}
	case agents.CallWaiting:
		s.FinishedAt = c.Ended
		if s.Need, err = json.Marshal(c.Need); err != nil {
			return nil, fmt.Errorf("encoding what %s needs: %w", c.Tool, err)
		}
	case agents.CallPlanned, agents.CallStarted:
	}
	return s, nil
}

// keep makes an entry of the journal durable; from then on it counts whatever happens.
func (a *attempt) keep(ctx context.Context, sum totals, lines []line, facts ...events.Event) error {
	e, err := a.entry(sum, lines, facts...)
	if err != nil {
		return err
	}
	if a.d.scribe != nil {
		return a.d.scribe.add(ctx, e)
	}
	var signals int64
	err = a.d.opts.DB.InTx(ctx, func(tx *store.Tx) (err error) {
		if signals, err = a.fence(ctx, tx, sum); err != nil {
			return err
		}
		if err := writeLines(ctx, tx, lines); err != nil {
			return err
		}
		return a.d.opts.Hub.AppendEncoded(tx, e.workspace, e.channel, e.facts)
	})
	if err == nil {
		a.signal(signals)
	}
	return err
}

// Turn keeps a whole model call and the calls it asked for.
func (a *attempt) Turn(ctx context.Context, t *agents.Turn) error {
	ctx = context.WithoutCancel(ctx)
	first := a.number(1 + len(t.Calls))
	t.Step = first
	s, err := a.modelStep(t)
	if err != nil {
		return err
	}
	lines := []line{fresh(s)}
	facts := []events.Event{a.turnFact(t)}
	for i, c := range t.Calls {
		c.Step = first + 1 + i
		s, err := a.callStep(c)
		if err != nil {
			return err
		}
		lines = append(lines, fresh(s))
		if c.State == agents.CallStarted {
			facts = append(facts, a.startFact(c))
		}
	}
	sum := a.with(t)
	if err := a.keep(ctx, sum, lines, facts...); err != nil {
		return fmt.Errorf("keeping turn %d of %s: %w", t.Number, a.run.ID, err)
	}
	a.took(t, sum)
	return nil
}

// took takes over a turn that is in the journal.
func (a *attempt) took(t *agents.Turn, sum totals) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns = append(a.turns, t)
	a.calls, a.usage, a.first = sum.calls, sum.usage, sum.first
	a.text.Reset()
	a.thought.Reset()
	for _, c := range t.Calls {
		a.told[c.Step] = c.State == agents.CallStarted
	}
}

// maxFactText bounds the texts of a turn in its event.
const maxFactText = 32 << 10

func (a *attempt) turnFact(t *agents.Turn) TurnFinished {
	f := TurnFinished{
		subject: a.run.subject(), Step: t.Step, Turn: t.Number, Message: a.run.Answer, Usage: t.Usage, Model: t.Model, Stop: t.Stop,
		TookMs: t.Ended.Sub(t.Began).Milliseconds(),
	}
	if !t.First.IsZero() {
		f.FirstMs = t.First.Sub(t.Began).Milliseconds()
	}
	for i := range t.Parts {
		switch p := &t.Parts[i]; p.Kind {
		case providers.PartText:
			f.Text += p.Text
		case providers.PartReasoning:
			f.Reasoning += p.Text
		case providers.PartToolCall, providers.PartToolResult, providers.PartImage, providers.PartDocument, providers.PartAudio:
		}
	}
	if len(f.Text)+len(f.Reasoning) > maxFactText {
		f.Text, f.Reasoning, f.Cut = "", "", true
	}
	for _, c := range t.Calls {
		f.Calls = append(f.Calls, shownCall(c))
	}
	return f
}

func shownCall(c *agents.Call) CallShown { return CallShown{c.ID, c.Tool, c.Title, shorten(c.Args)} }

func (a *attempt) startFact(c *agents.Call) ToolStarted {
	a.progress(c.Turn, c.Tool)
	return ToolStarted{a.run.subject(), c.Step, c.Turn, shownCall(c), c.Origin, c.Safe}
}

// Start keeps that calls are about to be made.
func (a *attempt) Start(ctx context.Context, calls []*agents.Call) error {
	lines, err := a.callLines(calls)
	if err == nil {
		err = a.keep(ctx, a.with(nil), lines, a.starting(calls)...)
	}
	if err != nil {
		return fmt.Errorf("keeping the start of calls of %s: %w", a.run.ID, err)
	}
	return nil
}

// starting lists the facts of calls that were not said to have started.
func (a *attempt) starting(calls []*agents.Call) []events.Event {
	var facts []events.Event
	for _, c := range calls {
		a.mu.Lock()
		told := a.told[c.Step]
		a.told[c.Step] = true
		a.mu.Unlock()
		if !told {
			facts = append(facts, a.startFact(c))
		}
	}
	return facts
}

// Finish keeps what came of a call, and that next are about to be made.
func (a *attempt) Finish(ctx context.Context, c *agents.Call, next []*agents.Call) error {
	if err := a.putApart(ctx, c); err != nil {
		return err
	}
	var facts []events.Event
	if c.State == agents.CallFinished {
		facts = append(facts, a.finishFact(c))
	}
	lines, err := a.callLines(append([]*agents.Call{c}, next...))
	if err == nil {
		err = a.keep(context.WithoutCancel(ctx), a.with(nil), lines, append(facts, a.starting(next)...)...)
	}
	if err != nil {
		return fmt.Errorf("keeping the result of %s of %s: %w", c.Tool, a.run.ID, err)
	}
	return nil
}

func (a *attempt) finishFact(c *agents.Call) ToolFinished {
	f := ToolFinished{
		subject: a.run.subject(), Step: c.Step, Turn: c.Turn, Call: c.ID, Tool: c.Tool, Title: c.Title, OK: !c.Result.IsError, Code: c.Result.Code,
		Preview: preview(c.Result.Text()), Truncated: c.Result.Truncated, TookMs: c.Ended.Sub(c.Began).Milliseconds(),
	}
	f.Images = c.Result.Images()
	if c.Result.Full != nil {
		f.Body = c.Result.Full.Body
	}
	f.Meta = metaOf(c.Result)
	return f
}

// metaOf is what a tool says about its result for screens, unless it is long.
func metaOf(r *tools.Result) json.RawMessage {
	if len(r.Meta) == 0 {
		return nil
	}
	raw, err := json.Marshal(r.Meta)
	if err != nil || len(raw) > maxInput {
		return nil
	}
	return raw
}

// Compact keeps that older turns were replaced by a summary.
func (a *attempt) Compact(ctx context.Context, c *agents.Compaction) error {
	ctx = context.WithoutCancel(ctx)
	s := a.blank(StepCompaction, a.number(1), c.Upto)
	c.Step, s.Name, s.StartedAt, s.FinishedAt = s.Seq, "summary", c.Began, c.Ended
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	s.Output = raw
	return a.keepStep(ctx, s, RunCompacted{a.run.subject(), s.Seq, c.Before, c.After})
}

// keepStep keeps one new line with its fact.
func (a *attempt) keepStep(ctx context.Context, s *step, fact events.Event) error {
	return a.keep(ctx, a.with(nil), []line{fresh(s)}, fact)
}

// letter is something a person said to a run that goes on.
type letter struct {
	N       int64       `db:"n"`
	Message ids.Message `db:"message_id"`
	Parts   string      `db:"parts"`
}

// News gives what the person said since, and keeps that the model gets it.
func (a *attempt) News(ctx context.Context) ([]providers.Part, error) {
	a.mu.Lock()
	heard, signals := a.heard, a.signals
	a.looked = signals
	a.mu.Unlock()
	if signals <= heard {
		return nil, nil
	}
	letters, err := store.All[letter](ctx, a.d.opts.DB.Read(), selectInbox, a.run.ID, heard)
	if err != nil {
		return nil, fmt.Errorf("reading what was said to %s: %w", a.run.ID, err)
	}
	defer func() {
		a.mu.Lock()
		a.heard = max(a.heard, signals)
		a.mu.Unlock()
	}()
	if len(letters) == 0 {
		return nil, nil
	}
	now := time.Now()
	out := said{}
	for _, l := range letters {
		parts, err := decode[[]providers.Part](l.Parts)
		if err != nil {
			return nil, err
		}
		out.Upto, out.Messages, out.Parts = l.N, append(out.Messages, l.Message), append(out.Parts, parts...)
	}
	s := a.blank(StepSteering, a.number(1), a.turn)
	s.Name, s.StartedAt, s.FinishedAt = string(a.run.User), now, now
	if s.Output, err = json.Marshal(out); err != nil {
		return nil, err
	}
	if err := a.keepStep(ctx, s, RunSteered{a.run.subject(), s.Seq, out.Messages}); err != nil {
		return nil, err
	}
	return a.d.opts.Conversations.Load(ctx, a.run.Workspace, out.Parts)
}

// End keeps the last turn and ends the run, unless there is news.
func (a *attempt) End(ctx context.Context, last *agents.Turn) (news bool, err error) {
	ctx = context.WithoutCancel(ctx)
	return a.d.end(ctx, a, ending{do: Finish, last: last})
}

// shortArgs bounds arguments in events.
const shortArgs = 2 << 10

// shorten makes arguments fit an event: long texts in them are cut.
func shorten(args json.RawMessage) json.RawMessage {
	if len(args) <= shortArgs {
		return args
	}
	var v any
	if err := json.Unmarshal(args, &v); err != nil {
		return nil
	}
	for most := 400; most >= 25; most /= 4 {
		if raw, err := json.Marshal(cutTexts(v, most)); err == nil && len(raw) <= shortArgs {
			return raw
		}
	}
	return json.RawMessage(`{"…":"too long to show"}`)
}

func cutTexts(v any, most int) any {
	switch v := v.(type) {
	case string:
		return tools.Middle(v, most)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = cutTexts(v[i], most)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = cutTexts(v[k], most)
		}
		return out
	}
	return v
}
