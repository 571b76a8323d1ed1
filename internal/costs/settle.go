package costs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// settling is a call's end on its way into the database.
type settling struct {
	r     *Reservation
	to    Settlement
	price *Micros
	swept bool // by a sweep, not by who made the call
}

// Settle records how the call ended and gives back what is held for it. The
// first call counts; later ones do nothing. It does not wait for the database:
// Ledger.Flush does.
func (r *Reservation) Settle(s Settlement) {
	if !r.settled.CompareAndSwap(false, true) {
		return
	}
	if s.Latency == 0 {
		s.Latency = time.Since(r.begun)
	}
	x := r.settling(s)
	var spent Micros
	if x.price != nil {
		spent = *x.price
	}
	r.rec.Allowance.settle(r.worst, spent)
	r.l.settled(&op{settle: x, adds: [2]int64{max(0, int64(spent-r.worst)), max(0, x.to.Usage.PremiumMilli-r.premium)}})
}

// settled queues how a call ended; with a journal that is durable when this returns.
func (l *Ledger) settled(o *op) {
	l.mu.Lock()
	l.adding(o)
	running := l.running
	l.mu.Unlock()
	if running && l.journal != nil {
		if err := o.note(l.journal); err != nil {
			l.log.Error("journal not written", "part", "costs", "err", err)
		}
	}
	l.submit(o)
}

// settling prices what was used. A call that used nothing and did not end well
// costs nothing, whatever the model; any other without a rate stays unknown.
func (r *Reservation) settling(s Settlement) *settling {
	s.Usage = sane(s.Usage)
	s.Account = cmp.Or(s.Account, r.account, r.rec.Account)
	x := &settling{r: r, to: s}
	switch {
	case r.rec.Unit == Premium || s.Usage.PremiumMilli > 0 && !r.rates.known:
	case s.Usage.Zero() && s.Outcome != OK:
		x.price = new(Micros)
	default:
		rates := r.rates
		if s.Model != "" && s.Model != r.rec.Model {
			if served := rate(r.l.catalogue, r.rec.Provider, s.Model, r.rec.At); served.known {
				rates = served
			}
		}
		x.price = rates.cost(s.Usage)
	}
	return x
}

func (x *settling) unit() Unit {
	if x.r.rec.Unit == Premium || x.price == nil && x.to.Usage.PremiumMilli > 0 {
		return Premium
	}
	return Money
}

// settle writes a call's end and moves what was held to what was spent.
func (k *book) settle(o *op) error {
	x := o.settle
	if o.merged {
		return nil
	}
	old, write, err := k.endRow(x)
	if err != nil || !write {
		return err
	}
	return k.charge(x, o.marks, old)
}

// charge moves what was held to what was spent; old is what was booked before.
func (k *book) charge(x *settling, marks []mark, old *Record) error {
	k.freed = k.freed || len(marks) > 0
	for _, m := range marks {
		amount, known := m.budget.price(x.price, x.to.Usage.PremiumMilli)
		if x.unit() == Premium && m.budget.Unit == Money {
			amount, known = 0, true
		}
		p := m.period
		p.dirty = true
		if old == nil {
			p.Reserved -= m.held
			p.Calls++
		} else {
			was, wasKnown := m.budget.price(old.Price, old.Premium)
			p.Spent -= was
			p.Unpriced -= count(!wasKnown && old.Unit == Money)
		}
		p.Spent += amount
		p.Unpriced += count(!known)
		if err := k.warn(m); err != nil {
			return err
		}
	}
	k.add(x, old)
	return nil
}

// addWhole has the row of a call written that began and ended since the last
// group; nothing was ever held for it.
func (k *book) addWhole(o *op) error {
	k.whole = append(k.whole, o)
	return k.charge(o.whole, o.marks, nil)
}

// insertWhole writes the rows of calls that began and ended, many in a statement.
func (k *book) insertWhole() error {
	args := make([]any, 0, wholeArgs*min(len(k.whole), maxWhole))
	var numbers [maxWhole][4]int64
	var units [maxWhole]Unit
	for rest := k.whole; len(rest) > 0; {
		n := wholeSizes[slices.IndexFunc(wholeSizes[:], func(size int) bool { return size <= len(rest) })]
		args = args[:0]
		for i, o := range rest[:n] {
			x, rec, at := o.whole, &o.reserve.rec, &numbers[i]
			u, s := &x.to.Usage, &x.to
			units[i] = x.unit()
			*at = [...]int64{s.Latency.Microseconds(), s.FirstToken.Microseconds(), rec.At.UnixMicro(), int64(rec.Attempt)}
			args = append(args, (*string)(&rec.ID), (*string)(&rec.Workspace), (*string)(&rec.User), (*string)(&rec.Key), &rec.Agent, (*string)(&rec.Run),
				(*string)(&rec.Conversation), &rec.Project, &rec.Workflow, &rec.Door, &rec.Asked, &rec.Model, &s.Model, &rec.Provider, &s.Account, &at[3],
				(*string)(&units[i]), (*int64)(x.price), &u.PremiumMilli, &u.Input, &u.CacheRead, &u.CacheWrite, &u.CacheWriteLong, &u.AudioInput, &u.ImageInput, &u.Output,
				&u.Reasoning, &u.AudioOutput, &u.ImageOutput, u.Estimated, &at[0], &at[1], (*string)(&s.Outcome),
				&s.ErrorCode, &rec.Process, &rec.PrefixPrint, &rec.PromptPrint, &at[2])
		}
		if _, err := k.tx.Exec(k.ctx, insertWhole[n], args...); err != nil {
			return fmt.Errorf("writing the rows of calls: %w", err)
		}
		rest = rest[n:]
	}
	k.whole = nil
	return nil
}

func count(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// endRow updates the row. A row that a sweep has closed, because its process
// seemed dead, is put right: old is what it said. A row that is closed for good
// is left alone.
func (k *book) endRow(x *settling) (old *Record, write bool, err error) {
	u, s := x.to.Usage, &x.to
	var price any
	if x.price != nil {
		price = int64(*x.price)
	}
	args := []any{s.Model, s.Account, string(x.unit()), price, u.PremiumMilli, u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteLong,
		u.AudioInput, u.ImageInput, u.Output, u.Reasoning, u.AudioOutput, u.ImageOutput, u.Estimated,
		s.Latency.Microseconds(), s.FirstToken.Microseconds(), string(s.Outcome), s.ErrorCode, string(x.r.rec.ID)}
	n, err := k.tx.Exec(k.ctx, settleRecord, args...)
	if err != nil || n == 1 {
		return nil, n == 1, err
	}
	if x.swept {
		return nil, false, nil
	}
	was, err := store.One[Record](k.ctx, k.tx, selectRecord, x.r.rec.ID)
	if errors.Is(err, store.ErrNoRows) || err == nil && was.ErrorCode != Abandoned {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", x.r.rec.ID, err)
	}
	n, err = k.tx.Exec(k.ctx, correctRecord, args...)
	return &was, n == 1, err
}

// warn says that a threshold was reached, unless that was said in this period.
func (k *book) warn(m mark) error {
	reached := crossed(m.budget.Thresholds, m.period.standing(m.budget))
	if !m.budget.Enabled || reached <= m.period.Warned {
		return nil
	}
	m.period.Warned = reached
	limit := limitOf(m.budget, m.period)
	if reached >= 100 {
		return k.say(m.period.Workspace, m.budget.Notify, BudgetExceeded{limit})
	}
	return k.say(m.period.Workspace, m.budget.Notify, BudgetWarned{limit, reached})
}

// say appends a fact for everybody, and for the user who is to be told.
func (k *book) say(ws ids.Workspace, user ids.User, ev events.Event) error {
	if ws == "" {
		return nil
	}
	if err := k.l.hub.Append(k.ctx, k.tx, ws, Channel, ev); err != nil || user == "" {
		return err
	}
	return k.l.hub.Append(k.ctx, k.tx, ws, events.NotificationChannel(user), ev)
}

// budgetsChanged makes every process read the budgets again.
func (k *book) budgetsChanged(ws ids.Workspace, ev events.Event) error {
	k.changed = true
	if _, err := k.tx.Exec(k.ctx, raiseVersion); err != nil {
		return err
	}
	return k.say(ws, "", ev)
}

// add counts a settled call for the next costs.updated.
func (k *book) add(x *settling, old *Record) {
	ws := x.r.rec.Workspace
	if ws == "" {
		return
	}
	if k.updates == nil {
		k.updates = make(map[ids.Workspace]Updated)
	}
	u := k.updates[ws]
	if old == nil {
		u.Calls++
	} else if old.Price != nil {
		u.Price -= *old.Price
	}
	if x.price != nil {
		u.Price += *x.price
	} else if x.unit() == Money {
		u.Unpriced++
	}
	u.Premium += x.to.Usage.PremiumMilli
	u.Tokens += x.to.Usage.Total()
	k.updates[ws] = u
}
