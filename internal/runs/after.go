package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	afterKind      = "runs.afterwards"
	afterTime      = 30 * time.Second // for a title
	maxSuggestions = 3
	maxSuggestion  = 120 // characters
	afterText      = 4000
)

// routed keeps how the agent of a run was picked.
func (d *Desk) routed(ctx context.Context, tx *store.Tx, run Run, r Routing) error {
	now := time.Now()
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s := &step{
		Run: run.ID, Workspace: run.Workspace, Seq: 1, Kind: StepRouting, Name: r.Agent, Title: r.Why, State: "finished", Output: raw, StartedAt: now, FinishedAt: now,
	}
	if err := s.insert(ctx, tx); err != nil {
		return err
	}
	return d.say(ctx, tx, run, RunRouted{run.subject(), s.Seq, r.Why, r.How, r.Confidence})
}

// plan has a finished answer looked at afterwards: for its title, what to ask next, and what to remember.
func (d *Desk) plan(ctx context.Context, tx *store.Tx, c closing, answer ids.Message) error {
	if c.to != Finished || answer == "" {
		return nil
	}
	_, err := d.opts.Jobs.Enqueue(ctx, tx, jobs.Request{Workspace: c.run.Workspace, Kind: afterKind, Args: jobArgs{c.run.ID}, UniqueKey: string(c.run.ID), Priority: -1})
	return err
}

// afterwards is the job that comes after an answer.
func (d *Desk) afterwards(ctx context.Context, task *jobs.Task) (any, error) {
	var args jobArgs
	if err := task.Decode(&args); err != nil {
		return nil, err
	}
	run, err := store.One[Run](ctx, d.opts.DB.Read(), selectRun, args.Run)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", args.Run, err)
	}
	path, err := d.ledTo(ctx, run)
	if err != nil || len(path) < 2 {
		return nil, err // without messages the conversation is gone
	}
	answer := path[len(path)-1]
	if answer.Notes != nil && answer.Notes.Suggestions != nil { // noted before the process died
		return nil, d.observe(ctx, run, questionOf(run, path), answer)
	}
	about, asked := d.notice(ctx, run, path)
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if len(path) == 2 {
			if err := d.opts.Conversations.Entitle(ctx, tx, run.Workspace, run.Conversation, asked, about.Title, about.Summary); err != nil {
				return err
			}
		}
		notes := conversations.Notes{}
		if answer.Notes != nil {
			notes = *answer.Notes
		}
		notes.Suggestions = about.Suggestions
		if err := d.opts.Conversations.Annotate(ctx, tx, run.Workspace, run.Conversation, answer.ID, notes); err != nil {
			return err
		}
		return d.say(ctx, tx, run, Suggested{run.subject(), answer.ID, about.Suggestions})
	})
	if err != nil {
		return nil, fmt.Errorf("noting what follows %s: %w", run.ID, err)
	}
	return nil, d.observe(ctx, run, asked, answer)
}

// ledTo gives the answer of a run and what was said before it.
func (d *Desk) ledTo(ctx context.Context, run Run) ([]conversations.Message, error) {
	const most = 8
	answer, ok := d.answers.take(run.ID)
	if !ok || answer.Parent == "" {
		return d.opts.Conversations.Path(ctx, run.Workspace, run.Conversation, run.Answer, most)
	}
	before, err := d.opts.Conversations.Path(ctx, run.Workspace, run.Conversation, answer.Parent, most-1)
	return append(before, answer), err
}

const (
	keptAnswers = 64       // that are not looked at yet
	keptAnswer  = 32 << 10 // bytes of what is in one; a longer one is read
)

// answers keeps answers until they are looked at, which is a moment later and mostly in this process: reading one back takes
// as long as all else that is done then.
type answers struct {
	mu   sync.Mutex // guards kept
	kept map[ids.Run]conversations.Message
}

func (a *answers) put(run ids.Run, m conversations.Message) {
	size := 0
	for i := range m.Parts {
		size += len(m.Parts[i].Text) + len(m.Parts[i].Args) + len(m.Parts[i].Data)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if size > keptAnswer {
		return
	}
	if a.kept == nil || len(a.kept) >= keptAnswers { // those that are left are read, when their turn comes
		a.kept = make(map[ids.Run]conversations.Message)
	}
	a.kept[run] = m
}

func (a *answers) take(run ids.Run) (conversations.Message, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.kept[run]
	delete(a.kept, run)
	return m, ok
}

// noticed is what a cheap model says of an answer.
type noticed struct {
	Title       string   `json:"title"`
	Summary     string   `json:"summary"`
	Suggestions []string `json:"suggestions"`
}

// notice makes a title and suggestions, by a model if there is a cheap one, else by rule.
func (d *Desk) notice(ctx context.Context, run Run, path []conversations.Message) (about noticed, asked string) {
	answer := path[len(path)-1]
	replied := providers.Message{Parts: answer.Parts}
	asked = questionOf(run, path)
	about, err := d.noticeByModel(ctx, run, asked, replied.Text())
	if err != nil {
		if !errors.Is(err, errNoCheap) {
			d.log.WarnContext(ctx, "title made by rule", "part", "runs", "run", run.ID, "err", err)
		}
		about = noticed{Suggestions: followUps(answer.Parts)}
	}
	about.Suggestions = about.Suggestions[:min(len(about.Suggestions), maxSuggestions)]
	for i := range about.Suggestions {
		about.Suggestions[i] = clip(about.Suggestions[i], maxSuggestion)
	}
	return about, asked
}

// questionOf is what the person asked.
func questionOf(run Run, path []conversations.Message) string {
	question := path[0]
	for _, m := range path {
		if m.ID == run.Question {
			question = m
		}
	}
	m := providers.Message{Parts: question.Parts}
	return m.Text()
}

var errNoCheap = errors.New("runs: no cheap model")

const noticeInstructions = `You label conversations. Answer with one JSON object: {"title": at most six words, no quotation marks, in the language of the person, "summary": one sentence, "suggestions": three short messages the person could send next, in their words and language}.`

func (d *Desk) noticeByModel(ctx context.Context, run Run, asked, replied string) (about noticed, err error) {
	text, err := d.askCheap(ctx, run, noticeInstructions, "The person: "+tools.Middle(asked, afterText)+"\n\nThe answer: "+tools.Middle(replied, afterText))
	if err != nil {
		return about, err
	}
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return about, fmt.Errorf("the model answered without JSON")
	}
	return about, json.Unmarshal([]byte(text[from:to+1]), &about)
}

// askCheap asks the cheap model of a workspace something small.
func (d *Desk) askCheap(ctx context.Context, run Run, instructions, text string) (string, error) {
	name := ""
	if d.opts.Cheap != nil {
		name = d.opts.Cheap(ctx, run.Workspace, run.Model)
	}
	if name == "" {
		return "", errNoCheap
	}
	model, known, err := d.opts.Model(ctx, run.Workspace, name)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, afterTime)
	defer cancel()
	by := run.attribution(costs.From(ctx).Allowance)
	by.Asked = name
	r, err := providers.Complete(costs.With(ctx, by), model, &providers.Request{
		Model: known, System: []providers.Part{providers.Text(instructions)}, Messages: []providers.Message{providers.UserText(text)}, MaxTokens: 1000,
	})
	return r.Text(), err
}

// followUps are suggestions by rule.
func followUps(parts []providers.Part) []string {
	var tool, code bool
	for i := range parts {
		tool = tool || parts[i].Kind == providers.PartToolCall
		code = code || strings.Contains(parts[i].Text, "```")
	}
	switch {
	case tool:
		return []string{"What exactly did you do?", "Is there anything left to do?", "Sum it up in one sentence"}
	case code:
		return []string{"Explain this step by step", "What could go wrong with it?", "Show another way"}
	}
	return []string{"Tell me more", "Give me an example", "Sum it up in one sentence"}
}

const summaryInstructions = `You shorten transcripts of an agent's work so that it can go on with the summary alone. Keep: what the person wants and said, decisions (each on a line that begins with "Decision:"), facts found with their sources, files changed, what is done and what is left, errors not to repeat. Leave out small talk and raw output. Write plain lines.`

// summariser makes summaries for the run's loop; nil where no cheap model is there.
func (d *Desk) summariser(a *attempt) func(ctx context.Context, transcript string) (string, error) {
	if d.opts.Cheap == nil {
		return nil
	}
	return func(ctx context.Context, transcript string) (string, error) {
		return d.askCheap(ctx, a.run, summaryInstructions, transcript)
	}
}

// observe lets memory learn from an answer.
func (d *Desk) observe(ctx context.Context, run Run, asked string, answer conversations.Message) error {
	if d.opts.Observer == nil {
		return nil
	}
	agent, err := d.opts.Agents.Get(ctx, run.Workspace, run.Agent)
	if err != nil || !agent.Memory.Remember {
		return nil //nolint:nilerr // an agent that is gone remembers nothing
	}
	m := providers.Message{Parts: answer.Parts}
	a := attempt{run: run, agent: agent}
	e := Exchange{Question: a.question(asked), Asked: run.Question, Answered: answer.ID, Answer: m.Text()}
	if answer.Notes != nil {
		e.Recalled = answer.Notes.Recalled
	}
	if err := d.opts.Observer.Observe(ctx, e); err != nil {
		return fmt.Errorf("remembering %s: %w", run.ID, err)
	}
	return nil
}
