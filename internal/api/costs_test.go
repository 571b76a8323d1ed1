package api_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestCostsOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		id := identity.From(w.AdminContext)
		for _, model := range []string{"gpt-4o-mini", "nobody-knows-this"} {
			call, err := w.Ledger.Reserve(t.Context(), costs.Call{
				Attribution: costs.Attribution{Workspace: id.Workspace, User: id.User, Agent: "assistant", Door: "chat"},
				Provider:    "openai", Model: model, Input: 1000, Output: 100,
			})
			if err != nil {
				t.Fatal(err)
			}
			call.Settle(costs.Settlement{Outcome: costs.OK, Usage: providers.Usage{Input: 1_000_000, Output: 1_000_000}})
		}
		if err := w.Ledger.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		var totals struct{ Calls, Price, Unpriced int64 }
		w.Viewer.Do(t, "GET", "/api/v1/costs/totals", nil).Must(t, 200, &totals)
		if totals.Calls != 2 || totals.Unpriced != 1 || totals.Price <= 0 {
			t.Errorf("totals = %+v; want two calls, one of them without a price", totals)
		}
		var records struct{ Data []struct{ Price *int64 } }
		w.Viewer.Do(t, "GET", "/api/v1/costs/records", nil).Must(t, 200, &records)
		if len(records.Data) != 2 || records.Data[0].Price != nil || records.Data[1].Price == nil {
			t.Errorf("records = %+v; want an unknown price as null, never as 0", records)
		}
		if p := w.Viewer.Do(t, "GET", "/api/v1/costs/breakdown?by=modell", nil).Fails(t, 400, "unknown_dimension"); !strings.Contains(p.Hint, "model") {
			t.Errorf("hint = %q", p.Hint)
		}
		var shares struct{ Data []struct{ Name string } }
		w.Viewer.Do(t, "GET", "/api/v1/costs/breakdown?by=model&agent=assistant", nil).Must(t, 200, &shares)
		if len(shares.Data) != 2 || shares.Data[0].Name != "gpt-4o-mini" {
			t.Errorf("breakdown = %+v", shares)
		}
		if csv := string(w.Viewer.Do(t, "GET", "/api/v1/costs/export", nil).Must(t, 200, nil).Body); strings.Count(csv, "\n") != 3 {
			t.Errorf("export = %q; want a head and two rows", csv)
		}
		budgetOverHTTP(t, w)
	})
}

func budgetOverHTTP(t *testing.T, w *apitest.World) {
	t.Helper()
	w.Admin.Do(t, "POST", "/api/v1/costs/budgets", `{"amount":1,"scope":"agent"}`).Fails(t, 400, "bad_budget")
	var made struct {
		ID, Notify           string
		Spent, Limit, Amount int64
	}
	w.Admin.Do(t, "POST", "/api/v1/costs/budgets", `{"amount":5000000,"period":"daily","zone":"Europe/Berlin"}`).Must(t, 201, &made)
	if made.Spent == 0 || made.Notify == "" {
		t.Errorf("budget = %+v; what was spent before counts, and its maker is told", made)
	}
	path := "/api/v1/costs/budgets/" + made.ID
	w.Admin.Do(t, "POST", path+"/grant", `{"amount":1000000}`).Must(t, 200, &made)
	if made.Limit != 6_000_000 {
		t.Errorf("limit after a grant = %d", made.Limit)
	}
	w.Admin.Do(t, "PATCH", path, `{"amount":7000000}`).Must(t, 200, &made)
	if made.Amount != 7_000_000 || made.Limit != 8_000_000 {
		t.Errorf("after a change: %+v", made)
	}
	w.Viewer.Do(t, "DELETE", path, nil).Fails(t, 403, "forbidden")
	w.Admin.Do(t, "DELETE", path, nil).Must(t, 204, nil)
	w.Admin.Do(t, "GET", path, nil).Fails(t, 404, "budget_not_found")
}
