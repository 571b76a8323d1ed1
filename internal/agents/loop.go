package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/tools"
)

// Belt is the tools of a run.
type Belt interface {
	Specs() []tools.Spec
	Spec(name string) (tools.Spec, error)
	Call(ctx context.Context, call tools.Call) (tools.Result, error)
}

// Journal keeps what a run does, so that it can go on where it was. Each method is one commit and sets
// the Step of what it keeps; an error ends the run's work in this process. What has happened is kept also when
// ctx has ended meanwhile. Finish is called by several goroutines.
type Journal interface {
	// Turn keeps a whole model call; those of its calls that are started are so from this commit on.
	Turn(ctx context.Context, t *Turn) error
	// Start keeps that calls are about to be made.
	Start(ctx context.Context, calls []*Call) error
	// Finish keeps what came of a call, and that next are about to be made.
	Finish(ctx context.Context, c *Call, next []*Call) error
	// Compact keeps that older turns were replaced by a summary.
	Compact(ctx context.Context, c *Compaction) error
	// News gives what the person said since it was last asked, and keeps that the model gets it.
	News(ctx context.Context) ([]providers.Part, error)
	// End keeps the last turn and ends the run, unless there is news: then nothing is kept.
	End(ctx context.Context, last *Turn) (news bool, err error)
	// Park ends the work until a person has answered, unless there is news.
	Park(ctx context.Context, waiting []*Call) (news bool, err error)
}

// Voice hears what is not kept: pieces of an answer as they come.
type Voice interface {
	Text(turn int, text string)
	Reasoning(turn int, text string)
	Progress(c *Call, p tools.Progress)
}

// Hooks are asked before a turn and told after it.
type Hooks interface {
	// BeforeTurn may end the run with an error.
	BeforeTurn(ctx context.Context, turn int) error
	// AfterTurn is told of a turn that was kept, before its calls are made.
	AfterTurn(ctx context.Context, t *Turn)
}

// Entry is one thing of a run's past; exactly one field is set.
type Entry struct {
	Turn    *Turn
	Said    []providers.Part // by the person, while the run was going on
	Compact *Compaction
}

// Loop works on one request: it asks the model, makes the calls the model wants, and asks again until nothing
// is left to do, a limit is reached or a person is needed. It is used once.
type Loop struct {
	Model     providers.Model
	Request   providers.Request // what every turn is asked with; Messages ends with the question
	Tools     Belt              // nil: none
	Journal   Journal
	Voice     Voice
	Hooks     Hooks      // nil: nobody is asked
	Call      tools.Call // what all calls have in common
	Limits    Limits
	Allowance *costs.Allowance
	Context   int64 // tokens the model can read; 0: unknown, so nothing is compacted before it is too much
	// Short is asked when a budget that asks a person has refused a turn: nil lets it be asked again, ErrParked says that the
	// run waits, anything else ends it. Nil: the refusal does.
	Short func(ctx context.Context, refused error) error
	// Summarise makes a summary of a transcript; nil, or an error, has one made by rule.
	Summarise func(ctx context.Context, transcript string) (string, error)

	entries []Entry
	said    []providers.Message // the request's messages and what the entries add
	seen    map[string]bool     // ids of calls
	watch   watch
	turns   int
	calls   int
	used    int64 // tokens of said, as far as known
	offered []providers.Tool
}

// ErrParked says that a person has to answer before the run can go on.
var ErrParked = errors.New("agents: the run waits for a person")

// Run works until the run has ended or is parked, or fails. With an error it gives the turn that broke off.
func (l *Loop) Run(ctx context.Context, past []Entry) (broken *Turn, err error) {
	l.Limits = l.Limits.Defaults()
	l.seen = make(map[string]bool)
	l.said = slices.Clone(l.Request.Messages)
	if l.Tools != nil {
		for _, s := range l.Tools.Specs() {
			l.offered = append(l.offered, providers.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
		}
	}
	open, err := l.recall(past)
	if err != nil {
		return nil, err
	}
	if open != nil {
		if err := l.act(ctx, open); err != nil {
			return nil, err
		}
	}
	for {
		done, broken, err := l.turn(ctx)
		if done || err != nil {
			return broken, err
		}
	}
}

// recall takes over what the run did before, and gives the turn that has calls left to make.
func (l *Loop) recall(past []Entry) (open *Turn, err error) {
	for _, e := range past {
		if e.Turn != nil && e.Turn.Open() {
			l.note(e.Turn)
			for _, c := range e.Turn.Calls {
				if c.State == CallStarted {
					c.lost()
				}
			}
			return e.Turn, nil
		}
		if e.Turn != nil {
			l.note(e.Turn)
		}
		if err := l.add(e); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// lost makes a call whose process died ready to be made again, or a question whether it should.
func (c *Call) lost() {
	if c.Safe {
		return
	}
	c.State, c.Reply = CallWaiting, nil
	c.Need = &tools.Need{
		Kind:     NeedRepeat,
		Question: fmt.Sprintf("The server stopped while %s was running, and nobody knows how far it got. Run it again?", c.Tool),
		Options: []tools.Option{
			{Label: AnswerRepeat, Description: "Make the call again."},
			{Label: AnswerSkip, Description: "Go on without it; the agent is told that its outcome is unknown."},
			{Label: AnswerStop, Description: "End the run."},
		},
	}
}

// turn asks once and does what the model wants.
func (l *Loop) turn(ctx context.Context) (done bool, broken *Turn, err error) {
	news, err := l.Journal.News(ctx)
	if err != nil {
		return false, nil, err
	}
	if len(news) > 0 {
		if err := l.add(Entry{Said: news}); err != nil {
			return false, nil, err
		}
	}
	if err := l.makeRoom(ctx); err != nil {
		return false, nil, err
	}
	if l.Hooks != nil {
		if err := l.Hooks.BeforeTurn(ctx, l.turns+1); err != nil {
			return false, nil, err
		}
	}
	t, err := l.ask(ctx)
	if err != nil {
		return false, t, err
	}
	if len(t.Calls) == 0 && t.Stop != providers.StopPaused {
		more, err := l.Journal.End(ctx, t)
		if err == nil && !more {
			l.told(ctx, t)
		}
		if err != nil || !more {
			return err == nil, nil, err
		}
	}
	stage := l.prepare(t)
	if ctx.Err() != nil { // the turn is kept, and its calls are made when the run goes on
		stage = nil
	}
	now := time.Now()
	for _, c := range stage {
		c.State, c.Began = CallStarted, now
	}
	if err := l.Journal.Turn(ctx, t); err != nil {
		return false, nil, err
	}
	l.note(t)
	l.told(ctx, t)
	return false, nil, l.act(ctx, t)
}

// told lets the hooks know of a turn.
func (l *Loop) told(ctx context.Context, t *Turn) {
	if l.Hooks != nil {
		l.Hooks.AfterTurn(ctx, t)
	}
}

// note counts a turn.
func (l *Loop) note(t *Turn) {
	l.turns = max(l.turns, t.Number)
	l.calls += len(t.Calls)
	for _, c := range t.Calls {
		l.seen[c.ID] = true
	}
}

// prepare looks up what is known of a turn's tools and gives the calls to begin with.
func (l *Loop) prepare(t *Turn) []*Call {
	for _, c := range t.Calls {
		if l.Tools == nil {
			continue
		}
		if spec, err := l.Tools.Spec(c.Tool); err == nil {
			c.Title, c.Origin, c.Safe = spec.Title, spec.Origin, spec.ReadOnly || spec.Repeatable
		} else {
			c.Safe = true // it does not exist, so nothing happens
		}
	}
	if all := stages(t.Calls); len(all) > 0 {
		return all[0]
	}
	return nil
}

// add puts an entry where the model sees it.
func (l *Loop) add(e Entry) error {
	l.entries = append(l.entries, e)
	switch {
	case e.Compact != nil:
		return l.shrink(e.Compact)
	case e.Said != nil:
		l.say(providers.RoleUser, e.Said)
		return nil
	}
	return l.show(e.Turn)
}

// show puts a turn and its results where the model sees them, with a note if it goes round in circles.
func (l *Loop) show(t *Turn) error {
	l.say(providers.RoleModel, t.Parts)
	if t.Usage.Total() > 0 {
		l.used = t.Usage.Total()
	}
	if len(t.Calls) == 0 {
		return nil
	}
	results := make([]providers.Part, 0, len(t.Calls)+1)
	for _, c := range t.Calls {
		p := c.ResultPart()
		l.used += providers.EstimateText(p.ResultText())
		results = append(results, p)
	}
	note, stop := l.watch.see(t)
	if note != "" {
		results = append(results, providers.Text(note))
	}
	l.say(providers.RoleUser, results)
	return stop
}

// say adds parts to the conversation; two messages of one side in a row become one, since vendors want turns.
func (l *Loop) say(role providers.Role, parts []providers.Part) {
	if len(parts) == 0 {
		return
	}
	if n := len(l.said); n > 0 && l.said[n-1].Role == role {
		whole := slices.Concat(l.said[n-1].Parts, parts)
		l.said = append(slices.Clone(l.said[:n-1]), providers.Message{Role: role, Parts: whole}) // requests before this one keep theirs
		return
	}
	l.said = append(l.said, providers.Message{Role: role, Parts: parts})
}

const lastTurnNote = "[This is the last turn of this run: tools are not available any more. Answer now with what you have, and say what is missing.]"

// ask makes one model call.
func (l *Loop) ask(ctx context.Context) (*Turn, error) {
	if l.turns >= l.Limits.Turns {
		return nil, fault.New(fault.Exhausted, "run_turn_limit", "The run has used its %d turns.", l.Limits.Turns).
			WithHint("Raise the agent's limit of turns, or split the task.")
	}
	req := l.Request
	req.Messages, req.Tools = slices.Clip(l.said), l.offered
	if l.turns == l.Limits.Turns-1 && l.turns > 0 && len(req.Tools) > 0 {
		req.ToolChoice = providers.ToolChoice{Mode: providers.ToolNone}
		req.System = append(slices.Clip(req.System), providers.Text(lastTurnNote))
	}
	t := &Turn{Number: l.turns + 1, Began: time.Now()}
	err := l.afford(ctx, &req, t)
	if fault.HasCode(err, providers.CodeContext) && len(t.Parts) == 0 {
		if made, compactErr := l.compact(ctx, pressureFull); compactErr != nil || !made {
			return t, errors.Join(err, compactErr)
		}
		req.Messages = slices.Clip(l.said)
		err = l.afford(ctx, &req, t)
	}
	if err == nil {
		t.Calls = newCalls(t.Number, t.Parts, l.seen)
	}
	return t, err
}

// afford receives one answer into t, once there is money for it.
func (l *Loop) afford(ctx context.Context, req *providers.Request, t *Turn) error {
	for {
		err := l.stream(ctx, req, t)
		if _, asks := costs.Asks(err); !asks || l.Short == nil || len(t.Parts) > 0 {
			return err
		}
		if err := l.Short(ctx, err); err != nil {
			return err
		}
	}
}

// stream receives one answer into t.
func (l *Loop) stream(ctx context.Context, req *providers.Request, t *Turn) error {
	s, err := l.Model.Stream(ctx, req)
	if err != nil {
		return err
	}
	defer s.Close()
	var gather providers.Gather
	var c providers.Chunk
	for err == nil {
		if err = s.Next(&c); err != nil {
			break
		}
		gather.Add(&c)
		switch c.Kind {
		case providers.ChunkText:
			t.first()
			l.Voice.Text(t.Number, c.Text)
		case providers.ChunkReasoning:
			t.first()
			l.Voice.Reasoning(t.Number, c.Text)
		case providers.ChunkToolStart:
			t.first()
		}
	}
	r := gather.Response()
	t.Model, t.Parts, t.Usage, t.Stop, t.Ended = r.Model, r.Parts, r.Usage, r.Stop, time.Now()
	if err == io.EOF {
		return nil
	}
	return err
}

func (t *Turn) first() {
	if t.First.IsZero() {
		t.First = time.Now()
	}
}

// act makes the calls of a turn that have no result yet, then shows the turn to the model.
func (l *Loop) act(ctx context.Context, t *Turn) error {
	for t.Open() {
		if err := l.makeCalls(ctx, t); err != nil {
			return err
		}
		waiting := t.Waiting()
		if len(waiting) == 0 {
			break
		}
		news, err := l.Journal.Park(ctx, waiting)
		if err != nil {
			return err
		}
		if !news {
			return ErrParked
		}
	}
	return l.add(Entry{Turn: t})
}

// makeCalls goes through the stages until one has a call that waits for a person.
func (l *Loop) makeCalls(ctx context.Context, t *Turn) error {
	all := stages(t.Calls)
	for i, stage := range all {
		stage = slices.DeleteFunc(slices.Clone(stage), func(c *Call) bool { return c.State == CallFinished })
		if len(stage) == 0 {
			continue
		}
		var next []*Call
		if len(stage) == 1 && i+1 < len(all) {
			next = all[i+1]
		}
		if err := l.begin(ctx, stage); err != nil {
			return err
		}
		if err := l.together(ctx, stage, next); err != nil {
			return err
		}
		for _, c := range stage {
			if c.State == CallWaiting {
				return nil
			}
		}
	}
	return nil
}

// begin keeps that the calls of a stage are about to be made, where the journal does not say so yet.
func (l *Loop) begin(ctx context.Context, stage []*Call) error {
	var fresh []*Call
	for _, c := range stage {
		if c.State == CallPlanned || (c.State == CallWaiting && c.runnable()) {
			fresh = append(fresh, c)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	now := time.Now()
	for _, c := range fresh {
		if c.State == CallPlanned {
			c.Began = now
		}
		if c.Need != nil && c.Need.Again {
			c.Answer = c.Reply.String()
		}
		c.State, c.Need, c.Reply = CallStarted, nil, nil
	}
	return l.Journal.Start(ctx, fresh)
}

// runnable says whether a waiting call may be made again: the gate or the helper is asked again, or the person wants it.
func (c *Call) runnable() bool {
	switch c.Need.Kind {
	case tools.NeedApproval, NeedHelper:
		return true
	case NeedRepeat:
		return c.Reply != nil && c.Reply.String() == AnswerRepeat
	case tools.NeedAnswer:
		return c.Need.Again && c.Reply != nil
	}
	return false
}

// together makes the calls of a stage at the same time. next are started by the commit that finishes a single call.
func (l *Loop) together(ctx context.Context, stage, next []*Call) error {
	if len(stage) == 1 {
		return l.makeCall(ctx, stage[0], next)
	}
	errs := make([]error, len(stage))
	var wg sync.WaitGroup
	for i, c := range stage {
		wg.Go(func() { errs[i] = l.makeCall(ctx, c, nil) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// makeCall takes one call to its result, or to the question it waits for.
func (l *Loop) makeCall(ctx context.Context, c *Call, next []*Call) error {
	result, needed, err := l.perform(ctx, c)
	if err != nil || (!needed && result == nil) {
		return err
	}
	c.Ended = time.Now()
	if needed {
		c.State, c.Need, c.Reply = CallWaiting, result.Needs, nil
		if c.Need.Kind == tools.NeedApproval {
			c.Approval = c.Need.Ticket
		}
		return l.Journal.Finish(ctx, c, nil)
	}
	c.State, c.Need, c.Result = CallFinished, nil, result
	if ctx.Err() != nil {
		next = nil
	}
	for _, n := range next {
		n.State, n.Began = CallStarted, c.Ended
	}
	return l.Journal.Finish(ctx, c, next)
}

// perform runs a call. No result and no need means that it still waits.
func (l *Loop) perform(ctx context.Context, c *Call) (result *tools.Result, needed bool, err error) {
	if c.State == CallWaiting {
		switch {
		case c.Reply == nil:
			return nil, false, nil
		case c.Need.Kind == NeedRepeat:
			r := tools.Fails(fault.New(fault.Conflict, "outcome_unknown", "The server stopped while this ran, so its outcome is unknown. The person decided not to run it again.").
				WithHint("Look at the state of things before you go on."))
			return &r, false, nil
		}
		r := tools.Says(c.Reply.String())
		return &r, false, nil
	}
	if l.Tools == nil {
		r := tools.Fails(fault.New(fault.NotFound, "tool_not_found", "There are no tools here.").WithHint("Answer without them."))
		return &r, false, nil
	}
	if l.calls > l.Limits.ToolCalls {
		r := tools.Fails(fault.New(fault.Exhausted, "tool_call_limit", "The run has used its %d tool calls.", l.Limits.ToolCalls).
			WithHint("Answer with what you have."))
		return &r, false, nil
	}
	call := l.Call
	call.ID, call.Tool, call.Args, call.Turn, call.Approval = c.ID, c.Tool, c.Args, fmt.Sprint(c.Turn), c.Approval
	call.Answer, c.Answer = c.Answer, ""
	call.Progress = func(p tools.Progress) { l.Voice.Progress(c, p) }
	r, err := l.Tools.Call(ctx, call)
	if err != nil {
		return nil, false, err
	}
	return &r, r.Needs != nil, nil
}
