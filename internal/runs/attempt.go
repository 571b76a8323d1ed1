package runs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

type jobArgs struct {
	Run ids.Run `json:"run"`
}

// maxCrashes is how often a run may be begun again before it is taken for what kills the process.
const maxCrashes = 100

// attempt is a run being worked on in this process. It is the journal and the voice of the run's loop.
type attempt struct {
	d         *Desk
	run       Run // as it was begun
	agent     agents.Agent
	task      *jobs.Task
	parent    *attempt // nil: a person asked
	allowance *costs.Allowance
	below     int // how many levels of helpers it may have
	stop      context.CancelCauseFunc
	hooks     Hooks // nil: nobody wants to know

	// Guarded by scribe.mu.
	kept      int64          // entries of this attempt
	behind    int            // of them that the database does not have yet
	held      []events.Event // deltas that come after those
	releasing bool
	lost      bool // the run is not this attempt's any more

	mu        sync.Mutex // guards the fields below
	seq       int        // of the last step
	heard     int64      // signals whose messages the model has
	looked    int64      // signals that were there when the run last looked
	signals   int64      // known
	told      map[int]bool
	turns     []*agents.Turn
	calls     int
	usage     providers.Usage
	first     time.Time
	recall    *recollection
	result    string // of a helper that has finished
	turn      int    // the turn whose pieces come
	text      strings.Builder
	thought   strings.Builder
	pieces    int // of text, in this attempt
	thoughts  int
	lastShown time.Time // when the parent's listeners were last told of progress
}

// execute is the job: it may be called again after a crash.
func (d *Desk) execute(ctx context.Context, task *jobs.Task) (_ any, err error) {
	var args jobArgs
	if err := task.Decode(&args); err != nil {
		return nil, err
	}
	run, err := store.One[Run](ctx, d.opts.DB.Read(), selectRun, args.Run)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", args.Run, err)
	}
	if run.State.Over() || run.State == Waiting || run.Job != task.ID {
		return nil, nil // it ended, or was parked, just before the process died
	}
	if run.Attempt >= maxCrashes {
		return nil, d.endIdle(ctx, run, ending{do: Fail, trouble: fault.New(fault.Internal, "run_crashes", "The run was begun %d times and never came to an end.", run.Attempt).
			WithHint("Look into the server's log, then ask again.")})
	}
	a := &attempt{d: d, run: run, task: task}
	err = d.work(ctx, a)
	if errors.Is(err, agents.ErrParked) {
		err = nil
	}
	return nil, err
}

// work takes a run as far as it goes: to its end, to a question, or, with an error, to where the next start
// takes it up again.
func (d *Desk) work(ctx context.Context, a *attempt) (err error) {
	ctx, a.stop = context.WithCancelCause(ctx)
	defer a.stop(nil)
	d.mu.Lock()
	d.live[a.run.ID] = a // before it begins, so that it hears of all that comes then
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.live, a.run.ID)
		d.mu.Unlock()
	}()
	j, err := d.begin(ctx, a)
	if err != nil {
		return err
	}
	ctx, cancel := a.allowance.Context(ctx, time.Now())
	defer cancel()
	broken, err := d.loop(ctx, a, j)
	if err == nil {
		a.ended(ctx, Finished, nil)
	}
	if err == nil || errors.Is(err, agents.ErrParked) {
		return err
	}
	e, over := a.judge(ctx, err)
	if !over {
		return err // the server is stopping: the next start works on it again
	}
	e.last = broken
	if _, endErr := d.end(context.WithoutCancel(ctx), a, e); endErr != nil {
		return errors.Join(err, endErr)
	}
	to, err := Move(a.run.State, e.do)
	if err != nil {
		return err
	}
	a.ended(ctx, to, e.trouble)
	if a.parent != nil {
		return cmpErr(e.trouble, errStopped)
	}
	return nil
}

func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// judge tells a run that failed from one that was stopped, and both from a server that stops.
func (a *attempt) judge(ctx context.Context, err error) (e ending, over bool) {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return ending{do: Fail, trouble: err}, true
	case errors.Is(cause, errStopped), a.task.Cancelled(ctx):
		return ending{do: Cancel}, true
	case fault.HasCode(cause, "run_time_limit"), fault.HasCode(cause, "tool_timeout"):
		return ending{do: Fail, trouble: cause}, true
	}
	return ending{}, false
}

// started is what beginning a run answers.
type started struct {
	Attempt int   `db:"attempt"`
	Signals int64 `db:"signals"`
}

// begin reads the journal and makes the run this attempt's own.
func (d *Desk) begin(ctx context.Context, a *attempt) (*journal, error) {
	do := Start
	if a.run.State != Queued {
		do = Resume
	}
	to, err := Move(a.run.State, do)
	if err != nil {
		return nil, err
	}
	j, err := d.read(ctx, a.run.ID)
	if err != nil {
		return nil, err
	}
	from := a.run.State
	var got started
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		got, err = store.One[started](ctx, tx, startRun, to, time.Now(), a.run.ID, from)
		if errors.Is(err, store.ErrNoRows) {
			_, err := Move(Cancelled, do) // cancelled between reading and starting
			return err
		}
		if err != nil {
			return err
		}
		if len(a.run.Needs) > 0 || a.run.Attempt > 0 {
			if _, err := tx.Exec(ctx, closeQuestions, time.Now(), a.run.ID); err != nil {
				return err
			}
		}
		return d.say(ctx, tx, a.run, RunStarted{a.run.subject(), got.Attempt, a.run.Answer, len(j.turns) + 1, a.run.Model})
	})
	if err != nil {
		return nil, fmt.Errorf("beginning %s: %w", a.run.ID, err)
	}
	// What came after the run was read may not be in the journal that was read.
	a.signal(got.Signals)
	a.mu.Lock()
	a.looked = a.run.Signals
	a.run.State, a.run.Attempt = to, got.Attempt
	a.take(j)
	a.mu.Unlock()
	if err := d.fetch(ctx, a.run.Workspace, j); err != nil {
		return nil, err
	}
	return j, d.equip(ctx, a)
}

// take makes what the journal tells the attempt's own.
func (a *attempt) take(j *journal) {
	a.seq, a.heard, a.turns, a.recall = j.seq, j.heard, j.turns, j.recall
	a.told = make(map[int]bool)
	if a.run.Usage != nil && len(a.turns) > 0 {
		a.usage = *a.run.Usage
	}
	for _, t := range j.turns {
		a.calls += len(t.Calls)
		for _, c := range t.Calls {
			a.told[c.Step] = !c.Began.IsZero()
		}
	}
	if n := len(j.turns); n > 0 {
		a.first = j.turns[0].First
	}
}

// equip looks up the agent and what it may spend.
func (d *Desk) equip(ctx context.Context, a *attempt) (err error) {
	if a.agent, err = d.opts.Agents.Get(ctx, a.run.Workspace, a.run.Agent); err != nil {
		_, endErr := d.end(context.WithoutCancel(ctx), a, ending{do: Fail, trouble: err})
		return errors.Join(endErr, errGone)
	}
	limits := a.agent.Limits.Defaults()
	money := costs.Limits{Money: costs.Micros(limits.Money), Time: limits.Time}
	a.below = limits.Depth
	if a.parent == nil {
		a.allowance = costs.NewAllowance(money, a.run.Spent, len(a.turns))
		return nil
	}
	a.below = min(a.below, a.parent.below-1)
	a.allowance = a.parent.allowance.Under(money, a.run.Spent, len(a.turns))
	return nil
}

// errGone ends the job of a run whose agent does not exist any more; the run has failed and says so.
var errGone = fault.New(fault.NotFound, "agent_gone", "The agent of the run does not exist any more.")

// loop builds the run's loop and lets it work.
func (d *Desk) loop(ctx context.Context, a *attempt, j *journal) (broken *agents.Turn, err error) {
	defer func() {
		if p := recover(); p != nil {
			d.log.ErrorContext(ctx, "a run panicked", "part", "runs", "run", a.run.ID, "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "run_crashed", "The run crashed.").WithHint("Look into the server's log.")
		}
	}()
	model, name, err := d.opts.Model(ctx, a.run.Workspace, a.run.Model)
	if err != nil {
		return nil, err
	}
	ctx = costs.With(ctx, a.run.attribution(a.allowance))
	request, err := d.request(ctx, a, name)
	if err != nil {
		return nil, err
	}
	call := tools.Call{
		Workspace: a.run.Workspace, User: a.run.User, Agent: a.run.Agent, Run: a.run.ID, Conversation: a.run.Conversation, Door: a.run.Door,
		Unattended: a.run.unattended(), Asking: a.root().run.Tools == ToolsAsk,
	}
	if d.opts.Folder != nil {
		call.Project = a.run.Project
		if call.Folder, err = d.opts.Folder(ctx, a.run.Workspace, a.run.Project); err != nil {
			return nil, err
		}
	}
	l := agents.Loop{
		Model: model, Request: request, Journal: a, Voice: a, Call: call, Limits: a.agent.Limits, Allowance: a.allowance,
		Summarise: d.summariser(a), Short: a.short,
	}
	if d.opts.Context != nil {
		l.Context = d.opts.Context(a.run.Model)
	}
	if belt, err := d.belt(ctx, a); err != nil {
		return nil, err
	} else if belt != nil {
		l.Tools = belt
	}
	if err := a.hooked(ctx, &l); err != nil {
		return nil, err
	}
	return l.Run(ctx, j.entries)
}

// signal notes that a person sent something.
func (a *attempt) signal(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.signals = max(a.signals, n)
}

// root is the attempt that a person's run has.
func (a *attempt) root() *attempt {
	for a.parent != nil {
		a = a.parent
	}
	return a
}

// Text passes a piece of the answer on.
func (a *attempt) Text(turn int, text string) {
	a.mu.Lock()
	a.turn = turn
	a.text.WriteString(text)
	n := a.pieces
	a.pieces++
	a.mu.Unlock()
	a.publish(TextDelta{a.run.ID, a.run.Answer, a.run.Attempt, turn, n, text})
	a.progress(turn, "")
}

// publish says a delta of the run.
func (a *attempt) publish(ev events.Event) {
	if a.d.scribe != nil {
		a.d.scribe.publish(a, ev)
		return
	}
	a.d.opts.Hub.Publish(a.run.Workspace, a.run.channel(), ev)
}

// Reasoning passes a piece of what the model thinks on.
func (a *attempt) Reasoning(turn int, text string) {
	a.mu.Lock()
	a.turn = turn
	a.thought.WriteString(text)
	n := a.thoughts
	a.thoughts++
	a.mu.Unlock()
	a.publish(ReasoningDelta{a.run.ID, a.run.Answer, a.run.Attempt, turn, n, text})
	a.progress(turn, "")
}

// Progress passes on how far a call is.
func (a *attempt) Progress(c *agents.Call, p tools.Progress) {
	a.publish(ToolProgress{a.run.ID, c.ID, clip(p.Text, 2000), p.Done, p.Total})
}

// progressEvery bounds how often the conversation hears that a helper is at work.
const progressEvery = 250 * time.Millisecond

// progress tells the conversation that a helper is at work, without what it says.
func (a *attempt) progress(turn int, tool string) {
	if a.parent == nil {
		return
	}
	a.mu.Lock()
	if tool == "" && time.Since(a.lastShown) < progressEvery {
		a.mu.Unlock()
		return
	}
	a.lastShown = time.Now()
	chars := a.text.Len()
	a.mu.Unlock()
	a.d.opts.Hub.Publish(a.run.Workspace, a.root().run.channel(), HelperProgress{a.helping(), turn, tool, chars})
}

// helping is how the parent's listeners know a helper.
func (a *attempt) helping() helping {
	return helping{a.parent.run.subject(), a.run.Call, a.run.ID, a.run.Agent}
}
