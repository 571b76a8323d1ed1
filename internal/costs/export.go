package costs

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// each goes through a workspace's records, oldest first, without holding them.
func (l *Ledger) each(ctx context.Context, ws ids.Workspace, q Query) func(yield func(Record, error) bool) {
	args := append([]any{ws, q.since(), q.until()}, q.filters()...)
	return store.Each[Record](ctx, l.read(ctx), exportRecords, args...)
}

// ExportJSONL writes records as one JSON object a line, oldest first.
func (l *Ledger) ExportJSONL(ctx context.Context, ws ids.Workspace, q Query, w io.Writer) error {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	for rec, err := range l.each(ctx, ws, q) {
		if err == nil {
			err = encoder.Encode(rec)
		}
		if err != nil {
			return fmt.Errorf("exporting records: %w", err)
		}
	}
	return out.Flush()
}

var csvHeader = []string{
	"id", "at", "user", "key", "agent", "run", "conversation", "project", "workflow", "door", "model_asked", "model", "served", "provider", "account",
	"attempt", "outcome", "error_code", "unit", "price_usd", "premium_requests", "estimated", "input", "cache_read", "cache_write", "cache_write_long",
	"audio_input", "image_input", "output", "reasoning", "audio_output", "image_output", "latency_us", "first_token_us",
}

// ExportCSV writes records for spreadsheets, oldest first. An unknown price is
// an empty cell.
func (l *Ledger) ExportCSV(ctx context.Context, ws ids.Workspace, q Query, w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return fmt.Errorf("exporting records: %w", err)
	}
	for rec, err := range l.each(ctx, ws, q) {
		if err == nil {
			err = out.Write(csvRow(&rec))
		}
		if err != nil {
			return fmt.Errorf("exporting records: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

func csvRow(r *Record) []string {
	price := ""
	if r.Price != nil {
		price = r.Price.Decimal()
	}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	row := []string{
		string(r.ID), r.At.Format(time.RFC3339Nano), string(r.User), string(r.Key), r.Agent, string(r.Run), string(r.Conversation), r.Project, r.Workflow,
		r.Door, r.Asked, r.Model, r.Served, r.Provider, r.Account, strconv.Itoa(r.Attempt), string(r.Outcome), r.ErrorCode, string(r.Unit), price,
		fmt.Sprintf("%d.%03d", r.Premium/1000, r.Premium%1000), strconv.FormatBool(r.Estimated), n(r.Input), n(r.CacheRead), n(r.CacheWrite), n(r.CacheWriteLong),
		n(r.AudioInput), n(r.ImageInput), n(r.Output), n(r.Reasoning), n(r.AudioOutput), n(r.ImageOutput), n(r.Latency), n(r.FirstToken),
	}
	for i, cell := range row {
		row[i] = harmless(cell)
	}
	return row
}

// harmless keeps a spreadsheet from running a name as a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
