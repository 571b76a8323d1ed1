// Package eventstest gives tests a running hub and a subscriber that waits.
//
// In:    a test and its database.
// Out:   a Hub that runs until the test ends; a Listener; the contract of a Fanout.
// Keeps: nothing.
// Not here: anything that is not a test.
package eventstest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// patience is how long a listener waits for what must come.
const patience = 30 * time.Second

// New starts a hub with default options; it stops when the test ends.
func New(t testing.TB, db *store.DB) *events.Hub {
	t.Helper()
	return Run(t, events.Options{DB: db})
}

// Run starts a hub; it stops when the test ends.
func Run(t testing.TB, opts events.Options) *events.Hub {
	t.Helper()
	hub, err := events.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- hub.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("the hub ended with %v", err)
		}
	})
	return hub
}

// Append says facts in a transaction of their own.
func Append(t testing.TB, db *store.DB, hub *events.Hub, ws ids.Workspace, channel string, facts ...events.Event) {
	t.Helper()
	err := db.InTx(context.Background(), func(tx *store.Tx) error {
		return hub.Append(context.Background(), tx, ws, channel, facts...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Stored is every fact of a channel that the database has.
func Stored(t testing.TB, db *store.DB, ws ids.Workspace, channel string) (all []events.Record) {
	t.Helper()
	hub, err := events.New(events.Options{DB: db})
	for list := (events.List{HasMore: true}); err == nil && list.HasMore; all = append(all, list.Data...) {
		list, err = hub.List(context.Background(), events.Query{Workspace: ws, Channels: []string{channel}, After: list.Next})
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Listener is a subscriber that keeps what it was given until it is asked for.
type Listener struct {
	t      testing.TB
	sub    *events.Subscription
	queued []events.Delivery
}

// Listen follows channels from now on.
func Listen(t testing.TB, hub *events.Hub, ws ids.Workspace, channels ...string) *Listener {
	t.Helper()
	return Subscribe(t, hub, events.Request{Workspace: ws, Channels: channels})
}

// Subscribe makes a listener for any request.
func Subscribe(t testing.TB, hub *events.Hub, r events.Request) *Listener {
	t.Helper()
	sub, err := hub.Subscribe(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return &Listener{t: t, sub: sub}
}

// Subscription is what the listener reads.
func (l *Listener) Subscription() *events.Subscription { return l.sub }

// Next waits for the next event and fails the test if none comes.
func (l *Listener) Next() events.Delivery {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for len(l.queued) == 0 {
		b, err := l.sub.Next(ctx)
		if err != nil {
			l.t.Fatalf("waiting for an event: %v", err)
		}
		l.queued = b.Deliveries
	}
	d := l.queued[0]
	l.queued = l.queued[1:]
	return d
}

// Kinds waits for n events and gives their kinds.
func (l *Listener) Kinds(n int) []string {
	l.t.Helper()
	kinds := make([]string, 0, n)
	for range n {
		kinds = append(kinds, l.Next().Kind)
	}
	return kinds
}

// Until waits for an event of a kind and decodes its data into v, unless v is nil.
func (l *Listener) Until(kind string, v any) events.Delivery {
	l.t.Helper()
	for {
		d := l.Next()
		if d.Kind != kind {
			continue
		}
		if v != nil {
			Decode(l.t, d, v)
		}
		return d
	}
}

// Decode reads the data of an event into v.
func Decode(t testing.TB, d events.Delivery, v any) {
	t.Helper()
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(d.JSON, &envelope); err != nil {
		t.Fatalf("envelope of %s: %v", d.Kind, err)
	}
	if err := json.Unmarshal(envelope.Data, v); err != nil {
		t.Fatalf("data of %s: %v", d.Kind, err)
	}
}
