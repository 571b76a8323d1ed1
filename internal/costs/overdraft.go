package costs

import (
	"errors"

	"github.com/fluxway/fluxway/internal/ids"
)

// Short is why a call was refused whose budget asks a person before more is spent.
type Short struct {
	Limit
	Period Period `json:"period"`
	Needs  int64  `json:"needs"` // what the call may cost at the most, in the budget's unit
}

// Error is for logs; the fault around it is what people read.
func (*Short) Error() string { return "a person may allow more" }

// Asks gives what a refused call is short of, if a person may allow more.
func Asks(err error) (*Short, bool) {
	var s *Short
	ok := errors.As(err, &s)
	return s, ok
}

// Overdraw lets a run and its helpers spend beyond a budget that asks: a person allowed it. What they spend still counts.
func (a *Allowance) Overdraw(budget ids.Budget) {
	a = a.top()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.overdrawn == nil {
		a.overdrawn = make(map[ids.Budget]bool)
	}
	a.overdrawn[budget] = true
}

// overdraws says whether a person allowed the run to spend beyond a budget.
func (a *Allowance) overdraws(budget ids.Budget) bool {
	if a == nil {
		return false
	}
	a = a.top()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.overdrawn[budget]
}

// top is the allowance of the run that a person started.
func (a *Allowance) top() *Allowance {
	for a.above != nil {
		a = a.above
	}
	return a
}
