package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Wait is something a run waits for.
type Wait struct {
	Run   ids.Run `json:"run" doc:"Whose call it is: the run's own, or a helper's."`
	Call  string  `json:"call"`
	Tool  string  `json:"tool"`
	Title string  `json:"title,omitempty"`
	tools.Need
}

// Park ends the work until a person has answered, unless there is news.
func (a *attempt) Park(ctx context.Context, waiting []*agents.Call) (news bool, err error) {
	ctx = context.WithoutCancel(ctx)
	needs, err := a.needs(ctx, waiting)
	if err != nil {
		return false, err
	}
	lines, err := a.questions(waiting)
	if err != nil {
		return false, err
	}
	calls, err := a.callLines(waiting)
	if err != nil {
		return false, err
	}
	if news, err = a.park(ctx, needs, append(calls, lines...)); err != nil || !news {
		return false, err
	}
	return true, a.replies(ctx, waiting)
}

// park writes down what the run waits for, unless there is news.
func (a *attempt) park(ctx context.Context, needs []Wait, lines []line) (news bool, err error) {
	if err := a.d.scribe.settle(ctx, a.run.ID); err != nil {
		return false, err
	}
	a.mu.Lock()
	looked := a.looked
	a.mu.Unlock()
	sum := a.with(nil)
	err = a.d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, parkRun, Waiting, store.JSON(needs), sum.spent, a.run.ID, a.run.Attempt, looked)
		if err != nil {
			return err
		}
		if news = n == 0; news {
			return nil
		}
		if err := writeLines(ctx, tx, lines); err != nil {
			return err
		}
		return a.d.say(ctx, tx, a.run, RunWaiting{a.run.subject(), a.run.Answer, needs})
	})
	if err != nil {
		return false, fmt.Errorf("parking %s: %w", a.run.ID, err)
	}
	if !news {
		return false, nil
	}
	if err := a.catchUp(ctx); err != nil {
		return true, err
	}
	a.mu.Lock()
	a.looked = a.signals
	a.mu.Unlock()
	return true, nil
}

// needs lists what the calls wait for; those of helpers stand for their parent's call.
func (a *attempt) needs(ctx context.Context, waiting []*agents.Call) ([]Wait, error) {
	var all []Wait
	for _, c := range waiting {
		if c.Need.Kind != agents.NeedHelper {
			all = append(all, Wait{a.run.ID, c.ID, c.Tool, c.Title, *c.Need})
			continue
		}
		for _, id := range strings.Fields(c.Need.Ticket) {
			helper, err := store.One[Run](ctx, a.d.opts.DB.Read(), selectRun, id)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", id, err)
			}
			all = append(all, helper.Needs...)
		}
	}
	return all, nil
}

// questions are the lines of the log that say what a person is asked.
func (a *attempt) questions(waiting []*agents.Call) ([]line, error) {
	now := time.Now()
	var lines []line
	for _, c := range waiting {
		if c.Need.Kind == agents.NeedHelper {
			continue
		}
		kind := StepQuestion
		if c.Need.Kind == tools.NeedApproval {
			kind = StepApproval
		}
		l, err := a.asking(kind, c.Tool, c.Turn, *c.Need, now)
		if err != nil {
			return nil, err
		}
		l.Call = c.ID
		lines = append(lines, l)
	}
	return lines, nil
}

// asking is the line of one question.
func (a *attempt) asking(kind StepKind, name string, turn int, need tools.Need, now time.Time) (line, error) {
	s := a.blank(kind, a.number(1), turn)
	s.Name, s.Title, s.State, s.StartedAt = name, need.Question, string(agents.CallWaiting), now
	raw, err := encode(need)
	s.Need = []byte(raw)
	return fresh(s), err
}

// replies gives calls the answers that came while they were about to wait.
func (a *attempt) replies(ctx context.Context, waiting []*agents.Call) error {
	type row struct {
		Seq   int    `db:"seq"`
		Reply string `db:"reply"`
	}
	rows, err := store.All[row](ctx, a.d.opts.DB.Read(), selectReplies, a.run.ID)
	if err != nil {
		return fmt.Errorf("reading the answers to %s: %w", a.run.ID, err)
	}
	for _, r := range rows {
		i := slices.IndexFunc(waiting, func(c *agents.Call) bool { return c.Step == r.Seq })
		if i < 0 {
			continue
		}
		reply, err := decode[agents.Reply](r.Reply)
		if err != nil {
			return err
		}
		waiting[i].Reply = &reply
	}
	return nil
}

// Answer is what a person says to a run that waits.
type Answer struct {
	Call string // "": the only question there is
	agents.Reply
}

// Answer answers a question of a run. Approvals are answered through guard. Once nothing is open, the run goes on.
func (d *Desk) Answer(ctx context.Context, who conversations.Asker, id ids.Run, answer Answer) (Run, error) {
	run, err := d.visible(ctx, who, id)
	if err != nil {
		return run, err
	}
	need, err := pick(run, answer)
	if err != nil {
		return run, err
	}
	if err := checkReply(need, answer.Reply); err != nil {
		return run, err
	}
	if need.Kind == agents.NeedRepeat && answer.String() == agents.AnswerStop {
		root, err := d.rootOf(ctx, run)
		if err != nil {
			return run, err
		}
		if err := d.stop(ctx, root); err != nil {
			return run, err
		}
		return d.Get(ctx, who, id)
	}
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error { return d.reply(ctx, tx, run, need, answer.Reply) })
	if err != nil {
		return run, fmt.Errorf("answering %s: %w", id, err)
	}
	return d.Get(ctx, who, id)
}

// pick finds the need that is answered.
func pick(run Run, answer Answer) (Wait, error) {
	if run.State != Waiting {
		return Wait{}, fault.New(fault.Conflict, "run_state", "The run does not wait for an answer: it is %s.", run.State).WithDetail("state", run.State)
	}
	var fit []Wait
	for _, n := range run.Needs {
		if n.Kind != tools.NeedApproval && (answer.Call == "" || answer.Call == n.Call) {
			fit = append(fit, n)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return Wait{}, fault.New(fault.Invalid, "which_question", "The run waits for %d answers.", len(fit)).WithParam("call").WithHint("Say which call you answer.")
	case answer.Call == "" && len(run.Needs) > 0:
		return Wait{}, fault.New(fault.Conflict, "approval_needed", "The run waits for an approval, not for an answer.").
			WithHint("POST /api/v1/guard/approvals/{approval}/answer answers it.")
	}
	return Wait{}, fault.New(fault.NotFound, "question_not_found", "The run does not wait for an answer to %q.", answer.Call).WithParam("call")
}

func checkReply(need Wait, r agents.Reply) error {
	if strings.TrimSpace(r.String()) == "" {
		return fault.New(fault.Invalid, "empty_answer", "The answer is empty.").WithParam("answer").WithHint("Say or choose something.")
	}
	if len(r.String()) > conversations.MaxMessage {
		return fault.New(fault.TooLarge, "message_too_long", "The answer is too long.").WithParam("answer").WithHint("Send long material as a file.")
	}
	if need.Kind == agents.NeedRepeat && !slices.ContainsFunc(need.Options, func(o tools.Option) bool { return o.Label == r.String() }) {
		return fault.New(fault.Invalid, "bad_answer", "%q is not one of the answers.", r.String()).WithParam("answer").WithHint("Use repeat, skip or stop.")
	}
	if !need.Multiple && len(r.Choices) > 1 {
		return fault.New(fault.Invalid, "one_answer", "Only one of the options can be chosen.").WithParam("answers")
	}
	return nil
}

// reply keeps an answer and wakes the run when it was the last.
func (d *Desk) reply(ctx context.Context, tx *store.Tx, run Run, need Wait, r agents.Reply) error {
	raw, err := encode(r)
	if err != nil {
		return err
	}
	n, err := tx.Exec(ctx, answerStep, raw, need.Run, need.Call)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.New(fault.Conflict, "answered", "This was answered already.").WithHint("Load the run again.")
	}
	root, err := d.rootIn(ctx, tx, run)
	if err != nil {
		return err
	}
	if err := d.say(ctx, tx, root, RunAnswered{root.subject(), need.Call, string(need.Kind), clip(r.String(), 500)}); err != nil {
		return err
	}
	return d.Wake(ctx, tx, need.Run)
}

// answerFreely takes a message to a waiting run as the answer to its question, if it has just one.
func (d *Desk) answerFreely(ctx context.Context, tx *store.Tx, run Run, parts []providers.Part) error {
	m := providers.Message{Parts: parts}
	need, err := pick(run, Answer{})
	if err != nil || need.Kind != tools.NeedAnswer {
		return nil //nolint:nilerr // the message is read when the run goes on
	}
	return d.reply(ctx, tx, run, need, agents.Reply{Text: m.Text()})
}

// Wake lets a run go on that waits for a person, in the caller's transaction: what it waits for was answered.
// A run that has not begun to wait yet looks again before it does; one that is over stays so.
func (d *Desk) Wake(ctx context.Context, tx *store.Tx, id ids.Run) error {
	run, err := store.One[Run](ctx, tx, selectRun, id)
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", id, err)
	}
	if run.Parent != "" {
		if err := d.signalled(ctx, tx, run.ID); err != nil {
			return err
		}
		return d.Wake(ctx, tx, run.Parent)
	}
	to, err := Move(run.State, Wake)
	if err != nil {
		return d.signalled(ctx, tx, run.ID)
	}
	job, err := d.enqueue(ctx, tx, run)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, wakeRun, to, job, run.ID)
	return err
}

func (d *Desk) signalled(ctx context.Context, tx *store.Tx, id ids.Run) error {
	n, err := store.One[int64](ctx, tx, signalRun, id)
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err == nil {
		d.tell(tx, id, n)
	}
	return err
}

func (d *Desk) rootOf(ctx context.Context, run Run) (Run, error) {
	return d.climb(ctx, d.opts.DB.Read(), run)
}

func (d *Desk) rootIn(ctx context.Context, tx *store.Tx, run Run) (Run, error) {
	return d.climb(ctx, tx, run)
}

// climb finds the run that a person started.
func (d *Desk) climb(ctx context.Context, q store.Querier, run Run) (Run, error) {
	for run.Parent != "" {
		var err error
		if run, err = store.One[Run](ctx, q, selectRun, run.Parent); err != nil {
			return run, fmt.Errorf("reading %s: %w", run.Parent, err)
		}
	}
	return run, nil
}
