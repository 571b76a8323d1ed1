package runs

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

// request is what every turn of a run is asked with.
func (d *Desk) request(ctx context.Context, a *attempt, model string) (providers.Request, error) {
	p := a.agent.Params
	r := providers.Request{
		Model: model, MaxTokens: p.MaxTokens, Temperature: p.Temperature, TopP: p.TopP, Reasoning: providers.Reasoning{Effort: providers.Effort(p.Effort)},
		Cache: providers.CacheShort, User: string(a.run.User),
	}
	var err error
	if r.Messages, err = d.said(ctx, a); err != nil {
		return r, err
	}
	r.System, err = d.system(ctx, a, r.Messages)
	return r, err
}

// system is what the agent is told before anything is said.
func (d *Desk) system(ctx context.Context, a *attempt, messages []providers.Message) ([]providers.Part, error) {
	parts := []providers.Part{providers.Text(a.agent.Instructions)}
	if a.agent.Persona != "" {
		parts = append(parts, providers.Text(a.agent.Persona))
	}
	if d.opts.Guidance != nil {
		text, err := d.opts.Guidance(ctx, a.run.Workspace, a.run.Project)
		if err != nil {
			return nil, err
		}
		if text != "" {
			parts = append(parts, providers.Text(text))
		}
	}
	parts[len(parts)-1].Cache = true // what comes now differs from run to run
	if err := d.remember(ctx, a, messages); err != nil {
		return nil, err
	}
	if a.recall != nil && a.recall.Prompt != "" {
		parts = append(parts, providers.Text(a.recall.Prompt))
	}
	return slices.DeleteFunc(parts, func(p providers.Part) bool { return p.Text == "" }), nil
}

// said is the conversation up to the question. A helper sees as much of it as its agent's window, then its task.
func (d *Desk) said(ctx context.Context, a *attempt) ([]providers.Message, error) {
	if a.run.Reason == Tried {
		return d.kept(ctx, a)
	}
	if a.parent == nil {
		return d.history(ctx, a, a.run.Question, d.opts.History)
	}
	var messages []providers.Message
	if n := a.agent.Limits.Window; n > 0 {
		var err error
		if messages, err = d.history(ctx, a, a.root().run.Question, n); err != nil {
			return nil, err
		}
	}
	return joined(append(messages, providers.UserText(a.run.Task))), nil
}

// history is what led to a message: the last n, or the n that are chosen of more.
func (d *Desk) history(ctx context.Context, a *attempt, to ids.Message, n int) ([]providers.Message, error) {
	ws, id, from := a.run.Workspace, a.run.Conversation, n
	if d.opts.Picker != nil {
		from = n * reach
	}
	rows, err := d.opts.Conversations.Path(ctx, ws, id, to, from)
	if err != nil {
		return nil, err
	}
	if d.opts.Picker != nil && len(rows) > 1 {
		rows = d.picked(ctx, a, rows, n)
	}
	forgetPictures(rows)
	for i := range rows {
		if rows[i].Parts, err = d.opts.Conversations.Load(ctx, ws, rows[i].Parts); err != nil {
			return nil, err
		}
	}
	return prompt(rows), nil
}

// prompt is a history as a model reads it: each answer in turns of model and results, every call with a result,
// nothing empty, beginning with the person.
func prompt(history []conversations.Message) []providers.Message {
	var all []providers.Message
	for _, m := range history {
		if m.Role == providers.RoleUser {
			all = append(all, providers.Message{Role: m.Role, Parts: m.Parts})
			continue
		}
		all = append(all, unfold(m.Parts)...)
	}
	all = joined(all)
	for len(all) > 0 && all[0].Role != providers.RoleUser {
		all = all[1:]
	}
	return all
}

// joined drops what is empty and joins two messages of one side in a row, since vendors want turns.
func joined(messages []providers.Message) []providers.Message {
	var all []providers.Message
	for _, m := range messages {
		if len(m.Parts) == 0 {
			continue
		}
		if n := len(all); n > 0 && all[n-1].Role == m.Role {
			all[n-1].Parts = slices.Concat(all[n-1].Parts, m.Parts)
			continue
		}
		all = append(all, m)
	}
	return all
}

// unfold makes turns of an answer: what the model said and called, then the results, and so on.
func unfold(parts []providers.Part) []providers.Message {
	var all []providers.Message
	var said, results []providers.Part
	flush := func() {
		if len(said) > 0 {
			results = settled(said, results)
			all = append(all, providers.Message{Role: providers.RoleModel, Parts: said})
		}
		if len(results) > 0 {
			all = append(all, providers.Message{Role: providers.RoleUser, Parts: results})
		}
		said, results = nil, nil
	}
	for _, p := range parts {
		if p.Kind == providers.PartToolResult {
			if calls(said, p.ID) { // a result of nothing would be refused
				results = append(results, p)
			}
			continue
		}
		if len(results) > 0 {
			flush()
		}
		said = append(said, p)
	}
	flush()
	return all
}

func calls(said []providers.Part, id string) bool {
	return slices.ContainsFunc(said, func(p providers.Part) bool { return p.Kind == providers.PartToolCall && p.ID == id })
}

// settled gives every call a result: vendors refuse one that has none.
func settled(said, results []providers.Part) []providers.Part {
	for _, p := range said {
		if p.Kind != providers.PartToolCall {
			continue
		}
		if !slices.ContainsFunc(results, func(r providers.Part) bool { return r.ID == p.ID }) {
			open := agents.Call{ID: p.ID, Tool: p.Name}
			results = append(results, open.ResultPart())
		}
	}
	return results
}

// recollection is what was remembered for a run.
type recollection struct {
	Prompt string                   `json:"prompt"`
	Facts  []conversations.Recalled `json:"facts"`
}

// Question is what memory is asked for a run.
type Question struct {
	Workspace    ids.Workspace
	User         ids.User
	Agent        agents.Agent
	Run          ids.Run
	Conversation ids.Conversation
	Project      string
	Text         string
}

// Recaller finds what is known about a question. Prompt is what the model is told of it.
type Recaller interface {
	Recall(ctx context.Context, q Question) (prompt string, facts []conversations.Recalled, err error)
}

// Exchange is a question and its answer.
type Exchange struct {
	Question
	Asked    ids.Message
	Answered ids.Message
	Answer   string
	Recalled []conversations.Recalled // what was remembered for it
}

// Observer learns from a run that has finished. It may be told twice after a crash.
type Observer interface {
	Observe(ctx context.Context, e Exchange) error
}

func (a *attempt) question(text string) Question {
	return Question{a.run.Workspace, a.run.User, a.agent, a.run.ID, a.run.Conversation, a.run.Project, text}
}

// remember looks up what is known about the question, once. A memory that fails costs the run nothing else.
func (d *Desk) remember(ctx context.Context, a *attempt, messages []providers.Message) error {
	if a.recall != nil || d.opts.Recaller == nil || !a.agent.Memory.Recall || len(messages) == 0 {
		return nil
	}
	began := time.Now()
	text := messages[len(messages)-1].Text()
	found, facts, err := d.opts.Recaller.Recall(ctx, a.question(text))
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		d.log.WarnContext(ctx, "nothing was remembered", "part", "runs", "run", a.run.ID, "err", err)
		return nil
	}
	a.recall = &recollection{Prompt: found, Facts: facts}
	if found == "" {
		return nil
	}
	return a.keepRecall(ctx, began)
}

// keepRecall keeps what was remembered for a run.
func (a *attempt) keepRecall(ctx context.Context, began time.Time) (err error) {
	s := a.blank(StepRecall, a.number(1), 0)
	s.Name, s.StartedAt, s.FinishedAt = "memory", began, time.Now()
	if s.Output, err = json.Marshal(a.recall); err != nil {
		return err
	}
	return a.keepStep(ctx, s, Recalled{a.run.subject(), s.Seq, a.recall.Facts})
}
