package costs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
)

// Query narrows what is read; the zero value is everything.
type Query struct {
	page.Query
	Since        time.Time `json:"since,omitzero" doc:"Not before this moment."`
	Until        time.Time `json:"until,omitzero" doc:"Before this moment."`
	User         string    `json:"user,omitempty"`
	Key          string    `json:"key,omitempty"`
	Agent        string    `json:"agent,omitempty"`
	Run          string    `json:"run,omitempty"`
	Conversation string    `json:"conversation,omitempty"`
	Project      string    `json:"project,omitempty"`
	Workflow     string    `json:"workflow,omitempty"`
	Door         string    `json:"door,omitempty"`
	Model        string    `json:"model,omitempty"`
	Provider     string    `json:"provider,omitempty"`
	Outcome      string    `json:"outcome,omitempty"`
}

func (q Query) until() time.Time {
	if q.Until.IsZero() {
		return never
	}
	return q.Until
}

func (q Query) since() time.Time {
	if q.Since.IsZero() {
		return time.Unix(0, 0)
	}
	return q.Since
}

// filters are the arguments of the filters in SQL, each twice.
func (q Query) filters() []any {
	args := make([]any, 0, 22)
	for _, v := range []string{q.User, q.Key, q.Agent, q.Run, q.Conversation, q.Project, q.Workflow, q.Door, q.Model, q.Provider, q.Outcome} {
		args = append(args, v, v)
	}
	return args
}

// facts are the arguments of what is read from records and days.
func (q Query) facts(ws ids.Workspace) []any {
	args := []any{ws, q.since(), q.until(), ws, q.since(), q.until()}
	return append(args, q.filters()...)
}

// Record reads one attempt of a workspace.
func (l *Ledger) Record(ctx context.Context, ws ids.Workspace, id ids.Usage) (Record, error) {
	rec, err := store.One[Record](ctx, l.read(ctx), selectOwnRecord, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return rec, fault.New(fault.NotFound, "record_not_found", "There is no record %s.", id).WithHint("GET /api/v1/costs/records lists yours.")
	}
	return rec, err
}

// place is where a page of records ends.
type place struct {
	At int64     `json:"a"`
	ID ids.Usage `json:"i"`
}

// Records lists attempts, newest first, those in flight included.
func (l *Ledger) Records(ctx context.Context, ws ids.Workspace, q Query) (page.Page[Record], error) {
	after, ok, err := page.Decode[place](q.Cursor)
	if err != nil {
		return page.Page[Record]{}, err
	}
	if !ok {
		after = place{At: never.UnixMicro()}
	}
	args := append([]any{ws, q.since(), q.until(), after.At, after.At, string(after.ID)}, q.filters()...)
	rows, err := store.All[Record](ctx, l.read(ctx), listRecords, append(args, q.Size()+1)...)
	if err != nil {
		return page.Page[Record]{}, fmt.Errorf("listing records: %w", err)
	}
	return page.Of(q.Query, rows, func(r Record) place { return place{r.At.UnixMicro(), r.ID} }), nil
}

// Sums is what attempts add up to.
type Sums struct {
	Calls     int64  `db:"calls" json:"calls"`
	Price     Micros `db:"price" json:"price"`               // of the calls whose price is known
	Pretend   Micros `db:"pretend" json:"pretend,omitempty"` // of the price: what only the demonstration pretends to cost
	Unpriced  int64  `db:"unpriced" json:"unpriced"`         // calls whose price is not
	Estimated int64  `db:"estimated" json:"estimated"`       // calls with tokens counted by us
	Premium   int64  `db:"premium" json:"premium"`           // thousandths of a premium request
	Input     int64  `db:"tokens_in" json:"input"`           // tokens, cached ones included
	Cached    int64  `db:"cached_in" json:"cached"`
	Output    int64  `db:"tokens_out" json:"output"`
	Failed    int64  `db:"failed" json:"failed"`      // calls that did not end well
	Latency   int64  `db:"latency" json:"latency_us"` // on average
}

func (s *Sums) add(o Sums) {
	if n := s.Calls + o.Calls; n > 0 {
		s.Latency = (s.Latency*s.Calls + o.Latency*o.Calls) / n
	}
	s.Calls += o.Calls
	s.Price += o.Price
	s.Pretend += o.Pretend
	s.Unpriced += o.Unpriced
	s.Estimated += o.Estimated
	s.Premium += o.Premium
	s.Input += o.Input
	s.Cached += o.Cached
	s.Output += o.Output
	s.Failed += o.Failed
}

// Totals adds everything up.
func (l *Ledger) Totals(ctx context.Context, ws ids.Workspace, q Query) (Sums, error) {
	s, err := store.One[Sums](ctx, l.read(ctx), selectTotals, q.facts(ws)...)
	if err != nil {
		return s, fmt.Errorf("adding up costs: %w", err)
	}
	return s, nil
}

// Share is one row of a breakdown.
type Share struct {
	Name string `db:"name" json:"name"` // empty: none
	Sums
	Percent float64 `db:"-" json:"percent"` // of the known price of all
}

// Breakdown adds up by a dimension, the dearest first; q.Limit bounds the rows.
func (l *Ledger) Breakdown(ctx context.Context, ws ids.Workspace, by string, q Query) ([]Share, error) {
	statement, ok := breakdowns[by]
	if !ok {
		f := fault.New(fault.Invalid, "unknown_dimension", "Costs cannot be broken down by %q.", by).WithParam("by")
		if near, ok := suggest.Closest(by, Dimensions()); ok {
			return nil, f.WithHint("Did you mean %s?", near)
		}
		return nil, f.WithHint("The dimensions are %s.", strings.Join(Dimensions(), ", "))
	}
	total, err := l.Totals(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	rows, err := store.All[Share](ctx, l.read(ctx), statement, append(q.facts(ws), q.Size())...)
	if err != nil {
		return nil, fmt.Errorf("breaking costs down by %s: %w", by, err)
	}
	for i := range rows {
		if total.Price > 0 {
			rows[i].Percent = float64(rows[i].Price) * 100 / float64(total.Price)
		}
	}
	return rows, nil
}

// Dimensions names what Breakdown can break down by.
func Dimensions() []string {
	names := make([]string, 0, len(dimensions))
	for name := range dimensions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
