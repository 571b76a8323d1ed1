package nats_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/events/nats"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// server starts a real NATS server on a free port, or on the one given.
func server(t *testing.T, port int) *natsserver.Server {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server did not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

func connect(t *testing.T, url string) *nats.Fanout {
	t.Helper()
	f, err := nats.Open(nats.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func TestContract(t *testing.T) {
	t.Parallel()
	eventstest.Fanout(t, func(t *testing.T) (a, b events.Fanout) {
		url := server(t, -1).ClientURL()
		return connect(t, url), connect(t, url)
	})
}

func TestAnUnreachableServerIsAFaultWithoutThePassword(t *testing.T) {
	t.Parallel()
	_, err := nats.Open(nats.Options{URL: "nats://user:hunter2@127.0.0.1:1"})
	if !fault.HasCode(err, "nats_unreachable") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Open = %v", err)
	}
}

type said struct {
	N int `json:"n"`
}

func (said) Kind() string { return "test.said" }

type typed struct {
	N int `json:"n"`
}

func (typed) Kind() string { return "test.typed" }

// process is what one of several programs on one database has.
type process struct {
	db  *store.DB
	hub *events.Hub
}

func start(t *testing.T, database, natsURL string, check time.Duration) process {
	t.Helper()
	engine, err := postgres.Open(database)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	fanout := watched{connect(t, natsURL), make(chan struct{}, 100)}
	hub := eventstest.Run(t, events.Options{DB: db, Fanout: fanout, HeadCheck: check})
	<-fanout.listening
	return process{db, hub}
}

// watched says when the process has begun to listen.
type watched struct {
	*nats.Fanout
	listening chan struct{}
}

func (w watched) Receive(ctx context.Context, listening func(), take func(ws ids.Workspace, message []byte)) error {
	return w.Fanout.Receive(ctx, func() { listening(); w.listening <- struct{}{} }, take)
}

func TestTwoProcessesSeeEachOthersFactsAndDeltas(t *testing.T) {
	t.Parallel()
	url, database := server(t, -1).ClientURL(), storetest.PostgresURL(t)
	// The head check is out of reach: what arrives came through NATS.
	a, b := start(t, database, url, time.Hour), start(t, database, url, time.Hour)
	ws := storetest.Workspace()
	inA, inB := eventstest.Listen(t, a.hub, ws, "**"), eventstest.Listen(t, b.hub, ws, "runs/*")
	for i := range 50 {
		from := []process{a, b}[i%2]
		eventstest.Append(t, from.db, from.hub, ws, "runs/1", said{i})
		for _, l := range []*eventstest.Listener{inA, inB} {
			var got said
			if d := l.Until("test.said", &got); got.N != i {
				t.Fatalf("fact %d is %s", i, d.JSON)
			}
		}
		from.hub.Publish(ws, "runs/1", typed{i})
		for _, l := range []*eventstest.Listener{inA, inB} {
			var got typed
			l.Until("test.typed", &got)
			if got.N != i {
				t.Fatalf("delta %d is %d", i, got.N)
			}
		}
	}
}

func TestAnInterruptedServerLosesNothing(t *testing.T) {
	t.Parallel()
	first := server(t, -1)
	url, database := first.ClientURL(), storetest.PostgresURL(t)
	var port int
	if _, err := fmt.Sscanf(url[strings.LastIndexByte(url, ':'):], ":%d", &port); err != nil {
		t.Fatal(err)
	}
	a, b := start(t, database, url, time.Hour), start(t, database, url, time.Hour)
	ws := storetest.Workspace()
	l := eventstest.Listen(t, b.hub, ws, "**")
	eventstest.Append(t, a.db, a.hub, ws, "jobs", said{1})
	first.Shutdown()
	first.WaitForShutdown()
	eventstest.Append(t, a.db, a.hub, ws, "jobs", said{2}, said{3})
	server(t, port)
	for want := range int64(3) {
		if d := l.Next(); d.Cursor != want+1 {
			t.Fatalf("cursor %d, want %d", d.Cursor, want+1)
		}
	}
}
