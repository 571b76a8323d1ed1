package runs

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Agents is the agents as models: Request.Model is the agent's name. What is asked becomes a conversation of the
// caller that costs.With named, so that it can be read and gone on with; the run is stopped when the caller leaves.
func (d *Desk) Agents() providers.Model { return speaker{d} }

type speaker struct{ d *Desk }

// Stream starts a run and gives its answer as a model's.
func (s speaker) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	by := costs.From(ctx)
	if by.Run != "" {
		return nil, fault.New(fault.Invalid, "agent_as_model", "An agent cannot be the model of an agent.").WithHint("Make it a helper instead.")
	}
	if len(req.Tools) > 0 {
		return nil, fault.New(fault.Invalid, "agent_tools", "An agent brings its own tools and takes no others.").WithParam("tools").
			WithHint("Leave out tools, or ask a model.")
	}
	last := len(req.Messages) - 1
	if last < 0 || req.Messages[last].Role != providers.RoleUser {
		return nil, fault.New(fault.Invalid, "no_question", "The last message must be the person's.").WithParam("messages")
	}
	who := conversations.Asker{Workspace: by.Workspace, User: by.User}
	text := req.Messages[last].Text()
	if err := checkMessage(text); err != nil {
		return nil, err
	}
	agent, err := s.d.opts.Agents.Get(ctx, who.Workspace, req.Model)
	if err != nil {
		return nil, err
	}
	sub, err := s.d.opts.Hub.Subscribe(ctx, events.Request{Workspace: who.Workspace})
	if err != nil {
		return nil, err
	}
	after := sub.Cursor()
	c, err := s.open(ctx, who, agent.Name, text, req)
	if err != nil {
		sub.Close()
		return nil, err
	}
	a, err := s.d.Start(ctx, who, Request{Agent: agent.Name, Message: text, Conversation: c.ID, Key: by.Key, Door: by.Door})
	if err == nil {
		err = sub.Add(ctx, &after, conversations.Channel(c.ID))
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return &speech{ctx: ctx, d: s.d, who: who, sub: sub, run: a.Run}, nil
}

// open makes the conversation of what was said before.
func (s speaker) open(ctx context.Context, who conversations.Asker, agent, title string, req *providers.Request) (c conversations.Conversation, err error) {
	system := providers.Message{Parts: req.System}
	err = s.d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		if c, err = s.d.opts.Conversations.Open(ctx, tx, who, agent, title); err != nil {
			return err
		}
		history := req.Messages[:len(req.Messages)-1]
		if text := system.Text(); text != "" {
			history = append([]providers.Message{providers.UserText("[The caller's instructions:]\n" + text)}, history...)
		}
		for _, m := range history {
			author := string(who.User)
			if m.Role == providers.RoleModel {
				author = agent
			}
			_, err := s.d.opts.Conversations.Add(ctx, tx, conversations.Message{
				Workspace: who.Workspace, Conversation: c.ID, Role: m.Role, Author: author, State: conversations.Complete, Parts: m.Parts,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// speech is a run's answer as a stream of chunks. It is used by one goroutine.
type speech struct {
	ctx   context.Context
	d     *Desk
	who   conversations.Asker
	sub   *events.Subscription
	run   Run
	sent  strings.Builder
	ready []providers.Chunk
	begun bool
	over  bool
}

// Next gives the next piece.
func (s *speech) Next(c *providers.Chunk) error {
	if !s.begun {
		s.begun = true
		*c = providers.Chunk{Kind: providers.ChunkStart, ID: string(s.run.ID), Model: "agent/" + s.run.Agent}
		return nil
	}
	for len(s.ready) == 0 {
		if s.over {
			return io.EOF
		}
		batch, err := s.sub.Next(s.ctx)
		if err != nil {
			return err
		}
		for _, e := range batch.Deliveries {
			if err := s.take(e); err != nil {
				return err
			}
		}
	}
	*c, s.ready = s.ready[0], s.ready[1:]
	return nil
}

// take turns an event of the run into chunks.
func (s *speech) take(e events.Delivery) error {
	var envelope struct {
		Data struct {
			Run   ids.Run         `json:"run"`
			Text  string          `json:"text"`
			Usage providers.Usage `json:"usage"`
			Error *Trouble        `json:"error"`
		} `json:"data"`
	}
	if err := json.Unmarshal(e.JSON, &envelope); err != nil || envelope.Data.Run != s.run.ID {
		return nil //nolint:nilerr // an event of something else
	}
	switch e.Kind {
	case TextDelta{}.Kind():
		s.sent.WriteString(envelope.Data.Text)
		s.ready = append(s.ready, providers.Chunk{Kind: providers.ChunkText, Text: envelope.Data.Text})
	case ReasoningDelta{}.Kind():
		s.ready = append(s.ready, providers.Chunk{Kind: providers.ChunkReasoning, Text: envelope.Data.Text})
	case RunFinished{}.Kind():
		return s.finish(envelope.Data.Usage)
	case RunFailed{}.Kind():
		s.over = true
		kind := fault.Upstream
		if envelope.Data.Error.Code == costs.CodeBudget {
			kind = fault.Exhausted
		}
		f := fault.New(kind, envelope.Data.Error.Code, "%s", envelope.Data.Error.Message)
		return f.WithHint("%s", envelope.Data.Error.Hint)
	case RunCancelled{}.Kind():
		s.over = true
		return errStopped
	case RunWaiting{}.Kind():
		return fault.New(fault.Conflict, "run_waiting", "The agent waits for a person.").WithHint("Answer in the conversation %s.", s.run.Conversation).
			WithDetail("run", s.run.ID)
	}
	return nil
}

// finish sends what no piece brought, since pieces may be dropped, and the end.
func (s *speech) finish(usage providers.Usage) error {
	s.over = true
	m, err := s.d.opts.Conversations.Message(s.ctx, s.who, s.run.Conversation, s.run.Answer)
	if err != nil {
		return err
	}
	whole := providers.Message{Parts: m.Parts}
	rest, ok := strings.CutPrefix(whole.Text(), s.sent.String())
	if !ok {
		return providers.Broken(s.ctx, "agent/"+s.run.Agent, io.ErrUnexpectedEOF)
	}
	if rest != "" {
		s.ready = append(s.ready, providers.Chunk{Kind: providers.ChunkText, Text: rest})
	}
	s.ready = append(s.ready, providers.Chunk{Kind: providers.ChunkUsage, Usage: usage}, providers.Chunk{Kind: providers.ChunkFinish, Stop: providers.StopEnd})
	return nil
}

// Close stops a run that nobody listens to any more.
func (s *speech) Close() error {
	s.sub.Close()
	if s.over {
		return nil
	}
	s.over = true
	ctx := context.WithoutCancel(s.ctx)
	run, err := s.d.one(ctx, s.run.ID)
	if err != nil || run.State.Over() || run.State == Waiting {
		return err
	}
	return s.d.stop(ctx, run)
}
