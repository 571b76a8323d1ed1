package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
)

// question is what is sent to an agent.
type question struct {
	Agent        string           `json:"agent,omitempty"`
	Message      string           `json:"message"`
	Conversation ids.Conversation `json:"conversation,omitempty"`
	Model        string           `json:"model,omitempty"`
	Attachments  []ids.Attachment `json:"attachments,omitempty"`
	Parent       ids.Message      `json:"parent,omitempty"`
}

// outcome is how a run ended, as far as it was followed.
type outcome struct {
	accepted runs.Accepted
	state    runs.State
	trouble  *runs.Trouble
	answer   conversations.Message
	needs    []need
}

// need is something a run waits for.
type need struct {
	Run      ids.Run         `json:"run"`
	Call     string          `json:"call"`
	Tool     string          `json:"tool"`
	Title    string          `json:"title"`
	Kind     string          `json:"kind"`
	Question string          `json:"question"`
	Help     string          `json:"help"`
	Options  json.RawMessage `json:"options"`
	Ticket   string          `json:"ticket"`
}

// follower sends a question and shows what becomes of it.
type follower struct {
	api  *client.Client
	show viewer
	run  atomic.Pointer[ids.Run] // being followed
}

// viewer shows what a run does.
type viewer interface {
	accepted(a runs.Accepted)
	event(ev client.Event, f *facts)
	ended(o *outcome)
}

// facts are the fields of events that are shown.
type facts struct {
	Run     ids.Run                `json:"run"`
	Attempt int                    `json:"attempt"`
	Turn    int                    `json:"turn"`
	Seq     int                    `json:"seq"`
	Text    string                 `json:"text"`
	Tool    string                 `json:"tool"`
	Title   string                 `json:"title"`
	Args    json.RawMessage        `json:"args"`
	OK      *bool                  `json:"ok"`
	Preview string                 `json:"preview"`
	TookMS  int64                  `json:"took_ms"`
	Helper  string                 `json:"helper_agent"`
	Task    string                 `json:"task"`
	Why     string                 `json:"why"`
	Agent   string                 `json:"agent"`
	Error   *runs.Trouble          `json:"error"`
	Needs   []need                 `json:"needs"`
	Usage   *providers.Usage       `json:"usage"`
	Before  int64                  `json:"before"`
	After   int64                  `json:"after"`
	Added   *conversations.Message `json:"-"`
}

// ask sends a question and follows its run until it ends, waits for a person, or
// ctx does. Ctrl-C stops the run; a second one leaves it.
func (f *follower) ask(ctx context.Context, q question) (*outcome, error) {
	stream, err := f.api.Stream(ctx, "POST", "/api/v1/chat", q)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	f.run.Store(nil)
	o := &outcome{}
	return o, f.follow(ctx, stream, o)
}

// follow shows events until the run ends or waits.
func (f *follower) follow(ctx context.Context, stream *client.Events, o *outcome) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	stop := f.interruptible(ctx, leave)
	defer stop()
	closeStream := context.AfterFunc(ctx, func() { _ = stream.Close() }) // ends the wait for the next event
	defer closeStream()
	for {
		ev, err := stream.Next()
		switch {
		case errors.Is(context.Cause(ctx), errLeft):
			return context.Canceled
		case errors.Is(err, io.EOF):
			return fault.New(fault.Unavailable, "stream_ended", "The server ended the stream before the run ended.").
				WithHint("The run goes on; fluxway chat --conversation %s shows it.", o.accepted.Conversation.ID)
		case err != nil:
			return err
		}
		over, err := f.take(ev, o)
		if err != nil || over {
			return err
		}
	}
}

// rejoin follows a run that was started before, from now on.
func (f *follower) rejoin(ctx context.Context, id ids.Run, conversation ids.Conversation) (*outcome, *client.Events, error) {
	stream, err := f.api.Stream(ctx, "GET", "/api/v1/events/stream?channels=conversations/"+string(conversation), nil)
	if err != nil {
		return nil, nil, err
	}
	o := &outcome{}
	if err := f.api.Do(ctx, "GET", "/api/v1/runs/"+string(id), nil, &o.accepted.Run); err != nil {
		return nil, nil, errors.Join(err, stream.Close())
	}
	o.accepted.Conversation.ID = conversation
	f.run.Store(&o.accepted.Run.ID)
	return o, stream, nil
}

// take handles one event; true: there is nothing more to wait for.
func (f *follower) take(ev client.Event, o *outcome) (bool, error) {
	if ev.Kind == "accepted" {
		if err := json.Unmarshal(ev.Data, &o.accepted); err != nil {
			return false, fmt.Errorf("reading the accepted run: %w", err)
		}
		f.run.Store(&o.accepted.Run.ID)
		f.show.accepted(o.accepted)
		return false, nil
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	var is facts
	if ev.Kind == "run" || ev.Kind == "dropped" {
		return false, nil
	}
	if err := json.Unmarshal(ev.Data, &envelope); err != nil {
		return false, fmt.Errorf("reading an event: %w", err)
	}
	if ev.Kind == "conversations.message_added" {
		is.Added = addedMessage(envelope.Data)
		if is.Added != nil && is.Added.ID == o.accepted.Run.Answer {
			o.answer = *is.Added
		}
	} else if err := json.Unmarshal(envelope.Data, &is); err != nil {
		return false, nil //nolint:nilerr // an event of another shape is not ours to show
	}
	if is.Run != "" && is.Run != o.accepted.Run.ID {
		return false, nil
	}
	f.show.event(ev, &is)
	switch ev.Kind {
	case "runs.finished":
		o.state = runs.Finished
	case "runs.failed":
		o.state, o.trouble = runs.Failed, is.Error
	case "runs.cancelled":
		o.state = runs.Cancelled
	case "runs.waiting":
		o.state, o.needs = runs.Waiting, is.Needs
	default:
		return false, nil
	}
	f.show.ended(o)
	return true, nil
}

// addedMessage reads a message from its event, which leaves out large ones.
func addedMessage(data json.RawMessage) *conversations.Message {
	var under struct {
		Message *conversations.Message `json:"message"`
	}
	if json.Unmarshal(data, &under) != nil || under.Message == nil {
		return nil
	}
	return under.Message
}

// errLeft is the second Ctrl-C.
var errLeft = errors.New("left")

// interruptible has Ctrl-C stop the run on the server, and a second one end the
// waiting. stop gives the signal back.
func (f *follower) interruptible(ctx context.Context, leave context.CancelCauseFunc) (stop func()) {
	first, release := signal.NotifyContext(ctx, os.Interrupt)
	var done sync.WaitGroup
	done.Add(1)
	unhook := context.AfterFunc(first, func() {
		defer done.Done()
		if ctx.Err() != nil {
			return
		}
		release()
		second, releaseToo := signal.NotifyContext(ctx, os.Interrupt)
		defer releaseToo()
		if err := f.cancel(ctx); err != nil {
			leave(errLeft)
			return
		}
		<-second.Done()
		leave(errLeft)
	})
	return func() {
		if unhook() {
			done.Done()
		}
		leave(nil)
		done.Wait()
		release()
	}
}

func (f *follower) cancel(ctx context.Context) error {
	run := f.run.Load()
	if run == nil {
		return errors.New("nothing runs yet")
	}
	return f.api.Do(ctx, "POST", "/api/v1/runs/"+string(*run)+"/cancel", nil, nil)
}

// lastText is what an answer says behind its last tool call: the answer proper.
func lastText(m conversations.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		switch p.Kind {
		case providers.PartToolCall, providers.PartToolResult:
			b.Reset()
		case providers.PartText:
			b.WriteString(p.Text)
		}
	}
	if b.Len() > 0 {
		return b.String()
	}
	return providers.Message{Parts: m.Parts}.Text()
}

// answerText reads the answer of a run that is over.
func (f *follower) answerText(ctx context.Context, o *outcome) (string, error) {
	if o.answer.ID == "" {
		run := o.accepted.Run
		path := fmt.Sprintf("/api/v1/conversations/%s/messages/%s", run.Conversation, run.Answer)
		if err := f.api.Do(ctx, "GET", path, nil, &o.answer); err != nil {
			return "", err
		}
	}
	return lastText(o.answer), nil
}

// runError is how a run ended that did not end well.
type runError struct {
	outcome *outcome
}

// Error says it for people.
func (r runError) Error() string {
	switch {
	case r.outcome.state == runs.Waiting:
		return "The run waits for an answer."
	case r.outcome.trouble != nil:
		return r.outcome.trouble.Message
	}
	return "The run was stopped."
}

// shape is the error as every other is shown.
func (r runError) shape() client.Error {
	o := r.outcome
	if o.state == runs.Waiting {
		hint := fmt.Sprintf("Answer it with fluxway chat --conversation %s.", o.accepted.Conversation.ID)
		message := r.Error()
		for _, n := range o.needs {
			message += " " + n.Question
		}
		return client.Error{Code: "waiting", Message: message, Hint: hint}
	}
	if t := o.trouble; t != nil {
		return client.Error{Code: t.Code, Message: t.Message, Hint: t.Hint, Retryable: t.Retryable}
	}
	return client.Error{Code: "failed", Message: r.Error()}
}

func (r runError) code() int {
	if r.outcome.state == runs.Waiting {
		return exitWaits
	}
	return exitFailure
}

// err is the outcome as an error; nil for a run that finished.
func (o *outcome) err() error {
	switch o.state {
	case runs.Finished:
		return nil
	case runs.Cancelled:
		return context.Canceled
	}
	return runError{o}
}
