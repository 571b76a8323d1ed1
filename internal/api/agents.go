package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/runs"
)

// agentsAPI is whom one can ask.
type agentsAPI struct {
	s      *Server
	roster *agents.Roster
	desk   *runs.Desk
}

func (a agentsAPI) routes() []route {
	long := []option{status(202), streamedBy(a.follow), bodyLimit(conversations.MaxMessage + (64 << 10))}
	return []route{
		{"POST", "/api/v1/agents/{agent}/chat", "runs:write", "Ask an agent something: 202 at once, or the events of the answer with Accept: text/event-stream.",
			handler(a.chat, long...)},
		{"POST", "/api/v1/chat", "runs:write", "Ask whoever fits: the agent that is named, the one of the conversation, or one that is picked.", handler(a.ask, long...)},
	}
}

type chatBody struct {
	Message      string           `json:"message" required:"true" min:"1"`
	Conversation ids.Conversation `json:"conversation" doc:"A new one if left out."`
	Mode         string           `json:"mode" enum:"steer,queue,interrupt" doc:"What becomes of it while a run goes on: the run gets it (the default), it waits, or the run is stopped."`
	Model        string           `json:"model" doc:"The agent's own if left out."`
	Attachments  []ids.Attachment `json:"attachments" max:"16"`
	Parent       ids.Message      `json:"parent" doc:"The message it follows; the last one that is shown if left out."`
	Project      string           `json:"project" doc:"The conversation's if left out."`
}

func (b chatBody) request(ctx context.Context, agent string) runs.Request {
	return runs.Request{
		Agent: agent, Message: b.Message, Conversation: b.Conversation, Mode: runs.Mode(b.Mode), Model: b.Model, Attachments: b.Attachments,
		Parent: b.Parent, Project: b.Project, Key: keyOf(ctx),
	}
}

type chatRequest struct {
	agentPath
	chatBody
}

func (a agentsAPI) chat(ctx context.Context, in chatRequest) (runs.Accepted, error) {
	return a.desk.Start(ctx, asker(ctx), in.request(ctx, in.Agent))
}

type askRequest struct {
	Agent string `json:"agent" doc:"Picked if left out."`
	chatBody
}

func (a agentsAPI) ask(ctx context.Context, in askRequest) (runs.Accepted, error) {
	return a.desk.Start(ctx, asker(ctx), in.request(ctx, in.Agent))
}

// follow starts a run as chat does, then streams what happens to it. The
// subscription stands before the run starts, so that nothing is missed.
func (a agentsAPI) follow(c *call, start func() error) error {
	ctx, leave, err := a.s.streams.join(c.ctx)
	if err != nil {
		return err
	}
	defer leave()
	sub, err := a.s.hub.Subscribe(ctx, events.Request{Workspace: c.caller.Workspace})
	if err != nil {
		return err
	}
	defer sub.Close()
	after := sub.Cursor()
	w := c.w
	held := &heldWriter{ResponseWriter: w}
	c.w = held
	err = start()
	c.w = w
	if err != nil {
		return err
	}
	c.status = 0 // what was held back is told as the first event
	var accepted runs.Accepted
	if err := json.Unmarshal(held.body, &accepted); err != nil {
		return fmt.Errorf("reading the accepted run: %w", err)
	}
	if err := sub.Add(ctx, &after, conversations.Channel(accepted.Conversation.ID)); err != nil {
		return err
	}
	out := newEventWriter(c)
	out.event("accepted", held.body)
	replayed := w.Header().Get("Idempotency-Replayed") != ""
	if err := a.catchUp(ctx, out, accepted.Run.ID, replayed); err != nil {
		return nil //nolint:nilerr // told inside the stream, or the reader is gone
	}
	a.tell(ctx, out, sub, accepted.Run.ID)
	return nil
}

// errOver ends a stream whose run is over.
var errOver = errors.New("the run is over")

// catchUp sends what is known of a run that was started earlier.
func (a agentsAPI) catchUp(ctx context.Context, out *eventWriter, id ids.Run, replayed bool) error {
	if !replayed {
		return out.flush()
	}
	run, err := a.desk.Get(ctx, asker(ctx), id)
	if err != nil {
		out.last(err)
		return err
	}
	text, err := json.Marshal(run)
	if err != nil {
		out.last(err)
		return err
	}
	out.event("run", text)
	if err := out.flush(); err != nil {
		return err
	}
	if run.State.Over() {
		return errOver
	}
	return nil
}

// tell streams the events of one run until it is over.
func (a agentsAPI) tell(ctx context.Context, out *eventWriter, sub *events.Subscription, id ids.Run) {
	for {
		batch, err := next(ctx, sub)
		over := false
		switch {
		case errors.Is(err, errQuiet):
			out.text.WriteString(": still here\n\n")
			err = out.flush()
		case err == nil:
			over = endOf(&batch, id)
			err = out.batch(batch)
		}
		if err != nil && out.c.r.Context().Err() == nil {
			out.last(err)
		}
		if err != nil || over {
			return
		}
	}
}

// endOf looks for the end of the run and cuts the batch behind it.
func endOf(b *events.Batch, id ids.Run) bool {
	for i, d := range b.Deliveries {
		switch d.Kind {
		case runs.RunFinished{}.Kind(), runs.RunFailed{}.Kind(), runs.RunCancelled{}.Kind():
		default:
			continue
		}
		var envelope struct {
			Data struct {
				Run ids.Run `json:"run"`
			} `json:"data"`
		}
		if err := json.Unmarshal(d.JSON, &envelope); err == nil && envelope.Data.Run == id {
			b.Deliveries = b.Deliveries[:i+1]
			return true
		}
	}
	return false
}

// wantsStream says whether the caller asked for events instead of JSON.
func wantsStream(r *http.Request) bool { return accepts(r.Header["Accept"], "text/event-stream") }
