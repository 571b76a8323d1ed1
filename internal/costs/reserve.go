package costs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Call is an attempt that is about to be made.
type Call struct {
	Attribution
	Provider string
	Model    string // as the vendor calls it
	Account  string // of the provider, if known by now
	Attempt  int    // counted from 1 over retries and fallbacks; 0: the only one
	Input    int64  // tokens, estimated
	Output   int64  // the most that may come; 0: the model's own limit
	Print    Print  // for advice about repeated prompts; zero: none
	// Behind lets the row be written while the vendor is asked, if every budget
	// certainly has room. The caller then waits for Durable before anything is
	// passed on. With a journal no row of a call that certainly fits is waited for.
	Behind bool
}

// hold is what a budget holds for a call.
type hold struct {
	Budget ids.Budget `json:"b"`
	Start  int64      `json:"s"` // of the period, in microseconds
	Amount int64      `json:"a"`
}

// Reservation is a call in flight. Settle it in every ending.
type Reservation struct {
	l       *Ledger
	rec     Record
	rates   rated
	worst   Micros
	priced  bool
	premium int64
	holds   []hold
	begun   time.Time
	behind  bool
	row     *op         // writes the row
	account string      // the one that was asked; used by who makes the call
	book    *book       // the transaction that writes the row; used by who writes
	settled atomic.Bool // by whoever came first
	output  atomic.Int64
	noted   int64 // output that was written; used by Run only
}

// answer is what budgets say to a call.
type answer struct {
	verdict Verdict
	fault   *fault.Fault
	until   time.Time // when waiting ends, if known
	holds   []hold
}

// Reserve holds the price of a call against every budget in its scope and makes
// its row durable, or refuses with a 429 that names the budget.
func (l *Ledger) Reserve(ctx context.Context, c Call) (*Reservation, error) {
	r := l.reservation(c)
	if err := c.Allowance.hold(r.worst); err != nil {
		return nil, err
	}
	if err := l.reserve(ctx, r); err != nil {
		c.Allowance.settle(r.worst, 0)
		return nil, err
	}
	return r, nil
}

func (l *Ledger) reservation(c Call) *Reservation {
	at := l.now()
	r := &Reservation{l: l, begun: time.Now(), behind: c.Behind}
	r.rec = Record{
		ID: ids.New[ids.Usage](), Attribution: c.Attribution, Model: c.Model, Provider: c.Provider, Account: c.Account,
		Attempt: max(c.Attempt, 1), Unit: Money, Outcome: Open, Process: l.process, PrefixPrint: c.Print.Prefix, PromptPrint: c.Print.Prompt, At: at,
	}
	r.rec.Input = min(max(c.Input, 0), maxTokens)
	r.value(c.Output)
	return r
}

// value finds out what the call may cost; output 0: as much as the model can say.
func (r *Reservation) value(output int64) {
	l, rec := r.l, &r.rec
	r.rates = rate(l.catalogue, rec.Provider, rec.Model, rec.At)
	if milli, counts := l.opts.Premium(rec.Provider, rec.Model); counts {
		r.premium, rec.Unit = milli, Premium
		return
	}
	r.worst, r.priced = r.rates.worst(rec.Input, cmp.Or(min(max(output, 0), maxTokens), r.rates.maxOutput, l.opts.Output))
}

// needs is what the call may cost in a budget's unit. What has no known price
// counts as the smallest amount, so that a spent budget stops it.
func (r *Reservation) needs(b *Budget) int64 {
	switch {
	case b.Unit == Premium:
		return r.premium
	case r.rec.Unit == Premium:
		return 0
	case !r.priced:
		return 1
	}
	return int64(r.worst)
}

func (l *Ledger) reserve(ctx context.Context, r *Reservation) error {
	if l.reserveBehind(r) {
		return nil
	}
	r.behind = false
	var patience <-chan time.Time
	for {
		l.mu.Lock()
		freed := l.freed
		l.mu.Unlock()
		a, err := l.ask(ctx, r)
		if err != nil || a.verdict == Allow {
			return err
		}
		if a.verdict != Wait || l.opts.Patience < 0 {
			return a.fault
		}
		if patience == nil {
			timer := time.NewTimer(l.opts.Patience)
			defer timer.Stop()
			patience = timer.C
		}
		if err := l.await(ctx, a, freed, patience); err != nil {
			return err
		}
	}
}

// reserveBehind queues the row of a call that certainly fits; with a journal it
// is durable when this returns.
func (l *Ledger) reserveBehind(r *Reservation) bool {
	set := l.budgets.Load()
	if set == nil {
		return false
	}
	r.row = r.queued()
	l.admitting.RLock()
	defer l.admitting.RUnlock()
	l.mu.Lock()
	noted := l.running && l.journal != nil
	fits := (noted || r.behind) && l.roomy(set, r)
	if fits {
		l.adding(r.row)
	}
	l.mu.Unlock()
	if !fits {
		return false
	}
	r.behind = true
	if !noted {
		r.row.done = make(chan struct{})
	} else if err := r.row.note(l.journal); err != nil {
		l.log.Error("journal not written", "part", "costs", "err", err)
		l.mu.Lock()
		l.written(r.row)
		l.mu.Unlock()
		return false
	}
	l.submit(r.row)
	return true
}

// queued is the call on its way into the database: until it is there it counts for what it may cost, also while it is asked
// whether it fits. Who is let through meanwhile would overshoot together with it.
func (r *Reservation) queued() *op {
	return &op{reserve: r, adds: [2]int64{max(int64(r.worst), 1), r.premium}}
}

// recheck is how often a waiting call looks at what other processes gave back.
const recheck = 250 * time.Millisecond

// await waits until it makes sense to ask the budgets again.
func (l *Ledger) await(ctx context.Context, a answer, freed <-chan struct{}, patience <-chan time.Time) error {
	var again <-chan time.Time
	if wait := a.until.Sub(l.now()); !a.until.IsZero() || l.shared {
		if a.until.IsZero() {
			wait = recheck
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		again = timer.C
	}
	l.mu.Lock()
	l.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waiting--
		l.mu.Unlock()
	}()
	// A settlement that nobody was waiting for until now may be what we need.
	select {
	case l.kick <- struct{}{}:
	default:
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-patience:
		return a.fault
	case <-freed:
	case <-again:
	}
	return nil
}

// ask puts the call before its budgets, once.
func (l *Ledger) ask(ctx context.Context, r *Reservation) (answer, error) {
	o := r.queued()
	o.done, r.row = make(chan struct{}), o
	l.admitting.Lock()
	l.mu.Lock()
	l.adding(o)
	running, wake := l.enqueue(o)
	l.mu.Unlock()
	l.admitting.Unlock()
	l.wake(running, wake)
	select {
	case <-o.done:
	case <-ctx.Done():
		if l.withdraw(o) {
			return answer{}, context.Cause(ctx)
		}
		<-o.done // it is being written
	}
	if o.err != nil {
		return answer{}, fmt.Errorf("reserving the price of a call to %s/%s: %w", r.rec.Provider, r.rec.Model, o.err)
	}
	if ctx.Err() != nil && o.answer.verdict == Allow {
		r.Settle(Settlement{Outcome: Cancelled})
		return answer{}, context.Cause(ctx)
	}
	return o.answer, nil
}

// Durable waits until the row of a call reserved with Behind is written.
func (r *Reservation) Durable(ctx context.Context) error {
	if r.row.leaf != nil {
		return nil
	}
	select {
	case <-r.row.done:
		return r.row.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ID names the call's record.
func (r *Reservation) ID() ids.Usage { return r.rec.ID }

// Worst is what is held for the call; ok is false when its price is not known.
func (r *Reservation) Worst() (m Micros, ok bool) { return r.worst, r.priced }

// reserve decides on a call and writes its row.
func (k *book) reserve(o *op) error {
	r := o.reserve
	o.answer = answer{}
	if !r.behind {
		o.answer = k.judge(o)
	}
	if o.answer.verdict != Allow {
		return nil
	}
	if err := k.live(); err != nil {
		return err
	}
	if o.whole != nil {
		return k.addWhole(o)
	}
	holds := make([]hold, 0, len(o.marks))
	for _, m := range o.marks {
		amount := r.needs(m.budget)
		m.period.Reserved += amount
		m.period.dirty = true
		holds = append(holds, hold{m.budget.ID, m.period.Start.UnixMicro(), amount})
	}
	o.answer.holds = holds
	text, err := holdsText(holds)
	if err != nil {
		return err
	}
	rec := &r.rec
	_, err = k.tx.Exec(k.ctx, insertRecord, string(rec.ID), string(rec.Workspace), string(rec.User), string(rec.Key), rec.Agent, string(rec.Run),
		string(rec.Conversation), rec.Project, rec.Workflow, rec.Door, rec.Asked, rec.Model, rec.Provider, rec.Account, rec.Attempt, string(rec.Unit),
		rec.Input, text, rec.Process, rec.PrefixPrint, rec.PromptPrint, rec.At.UnixMicro())
	if err != nil {
		return fmt.Errorf("writing the row of a call: %w", err)
	}
	r.holds = holds
	return nil
}

func holdsText(holds []hold) (string, error) {
	if len(holds) == 0 {
		return "", nil
	}
	text, err := json.Marshal(holds)
	return string(text), err
}

// judge asks every budget of the call; the sternest answer counts.
func (k *book) judge(o *op) answer {
	var a answer
	var by mark
	var passed []periodKey
	for _, m := range o.marks {
		if !m.budget.Enabled || m.budget.AtLimit == AskPerson && o.reserve.rec.Allowance.overdraws(m.budget.ID) {
			continue
		}
		s, needs := m.period.standing(m.budget), o.reserve.needs(m.budget)
		verdict, until := m.budget.AtLimit.Judge(s, needs), time.Time{}
		if verdict == Wait && s.Spent >= s.Limit {
			verdict, until = Throttled(s, k.l.admitted[m.period.key()], k.now, k.l.opts.Pause)
			if verdict == Allow {
				passed = append(passed, m.period.key())
			}
		}
		if verdict > a.verdict || verdict == a.verdict && until.After(a.until) {
			a.verdict, a.until, by = verdict, until, m
		}
	}
	if a.verdict == Allow {
		k.passed = append(k.passed, passed...)
		return answer{}
	}
	a.fault = refusal(by.budget, by.period, a.verdict, k.now)
	if a.verdict == Ask {
		a.fault = a.fault.Because(&Short{limitOf(by.budget, by.period), by.budget.Period, o.reserve.needs(by.budget)})
	}
	if a.verdict != Wait {
		k.refuse(by)
	}
	return a
}

// blockedEvery is how often refusals of one budget are said.
const blockedEvery = time.Minute

// refuse counts a refused call, and says so when that was not said lately.
func (k *book) refuse(m mark) {
	if k.refused == nil {
		k.refused, k.said = make(map[periodKey]int64), make(map[periodKey]bool)
	}
	k.refused[m.period.key()]++
	if note := k.l.blocked[m.period.key()]; k.now.Sub(note.said) >= blockedEvery {
		k.said[m.period.key()] = true
	}
}

// sayRefusals writes refusals that are due, once for the whole group.
func (k *book) sayRefusals() error {
	for key := range k.said {
		p, b := k.periods[key], k.budgets.byID[key.budget]
		if p == nil || b == nil {
			continue
		}
		n := k.l.blocked[key].requests + k.refused[key]
		p.Blocked += n
		p.dirty = true
		if err := k.say(p.Workspace, "", RequestBlocked{limitOf(&b.Budget, p), n}); err != nil {
			return err
		}
	}
	return nil
}

// live says that this process lives, where others could think it dead.
func (k *book) live() error {
	if !k.l.shared || k.alive || k.now.Sub(k.l.seen) < beatEvery {
		return nil
	}
	k.alive = true
	_, err := k.tx.Exec(k.ctx, beat, k.l.process, k.now)
	return err
}

// Note tells how many output tokens have come so far; Run writes it now and
// then, so that after a crash little is forgotten.
func (r *Reservation) Note(output int64) { r.output.Store(output) }

// Print is the fingerprint of a prompt.
type Print struct {
	Prefix int64 // of its beginning
	Prompt int64 // of all of it
}

// Settlement is how a call ended.
type Settlement struct {
	Outcome    Outcome
	Usage      providers.Usage
	Model      string        // the one that answered; empty: the one asked
	Account    string        // empty: as reserved
	ErrorCode  string        // of a call that did not end well
	FirstToken time.Duration // from the call's start; 0: none came
	Latency    time.Duration // 0: from Reserve to now
}
