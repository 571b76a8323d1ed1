package costs

import (
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

// Channel is where everything costs says is heard.
const Channel = "costs"

// Updated: calls ended; what they add up to since it was last said. Droppable.
type Updated struct {
	Calls    int64  `json:"calls"`
	Price    Micros `json:"price"`
	Premium  int64  `json:"premium"`
	Unpriced int64  `json:"unpriced"` // calls of unknown price, which are not in price
	Tokens   int64  `json:"tokens"`
}

// Limit is what the facts about a budget have in common.
type Limit struct {
	Budget  ids.Budget `json:"budget"`
	Name    string     `json:"name"`
	Scope   Scope      `json:"scope"`
	ScopeID string     `json:"scope_id,omitempty"`
	Unit    Unit       `json:"unit"`
	Limit   int64      `json:"limit"`
	Spent   int64      `json:"spent"`
	AtLimit AtLimit    `json:"at_limit"`
	Resets  time.Time  `json:"resets_at,omitzero"`
}

// BudgetWarned: a threshold was reached; said once per period.
type BudgetWarned struct {
	Limit
	Percent int `json:"percent"`
}

// BudgetExceeded: a budget is used up; said once per period.
type BudgetExceeded struct{ Limit }

// RequestBlocked: calls were refused for a budget; said at most once a minute,
// with how many since the last time.
type RequestBlocked struct {
	Limit
	Requests int64 `json:"requests"`
}

// BudgetCreated: there is a new budget.
type BudgetCreated struct {
	Budget  ids.Budget `json:"budget"`
	Name    string     `json:"name"`
	Scope   Scope      `json:"scope"`
	ScopeID string     `json:"scope_id,omitempty"`
	Unit    Unit       `json:"unit"`
	Amount  int64      `json:"amount"`
}

// BudgetChanged: a budget has other terms, or more was granted for this period.
type BudgetChanged struct {
	Budget  ids.Budget `json:"budget"`
	Name    string     `json:"name"`
	Unit    Unit       `json:"unit"`
	Amount  int64      `json:"amount"`
	Granted int64      `json:"granted,omitempty"`
}

// BudgetDeleted: a budget no longer limits anything.
type BudgetDeleted struct {
	Budget ids.Budget `json:"budget"`
	Name   string     `json:"name"`
}

// Kind names the fact.
func (Updated) Kind() string        { return "costs.updated" }
func (BudgetWarned) Kind() string   { return "costs.budget_warned" }
func (BudgetExceeded) Kind() string { return "costs.budget_exceeded" }
func (RequestBlocked) Kind() string { return "costs.request_blocked" }
func (BudgetCreated) Kind() string  { return "costs.budget_created" }
func (BudgetChanged) Kind() string  { return "costs.budget_changed" }
func (BudgetDeleted) Kind() string  { return "costs.budget_deleted" }
