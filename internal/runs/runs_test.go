package runs_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// office is a desk with all it stands on.
type office struct {
	*runs.Desk
	t     *testing.T
	db    *store.DB
	queue *jobs.Queue
	book  *conversations.Book
	who   conversations.Asker
}

func newOffice(t *testing.T, db *store.DB, model providers.Model) *office {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	hub := eventstest.New(t, db)
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Sole: true})
	must(err)
	book, err := conversations.New(conversations.Options{DB: db, Hub: hub})
	must(err)
	desk, err := runs.New(runs.Options{
		DB: db, Hub: hub, Jobs: queue, Conversations: book, Agents: agents.New(agents.Always("test/model")), Journal: journalOf(db),
		Model: func(context.Context, ids.Workspace, string) (providers.Model, string, error) {
			return model, "model", nil
		},
	})
	must(err)
	return &office{desk, t, db, queue, book, conversations.Asker{Workspace: storetest.Workspace(), User: ids.New[ids.User]()}}
}

// journalOf is where runs keep their steps beside a database that is this process's own.
func journalOf(db *store.DB) string {
	if db.Engine().Path == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(db.Engine().Path), "journal")
}

// work runs the queue until the returned function is called.
func (o *office) work() (stop func()) { return o.together(o.Run, o.queue.Run) }

// together runs parts until the returned function is called.
func (o *office) together(parts ...func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(o.t.Context())
	var wg sync.WaitGroup
	for _, run := range parts {
		wg.Go(func() {
			if err := run(ctx); err != nil {
				o.t.Error(err)
			}
		})
	}
	return sync.OnceFunc(func() { cancel(); wg.Wait() })
}

func (o *office) ask(text string, in ids.Conversation) runs.Accepted {
	o.t.Helper()
	a, err := o.Start(o.t.Context(), o.who, runs.Request{Agent: "assistant", Message: text, Conversation: in})
	if err != nil {
		o.t.Fatal(err)
	}
	return a
}

// over waits for the end of a run: a model that has said all is not yet an answer that is kept.
func (o *office) over(id ids.Run) {
	o.t.Helper()
	if _, err := o.Wait(o.t.Context(), id); err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) get(id ids.Run) runs.Run {
	o.t.Helper()
	run, err := o.Get(o.t.Context(), o.who, id)
	if err != nil {
		o.t.Fatal(err)
	}
	return run
}

func (o *office) said(c ids.Conversation) []conversations.Message {
	o.t.Helper()
	history, err := o.book.History(o.t.Context(), o.who.Workspace, c, 100)
	if err != nil {
		o.t.Fatal(err)
	}
	return history
}

// model is a model at the wire of the port: it says pieces and tells the test
// when it was asked and when it ended.
type model struct {
	pieces []string
	then   func(ctx context.Context) error // after the pieces; nil: finish well
	asked  chan *providers.Request
	ended  chan struct{}
}

func newModel(pieces ...string) *model {
	return &model{pieces: pieces, asked: make(chan *providers.Request, 8), ended: make(chan struct{}, 8)}
}

func (m *model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	m.asked <- req
	return &speech{m: m, ctx: ctx}, nil
}

type speech struct {
	m    *model
	ctx  context.Context
	next int
}

func (s *speech) Next(c *providers.Chunk) error {
	n := s.next
	s.next++
	switch {
	case n < len(s.m.pieces):
		*c = providers.Chunk{Kind: providers.ChunkText, Text: s.m.pieces[n]}
	case n == len(s.m.pieces):
		if s.m.then != nil {
			if err := s.m.then(s.ctx); err != nil {
				return err
			}
		}
		*c = providers.Chunk{Kind: providers.ChunkUsage, Usage: providers.Usage{Input: 3, Output: int64(n)}}
	case n == len(s.m.pieces)+1:
		*c = providers.Chunk{Kind: providers.ChunkFinish, Stop: providers.StopEnd}
	default:
		return io.EOF
	}
	return nil
}

func (s *speech) Close() error {
	s.m.ended <- struct{}{}
	return nil
}

func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newModel("Hello ", "Mira.")
		o := newOffice(t, db, m)
		first := o.ask("Hi there", "")
		stop := o.work()
		defer stop()
		<-m.asked
		<-m.ended
		o.over(first.Run.ID)
		second := o.ask("And again", first.Conversation.ID)
		request := <-m.asked
		<-m.ended
		o.over(second.Run.ID)
		stop()
		if len(request.Messages) != 3 || request.Messages[1].Role != providers.RoleModel || request.Messages[2].Text() != "And again" {
			t.Errorf("the second request has the messages %+v", request.Messages)
		}
		for _, a := range []runs.Accepted{first, second} {
			run := o.get(a.Run.ID)
			if run.State != runs.Finished || run.Usage == nil || run.Usage.Output != 2 || run.FirstTokenAt.IsZero() || run.Attempt != 1 {
				t.Errorf("run = %+v", run)
			}
		}
		said := o.said(first.Conversation.ID)
		if len(said) != 4 || said[1].ID != first.Run.Answer || said[1].Parts[0].Text != "Hello Mira." || said[1].State != conversations.Complete {
			t.Errorf("said %+v", said)
		}
		if first.Conversation.Title != "Hi there" {
			t.Errorf("title %q", first.Conversation.Title)
		}
		kinds, err := store.All[string](t.Context(), db.Read(), `SELECT kind FROM events_events WHERE workspace_id = ? AND channel = ? ORDER BY cursor`,
			o.who.Workspace, conversations.Channel(first.Conversation.ID))
		want := "conversations.created conversations.message_added runs.queued runs.started conversations.message_added runs.finished"
		if err != nil || !strings.HasPrefix(strings.Join(kinds, " "), want) {
			t.Errorf("events %v, %v; want %s", kinds, err, want)
		}
	})
}

func TestABrokenAnswerIsKeptAndSaidToBeBroken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newModel("Half an ans")
		m.then = func(context.Context) error {
			return fault.New(fault.Upstream, providers.CodeBroken, "The answer broke off.").WithHint("Try again.")
		}
		o := newOffice(t, db, m)
		a := o.ask("Tell me all", "")
		stop := o.work()
		defer stop()
		<-m.ended
		o.over(a.Run.ID)
		stop()
		run := o.get(a.Run.ID)
		if run.State != runs.Failed || run.Error == nil || run.Error.Code != providers.CodeBroken {
			t.Errorf("run = %+v, error %+v", run, run.Error)
		}
		said := o.said(a.Conversation.ID)
		if len(said) != 2 || said[1].State != conversations.Failed || said[1].Parts[0].Text != "Half an ans" {
			t.Errorf("said %+v", said)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newModel("So far")
		saying := make(chan struct{})
		m.then = func(ctx context.Context) error {
			close(saying)
			<-ctx.Done()
			return ctx.Err()
		}
		o := newOffice(t, db, m)
		waiting := o.ask("Never started", "")
		if run, err := o.Cancel(t.Context(), o.who, waiting.Run.ID); err != nil || run.State != runs.Cancelled {
			t.Fatalf("cancelling a queued run: %s, %v", run.State, err)
		}
		a := o.ask("Go on for ever", "")
		stop := o.work()
		defer stop()
		<-saying
		run := o.get(a.Run.ID)
		if run.State != runs.Running || run.Partial == nil || run.Partial.Text != "So far" || run.Partial.Seq != 1 {
			t.Errorf("while it runs: %+v, partial %+v", run, run.Partial)
		}
		stranger := conversations.Asker{Workspace: o.who.Workspace, User: ids.New[ids.User]()}
		if _, err := o.Cancel(t.Context(), stranger, a.Run.ID); !fault.HasCode(err, "run_not_found") {
			t.Errorf("a stranger stopped it: %v", err)
		}
		if _, err := o.Cancel(t.Context(), o.who, a.Run.ID); err != nil {
			t.Fatal(err)
		}
		<-m.ended
		o.over(a.Run.ID)
		stop()
		if run = o.get(a.Run.ID); run.State != runs.Cancelled {
			t.Errorf("run = %s", run.State)
		}
		said := o.said(a.Conversation.ID)
		if len(said) != 2 || said[1].State != conversations.Stopped || said[1].Parts[0].Text != "So far" {
			t.Errorf("said %+v", said)
		}
		if _, err := o.Cancel(t.Context(), o.who, a.Run.ID); !fault.HasCode(err, "run_state") {
			t.Errorf("cancelling twice: %v", err)
		}
		if len(o.said(waiting.Conversation.ID)) != 1 {
			t.Error("a run cancelled before it started was answered")
		}
		list, err := o.List(t.Context(), o.who, runs.Filter{Query: page.Query{Limit: 1}, State: runs.Cancelled})
		if err != nil || len(list.Data) != 1 || !list.HasMore {
			t.Errorf("list = %+v, %v", list, err)
		}
	})
}

func TestAStoppedServerAnswersAfterItsRestart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newModel("First try")
		saying := make(chan struct{}, 1)
		m.then = func(ctx context.Context) error {
			saying <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		o := newOffice(t, db, m)
		a := o.ask("Answer me", "")
		stop := o.work()
		<-saying
		stop()
		if run := o.get(a.Run.ID); run.State != runs.Running {
			t.Fatalf("after the stop: %s", run.State)
		}
		next := newModel("Second try")
		again := newOffice(t, db, next)
		again.who = o.who
		stop = again.work()
		defer stop()
		<-next.ended
		stop()
		run, said := again.get(a.Run.ID), again.said(a.Conversation.ID)
		if run.State != runs.Finished || run.Attempt != 2 || len(said) != 2 || said[1].Parts[0].Text != "Second try" {
			t.Errorf("run %+v said %+v", run, said)
		}
	})
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	o := newOffice(t, storetest.SQLite(t), newModel())
	theirs := newOffice(t, o.db, newModel()).ask("Mine", "")
	for name, tt := range map[string]struct {
		r    runs.Request
		code string
	}{
		"an unknown agent":            {runs.Request{Agent: "asistant", Message: "x"}, "agent_not_found"},
		"an empty message":            {runs.Request{Agent: "assistant", Message: " \n"}, "empty_message"},
		"a message too long":          {runs.Request{Agent: "assistant", Message: strings.Repeat("x", 10<<20)}, "message_too_long"},
		"bytes that are not text":     {runs.Request{Agent: "assistant", Message: "\xff"}, "bad_text"},
		"someone else's conversation": {runs.Request{Agent: "assistant", Message: "x", Conversation: theirs.Conversation.ID}, "conversation_not_found"},
	} {
		if _, err := o.Start(t.Context(), o.who, tt.r); !fault.HasCode(err, tt.code) {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
	}
	if list, err := o.List(t.Context(), o.who, runs.Filter{}); err != nil || len(list.Data) != 0 {
		t.Errorf("a refused request left %+v, %v", list, err)
	}
}

func TestDeletedWhileItRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newModel("To whom?")
		saying, proceed := make(chan struct{}), make(chan struct{})
		m.then = func(context.Context) error { close(saying); <-proceed; return nil }
		o := newOffice(t, db, m)
		a := o.ask("Hello", "")
		stop := o.work()
		defer stop()
		<-saying
		if err := o.book.Delete(t.Context(), o.who, a.Conversation.ID); err != nil {
			t.Fatal(err)
		}
		close(proceed)
		<-m.ended
		o.over(a.Run.ID)
		stop()
		if run := o.get(a.Run.ID); run.State != runs.Finished {
			t.Errorf("run = %s", run.State)
		}
	})
}

func TestMoveWalksTheTable(t *testing.T) {
	t.Parallel()
	for from, want := range map[runs.State]map[runs.Action]runs.State{
		runs.Queued:    {runs.Start: runs.Running, runs.Cancel: runs.Cancelled, runs.Fail: runs.Failed},
		runs.Running:   {runs.Resume: runs.Running, runs.Park: runs.Waiting, runs.Finish: runs.Finished, runs.Fail: runs.Failed, runs.Cancel: runs.Cancelled},
		runs.Waiting:   {runs.Wake: runs.Queued, runs.Resume: runs.Running, runs.Cancel: runs.Cancelled, runs.Fail: runs.Failed},
		runs.Finished:  {},
		runs.Failed:    {},
		runs.Cancelled: {},
	} {
		if from.Over() != (len(want) == 0) {
			t.Errorf("%s.Over() = %v", from, from.Over())
		}
		for _, do := range []runs.Action{runs.Start, runs.Resume, runs.Park, runs.Wake, runs.Finish, runs.Fail, runs.Cancel} {
			to, err := runs.Move(from, do)
			if wanted, ok := want[do]; ok != (err == nil) || (ok && to != wanted) {
				t.Errorf("Move(%s, %s) = %s, %v", from, do, to, err)
			}
		}
	}
}
