package costs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Scope is what a budget is about.
type Scope string

// The scopes; several budgets may apply to one call.
const (
	ScopeWorkspace Scope = "workspace"
	ScopeUser      Scope = "user"
	ScopeKey       Scope = "key"
	ScopeAgent     Scope = "agent"
	ScopeModel     Scope = "model" // as asked for, as the vendor calls it, or provider/model
	ScopeProject   Scope = "project"
	ScopeWorkflow  Scope = "workflow"
)

var scopes = []Scope{ScopeWorkspace, ScopeUser, ScopeKey, ScopeAgent, ScopeModel, ScopeProject, ScopeWorkflow}

// AtLimit is what happens when a budget is used up.
type AtLimit string

// What can happen. Every one alerts.
const (
	Alert     AtLimit = "alert"    // calls go on
	Throttle  AtLimit = "throttle" // calls go on, one at a time and slowly
	AskPerson AtLimit = "ask"      // a run waits for a person's yes; where nobody can wait, calls are refused until one grants more
	Block     AtLimit = "block"    // calls are refused until the next period
)

var atLimits = []AtLimit{Alert, Throttle, AskPerson, Block}

// maxAmount keeps sums and percentages of a budget far from overflow.
const maxAmount = 1 << 50

// DefaultThresholds are the percentages at which a budget warns.
var DefaultThresholds = []int{50, 80, 95}

// Budget is a limit on spending for a scope and a period.
type Budget struct {
	ID         ids.Budget    `db:"id" json:"id"`
	Workspace  ids.Workspace `db:"workspace_id" json:"-"`
	Name       string        `db:"name" json:"name"`
	Scope      Scope         `db:"scope" json:"scope"`
	ScopeID    string        `db:"scope_id" json:"scope_id,omitempty"` // empty for the workspace
	Period     Period        `db:"period" json:"period"`
	Zone       string        `db:"zone" json:"zone"` // whose clocks say when a period begins
	Unit       Unit          `db:"unit" json:"unit"`
	Amount     int64         `db:"amount" json:"amount"` // micro-dollars, or thousandths of a premium request
	Thresholds []int         `db:"thresholds,json" json:"thresholds"`
	AtLimit    AtLimit       `db:"at_limit" json:"at_limit"`
	Rollover   bool          `db:"rollover" json:"rollover"` // what is left is added to the next period, at most the amount once more
	Enabled    bool          `db:"enabled" json:"enabled"`   // a disabled budget counts but neither warns nor refuses
	Notify     ids.User      `db:"notify" json:"notify,omitempty"`
	CreatedAt  time.Time     `db:"created_at" json:"created_at"`
	UpdatedAt  time.Time     `db:"updated_at" json:"updated_at"`

	loc *time.Location
}

// check fills in defaults and refuses what makes no sense.
func (b *Budget) check() (err error) {
	b.Name = strings.TrimSpace(b.Name)
	b.Scope, b.Unit, b.AtLimit = cmp.Or(b.Scope, ScopeWorkspace), cmp.Or(b.Unit, Money), cmp.Or(b.AtLimit, Block)
	b.Zone = cmp.Or(b.Zone, "UTC")
	if b.Thresholds == nil {
		b.Thresholds = DefaultThresholds
	}
	b.Thresholds = slices.Clone(b.Thresholds)
	slices.Sort(b.Thresholds)
	b.Thresholds = slices.Compact(b.Thresholds)
	if b.Period, err = parsePeriod(string(cmp.Or(b.Period, Monthly))); err != nil {
		return err
	}
	if b.loc, err = parseZone(b.Zone); err != nil {
		return err
	}
	bad := func(param, format string, args ...any) error {
		return fault.New(fault.Invalid, "bad_budget", format, args...).WithParam(param)
	}
	switch {
	case !slices.Contains(scopes, b.Scope):
		return bad("scope", "There is no scope %q; a budget is about a workspace, user, key, agent, model, project or workflow.", b.Scope)
	case (b.Scope == ScopeWorkspace) != (b.ScopeID == ""):
		return bad("scope_id", "A budget of a %s needs its id; one of the workspace has none.", b.Scope)
	case !slices.Contains(atLimits, b.AtLimit):
		return bad("at_limit", "At the limit a budget can alert, throttle, ask or block, not %q.", b.AtLimit)
	case b.Unit != Money && b.Unit != Premium:
		return bad("unit", "A budget counts money or premium requests (premium), not %q.", b.Unit)
	case b.Amount <= 0 || b.Amount > maxAmount:
		return bad("amount", "The amount must be above zero and below %s.", b.Unit.Show(maxAmount))
	case len(b.Name) > 200 || len(b.ScopeID) > 200 || len(b.Thresholds) > 20:
		return bad("name", "A name has at most 200 characters and a budget at most 20 thresholds.")
	}
	for _, t := range b.Thresholds {
		if t < 1 || t > 99 {
			return bad("thresholds", "A threshold is a percentage from 1 to 99, not %d.", t)
		}
	}
	if b.Name == "" {
		b.Name = strings.TrimSpace(fmt.Sprintf("%s %s %s", b.Period, b.Scope, b.ScopeID))
	}
	return nil
}

// price is what a call counts in the budget's unit.
func (b *Budget) price(money *Micros, premium int64) (amount int64, known bool) {
	if b.Unit == Premium {
		return premium, true
	}
	if money == nil {
		return 0, false
	}
	return int64(*money), true
}

// Change says what to change of a budget; nil leaves a field as it is. Scope,
// unit, period and zone stay: what was counted was counted by them.
type Change struct {
	Name       *string   `json:"name,omitempty"`
	Amount     *int64    `json:"amount,omitempty"`
	Thresholds *[]int    `json:"thresholds,omitempty"`
	AtLimit    *AtLimit  `json:"at_limit,omitempty"`
	Rollover   *bool     `json:"rollover,omitempty"`
	Enabled    *bool     `json:"enabled,omitempty"`
	Notify     *ids.User `json:"notify,omitempty"`
}

func (c Change) apply(b Budget) Budget {
	set(&b.Name, c.Name)
	set(&b.Amount, c.Amount)
	set(&b.Thresholds, c.Thresholds)
	set(&b.AtLimit, c.AtLimit)
	set(&b.Rollover, c.Rollover)
	set(&b.Enabled, c.Enabled)
	set(&b.Notify, c.Notify)
	return b
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// BudgetStatus is a budget with where it stands in the period that is now.
type BudgetStatus struct {
	Budget
	Span     Span  `json:"current"`
	Limit    int64 `json:"limit"` // the amount with what was carried over and granted
	Carried  int64 `json:"carried"`
	Granted  int64 `json:"granted"`
	Spent    int64 `json:"spent"`
	Reserved int64 `json:"reserved"`
	Left     int64 `json:"left"`
	Percent  int64 `json:"percent"`
	Calls    int64 `json:"calls"`
	Unpriced int64 `json:"unpriced"` // calls whose price is not known and so not in spent
	Blocked  int64 `json:"blocked"`
}

// CreateBudget adds a budget. What its scope has already spent in the current
// period counts.
func (l *Ledger) CreateBudget(ctx context.Context, ws ids.Workspace, b Budget) (BudgetStatus, error) {
	b.ID, b.Workspace, b.CreatedAt = ids.New[ids.Budget](), ws, l.now()
	b.UpdatedAt = b.CreatedAt
	if err := b.check(); err != nil {
		return BudgetStatus{}, err
	}
	err := l.change(ctx, func(k *book) error {
		_, err := k.tx.Exec(k.ctx, insertBudget, b.ID, b.Workspace, b.Name, b.Scope, b.ScopeID, b.Period, b.Zone, b.Unit, b.Amount,
			store.JSON(b.Thresholds), b.AtLimit, b.Rollover, b.Enabled, b.Notify, b.CreatedAt, b.UpdatedAt)
		if err != nil {
			return err
		}
		if _, err := k.load(&b, b.Period.At(b.CreatedAt, b.loc)); err != nil {
			return err
		}
		return k.budgetsChanged(ws, BudgetCreated{Budget: b.ID, Name: b.Name, Scope: b.Scope, ScopeID: b.ScopeID, Unit: b.Unit, Amount: b.Amount})
	})
	if err != nil {
		return BudgetStatus{}, fmt.Errorf("creating a budget: %w", err)
	}
	return l.Budget(ctx, ws, b.ID)
}

// ChangeBudget changes a budget. Thresholds that the change puts above what was
// spent may be said again.
func (l *Ledger) ChangeBudget(ctx context.Context, ws ids.Workspace, id ids.Budget, c Change) (BudgetStatus, error) {
	err := l.change(ctx, func(k *book) error {
		old, err := k.budget(ws, id)
		if err != nil {
			return err
		}
		b := c.apply(old)
		if err := b.check(); err != nil {
			return err
		}
		_, err = k.tx.Exec(k.ctx, updateBudget, b.Name, b.Amount, store.JSON(b.Thresholds), b.AtLimit, b.Rollover, b.Enabled, b.Notify, k.now, id)
		if err != nil {
			return err
		}
		if err := k.rearm(&b); err != nil {
			return err
		}
		p, err := k.load(&b, b.Period.At(k.now, b.loc))
		if err != nil {
			return err
		}
		if err := k.room(&b, p.standing(&b)); err != nil {
			return err
		}
		return k.budgetsChanged(ws, BudgetChanged{Budget: id, Name: b.Name, Unit: b.Unit, Amount: b.Amount})
	})
	if err != nil {
		return BudgetStatus{}, fmt.Errorf("changing %s: %w", id, err)
	}
	return l.Budget(ctx, ws, id)
}

// DeleteBudget removes a budget and what it counted; the ledger keeps its records.
func (l *Ledger) DeleteBudget(ctx context.Context, ws ids.Workspace, id ids.Budget) error {
	err := l.change(ctx, func(k *book) error {
		b, err := k.budget(ws, id)
		if err != nil {
			return err
		}
		for _, statement := range deleteBudget {
			if _, err := k.tx.Exec(k.ctx, statement, id); err != nil {
				return err
			}
		}
		k.forget(id)
		b.Enabled = false
		if err := k.room(&b, Standing{}); err != nil {
			return err
		}
		return k.budgetsChanged(ws, BudgetDeleted{Budget: id, Name: b.Name})
	})
	if err != nil {
		return fmt.Errorf("deleting %s: %w", id, err)
	}
	return nil
}

// Grant raises a budget for its current period only, as the answer of a person
// who was asked.
func (l *Ledger) Grant(ctx context.Context, ws ids.Workspace, id ids.Budget, amount int64) (BudgetStatus, error) {
	if amount <= 0 || amount > maxAmount {
		return BudgetStatus{}, fault.New(fault.Invalid, "bad_amount", "The amount must be above zero and below %s.", Money.Show(maxAmount)).WithParam("amount")
	}
	err := l.change(ctx, func(k *book) error {
		b, err := k.budget(ws, id)
		if err != nil {
			return err
		}
		p, err := k.load(&b, b.Period.At(k.now, b.loc))
		if err != nil {
			return err
		}
		if p.Granted+amount > maxAmount {
			return fault.New(fault.Invalid, "bad_amount", "So much cannot be granted.").WithParam("amount")
		}
		p.Granted += amount
		p.dirty = true
		if err := k.rearm(&b); err != nil {
			return err
		}
		if err := k.room(&b, p.standing(&b)); err != nil {
			return err
		}
		return k.budgetsChanged(ws, BudgetChanged{Budget: id, Name: b.Name, Unit: b.Unit, Amount: b.Amount, Granted: p.Granted})
	})
	if err != nil {
		return BudgetStatus{}, fmt.Errorf("granting more of %s: %w", id, err)
	}
	return l.Budget(ctx, ws, id)
}

// OnRoom has f told, in the same transaction, of every budget that a person has given room to: calls that it refused would
// pass now.
func (l *Ledger) OnRoom(f func(ctx context.Context, tx *store.Tx, ws ids.Workspace, budget ids.Budget) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onRoom = append(l.onRoom, f)
}

// room passes on that a budget was changed, if it stops nobody now.
func (k *book) room(b *Budget, s Standing) error {
	if b.Enabled && (b.AtLimit == AskPerson || b.AtLimit == Block) && s.Spent >= s.Limit {
		return nil
	}
	k.l.mu.Lock()
	list := k.l.onRoom
	k.l.mu.Unlock()
	for _, f := range list {
		if err := f(k.ctx, k.tx, b.Workspace, b.ID); err != nil {
			return fmt.Errorf("passing on that %s has room: %w", b.ID, err)
		}
	}
	return nil
}

// Budget reads one budget of a workspace and where it stands.
func (l *Ledger) Budget(ctx context.Context, ws ids.Workspace, id ids.Budget) (BudgetStatus, error) {
	b, err := store.One[Budget](ctx, l.read(ctx), selectBudget, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return BudgetStatus{}, budgetNotFound(id)
	}
	if err != nil {
		return BudgetStatus{}, fmt.Errorf("reading %s: %w", id, err)
	}
	return l.standing(ctx, l.read(ctx), b)
}

// Budgets lists a workspace's budgets, oldest first, and where each stands.
func (l *Ledger) Budgets(ctx context.Context, ws ids.Workspace) ([]BudgetStatus, error) {
	return l.budgetsIn(ctx, l.read(ctx), ws)
}

// BudgetsWritten is Budgets without the calls of the last moment, for who must not wait until they are written.
func (l *Ledger) BudgetsWritten(ctx context.Context, ws ids.Workspace) ([]BudgetStatus, error) {
	return l.budgetsIn(ctx, l.db.Read(), ws)
}

func (l *Ledger) budgetsIn(ctx context.Context, q store.Querier, ws ids.Workspace) ([]BudgetStatus, error) {
	rows, err := store.All[Budget](ctx, q, selectBudgets, ws)
	if err != nil {
		return nil, fmt.Errorf("listing budgets: %w", err)
	}
	all := make([]BudgetStatus, 0, len(rows))
	for _, b := range rows {
		s, err := l.standing(ctx, q, b)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// standing reads where a budget is now. A period that no call has touched yet
// has no row: nothing is spent, and what is carried over is worked out.
func (l *Ledger) standing(ctx context.Context, q store.Querier, b Budget) (BudgetStatus, error) {
	loc, err := parseZone(b.Zone)
	if err != nil {
		return BudgetStatus{}, err
	}
	b.loc = loc
	s := BudgetStatus{Budget: b, Span: b.Period.At(l.now(), loc)}
	p, err := store.One[period](ctx, q, selectPeriod, b.ID, s.Span.Start)
	if errors.Is(err, store.ErrNoRows) {
		p = period{}
		if p.Carried, err = carried(ctx, q, &b, s.Span); err != nil {
			return s, err
		}
	} else if err != nil {
		return s, fmt.Errorf("reading where %s stands: %w", b.ID, err)
	}
	at := p.standing(&b)
	s.Limit, s.Carried, s.Granted, s.Spent, s.Reserved, s.Left = at.Limit, p.Carried, p.Granted, p.Spent, p.Reserved, at.Left()
	s.Percent, s.Calls, s.Unpriced, s.Blocked = p.Spent*100/at.Limit, p.Calls, p.Unpriced, p.Blocked
	return s, nil
}

func budgetNotFound(id ids.Budget) error {
	return fault.New(fault.NotFound, "budget_not_found", "There is no budget %s.", id).WithHint("GET /api/v1/costs/budgets lists yours.")
}
