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
	"time"

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
	c, err := providers.NewCatalogue(Entries())
	if err != nil {
		t.Fatalf("making a catalogue: %v", err)
	}
	return c
}

// Entries are the models above, to be added to a catalogue.
func Entries() []providers.Entry {
	price := func(in, out int64) []providers.Price {
		cached, write := in/10, in*5/4
		return []providers.Price{{Rates: providers.Rates{Input: &in, CacheRead: &cached, CacheWrite: &write, Output: &out}}}
	}
	can := []providers.Capability{providers.CanTools, providers.CanVision}
	return []providers.Entry{
		{ID: Provider + "/" + Plain, MaxOutput: 1000, Context: 100_000, Can: can, Prices: price(1_000_000, 2_000_000)},
		{ID: Provider + "/" + Costly, MaxOutput: 1000, Context: 100_000, Can: can, Prices: price(10_000_000, 20_000_000)},
		{ID: Provider + "/" + Free, Prices: []providers.Price{providers.Free()}},
	}
}

// New makes a ledger; Options that are not set are filled in. Its clock starts at
// noon, so that no test crosses the end of a day.
func New(t testing.TB, db *store.DB, opts costs.Options) *costs.Ledger {
	t.Helper()
	opts.DB = db
	if opts.Hub == nil {
		opts.Hub = eventstest.New(t, db)
	}
	if opts.Catalogue == nil {
		opts.Catalogue = Catalogue(t)
	}
	if opts.Now == nil {
		started := time.Now()
		opts.Now = func() time.Time { return time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC).Add(time.Since(started)) }
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
