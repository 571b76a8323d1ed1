package push

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// heard are the kinds of facts that people may want to be told.
var heard = []string{
	guard.Asked{}.Kind(), guard.Answered{}.Kind(), guard.Expired{}.Kind(), guard.Withdrawn{}.Kind(),
	runs.RunWaiting{}.Kind(), runs.RunAnswered{}.Kind(), runs.RunFinished{}.Kind(), runs.RunFailed{}.Kind(), runs.RunCancelled{}.Kind(),
	costs.BudgetExceeded{}.Kind(),
}

// said is a fact that waits to be announced.
type said struct {
	Workspace ids.Workspace   `json:"workspace"`
	Channel   string          `json:"channel"`
	Kind      string          `json:"kind"`
	Data      json.RawMessage `json:"data"`
}

// hear has a fact announced, in the transaction that says it.
func (h *Herald) hear(ctx context.Context, tx *store.Tx, f events.Fact) error {
	if own := strings.HasPrefix(f.Channel, "runs/"); own { // a helper's: its parent waits and answers for it
		return nil
	}
	if anyone, err := h.somebody(ctx); err != nil || !anyone {
		return err
	}
	// The machine's own job: it would else be said, and heard, as work of the workspace.
	_, err := h.opts.Jobs.Enqueue(ctx, tx, jobs.Request{Kind: announceKind, Priority: 1, Args: said{f.Workspace, f.Channel, f.Kind, f.Data}})
	return err
}

// announce makes the messages to all devices that a fact concerns.
func (h *Herald) announce(ctx context.Context, task *jobs.Task) (any, error) {
	var s said
	if err := task.Decode(&s); err != nil {
		return nil, err
	}
	over, err := h.over(ctx, s)
	if err != nil {
		return nil, err
	}
	about, err := h.matters(ctx, s)
	if err != nil {
		if fault.From(err).Kind == fault.NotFound { // deleted meanwhile
			return nil, nil
		}
		return nil, err
	}
	for _, m := range about {
		more, err := h.audience(ctx, s.Workspace, m)
		if err != nil {
			return nil, err
		}
		over = append(over, more...)
	}
	return map[string]int{"devices": len(over)}, h.post(ctx, over)
}

// post hands letters to jobs of their own.
func (h *Herald) post(ctx context.Context, letters []letter) error {
	if len(letters) == 0 {
		return nil
	}
	return h.db.InTx(ctx, func(tx *store.Tx) error {
		for _, l := range letters {
			statement, args := insertShown, []any{l.Notification.Tag, l.Subscription, l.Until.Add(shownLife)}
			if l.Notification.Kind == KindOver {
				statement, args = deleteShown, args[:2]
			}
			n, err := tx.Exec(ctx, statement, args...)
			if err != nil {
				return err
			}
			if n == 0 { // this job ran before
				continue
			}
			if _, err := h.opts.Jobs.Enqueue(ctx, tx, jobs.Request{Kind: sendKind, Priority: 1, Args: l}); err != nil {
				return err
			}
		}
		return nil
	})
}

// shownLife is how long a notification may stay on a screen after it is worth nothing.
const shownLife = 24 * time.Hour

// audience writes to every device that is to be told.
func (h *Herald) audience(ctx context.Context, ws ids.Workspace, m matter) ([]letter, error) {
	now := h.now()
	if !m.until.After(now) {
		return nil, nil
	}
	open, err := h.opts.Directory.Seats(ctx, ws)
	if err != nil {
		return nil, err
	}
	seats := make(map[ids.Session]identity.Seat, len(open))
	for _, s := range open {
		if s.May(m.permission) && (m.only == "" || m.only == s.User) {
			seats[s.Session] = s
		}
	}
	rows, err := store.All[subscription](ctx, h.db.Read(), selectSubscriptions)
	if err != nil {
		return nil, fmt.Errorf("listing subscriptions: %w", err)
	}
	var letters []letter
	wishes := map[ids.User]Wishes{}
	for _, s := range rows {
		if seat, ok := seats[s.Session]; !ok || seat.User != s.User {
			continue
		}
		w, known := wishes[s.User]
		if !known {
			if w, err = h.Wishes(ctx, s.User); err != nil {
				return nil, err
			}
			wishes[s.User] = w
		}
		if m.wanted(w) && !w.QuietAt(now) {
			letters = append(letters, letter{
				Subscription: s.ID, Workspace: ws, Permission: m.permission, Run: m.run, Until: m.until, Notification: m.notification(w, now),
			})
		}
	}
	return letters, nil
}

// matters are what a fact is for people; none if it is for nobody, or is not so any more.
func (h *Herald) matters(ctx context.Context, s said) ([]matter, error) {
	switch s.Kind {
	case guard.Asked{}.Kind():
		return h.asked(ctx, s)
	case runs.RunWaiting{}.Kind():
		return h.waiting(ctx, s)
	case runs.RunFinished{}.Kind(), runs.RunFailed{}.Kind():
		return h.finished(ctx, s)
	case costs.BudgetExceeded{}.Kind():
		return h.exceeded(s)
	}
	return nil, nil
}

func (h *Herald) asked(ctx context.Context, s said) ([]matter, error) {
	var fact guard.Asked
	if err := json.Unmarshal(s.Data, &fact); err != nil {
		return nil, err
	}
	a, err := h.opts.Guard.Approval(ctx, s.Workspace, fact.Approval)
	if err != nil || a.State != guard.StateAsked {
		return nil, err
	}
	m := matter{
		kind: KindApproval, tag: approvalTag(a.ID), url: "/inbox?item=approval:" + string(a.ID), approval: a.ID, permission: "guard:approve",
		wanted: func(w Wishes) bool { return w.Approvals }, title: called(h.agent(ctx, s.Workspace, a.Agent)) + " needs your approval",
		text: a.Command, instead: "Open it to see what for.", deadline: a.Deadline, until: a.Deadline,
	}
	if m.text == "" {
		m.text = a.Reason
	}
	if a.Kind == guard.KindBudget { // to spend more is to raise the budget
		m.permission = "costs:write"
	}
	return []matter{m}, nil
}

// questionLife is how long a question of an agent is worth a notification.
const questionLife = 24 * time.Hour

func (h *Herald) waiting(ctx context.Context, s said) ([]matter, error) {
	var fact runs.RunWaiting
	if err := json.Unmarshal(s.Data, &fact); err != nil {
		return nil, err
	}
	run, err := h.opts.Runs.Of(ctx, s.Workspace, fact.Run)
	if err != nil || run.State != runs.Waiting {
		return nil, err
	}
	var list []matter
	for _, need := range fact.Needs {
		if need.Kind != tools.NeedAnswer {
			continue
		}
		list = append(list, matter{
			kind: KindQuestion, tag: questionTag(run.ID, need.Call), url: "/chat/" + string(run.Conversation), run: run.ID, permission: "runs:write", only: run.User,
			wanted: func(w Wishes) bool { return w.Questions }, title: called(h.agent(ctx, s.Workspace, run.Agent)) + " asks you something",
			text: need.Question, instead: "Open the chat to see what.", until: h.now().Add(questionLife),
		})
	}
	return list, nil
}

// resultLife is how long the end of a run, or of a budget, is worth a notification.
const resultLife = 4 * time.Hour

func (h *Herald) finished(ctx context.Context, s said) ([]matter, error) {
	var fact runs.RunFinished
	if err := json.Unmarshal(s.Data, &fact); err != nil {
		return nil, err
	}
	run, err := h.opts.Runs.Of(ctx, s.Workspace, fact.Run)
	if err != nil || run.Parent != "" || run.Key != "" {
		return nil, err
	}
	took, words := run.FinishedAt.Sub(run.CreatedAt), " has finished"
	if s.Kind == (runs.RunFailed{}).Kind() {
		words = " could not finish"
	}
	return []matter{{
		kind: KindFinished, tag: "run:" + string(run.ID), url: "/chat/" + string(run.Conversation), permission: "runs:read", only: run.User,
		wanted: func(w Wishes) bool {
			return w.Finished == FinishedAlways || w.Finished == FinishedLong && took > longRun
		},
		title: called(h.agent(ctx, s.Workspace, run.Agent)) + words, text: run.Title, until: h.now().Add(resultLife),
	}}, nil
}

func (h *Herald) exceeded(s said) ([]matter, error) {
	var fact costs.BudgetExceeded
	if err := json.Unmarshal(s.Data, &fact); err != nil {
		return nil, err
	}
	// It is said to all, for those who can raise it, and to the one person who is to be told.
	permission, only := "costs:write", ids.User("")
	if s.Channel != costs.Channel {
		permission, only = "costs:read", ids.User(strings.TrimPrefix(s.Channel, events.NotificationChannel("")))
	}
	words := map[costs.AtLimit]string{
		costs.Alert: "Calls go on.", costs.Throttle: "Calls go on, one at a time.", costs.AskPerson: "Runs wait for a yes.", costs.Block: "Calls are refused until it begins anew or is raised.",
	}
	return []matter{{
		kind: KindBudget, tag: fmt.Sprintf("budget:%s:%d", fact.Budget, fact.Resets.Unix()), url: "/costs/budgets", permission: permission, only: only,
		wanted: func(w Wishes) bool { return w.Budgets }, title: "A budget is used up",
		text: strings.TrimSpace(fact.Name + ". " + words[fact.AtLimit]), instead: words[fact.AtLimit], until: h.now().Add(resultLife),
	}}, nil
}

// over are the letters that take the place of notifications which need nobody any more.
func (h *Herald) over(ctx context.Context, s said) ([]letter, error) {
	var fact struct {
		guard.Answered
		Call string `json:"call"`
	}
	if err := json.Unmarshal(s.Data, &fact); err != nil {
		return nil, err
	}
	from, title := "", ""
	switch s.Kind {
	case guard.Answered{}.Kind():
		name, err := h.opts.Directory.NameOf(ctx, s.Workspace, fact.By)
		if err != nil {
			return nil, err
		}
		from, title = approvalTag(fact.Approval), outcome(fact.State, name)
	case guard.Expired{}.Kind():
		from, title = approvalTag(fact.Approval), "Nobody answered in time, so it was denied"
	case guard.Withdrawn{}.Kind():
		from, title = approvalTag(fact.Approval), "It needs no answer any more"
	case runs.RunAnswered{}.Kind():
		from, title = questionTag(fact.Run, fact.Call), "The question is answered"
	case runs.RunFinished{}.Kind(), runs.RunFailed{}.Kind(), runs.RunCancelled{}.Kind():
		from, title = questionTag(fact.Run, ""), "It needs no answer any more"
	default:
		return nil, nil
	}
	until := from
	if strings.HasSuffix(from, ":") {
		until += "~" // all of the run
	}
	type shown struct {
		Tag          string           `db:"tag"`
		Subscription ids.Subscription `db:"subscription_id"`
	}
	rows, err := store.All[shown](ctx, h.db.Read(), selectShown, from, until)
	if err != nil {
		return nil, fmt.Errorf("reading what is shown: %w", err)
	}
	now := h.now()
	letters := make([]letter, len(rows))
	for i, r := range rows {
		letters[i] = letter{Subscription: r.Subscription, Workspace: s.Workspace, Until: now.Add(overLife), Notification: Notification{
			Kind: KindOver, Tag: r.Tag, Title: title, Body: called(h.agent(ctx, s.Workspace, fact.Agent)) + " asked you.", URL: "/inbox", At: now.UTC().Truncate(time.Second),
		}}
	}
	return letters, nil
}

// overLife is how long it is worth saying that something is over.
const overLife = time.Hour

func outcome(state guard.State, name string) string {
	words := "Denied"
	if state == guard.StateApproved {
		words = "Approved"
	}
	if name == "" {
		return words
	}
	return words + " by " + name
}

func approvalTag(id ids.Approval) string { return "approval:" + string(id) }

func questionTag(run ids.Run, call string) string { return "question:" + string(run) + ":" + call }

// agent is how people call an agent.
func (h *Herald) agent(ctx context.Context, ws ids.Workspace, name string) string {
	if h.opts.Agent == nil || name == "" {
		return name
	}
	return h.opts.Agent(ctx, ws, name)
}
