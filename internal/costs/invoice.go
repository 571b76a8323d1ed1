package costs

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// InvoiceLine is what a provider charges for a model on a day (UTC).
type InvoiceLine struct {
	Day   time.Time `json:"day"`
	Model string    `json:"model"`
	Price Micros    `json:"price"`
}

// maxInvoice bounds the lines of one invoice.
const maxInvoice = 200_000

// Names of the columns that providers' files have, in lower case; the first that
// is there is taken.
var (
	dayColumns   = []string{"date", "day", "usage_date", "usage_date_utc", "start_time_iso", "start_time", "timestamp", "period_start"}
	modelColumns = []string{"model", "model_version", "model_name", "line_item", "sku", "description", "snapshot_id"}
	priceColumns = []string{"cost_usd", "cost", "amount_value", "amount", "total_cost", "price_usd", "total", "usage_amount_usd"}
)

// ParseInvoice reads a provider's CSV: a header, then lines with a day, a model
// and dollars. Lines of one day and model are added up.
func ParseInvoice(r io.Reader) ([]InvoiceLine, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = -1, true, true
	header, err := in.Read()
	if err != nil {
		return nil, badInvoice(1, "It has no header").Because(err)
	}
	day, model, price := column(header, dayColumns), column(header, modelColumns), column(header, priceColumns)
	if day < 0 || model < 0 || price < 0 {
		return nil, badInvoice(1, "The header needs a day (%s), a model (%s) and a price (%s)", dayColumns[0], modelColumns[0], priceColumns[0])
	}
	sums := make(map[invoiceKey]Micros)
	for n := 2; ; n++ {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || n > maxInvoice {
			return nil, badInvoice(n, "It is not CSV, or too long").Because(err)
		}
		if len(row) <= max(day, model, price) {
			return nil, badInvoice(n, "It has only %d columns", len(row))
		}
		at, ok := parseDay(row[day])
		if !ok {
			return nil, badInvoice(n, "%.40q is not a day", row[day])
		}
		amount, err := ParseMicros(row[price])
		if err != nil {
			return nil, badInvoice(n, "%.40q is not an amount", row[price])
		}
		sums[invoiceKey{at.UnixMicro(), strings.TrimSpace(row[model])}] += amount
	}
	lines := make([]InvoiceLine, 0, len(sums))
	for key, amount := range sums {
		lines = append(lines, InvoiceLine{time.UnixMicro(key.day).UTC(), key.model, amount})
	}
	slices.SortFunc(lines, func(a, b InvoiceLine) int { return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Model, b.Model)) })
	return lines, nil
}

type invoiceKey struct {
	day   int64
	model string
}

func column(header, names []string) int {
	for _, name := range names {
		for i, cell := range header {
			cell = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(cell, "\ufeff")))
			if strings.ReplaceAll(cell, " ", "_") == name {
				return i
			}
		}
	}
	return -1
}

func parseDay(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano, time.DateTime, "2006/01/02", "01/02/2006", "2006-01-02 15:04:05 MST", "2006-01-02 15:04 MST"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Truncate(24 * time.Hour), true
		}
	}
	return time.Time{}, false
}

func badInvoice(line int, format string, args ...any) *fault.Fault {
	return fault.New(fault.Invalid, "bad_invoice", "The invoice cannot be read, line %d: %s.", line, fmt.Sprintf(format, args...)).
		WithParam("invoice").WithHint("Give the provider's usage export as CSV, by day and model, in dollars.")
}

// Reconciliation compares an invoice with the ledger.
type Reconciliation struct {
	Provider    string       `json:"provider"`
	Span        Span         `json:"span"`
	Invoiced    Micros       `json:"invoiced"`
	Recorded    Micros       `json:"recorded"`
	Matched     int          `json:"matched"` // days and models that agree
	Differences []Difference `json:"differences"`
}

// Difference is a day and model on which invoice and ledger disagree.
type Difference struct {
	Day      time.Time `json:"day"`
	Model    string    `json:"model"`
	Invoiced Micros    `json:"invoiced"`
	Recorded Micros    `json:"recorded"`
	Calls    int64     `json:"calls"`
	Unpriced int64     `json:"unpriced"` // calls that the ledger has no price for
	Why      string    `json:"why"`
}

// recorded is what the ledger has for a day and model.
type recorded struct {
	Day      time.Time `db:"day"`
	Model    string    `db:"model"`
	Calls    int64     `db:"calls"`
	Price    Micros    `db:"price"`
	Unpriced int64     `db:"unpriced"`
}

// Reconcile compares a provider's invoice with what was recorded on its days.
// Amounts agree when they differ by no more than tolerance, or by the cent that
// invoices are rounded to.
func (l *Ledger) Reconcile(ctx context.Context, ws ids.Workspace, provider string, lines []InvoiceLine, tolerance Micros) (Reconciliation, error) {
	rec := Reconciliation{Provider: provider, Differences: []Difference{}}
	if len(lines) == 0 {
		return rec, badInvoice(2, "It has no lines")
	}
	rec.Span = Span{Start: lines[0].Day, End: lines[0].Day}
	rows := make(map[invoiceKey]*Difference)
	at := func(day time.Time, model string) *Difference {
		key := invoiceKey{day.UnixMicro(), l.plainModel(provider, model)}
		if rows[key] == nil {
			rows[key] = &Difference{Day: day, Model: key.model}
		}
		return rows[key]
	}
	for _, line := range lines {
		at(line.Day, line.Model).Invoiced += line.Price
		rec.Invoiced += line.Price
		if line.Day.Before(rec.Span.Start) {
			rec.Span.Start = line.Day
		}
		if line.Day.After(rec.Span.End) {
			rec.Span.End = line.Day
		}
	}
	rec.Span.End = rec.Span.End.AddDate(0, 0, 1)
	for _, query := range []string{selectInvoiced, selectInvoicedDays} {
		ours, err := store.All[recorded](ctx, l.read(ctx), query, ws, provider, rec.Span.Start, rec.Span.End)
		if err != nil {
			return rec, fmt.Errorf("adding up what %s should charge: %w", provider, err)
		}
		for _, r := range ours {
			d := at(r.Day, r.Model)
			d.Recorded += r.Price
			d.Calls += r.Calls
			d.Unpriced += r.Unpriced
			rec.Recorded += r.Price
		}
	}
	for _, d := range rows {
		if d.Why = explain(d, max(tolerance, Dollar/100)); d.Why == "" {
			rec.Matched++
			continue
		}
		rec.Differences = append(rec.Differences, *d)
	}
	slices.SortFunc(rec.Differences, func(a, b Difference) int { return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Model, b.Model)) })
	return rec, nil
}

// explain says why a day and model differ; empty when they do not.
func explain(d *Difference, tolerance Micros) string {
	by := d.Invoiced - d.Recorded
	switch {
	case by <= tolerance && by >= -tolerance && (d.Unpriced == 0 || d.Invoiced <= tolerance && d.Invoiced >= -tolerance):
		return ""
	case d.Calls == 0:
		return "on the invoice only: calls made elsewhere with this account, or another name of the model"
	case d.Unpriced > 0:
		return "the ledger has calls of unknown price; add the model's price to the catalogue"
	case d.Invoiced == 0:
		return "in the ledger only: not invoiced yet, or free"
	case by > 0:
		return "the invoice is higher: calls made elsewhere, or the price in the catalogue is too low"
	}
	return "the invoice is lower: a discount, or the price in the catalogue is too high"
}

// plainModel is one name for a model, whichever of its names is used.
func (l *Ledger) plainModel(provider, model string) string {
	model = strings.TrimPrefix(strings.TrimSpace(model), provider+"/")
	if e, ok := l.catalogue.Find(provider + "/" + model); ok && e.Model() != "" {
		return e.Model()
	}
	return model
}
