// Package identitytest gives tests a directory of users, people in it, a clock,
// and a real OpenID issuer.
//
// In:    a test and its database.
// Out:   an identity.Directory with quick password hashing, callers of every role, a Clock, an Issuer.
// Keeps: nothing beyond the test.
// Says:  nothing.
// Not here: anything that is not a test.
package identitytest

import (
	"context"
	"crypto/rand"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
)

// Password is good for every user made here.
const Password = "four unrelated quick words"

// Cost makes password hashing quick; it protects nothing.
func Cost() identity.PasswordCost {
	return identity.PasswordCost{MemoryKiB: 64, Time: 1, Threads: 1, Parallel: 4}
}

// Clock is a time that moves only when told to.
type Clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

// NewClock starts at a moment in November 2026.
func NewClock() *Clock { return &Clock{at: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)} }

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

// Box is a sealing box with a key of its own.
func Box(t testing.TB) *seal.Box {
	t.Helper()
	key := make([]byte, seal.KeySize)
	if _, err := rand.Read(key); err != nil {
		t.Fatal(err)
	}
	box, err := seal.New(key)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// New makes a directory on db; change, if any, adjusts its options.
func New(t testing.TB, db *store.DB, change ...func(*identity.Options)) *identity.Directory {
	t.Helper()
	opts := identity.Options{DB: db, Box: Box(t), Password: Cost()}
	for _, c := range change {
		c(&opts)
	}
	d, err := identity.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// SetUp makes the first administrator, named admin, and gives a context in
// which they call.
func SetUp(t testing.TB, d *identity.Directory) context.Context {
	t.Helper()
	ctx := From(t.Context(), "192.0.2.1")
	if _, _, err := d.SetUpLocally(ctx, identity.Setup{Login: "admin", Password: Password}); err != nil {
		t.Fatal(err)
	}
	return As(t, d, "admin")
}

// Add adds a user to the workspace of ctx and gives a context in which they call.
func Add(ctx context.Context, t testing.TB, d *identity.Directory, login string, role identity.Role) context.Context {
	t.Helper()
	if _, err := d.AddUser(ctx, identity.NewUser{Login: login, Password: Password, Role: role}); err != nil {
		t.Fatal(err)
	}
	return As(t, d, login)
}

// As signs a user in and gives a context in which they call.
func As(t testing.TB, d *identity.Directory, login string) context.Context {
	t.Helper()
	ctx := From(t.Context(), "192.0.2.1")
	a, err := d.SignIn(ctx, identity.SignIn{Login: login, Password: Password})
	if err != nil {
		t.Fatalf("signing %s in: %v", login, err)
	}
	return identity.With(ctx, a.Identity)
}

// From is a context of a request from an address.
func From(ctx context.Context, ip string) context.Context {
	return identity.WithOrigin(ctx, identity.Origin{IP: netip.MustParseAddr(ip), Agent: "test", Request: "req_test"})
}
