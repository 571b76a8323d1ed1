package costs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// periodKey names a budget's period.
type periodKey struct {
	budget ids.Budget
	start  int64 // microseconds
}

// period is a row of costs_periods.
type period struct {
	Budget    ids.Budget    `db:"budget_id"`
	Start     time.Time     `db:"starts_at"`
	Workspace ids.Workspace `db:"workspace_id"`
	End       time.Time     `db:"ends_at"`
	Spent     int64         `db:"spent"`
	Reserved  int64         `db:"reserved"`
	Carried   int64         `db:"carried"`
	Granted   int64         `db:"granted"`
	Calls     int64         `db:"calls"`
	Unpriced  int64         `db:"unpriced"`
	Blocked   int64         `db:"blocked"`
	Warned    int           `db:"warned"`

	dirty bool
}

func (p *period) standing(b *Budget) Standing {
	return Standing{Limit: b.Amount + p.Carried + p.Granted, Spent: p.Spent, Reserved: p.Reserved}
}

func (p *period) key() periodKey { return periodKey{p.Budget, p.Start.UnixMicro()} }

// mark is a budget that a call counts for, in one period.
type mark struct {
	budget *Budget
	period *period
	held   int64
}

// blocked counts refusals that were not said yet.
type blocked struct {
	requests int64
	said     time.Time
}

// book is the working set of one transaction.
type book struct {
	l       *Ledger
	ctx     context.Context
	tx      *store.Tx
	now     time.Time
	budgets *budgetSet
	periods map[periodKey]*period
	updates map[ids.Workspace]Updated
	refused map[periodKey]int64 // not to be said yet
	said    map[periodKey]bool  // refusals that are said now
	passed  []periodKey         // calls let through while throttled
	freed   bool                // holds were given back
	alive   bool                // this process said that it lives
	changed bool                // a budget changed
	whole   []*op               // calls that began and ended, whose rows are not written yet
}

func (l *Ledger) newBook(ctx context.Context, tx *store.Tx) *book {
	return &book{l: l, ctx: ctx, tx: tx, now: l.now(), periods: make(map[periodKey]*period)}
}

// write does what the group asks for, in its order.
func (k *book) write(group []*op) error {
	if err := k.open(); err != nil {
		return err
	}
	if err := k.gather(group); err != nil {
		return err
	}
	for _, o := range group {
		var err error
		switch {
		case o.reserve != nil:
			err = k.reserve(o)
		case o.settle != nil:
			err = k.settle(o)
		default:
			if err = k.insertWhole(); err == nil {
				err = o.do(k)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := k.insertWhole(); err != nil {
		return err
	}
	return k.close()
}

// open reads which budgets there are. Among several processes the version row is
// locked for reading, so that no budget changes until this transaction ends.
func (k *book) open() error {
	k.budgets = k.l.budgets.Load()
	if k.budgets != nil && !k.l.shared {
		return nil
	}
	query := selectVersion
	if k.l.shared && k.l.db.SkipLocked() != "" {
		query = lockVersion
	}
	version, err := store.One[int64](k.ctx, k.tx, query)
	if err != nil {
		return fmt.Errorf("reading the version of the budgets: %w", err)
	}
	if k.budgets == nil || k.budgets.version != version {
		k.budgets, err = readBudgets(k.ctx, k.tx, version)
	}
	return err
}

// gather finds the periods that the group is about and locks them in a fixed
// order, so that two processes cannot deadlock, before any record changes.
func (k *book) gather(group []*op) error {
	for _, o := range group {
		o.marks, o.whole, o.merged = o.marks[:0], nil, false
		switch {
		case o.reserve != nil:
			o.reserve.book = k
			o.marks = k.budgets.marks(o.marks, o.reserve)
		case o.settle != nil && o.settle.r.book == k: // it began in this group
			o.merged, o.settle.r.row.whole = true, o.settle
		case o.settle != nil:
			o.marks = k.budgets.held(k.budgets.marks(o.marks, o.settle.r), o.settle.r.holds)
		}
	}
	type want struct {
		budget *Budget
		span   Span
	}
	wanted := make(map[periodKey]want)
	for _, o := range group {
		for _, m := range o.marks {
			wanted[m.period.key()] = want{m.budget, Span{m.period.Start, m.period.End}}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	order := slices.SortedFunc(maps.Keys(wanted), func(a, b periodKey) int {
		return cmp.Or(cmp.Compare(a.budget, b.budget), cmp.Compare(a.start, b.start))
	})
	for _, key := range order {
		if _, err := k.load(wanted[key].budget, wanted[key].span); err != nil {
			return err
		}
	}
	for _, o := range group {
		for i := range o.marks {
			o.marks[i].period = k.periods[o.marks[i].period.key()]
		}
	}
	return nil
}

// load gives the working copy of a period. A period that begins counts what its
// scope has spent in it already and what the one before carries over.
func (k *book) load(b *Budget, span Span) (*period, error) {
	key := periodKey{b.ID, span.Start.UnixMicro()}
	if p := k.periods[key]; p != nil {
		return p, nil
	}
	if p, ok := k.l.cache[key]; ok && !k.l.shared {
		k.periods[key] = &p
		return &p, nil
	}
	query := selectPeriod
	if k.l.shared && k.l.db.SkipLocked() != "" {
		query = lockPeriod
	}
	p, err := store.One[period](k.ctx, k.tx, query, b.ID, span.Start)
	if errors.Is(err, store.ErrNoRows) {
		if err = k.begin(b, span); err == nil {
			p, err = store.One[period](k.ctx, k.tx, query, b.ID, span.Start)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading where %s stands: %w", b.ID, err)
	}
	k.periods[key] = &p
	return &p, nil
}

// begin writes the row of a new period, unless another process just did.
func (k *book) begin(b *Budget, span Span) error {
	carry, err := carried(k.ctx, k.tx, b, span)
	if err != nil {
		return err
	}
	end := span.End
	if end.IsZero() {
		end = never
	}
	past, err := store.One[spending](k.ctx, k.tx, spentBy[b.Scope], scopeArgs(b, span.Start, end)...)
	if err != nil {
		return fmt.Errorf("adding up what %s has spent: %w", b.ID, err)
	}
	spent := past.Price
	if b.Unit == Premium {
		spent = past.Premium
	}
	p := period{Carried: carry, Spent: spent}
	_, err = k.tx.Exec(k.ctx, insertPeriod, b.ID, span.Start, b.Workspace, span.End, spent, carry, past.Calls, past.Unpriced,
		crossed(b.Thresholds, p.standing(b)))
	return err
}

// never is later than every record.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// spending is what records of a scope add up to.
type spending struct {
	Price    int64 `db:"price"`
	Premium  int64 `db:"premium"`
	Calls    int64 `db:"calls"`
	Unpriced int64 `db:"unpriced"`
}

// carried is what the period before leaves to the one that begins: at most the
// amount, and nothing from before the budget existed.
func carried(ctx context.Context, q store.Querier, b *Budget, span Span) (int64, error) {
	before, ok := b.Period.Before(span, b.loc)
	if !ok || !b.Rollover || !b.CreatedAt.Before(before.End) {
		return 0, nil
	}
	p, err := store.One[period](ctx, q, selectPeriod, b.ID, before.Start)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return 0, fmt.Errorf("reading what %s carries over: %w", b.ID, err)
	}
	return min(p.standing(b).Left(), b.Amount), nil
}

// close writes the periods that changed.
func (k *book) close() error {
	if err := k.sayRefusals(); err != nil {
		return err
	}
	for _, p := range k.periods {
		if !p.dirty {
			continue
		}
		_, err := k.tx.Exec(k.ctx, updatePeriod, p.Spent, p.Reserved, p.Granted, p.Calls, p.Unpriced, p.Blocked, p.Warned, p.Budget, p.Start)
		if err != nil {
			return fmt.Errorf("writing where %s stands: %w", p.Budget, err)
		}
	}
	return nil
}

// committed keeps in memory what the transaction made true.
func (k *book) committed(group []*op) {
	l := k.l
	if !l.shared {
		if len(l.cache) > 10_000 {
			clear(l.cache) // past periods; those in use are read again
		}
		for key, p := range k.periods {
			p.dirty = false
			l.cache[key] = *p
		}
	}
	if k.changed {
		l.forgetCache()
	} else {
		l.budgets.Store(k.budgets)
	}
	if k.alive {
		l.seen = k.now
	}
	for key, n := range k.refused {
		note := l.blocked[key]
		note.requests += n
		if k.said[key] {
			note = blocked{said: k.now}
		}
		l.blocked[key] = note
	}
	for _, key := range k.passed {
		l.admitted[key] = k.now
	}
	l.meters.count(k, group)
	l.mu.Lock()
	for _, o := range group {
		l.written(o)
		o.marks = nil // a call in flight holds on to its op
		switch {
		case o.reserve != nil && o.answer.verdict == Allow && o.whole == nil:
			l.open[o.reserve.rec.ID] = o.reserve
		case o.settle != nil:
			delete(l.open, o.settle.r.rec.ID)
		}
	}
	for ws, u := range k.updates {
		sum := l.updates[ws]
		l.updates[ws] = Updated{sum.Calls + u.Calls, sum.Price + u.Price, sum.Premium + u.Premium, sum.Unpriced + u.Unpriced, sum.Tokens + u.Tokens}
	}
	if !l.shared && !k.changed {
		if len(l.rooms) > 10_000 {
			clear(l.rooms)
		}
		for key, p := range k.periods {
			if b := k.budgets.byID[key.budget]; b != nil {
				l.rooms[key] = p.standing(&b.Budget)
			}
		}
	}
	if k.freed || k.changed {
		close(l.freed)
		l.freed = make(chan struct{})
	}
	l.mu.Unlock()
	l.sayUpdates(false)
}

// budget reads one budget of a workspace.
func (k *book) budget(ws ids.Workspace, id ids.Budget) (Budget, error) {
	b, err := store.One[Budget](k.ctx, k.tx, selectBudget, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return b, budgetNotFound(id)
	}
	if err == nil {
		b.loc, err = parseZone(b.Zone)
	}
	return b, err
}

// rearm lets thresholds that are not reached any more be said again.
func (k *book) rearm(b *Budget) error {
	p, err := k.load(b, b.Period.At(k.now, b.loc))
	if err != nil {
		return err
	}
	p.Warned = min(p.Warned, crossed(b.Thresholds, p.standing(b)))
	p.dirty = true
	return nil
}

// forget drops the working copies of a deleted budget.
func (k *book) forget(id ids.Budget) {
	maps.DeleteFunc(k.periods, func(key periodKey, _ *period) bool { return key.budget == id })
}
