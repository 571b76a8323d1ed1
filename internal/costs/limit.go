package costs

import (
	"context"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Limits bound one run; zero is no limit.
type Limits struct {
	Money Micros        `json:"money,omitempty"`
	Turns int           `json:"turns,omitempty"`
	Time  time.Duration `json:"time,omitempty"`
}

// Allowance is what is left of a run's own limits. Put it into the Attribution
// and every call of the run, by helpers too, counts against it.
type Allowance struct {
	limits Limits
	above  *Allowance // what is held and spent here is so there too; nil: nowhere

	mu        sync.Mutex // guards the fields below
	spent     Micros
	reserved  Micros
	turns     int
	overdrawn map[ids.Budget]bool // budgets that a person lets the run spend beyond; only where above is nil
}

// NewAllowance starts a run, or goes on with one that has spent and turned before.
func NewAllowance(l Limits, spent Micros, turns int) *Allowance {
	return &Allowance{limits: l, spent: spent, turns: turns}
}

// Under is the allowance of a helper: it has limits of its own, and what it spends
// counts against those of the run it works for.
func (a *Allowance) Under(l Limits, spent Micros, turns int) *Allowance {
	return &Allowance{limits: l, above: a, spent: spent, turns: turns}
}

// Context bounds ctx by the time limit, counted from the run's start.
func (a *Allowance) Context(ctx context.Context, started time.Time) (context.Context, context.CancelFunc) {
	if a == nil || a.limits.Time <= 0 {
		return context.WithCancel(ctx)
	}
	cause := fault.New(fault.Timeout, "run_time_limit", "The run has used its %s.", a.limits.Time).
		WithHint("Raise the run's time limit, or ask for less at once.")
	return context.WithDeadlineCause(ctx, started.Add(a.limits.Time), cause)
}

// Turn counts a turn, or refuses it.
func (a *Allowance) Turn() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limits.Turns > 0 && a.turns >= a.limits.Turns {
		return fault.New(fault.Exhausted, "run_turn_limit", "The run has used its %d turns.", a.limits.Turns).
			WithHint("Raise the run's turn limit, or split the task.").WithDetail("turns", a.turns)
	}
	a.turns++
	return nil
}

// Spent is what the run has spent, without calls in flight, and its turns.
func (a *Allowance) Spent() (Micros, int) {
	if a == nil {
		return 0, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent, a.turns
}

// hold reserves the price of a call, by the same rule as budgets.
func (a *Allowance) hold(next Micros) error {
	if a == nil {
		return nil
	}
	if err := a.above.hold(next); err != nil {
		return err
	}
	if err := a.holdOwn(next); err != nil {
		a.above.settle(next, 0)
		return err
	}
	return nil
}

func (a *Allowance) holdOwn(next Micros) error {
	if a.limits.Money <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := Standing{Limit: int64(a.limits.Money), Spent: int64(a.spent), Reserved: int64(a.reserved)}
	if Block.Judge(s, int64(next)) != Allow {
		return fault.New(fault.Exhausted, CodeRunLimit, "The run has spent %s of its %s.", a.spent, a.limits.Money).
			WithHint("Raise the run's money limit to go on.").
			WithDetail("limit", a.limits.Money).WithDetail("spent", a.spent).WithDetail("reserved", a.reserved)
	}
	a.reserved += next
	return nil
}

// settle turns a hold into what was spent.
func (a *Allowance) settle(held, spent Micros) {
	if a == nil {
		return
	}
	a.above.settle(held, spent)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limits.Money > 0 {
		a.reserved -= held
	}
	a.spent += spent
}
