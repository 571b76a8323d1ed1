package costs

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// budgetSet is every budget at one version; it never changes.
type budgetSet struct {
	version int64
	byID    map[ids.Budget]*known
	scoped  map[ids.Workspace]map[scopeKey][]*known
}

// known is a budget with the period that it was last in.
type known struct {
	Budget
	current atomic.Pointer[period] // only who it is and when
}

func readBudgets(ctx context.Context, q store.Querier, version int64) (*budgetSet, error) {
	rows, err := store.All[Budget](ctx, q, selectAllBudgets)
	if err != nil {
		return nil, fmt.Errorf("reading budgets: %w", err)
	}
	s := &budgetSet{version: version, byID: make(map[ids.Budget]*known), scoped: make(map[ids.Workspace]map[scopeKey][]*known)}
	for _, b := range rows {
		loc, err := parseZone(b.Zone)
		if err != nil {
			return nil, fmt.Errorf("the time zone of %s: %w", b.ID, err)
		}
		b.loc = loc
		kb := &known{Budget: b}
		s.byID[b.ID] = kb
		if s.scoped[b.Workspace] == nil {
			s.scoped[b.Workspace] = make(map[scopeKey][]*known)
		}
		key := scopeKey{b.Scope, b.ScopeID}
		s.scoped[b.Workspace][key] = append(s.scoped[b.Workspace][key], kb)
	}
	return s, nil
}

// roomy says whether every budget of the call has so much left that it fits
// whatever the queued changes add, so that nothing has to be asked. Among several
// processes that is never certain. The caller holds mu.
func (l *Ledger) roomy(s *budgetSet, r *Reservation) bool {
	scoped := s.scoped[r.rec.Workspace]
	if scoped == nil {
		return true
	}
	for _, key := range r.rec.scopes(r.rec.Provider, r.rec.Model) {
		for _, b := range scoped[key] {
			at, known := l.rooms[b.at(r.rec.At).key()]
			needs := r.needs(&b.Budget)
			if l.shared || !known || b.AtLimit != Alert && at.Spent+at.Reserved+l.pending[unitIndex(b.Unit)]+needs > at.Limit {
				return false
			}
		}
	}
	return true
}

// unitIndex is where Ledger.pending counts a unit.
func unitIndex(u Unit) int {
	if u == Premium {
		return 1
	}
	return 0
}

// marks appends the budgets that count the call, each in the period the call
// began in.
func (s *budgetSet) marks(to []mark, r *Reservation) []mark {
	scoped := s.scoped[r.rec.Workspace]
	if scoped == nil {
		return to
	}
	for _, key := range r.rec.scopes(r.rec.Provider, r.rec.Model) {
		for _, b := range scoped[key] {
			to = append(to, mark{budget: &b.Budget, period: b.at(r.rec.At)})
		}
	}
	return to
}

// held adds what was held for the call when it began.
func (s *budgetSet) held(to []mark, holds []hold) []mark {
	for _, h := range holds {
		i := slices.IndexFunc(to, func(m mark) bool { return m.budget.ID == h.Budget })
		if i >= 0 {
			to[i].held = h.Amount
			continue
		}
		if b := s.byID[h.Budget]; b != nil {
			to = append(to, mark{budget: &b.Budget, period: b.at(time.UnixMicro(h.Start)), held: h.Amount})
		}
	}
	return to
}

// at names the budget's period around t.
func (b *known) at(t time.Time) *period {
	p := b.current.Load()
	if p == nil || !(Span{p.Start, p.End}).Contains(t) {
		span := b.Period.At(t, b.loc)
		p = &period{Budget: b.ID, Start: span.Start, End: span.End}
		b.current.Store(p)
	}
	return p
}

// limitOf is what facts and faults say about a budget.
func limitOf(b *Budget, p *period) Limit {
	s := p.standing(b)
	return Limit{Budget: b.ID, Name: b.Name, Scope: b.Scope, ScopeID: b.ScopeID, Unit: b.Unit, Limit: s.Limit, Spent: s.Spent, AtLimit: b.AtLimit, Resets: p.End}
}

// refusal is the 429 of a budget.
func refusal(b *Budget, p *period, verdict Verdict, now time.Time) *fault.Fault {
	s := p.standing(b)
	f := fault.New(fault.Exhausted, CodeBudget, "The %s budget %q is used up: %s of %s are spent.", b.Period, b.Name, b.Unit.Show(s.Spent), b.Unit.Show(s.Limit))
	if s.Spent < s.Limit {
		f = fault.New(fault.Exhausted, CodeBudget, "The %s budget %q has %s of %s left, and calls in flight hold it.", b.Period, b.Name, b.Unit.Show(s.Limit-s.Spent), b.Unit.Show(s.Limit))
	}
	what := "raise the budget, or use a model that costs less"
	switch {
	case verdict == Wait:
		what = "try again in a moment, or " + what
		f = f.RetryIn(time.Second)
	case verdict == Ask:
		what = "have somebody grant more (Costs, Budgets in the browser, or POST /api/v1/costs/budgets/" + string(b.ID) + "/grant), or " + what
	}
	if p.End.IsZero() {
		f = f.WithHint("It does not reset; %s.", what)
	} else {
		f = f.WithHint("It resets at %s; until then %s.", p.End.In(b.loc).Format(time.RFC3339), what).WithDetail("resets_at", p.End.UTC().Format(time.RFC3339))
		if verdict != Wait {
			f.RetryAfter = p.End.Sub(now)
		}
	}
	return f.WithDetail("budget", b.ID).WithDetail("name", b.Name).WithDetail("scope", b.Scope).WithDetail("scope_id", b.ScopeID).
		WithDetail("unit", b.Unit).WithDetail("limit", s.Limit).WithDetail("spent", s.Spent).WithDetail("reserved", s.Reserved).WithDetail("at_limit", b.AtLimit)
}
