package costs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Advice is a way to spend less, with what it is based on.
type Advice struct {
	Kind     string   `json:"kind"` // cheaper_model, caching, consolidation or off_peak
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Use      string   `json:"use,omitempty"`   // the model to use instead
	Agent    string   `json:"agent,omitempty"` // whose calls they are
	Says     string   `json:"says"`
	Saving   Micros   `json:"saving"` // over the time looked at, at the most
	Evidence Evidence `json:"evidence"`
}

// Evidence is what an advice was worked out from.
type Evidence struct {
	Since  time.Time `json:"since"`
	Calls  int64     `json:"calls"`
	Price  Micros    `json:"price"` // of those calls
	Input  int64     `json:"input,omitempty"`
	Cached int64     `json:"cached,omitempty"`
	Output int64     `json:"output,omitempty"`
}

// Thresholds of advice: small calls are those that a small model can do, and
// nothing is advised that saves less than a cent.
const (
	smallInput    = 2000
	smallOutput   = 500
	sharedStart   = 1024 // tokens; below, vendors do not cache
	manyCalls     = 5
	leastSaving   = Dollar / 100
	batchDiscount = 2 // batch prices are half
)

// batchers sell answers within a day at half the price.
var batchers = []string{"openai", "anthropic", "gemini"}

// group is a row of a query for advice.
type group struct {
	Provider string `db:"provider"`
	Model    string `db:"model"`
	Agent    string `db:"agent"`
	Calls    int64  `db:"calls"`
	Price    Micros `db:"price"`
	Least    Micros `db:"least"`
	Shared   int64  `db:"shared"`
	Input    int64  `db:"tokens_in"`
	Cached   int64  `db:"cached_in"`
	Output   int64  `db:"tokens_out"`
}

func (g group) evidence(since time.Time) Evidence {
	return Evidence{Since: since, Calls: g.Calls, Price: g.Price, Input: g.Input, Cached: g.Cached, Output: g.Output}
}

// Advise looks at single records since a moment (zero: 30 days ago) and says
// what would have cost less, the largest saving first.
func (l *Ledger) Advise(ctx context.Context, ws ids.Workspace, since time.Time) ([]Advice, error) {
	if since.IsZero() {
		since = l.now().AddDate(0, 0, -30)
	}
	all := []Advice{}
	for _, kind := range []struct {
		query string
		args  []any
		make  func(group, time.Time) (Advice, bool)
	}{
		{selectSmall, []any{ws, since, smallInput, smallOutput}, l.adviseModel},
		{selectRepeatedStarts, []any{ws, since, manyCalls, sharedStart}, l.adviseCaching},
		{selectTwins, []any{ws, since, 2}, adviseConsolidation},
		{selectUnhurried, []any{ws, since}, adviseOffPeak},
	} {
		rows, err := store.All[group](ctx, l.read(ctx), kind.query, kind.args...)
		if err != nil {
			return nil, fmt.Errorf("looking for savings: %w", err)
		}
		for _, g := range rows {
			if a, ok := kind.make(g, since); ok && a.Saving >= leastSaving {
				all = append(all, a)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Advice) int { return cmp.Compare(b.Saving, a.Saving) })
	return all, nil
}

// adviseModel finds the cheapest model of the same provider that can do all that
// the present one can, as far as the catalogue knows.
func (l *Ledger) adviseModel(g group, since time.Time) (Advice, bool) {
	now, found := l.catalogue.Find(g.Provider + "/" + g.Model)
	if !found {
		return Advice{}, false
	}
	usage := providers.Usage{Input: g.Input - g.Cached, CacheRead: g.Cached, Output: g.Output}
	best, price := "", g.Price
	for _, e := range l.opts.Catalogue.All() {
		if e.Provider() != g.Provider || e.ID == now.ID || !e.Cans(now.Can...) || e.Context < smallInput+smallOutput {
			continue
		}
		p, ok := e.PriceAt(l.now())
		if m := (rated{price: p, known: ok}).cost(usage); m != nil && *m < price {
			best, price = e.Model(), *m
		}
	}
	if best == "" || g.Calls < manyCalls {
		return Advice{}, false
	}
	return Advice{
		Kind: "cheaper_model", Provider: g.Provider, Model: g.Model, Use: best, Saving: g.Price - price, Evidence: g.evidence(since),
		Says: fmt.Sprintf("%d calls to %s were small (%d tokens in and %d out on average) and cost %s; %s can do the same things and would have cost %s. Try it on these calls.",
			g.Calls, g.Model, g.Input/g.Calls, g.Output/g.Calls, g.Price, best, price),
	}, true
}

// adviseCaching works out what reading the common start from the vendor's cache
// would save, for every call but the first.
func (l *Ledger) adviseCaching(g group, since time.Time) (Advice, bool) {
	rates := rate(l.catalogue, g.Provider, g.Model, l.now())
	fresh, cached := rates.cost(providers.Usage{Input: g.Shared}), rates.cost(providers.Usage{CacheRead: g.Shared})
	if fresh == nil || cached == nil || *cached >= *fresh {
		return Advice{}, false
	}
	saving := min((*fresh-*cached)*Micros(g.Calls-1), g.Price)
	return Advice{
		Kind: "caching", Provider: g.Provider, Model: g.Model, Agent: g.Agent, Saving: saving, Evidence: g.evidence(since),
		Says: fmt.Sprintf("%d prompts to %s begin alike, up to %d tokens of each, and %d%% of their tokens came from the cache. Put what stays the same first and ask for caching.",
			g.Calls, g.Model, g.Shared, g.Cached*100/max(1, g.Input)),
	}, true
}

func adviseConsolidation(g group, since time.Time) (Advice, bool) {
	return Advice{
		Kind: "consolidation", Provider: g.Provider, Model: g.Model, Agent: g.Agent, Saving: g.Least * Micros(g.Calls-1), Evidence: g.evidence(since),
		Says: fmt.Sprintf("Nearly the same prompt was sent to %s %d times for %s. Keep the answer, or ask once for all.", g.Model, g.Calls, g.Price),
	}, true
}

func adviseOffPeak(g group, since time.Time) (Advice, bool) {
	return Advice{
		Kind: "off_peak", Provider: g.Provider, Model: g.Model, Saving: g.Price / batchDiscount, Evidence: g.evidence(since),
		Says: fmt.Sprintf("%d calls to %s came from a %s, where nobody waits, and cost %s. %s answers batches within a day at half the price.",
			g.Calls, g.Model, g.Agent, g.Price, g.Provider),
	}, slices.Contains(batchers, g.Provider)
}
