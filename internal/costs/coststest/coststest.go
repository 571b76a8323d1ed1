// Package coststest gives tests a ledger with known prices and a vendor that counts.
//
// In:    a test and its database.
// Out:   a Ledger; a catalogue of models with round prices; a Vendor whose counts a ledger must match.
// Keeps: nothing beyond the test.
// Says:  nothing.
// Not here: anything that is not a test.
package coststest

import (
	"context"
	"testing"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Provider is the vendor of the models of Catalogue.
const Provider = "fake"

// The models of Catalogue.
const (
	Plain   = "plain"   // 1 $ per million input, 2 $ output: 1 and 2 micro-dollars a token
	Costly  = "costly"  // ten times that
	Free    = "free"    // known to cost nothing
	Unknown = "unknown" // not in the catalogue
)

// Catalogue has the models above besides the shipped ones.
func Catalogue(t testing.TB) *providers.Catalogue {
	t.Helper()
	price := func(in, out int64) []providers.Price {
		cached, write := in/10, in*5/4
		return []providers.Price{{Rates: providers.Rates{Input: &in, CacheRead: &cached, CacheWrite: &write, Output: &out}}}
	}
	can := []providers.Capability{providers.CanTools, providers.CanVision}
	c, err := providers.NewCatalogue([]providers.Entry{
		{ID: Provider + "/" + Plain, MaxOutput: 1000, Context: 100_000, Can: can, Prices: price(1_000_000, 2_000_000)},
		{ID: Provider + "/" + Costly, MaxOutput: 1000, Context: 100_000, Can: can, Prices: price(10_000_000, 20_000_000)},
		{ID: Provider + "/" + Free, Prices: []providers.Price{providers.Free()}},
	})
	if err != nil {
		t.Fatalf("making a catalogue: %v", err)
	}
	return c
}

// New makes a ledger on a database that no other process uses; Options that are
// not set are filled in.
func New(t testing.TB, db *store.DB, opts costs.Options) *costs.Ledger {
	t.Helper()
	opts.DB = db
	if opts.Hub == nil {
		opts.Hub = eventstest.New(t, db)
	}
	if opts.Catalogue == nil {
		opts.Catalogue = Catalogue(t)
	}
	l, err := costs.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Run runs the ledger until the test ends, or until the function it returns is called.
func Run(t testing.TB, l *costs.Ledger) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- l.Run(ctx) }()
	done := false
	stop = func() {
		if done {
			return
		}
		done = true
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("the ledger ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}
