package runs

import (
	"cmp"
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
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// Case is a request that is kept to be tried again: what was asked, what the tools gave, and what is expected.
type Case struct {
	ID           ids.Case         `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	User         ids.User         `db:"user_id" json:"user"`
	Name         string           `db:"name" json:"name"`
	Run          ids.Run          `db:"run_id" json:"run" doc:"The run it was kept from."`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation"`
	Question     ids.Message      `db:"question_id" json:"-"`
	Agent        string           `db:"agent" json:"agent"`
	Model        string           `db:"model" json:"model" doc:"Of the run it was kept from."`
	Project      string           `db:"project" json:"project,omitempty"`
	Title        string           `db:"title" json:"title" doc:"The beginning of what was asked."`
	Expects      Expectation      `db:"expects,json" json:"expects"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
	// Last is how it went when it was last tried.
	Last *Trial `json:"last,omitempty"`
}

// Trial is how a case went once.
type Trial struct {
	Run         ids.Run     `db:"run_id" json:"run"`
	Case        ids.Case    `db:"case_id" json:"case"`
	Model       string      `db:"model" json:"model"`
	Verdict     Verdict     `db:"verdict" json:"verdict" enum:"running,passed,differs"`
	Differences []Deviation `db:"differences,json" json:"differences,omitempty"`
	CreatedAt   time.Time   `db:"created_at" json:"created_at"`
	FinishedAt  time.Time   `db:"finished_at" json:"finished_at,omitzero"`
}

// NewCase says what to keep as a case.
type NewCase struct {
	Run  ids.Run
	Name string // "": the beginning of what was asked
	// Contains are phrases that the answer must have; none: it must be the same.
	Contains []string
}

// The bounds of a case.
const (
	maxCaseName   = 120
	maxPhrases    = 20
	maxPhrase     = 1000
	maxCaseResult = 1 << 20 // of all results together
)

// KeepCase keeps a run as a case: what it answered and called is what is expected from now on.
func (d *Desk) KeepCase(ctx context.Context, who conversations.Asker, n NewCase) (Case, error) {
	run, err := d.visible(ctx, who, n.Run)
	if err != nil {
		return Case{}, err
	}
	if err := keepable(run); err != nil {
		return Case{}, err
	}
	phrases, err := checkPhrases(n.Contains)
	if err != nil {
		return Case{}, err
	}
	memo, expects, err := d.memo(ctx, who, run)
	if err != nil {
		return Case{}, err
	}
	expects.Contains = phrases
	if missing := expects.lacking(expects.Answer); len(missing) > 0 {
		return Case{}, fault.New(fault.Invalid, "phrase_missing", "The answer of this run does not have %q.", missing[0]).WithParam("contains").
			WithHint("Choose words that stand in it.")
	}
	c := Case{
		ID: ids.New[ids.Case](), Workspace: who.Workspace, User: who.User, Name: clip(cmp.Or(strings.TrimSpace(n.Name), run.Title), maxCaseName), Run: run.ID,
		Conversation: run.Conversation, Question: run.Question, Agent: run.Agent, Model: run.Model, Project: run.Project, Title: run.Title,
		Expects: expects, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertCase, c.ID, c.Workspace, c.User, c.Name, c.Run, c.Conversation, c.Question, c.Agent, c.Model, c.Project, c.Title,
			store.JSON(memo), store.JSON(c.Expects), c.CreatedAt)
		return err
	})
	if err != nil {
		return Case{}, fmt.Errorf("keeping %s as a case: %w", run.ID, err)
	}
	return c, nil
}

func keepable(run Run) error {
	switch {
	case run.Parent != "":
		return fault.New(fault.Invalid, "helper_run", "A helper cannot work alone.").WithHint("Keep the run it worked for: %s.", run.Parent)
	case run.State != Finished:
		return fault.New(fault.Conflict, "run_state", "Only a run that has finished says what is expected; this one is %s.", run.State).
			WithHint("Replay it, and keep the replay.").WithDetail("state", run.State)
	}
	return nil
}

func checkPhrases(given []string) ([]string, error) {
	var phrases []string
	for _, p := range given {
		if p = strings.TrimSpace(p); p != "" && !slices.Contains(phrases, p) {
			phrases = append(phrases, p)
		}
	}
	if len(phrases) > maxPhrases || slices.ContainsFunc(phrases, func(p string) bool { return len(p) > maxPhrase }) {
		return nil, fault.New(fault.Invalid, "too_many_phrases", "A case has at most %d phrases of %d bytes.", maxPhrases, maxPhrase).WithParam("contains")
	}
	return phrases, nil
}

// memo reads what a run needs to be tried again without what it came from, and what it came to.
func (d *Desk) memo(ctx context.Context, who conversations.Asker, run Run) (memo, Expectation, error) {
	if _, err := d.opts.Conversations.Message(ctx, who, run.Conversation, run.Question); err != nil {
		return memo{}, Expectation{}, err
	}
	j, err := d.read(ctx, run.ID)
	if err != nil {
		return memo{}, Expectation{}, err
	}
	if len(j.turns) == 0 {
		return memo{}, Expectation{}, errForgotten
	}
	if slices.ContainsFunc(j.entries, func(e agents.Entry) bool { return e.Said != nil }) {
		return memo{}, Expectation{}, fault.New(fault.Conflict, "run_steered", "Something was said to this run while it worked, which a case cannot repeat.").
			WithHint("Replay it, and keep the replay.")
	}
	rows, err := d.opts.Conversations.Path(ctx, run.Workspace, run.Conversation, run.Question, d.opts.History)
	if err != nil {
		return memo{}, Expectation{}, err
	}
	m := memo{Recall: j.recall, Results: results(j.turns)}
	for _, row := range rows {
		m.Messages = append(m.Messages, conversations.Message{Role: row.Role, Parts: row.Parts})
	}
	size := 0
	for _, r := range m.Results {
		size += len(r.Args) + len(r.Result.Text())
	}
	if size > maxCaseResult {
		return memo{}, Expectation{}, fault.New(fault.TooLarge, "case_too_large", "The tools of this run gave more than %d bytes, which is too much to keep.", maxCaseResult)
	}
	return m, Expectation{Answer: strings.TrimSpace(answerText(j.turns)), Calls: callsOf(j.turns)}, nil
}

// Cases lists the cases that the asker keeps, newest first, each with how it last went.
func (d *Desk) Cases(ctx context.Context, who conversations.Asker, q page.Query) (page.Page[Case], error) {
	after, _, err := page.Decode[ids.Case](q.Cursor)
	if err != nil {
		return page.Page[Case]{}, err
	}
	rows, err := store.All[Case](ctx, d.opts.DB.Read(), listCases, who.Workspace, who.User, after, after, q.Size()+1)
	if err != nil {
		return page.Page[Case]{}, fmt.Errorf("listing cases: %w", err)
	}
	for i := range rows {
		if err := d.last(ctx, &rows[i]); err != nil {
			return page.Page[Case]{}, err
		}
	}
	return page.Of(q, rows, func(c Case) ids.Case { return c.ID }), nil
}

// Case reads one that the asker keeps; any other is not found.
func (d *Desk) Case(ctx context.Context, who conversations.Asker, id ids.Case) (Case, error) {
	c, err := store.One[Case](ctx, d.opts.DB.Read(), selectCase, id, who.Workspace, who.User)
	if errors.Is(err, store.ErrNoRows) {
		return c, caseNotFound(id)
	}
	if err != nil {
		return c, fmt.Errorf("reading %s: %w", id, err)
	}
	return c, d.last(ctx, &c)
}

func caseNotFound(id ids.Case) error {
	return fault.New(fault.NotFound, "case_not_found", "There is no case %s.", id).WithHint("GET /api/v1/cases lists yours.")
}

func (d *Desk) last(ctx context.Context, c *Case) error {
	t, err := store.One[Trial](ctx, d.opts.DB.Read(), lastTrial, c.ID)
	if errors.Is(err, store.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading how %s went: %w", c.ID, err)
	}
	c.Last = &t
	return nil
}

// DeleteCase forgets a case and how it went; the runs stay.
func (d *Desk) DeleteCase(ctx context.Context, who conversations.Asker, id ids.Case) error {
	return d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, deleteCase, id, who.Workspace, who.User)
		if err != nil {
			return fmt.Errorf("forgetting %s: %w", id, err)
		}
		if n == 0 {
			return caseNotFound(id)
		}
		_, err = tx.Exec(ctx, deleteTrials, id)
		return err
	})
}

// Try answers what a case keeps once more: with the agent as it is now, with the same model or another, and with the
// results that were recorded, so that no tool does anything.
func (d *Desk) Try(ctx context.Context, who conversations.Asker, id ids.Case, model string, key ids.Key) (Trial, error) {
	c, err := d.Case(ctx, who, id)
	if err != nil {
		return Trial{}, err
	}
	agent, err := d.opts.Agents.Get(ctx, who.Workspace, c.Agent)
	if err != nil {
		return Trial{}, err
	}
	run := Run{
		ID: ids.New[ids.Run](), Workspace: who.Workspace, Conversation: c.Conversation, User: who.User, Key: key, Door: "case", Project: c.Project,
		Agent: agent.Name, Model: cmp.Or(model, c.Model), State: Queued, Question: c.Question, Answer: ids.New[ids.Message](), Title: c.Title,
		Origin: c.Run, Reason: Tried, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	t := Trial{Run: run.ID, Case: c.ID, Model: run.Model, Verdict: VerdictRunning, CreatedAt: run.CreatedAt}
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) (err error) {
		if run.Job, err = d.enqueue(ctx, tx, run); err != nil {
			return err
		}
		if err := d.insert(ctx, tx, run); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertTrial, t.Run, t.Case, t.Model, t.Verdict, t.CreatedAt); err != nil {
			return err
		}
		return d.say(ctx, tx, run, RunQueued{run.subject(), run.Question})
	})
	if err != nil {
		return Trial{}, fmt.Errorf("trying %s: %w", id, err)
	}
	return t, nil
}

// judge keeps how a case went, with the end of the run that tried it.
func (d *Desk) judge(ctx context.Context, tx *store.Tx, c closing) error {
	expects, err := store.One[string](ctx, tx, selectExpects, c.run.ID)
	if errors.Is(err, store.ErrNoRows) {
		return nil // the case was deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("reading what %s tries: %w", c.run.ID, err)
	}
	e, err := decode[Expectation](expects)
	if err != nil {
		return err
	}
	verdict, differences := e.Judge(Outcome{State: c.to, Trouble: c.trouble, Answer: answerText(c.turns), Calls: callsOf(c.turns)})
	_, err = tx.Exec(ctx, endTrial, verdict, store.JSON(differences), time.Now(), c.run.ID)
	return err
}
