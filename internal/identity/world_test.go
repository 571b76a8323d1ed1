package identity_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// world is a directory that is set up, with a clock and what it said.
type world struct {
	*identity.Directory
	t     *testing.T
	db    *store.DB
	clock *identitytest.Clock
	admin context.Context
	hub   *events.Hub

	workspace ids.Workspace // whose events said lists
	after     int64
}

// said lists the kinds of events since it was asked last.
func (w *world) said() []string {
	w.t.Helper()
	list, err := w.hub.List(w.t.Context(), events.Query{Workspace: w.workspace, Channels: []string{identity.Channel}, After: w.after})
	must(w.t, "events", err)
	var kinds []string
	for _, r := range list.Data {
		kinds = append(kinds, r.Kind)
		w.after = r.Cursor
	}
	return kinds
}

// each runs test in a fresh world on every engine.
func each(t *testing.T, test func(t *testing.T, w *world), change ...func(*identity.Options)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, change...)
		w.admin = identitytest.SetUp(t, w.Directory)
		w.workspace = identity.From(w.admin).Workspace
		w.said()
		test(t, w)
	})
}

func newWorld(t *testing.T, db *store.DB, change ...func(*identity.Options)) *world {
	t.Helper()
	w := &world{t: t, db: db, clock: identitytest.NewClock()}
	var err error
	w.hub, err = events.New(events.Options{DB: db})
	must(t, "hub", err)
	w.Directory = identitytest.New(t, db, append([]func(*identity.Options){func(o *identity.Options) {
		o.Now, o.Events = w.clock.Now, w.hub
	}}, change...)...)
	return w
}

// neighbour is another process on the same database.
func (w *world) neighbour(change ...func(*identity.Options)) *identity.Directory {
	return identitytest.New(w.t, w.db, append([]func(*identity.Options){func(o *identity.Options) { o.Now = w.clock.Now }}, change...)...)
}

func (w *world) add(login string, role identity.Role) context.Context {
	w.t.Helper()
	return identitytest.Add(w.admin, w.t, w.Directory, login, role)
}

func (w *world) signIn(ctx context.Context, in identity.SignIn) (identity.Admission, error) {
	if in.Login == "" {
		in.Login = "admin"
	}
	if in.Password == "" {
		in.Password = identitytest.Password
	}
	return w.SignIn(ctx, in)
}

func (w *world) session(token string) (*identity.Identity, error) {
	return w.Authenticate(w.t.Context(), identity.Credentials{Session: token, IP: netip.MustParseAddr("192.0.2.1"), Agent: "test"})
}

func (w *world) key(text string) (*identity.Identity, error) {
	return w.Authenticate(w.t.Context(), identity.Credentials{Key: text, IP: netip.MustParseAddr("192.0.2.1")})
}

// last is the newest audit row of the admin's workspace.
func (w *world) last() identity.AuditRow {
	w.t.Helper()
	p, err := w.AuditLog(w.admin, identity.AuditQuery{}, page.Query{Limit: 1})
	if err != nil || len(p.Data) != 1 {
		w.t.Fatalf("no audit row: %v", err)
	}
	return p.Data[0]
}

func from(t *testing.T, ip string) context.Context { return identitytest.From(t.Context(), ip) }

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func ref[T any](v T) *T { return &v }

const minute = time.Minute
