package costs_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// spendDays records one call a day at noon, of 100, 200, 300… micro-dollars.
func spendDays(t *testing.T, l *costs.Ledger, c *clock, ws ids.Workspace, days int) {
	t.Helper()
	for i := range days {
		one := call(ws, coststest.Plain, 10, 10)
		one.Agent = []string{"writer", "reader"}[i%2]
		mustReserve(t, l, one).Settle(used(int64(i+1)*100, 0))
		flush(t, l)
		c.advance(24 * time.Hour)
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newClock(time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC))
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Now: c.now}), storetest.Workspace()
		spendDays(t, l, c, ws, 10)
		mustReserve(t, l, call(ws, coststest.Unknown, 10, 10)).Settle(used(1000, 0))
		mustReserve(t, l, call(ws, coststest.Plain, 10, 10)) // in flight: in no report
		flush(t, l)

		check := func(when string) {
			t.Helper()
			totals, err := l.Totals(t.Context(), ws, costs.Query{})
			if err != nil || totals.Price != 5500 || totals.Calls != 11 || totals.Unpriced != 1 || totals.Input != 6500 {
				t.Errorf("%s: totals %+v, %v", when, totals, err)
			}
			shares, err := l.Breakdown(t.Context(), ws, "agent", costs.Query{})
			if err != nil || len(shares) != 2 || shares[0].Name != "reader" || shares[0].Price != 3000 || math.Abs(shares[0].Percent-54.5) > 0.1 || shares[1].Price != 2500 {
				t.Errorf("%s: by agent %+v, %v", when, shares, err)
			}
			some, err := l.Totals(t.Context(), ws, costs.Query{Agent: "writer", Model: coststest.Plain, Since: time.Date(2026, 10, 22, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)})
			if err != nil || some.Price != 300+500 {
				t.Errorf("%s: filtered %+v, %v", when, some, err)
			}
			points, err := l.Trend(t.Context(), ws, costs.PerDay, "Europe/Berlin", costs.Query{Since: time.Date(2026, 10, 19, 23, 0, 0, 0, time.UTC)})
			if err != nil || len(points) != 11 || points[0].Price != 100 || points[9].Price != 1000 || points[10].Unpriced != 1 {
				t.Errorf("%s: trend %+v, %v", when, points, err)
			}
		}
		check("records")
		for by := range 13 {
			if _, err := l.Breakdown(t.Context(), ws, costs.Dimensions()[by], costs.Query{}); err != nil {
				t.Errorf("by %s: %v", costs.Dimensions()[by], err)
			}
		}
		if _, err := l.Breakdown(t.Context(), ws, "modle", costs.Query{}); !fault.HasCode(err, "unknown_dimension") || fault.From(err).Hint != "Did you mean model?" {
			t.Errorf("unknown dimension: %v", err)
		}
		hours, err := l.Trend(t.Context(), ws, costs.Hourly, "Asia/Kolkata", costs.Query{})
		if err != nil || len(hours) != 25 || hours[24].Unpriced != 1 || hours[24].At.Minute() != 30 {
			t.Errorf("hours: %d, %+v, %v", len(hours), hours[len(hours)-1], err)
		}
		burn, err := l.Burn(t.Context(), ws, "UTC", costs.Query{})
		if err != nil || burn.LastHour != 0 || burn.LastDay != 1000 || burn.LastWeek != 4900 || burn.PerDay != 700 || burn.MonthSpent != 5500 || burn.MonthProjected != 5500+1050 {
			t.Errorf("burn %+v, %v", burn, err)
		}
		if _, err := l.Forecast(t.Context(), ws, costs.Ensemble, 7, "UTC", costs.Query{}); err != nil {
			t.Error(err)
		}
		if n, err := l.Prune(t.Context(), c.now().Add(-5*24*time.Hour-time.Hour)); n != 5 || err != nil {
			t.Errorf("pruned %d, %v", n, err)
		}
		check("days")
		b := budget(t, l, ws, costs.Budget{Amount: 1 << 30, Period: costs.Total, Scope: costs.ScopeAgent, ScopeID: "writer"})
		if b.Spent != 2500 || b.Unpriced != 1 {
			t.Errorf("a budget over rolled-up days: %+v", b)
		}
		p, err := l.Project(t.Context(), ws, b.ID)
		if err != nil || p.Spent != 2500 || p.Projected <= p.Spent || !p.RunsOut.IsZero() {
			t.Errorf("projection %+v, %v", p, err)
		}
	})
}

func TestListAndExport(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		for range 5 {
			one := call(ws, coststest.Plain, 10, 10)
			one.Agent = `=cmd|' /C calc'!A0`
			mustReserve(t, l, one).Settle(used(100, 0))
		}
		mustReserve(t, l, call(ws, coststest.Unknown, 10, 10)).Settle(used(100, 0))
		mustReserve(t, l, call(storetest.Workspace(), coststest.Plain, 10, 10)).Settle(used(100, 0))
		flush(t, l)
		seen := map[ids.Usage]bool{}
		q := costs.Query{Query: page.Query{Limit: 4}}
		for pages := 1; ; pages++ {
			p, err := l.Records(t.Context(), ws, q)
			if err != nil || pages > 2 {
				t.Fatal(pages, err)
			}
			for _, r := range p.Data {
				seen[r.ID] = true
			}
			if q.Cursor = p.NextCursor; !p.HasMore {
				break
			}
		}
		if len(seen) != 6 {
			t.Errorf("%d records on all pages", len(seen))
		}
		var out bytes.Buffer
		if err := l.ExportCSV(t.Context(), ws, costs.Query{}, &out); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 7 || rows[1][4] != `'=cmd|' /C calc'!A0` || rows[1][19] != "0.000100" || rows[6][19] != "" {
			t.Errorf("csv: %v, %v", rows, err)
		}
		out.Reset()
		if err := l.ExportJSONL(t.Context(), ws, costs.Query{Model: coststest.Unknown}, &out); err != nil {
			t.Fatal(err)
		}
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil || line["price"] != nil || line["priced"] != false || line["tokens"].(map[string]any)["input"] != 100.0 {
			t.Errorf("jsonl: %s, %v", out.String(), err)
		}
	})
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		for i := range int64(10) {
			small := call(ws, coststest.Costly, 1000, 100)
			small.Print = costs.Print{Prefix: 100 + i, Prompt: 100 + i}
			mustReserve(t, l, small).Settle(used(1000, 100))
			long := call(ws, coststest.Plain, 9000, 1)
			long.Print = costs.Print{Prefix: 7, Prompt: 200 + i}
			mustReserve(t, l, long).Settle(used(9000, 1))
			twin := call(ws, coststest.Plain, 5000, 1)
			twin.Print = costs.Print{Prefix: 300 + i, Prompt: 9}
			twin.Agent = "asker"
			mustReserve(t, l, twin).Settle(used(5000, 1))
			night := call(ws, "gpt-5", 10, 10)
			night.Provider, night.Door = "openai", "schedule"
			mustReserve(t, l, night).Settle(used(5000, 100))
		}
		flush(t, l)
		all, err := l.Advise(t.Context(), ws, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]costs.Advice{}
		for _, a := range all {
			found[a.Kind] = a
		}
		if a := found["cheaper_model"]; a.Use != coststest.Plain || a.Saving != 120_000-12_000 || a.Evidence.Calls != 10 {
			t.Errorf("cheaper model: %+v", a)
		}
		if a := found["caching"]; a.Saving != 9*(9000-900) || a.Evidence.Calls != 10 || a.Agent != "writer" {
			t.Errorf("caching: %+v", a)
		}
		if a := found["consolidation"]; a.Saving != 9*5002 || a.Agent != "asker" {
			t.Errorf("consolidation: %+v", a)
		}
		if a := found["off_peak"]; a.Model != "gpt-5" || a.Saving < costs.Dollar/100 {
			t.Errorf("off peak: %+v", a)
		}
		for _, a := range all {
			if a.Says == "" || a.Saving > a.Evidence.Price {
				t.Errorf("saves more than was spent: %+v", a)
			}
		}
	})
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
		l, ws := coststest.New(t, db, costs.Options{Sole: true, Now: c.now}), storetest.Workspace()
		spend := func(model string, tokens int64) {
			mustReserve(t, l, call(ws, model, 10, 10)).Settle(used(tokens, 0))
		}
		spend(coststest.Plain, 1_000_000)
		spend(coststest.Costly, 200_000)
		spend(coststest.Unknown, 1000)
		c.advance(24 * time.Hour)
		spend(coststest.Plain, 3_000_000)
		flush(t, l)
		lines, err := costs.ParseInvoice(strings.NewReader("\ufeffDate,Model,Requests,Cost USD\n" +
			"2026-11-02,plain-20260101,1,0.60\n2026-11-02,fake/plain,1,0.404\n2026-11-02T08:00:00Z,costly,2,$2.50\n2026-11-02,unknown,1,0.03\n2026-11-03,elsewhere,1,1.00\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.Reconcile(t.Context(), ws, coststest.Provider, lines, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range r.Differences {
			got = append(got, fmt.Sprintf("%s %s %s/%s", d.Day.Format("02"), d.Model, d.Invoiced, d.Recorded))
		}
		want := "[02 costly $2.50/$2.00 02 unknown $0.03/$0.00 03 elsewhere $1.00/$0.00 03 plain $0.00/$3.00]"
		if fmt.Sprint(got) != want || r.Matched != 1 || r.Invoiced != 4_534_000 || r.Recorded != 6_000_000 {
			t.Errorf("got %v, want %s; %+v", got, want, r)
		}
		for _, bad := range []string{"", "a,b\n", "date,model,cost\nyesterday,m,1\n", "date,model,cost\n2026-11-02,m,much\n", "date,model,cost\n2026-11-02\n"} {
			if _, err := costs.ParseInvoice(strings.NewReader(bad)); !fault.HasCode(err, "bad_invoice") {
				t.Errorf("ParseInvoice(%q): %v", bad, err)
			}
		}
	})
}

func FuzzParseInvoice(f *testing.F) {
	f.Add("date,model,cost\n2026-11-02,m,1\n")
	f.Add("\"")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := costs.ParseInvoice(strings.NewReader(text))
		if err != nil && !fault.HasCode(err, "bad_invoice") {
			t.Errorf("%v", err)
		}
		for _, line := range lines {
			if line.Day.IsZero() {
				t.Errorf("a line without a day: %+v", line)
			}
		}
	})
}

func TestPredict(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	series := func(n int, f func(i int) float64) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = math.Max(0, f(i))
		}
		return s
	}
	noise := func(size float64) float64 { return random.NormFloat64() * size }
	for name, c := range map[string]struct {
		f      func(i int) float64
		method costs.Method
		wrong  float64 // of the truth, at the most
	}{
		"steady, linear":     {func(int) float64 { return 1e6 }, costs.Linear, 0.001},
		"steady, holt":       {func(int) float64 { return 1e6 }, costs.Holt, 0.001},
		"growing, linear":    {func(i int) float64 { return 1e6 + 2e4*float64(i) }, costs.Linear, 0.001},
		"growing, holt":      {func(i int) float64 { return 1e6 + 2e4*float64(i) }, costs.Holt, 0.05},
		"growing with noise": {func(i int) float64 { return 1e6 + 2e4*float64(i) + noise(5e4) }, costs.Ensemble, 0.1},
		"a jump two weeks ago": {func(i int) float64 {
			if i < 46 {
				return 1e6 + noise(2e4)
			}
			return 3e6 + noise(2e4)
		}, costs.Ensemble, 0.12},
		"nothing": {func(int) float64 { return 0 }, costs.Ensemble, 0},
	} {
		all := series(67, c.f)
		f, err := costs.Predict(all[:60], c.method, 7)
		if err != nil || len(f.Days) != 7 {
			t.Fatal(name, err)
		}
		var truth float64
		for _, v := range all[60:] {
			truth += v
		}
		if got := float64(f.Total.Price); math.Abs(got-truth) > c.wrong*truth+1 {
			t.Errorf("%s: predicted %s, was %s", name, f.Total.Price, costs.Micros(truth))
		}
		for _, d := range append(f.Days, f.Total) {
			if d.Low95 > d.Low80 || d.Low80 > d.Price || d.Price > d.High80 || d.High80 > d.High95 || d.Low95 < 0 {
				t.Errorf("%s: ranges %+v", name, d)
			}
		}
	}
	if _, err := costs.Predict([]float64{1, 2, 3, 4}, "magic", 1); !fault.HasCode(err, "unknown_method") {
		t.Errorf("unknown method: %v", err)
	}
}

// Of many forecasts, about 80 and 95 of 100 must hold what came.
func TestRangesHoldWhatTheyPromise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var in80, in95, all float64
	for range 300 {
		slope := random.Float64() * 2e4
		s := make([]float64, 51)
		for i := range s {
			s[i] = 1e6 + slope*float64(i) + random.NormFloat64()*1e5
		}
		f, err := costs.Predict(s[:50], costs.Ensemble, 1)
		if err != nil {
			t.Fatal(err)
		}
		d, truth := f.Days[0], costs.Micros(s[50])
		all++
		if d.Low80 <= truth && truth <= d.High80 {
			in80++
		}
		if d.Low95 <= truth && truth <= d.High95 {
			in95++
		}
	}
	if in80/all < 0.72 || in80/all > 0.9 || in95/all < 0.9 {
		t.Errorf("%.2f within the 80 %% range, %.2f within the 95 %% range", in80/all, in95/all)
	}
}

func TestPrints(t *testing.T) {
	t.Parallel()
	ask := func(system, text string) costs.Print {
		return costs.PrintOf(&providers.Request{System: []providers.Part{providers.Text(system)}, Messages: []providers.Message{providers.UserText(text)}})
	}
	long := strings.Repeat("You are helpful. ", 200)
	a, b := ask(long, "one"), ask(long, "two")
	if a.Prefix != b.Prefix || a.Prompt == b.Prompt || a != ask(long, "one") {
		t.Errorf("prints %+v, %+v", a, b)
	}
	if ask(long, "What is 17 + 4?") != ask(long, "what  is 23 + 4 ?") || ask(long, "What is a cat?") == ask(long, "What is a dog?") {
		t.Error("near-duplicates are not told from others")
	}
	if costs.PrintOfBody([]byte(long+"x")).Prefix != costs.PrintOfBody([]byte(long+"y")).Prefix {
		t.Error("bodies that begin alike have different prints")
	}
}

func TestTheDemonstrationOnlyPretendsToCost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l, ws := coststest.New(t, db, costs.Options{Sole: true}), storetest.Workspace()
		demo := call(ws, "assistant", 100, 50)
		demo.Provider = "demo"
		for _, c := range []costs.Call{demo, call(ws, coststest.Plain, 100, 50)} {
			mustReserve(t, l, c).Settle(used(1000, 500))
		}
		flush(t, l)
		sums, err := l.Totals(t.Context(), ws, costs.Query{})
		if err != nil || sums.Pretend != 1000+4*500 || sums.Price != sums.Pretend+1000+2*500 {
			t.Errorf("%+v, %v", sums, err)
		}
		list, err := l.Records(t.Context(), ws, costs.Query{})
		if err != nil || len(list.Data) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, r := range list.Data {
			if r.Pretend != (r.Provider == "demo") || r.Price == nil || *r.Price == 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}
