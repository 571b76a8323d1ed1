package guard

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// CallFilter narrows the journal.
type CallFilter struct {
	page.Query
	Since, Until time.Time
	Verdict      string
	Tool         string
	Agent        string
	User         string
	Run          string
	Conversation string
	Rule         string
	Door         string
	Outcome      string
	Feedback     string
}

func (f CallFilter) args(ws ids.Workspace) []any {
	since, until := int64(0), int64(math.MaxInt64)
	if !f.Since.IsZero() {
		since = f.Since.UnixMicro()
	}
	if !f.Until.IsZero() {
		until = f.Until.UnixMicro()
	}
	args := []any{ws, since, until}
	for _, v := range []string{f.Verdict, f.Tool, f.Agent, f.User, f.Run, f.Conversation, f.Rule, f.Door, f.Outcome, f.Feedback} {
		args = append(args, v, v)
	}
	return args
}

// Calls lists the journal, the newest first.
func (g *Guard) Calls(ctx context.Context, ws ids.Workspace, f CallFilter) (page.Page[ToolCall], error) {
	after, _, err := page.Decode[string](f.Cursor)
	if err != nil {
		return page.Page[ToolCall]{}, err
	}
	if err := g.Flush(ctx); err != nil {
		return page.Page[ToolCall]{}, err
	}
	rows, err := store.All[ToolCall](ctx, g.db.Read(), listCalls, append(f.args(ws), after, after, f.Size()+1)...)
	if err != nil {
		return page.Page[ToolCall]{}, fmt.Errorf("listing calls: %w", err)
	}
	return page.Of(f.Query, rows, func(c ToolCall) string { return string(c.ID) }), nil
}

// Call is one row of the journal.
func (g *Guard) Call(ctx context.Context, ws ids.Workspace, id ids.ToolCall) (ToolCall, error) {
	if err := g.Flush(ctx); err != nil {
		return ToolCall{}, err
	}
	c, err := store.One[ToolCall](ctx, g.db.Read(), selectCall, ws, id)
	if errors.Is(err, store.ErrNoRows) {
		return c, noCall(id)
	}
	if err != nil {
		return c, fmt.Errorf("reading a call: %w", err)
	}
	return c, nil
}

func noCall(id ids.ToolCall) error {
	return fault.New(fault.NotFound, "call_not_found", "There is no call %s.", id).WithHint("GET /api/v1/guard/audit lists them.")
}

// RuleCount is how often a rule decided, and how often people said that it was wrong.
type RuleCount struct {
	Verdict string `db:"verdict" json:"verdict"`
	Rule    string `db:"rule" json:"rule"`
	Calls   int64  `db:"calls" json:"calls"`
	Wrong   int64  `db:"wrong" json:"wrong"`
}

// Rules counts what decided, the most frequent first.
func (g *Guard) Rules(ctx context.Context, ws ids.Workspace, f CallFilter) ([]RuleCount, error) {
	if err := g.Flush(ctx); err != nil {
		return nil, err
	}
	rows, err := store.All[RuleCount](ctx, g.db.Read(), countCalls, f.args(ws)...)
	if err != nil {
		return nil, fmt.Errorf("counting rules: %w", err)
	}
	return rows, nil
}

// pruneStep is how many rows one transaction looks at.
const pruneStep = 500

// pruneCalls deletes rows from before a moment, workspace by workspace.
func (g *Guard) pruneCalls(ctx context.Context, before time.Time) (sum int64, err error) {
	for ws := ids.Workspace(""); ; {
		if ws, err = store.One[ids.Workspace](ctx, g.db.Read(), nextWorkspace, ws); err != nil || ws == "" {
			return sum, err
		}
		for n := int64(pruneStep); n > 0; sum += n {
			err := g.db.InTx(ctx, func(tx *store.Tx) (err error) {
				n, err = tx.Exec(ctx, pruneCalls, ws, ws, pruneStep, before)
				return err
			})
			if err != nil {
				return sum, err
			}
		}
	}
}

// Feedback is what a person thinks of a ruling.
type Feedback string

// What a person can think.
const (
	FeedbackWrong Feedback = "wrong" // a harmless call was stopped, or a harmful one was not
	FeedbackRight Feedback = "right"
)

// GiveFeedback marks a ruling as right or wrong.
func (g *Guard) GiveFeedback(ctx context.Context, ws ids.Workspace, id ids.ToolCall, by ids.User, f Feedback, words string) (ToolCall, error) {
	if f != FeedbackWrong && f != FeedbackRight {
		return ToolCall{}, fault.New(fault.Invalid, "bad_feedback", "%q is neither right nor wrong.", f).WithParam("feedback").WithHint("It is right or wrong.")
	}
	if err := g.Flush(ctx); err != nil {
		return ToolCall{}, err
	}
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, setFeedback, f, by, shown(words, maxWords), ws, id)
		if err == nil && n == 0 {
			return noCall(id)
		}
		return err
	})
	if err != nil {
		return ToolCall{}, err
	}
	return g.Call(ctx, ws, id)
}

// ExportJSONL writes the journal as one JSON object a line, oldest first.
func (g *Guard) ExportJSONL(ctx context.Context, ws ids.Workspace, f CallFilter, w io.Writer) error {
	if err := g.Flush(ctx); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	for c, err := range store.Each[ToolCall](ctx, g.db.Read(), exportCalls, f.args(ws)...) {
		if err == nil {
			err = encoder.Encode(c)
		}
		if err != nil {
			return fmt.Errorf("exporting calls: %w", err)
		}
	}
	return out.Flush()
}

var csvHeader = []string{
	"id", "at", "door", "user", "agent", "run", "conversation", "turn", "tool", "origin", "level", "folder", "args", "verdict", "rule", "reason", "ticket",
	"approved_by", "outcome", "code", "took_us", "result_size", "feedback",
}

// ExportCSV writes the journal for spreadsheets, oldest first.
func (g *Guard) ExportCSV(ctx context.Context, ws ids.Workspace, f CallFilter, w io.Writer) error {
	if err := g.Flush(ctx); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return fmt.Errorf("exporting calls: %w", err)
	}
	for c, err := range store.Each[ToolCall](ctx, g.db.Read(), exportCalls, f.args(ws)...) {
		if err == nil {
			err = out.Write(csvRow(c))
		}
		if err != nil {
			return fmt.Errorf("exporting calls: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

func csvRow(c ToolCall) []string {
	cells := []string{
		string(c.ID), c.At.Format(time.RFC3339Nano), c.Door, string(c.User), c.Agent, string(c.Run), string(c.Conversation), c.Turn, c.Tool, c.Origin, string(c.Level),
		c.Folder, c.Args, string(c.Verdict), c.Rule, c.Reason, c.Ticket, string(c.ApprovedBy), string(c.Outcome), c.Code, strconv.FormatInt(c.Took, 10),
		strconv.FormatInt(c.ResultSize, 10), string(c.Feedback),
	}
	for i, cell := range cells { // a spreadsheet must not run a text as a formula
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			cells[i] = "'" + cell
		}
	}
	return cells
}
