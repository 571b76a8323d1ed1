package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestAgents(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		var saved agents.Saved
		w.Admin.Do(t, "POST", "/api/v1/agents", `{"name":"ops","title":"Ops","limits":{"turns":5},"helpers":["nobody"]}`).Must(t, http.StatusCreated, &saved)
		if saved.Version != 1 || saved.Model != "test/echo" || len(saved.Warnings) != 1 {
			t.Fatalf("made %+v", saved)
		}
		w.Admin.Do(t, "POST", "/api/v1/agents", `{"name":"ops"}`).Fails(t, http.StatusConflict, "agent_exists")
		w.Operator.Do(t, "POST", "/api/v1/agents", `{"name":"mine"}`).Fails(t, http.StatusForbidden, "forbidden")
		w.Admin.Do(t, "PATCH", "/api/v1/agents/ops", `{"limits":{"depth":1},"title":null,"version":1}`).Must(t, http.StatusOK, &saved)
		if saved.Limits.Turns != 5 || saved.Limits.Depth != 1 || saved.Title != "" {
			t.Errorf("changed to %+v", saved)
		}
		w.Admin.Do(t, "PATCH", "/api/v1/agents/ops", `{"title":"x","version":1}`).Fails(t, http.StatusConflict, "agent_changed")
		bad := w.Admin.Do(t, "PATCH", "/api/v1/agents/ops", `{"tools":{"allow":["["]},"hue":"mauve"}`).Fails(t, http.StatusBadRequest, "agent_invalid")
		if list, _ := bad.Details["problems"].([]any); len(list) != 2 || bad.Param != "tools.allow[0]" {
			t.Errorf("problems: %+v", bad)
		}
		var compared agents.Compared
		w.Viewer.Do(t, "GET", "/api/v1/agents/ops/compare", nil).Must(t, http.StatusOK, &compared)
		if compared.From != 1 || compared.To != 2 || len(compared.Differences) != 2 {
			t.Errorf("compared %+v", compared)
		}
		w.Admin.Do(t, "DELETE", "/api/v1/agents/ops", nil).Must(t, http.StatusNoContent, nil)
		w.Admin.Do(t, "GET", "/api/v1/agents/ops", nil).Fails(t, http.StatusNotFound, "agent_not_found")
		w.Admin.Do(t, "POST", "/api/v1/agents/ops/rollback", `{"version":1}`).Must(t, http.StatusOK, &saved)
		var versions page.Page[agents.Version]
		w.Viewer.Do(t, "GET", "/api/v1/agents/ops/versions", nil).Must(t, http.StatusOK, &versions)
		if len(versions.Data) != 4 || versions.Data[0].Change != agents.WasRolledBack || versions.Data[0].User == "" {
			t.Errorf("versions %+v", versions)
		}
		// Another workspace has none of it.
		for _, path := range []string{"", "/versions", "/versions/1", "/compare", "/export"} {
			w.Foreign.Do(t, "GET", "/api/v1/agents/ops"+path, nil).Fails(t, http.StatusNotFound, "agent_not_found")
		}
	})
}

func TestAgentFilesAndRouting(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	var done agents.Imported
	w.Admin.Do(t, "POST", "/api/v1/agents/import", map[string]any{"text": "name: Travel\nsystem_message: Book.\ndescription: Books flights and hotels.\nmodel: {provider: openai, model: gpt-4o, api_key: k}\n"}).
		Must(t, http.StatusOK, &done)
	if done.Agents[0].Name != "travel" || len(done.NotUnderstood) != 1 {
		t.Fatalf("imported %+v", done)
	}
	for path, want := range map[string]string{
		"/api/v1/agents/travel/export":             "instructions: Book.",
		"/api/v1/agents/travel/export?format=json": `"instructions": "Book."`,
		"/api/v1/agents/export":                    "- name: travel",
		"/api/v1/agents/export?agents=coder":       "- name: coder",
	} {
		if a := w.Viewer.Do(t, "GET", path, nil).Must(t, http.StatusOK, nil); !strings.Contains(string(a.Body), want) {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	var c agents.Choice
	w.Operator.Do(t, "POST", "/api/v1/agents/route", `{"message":"book a flight and a hotel"}`).Must(t, http.StatusOK, &c)
	if c.Agent != "travel" || c.How != agents.ByWords {
		t.Errorf("chose %+v", c)
	}
	w.Admin.Do(t, "DELETE", "/api/v1/agents/travel", nil).Must(t, http.StatusNoContent, nil)
	w.Operator.Do(t, "POST", "/api/v1/agents/route", `{"message":"book a flight and a hotel"}`).Must(t, http.StatusOK, &c)
	if c.Agent == "travel" {
		t.Errorf("chose a deleted agent: %+v", c)
	}
	var presets page.Page[agents.Agent]
	w.Viewer.Do(t, "GET", "/api/v1/agents/presets", nil).Must(t, http.StatusOK, &presets)
	if len(presets.Data) != 6 {
		t.Errorf("%d presets", len(presets.Data))
	}
}

// Who may not use an agent does not learn that it exists.
func TestAnAgentForSomeOnly(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	w.Admin.Do(t, "POST", "/api/v1/agents", `{"name":"payroll","users":["otto"]}`).Must(t, http.StatusCreated, nil)
	w.Operator.Do(t, "GET", "/api/v1/agents/payroll", nil).Must(t, http.StatusOK, nil)
	for _, path := range []string{"", "/versions", "/versions/1", "/compare", "/export"} {
		w.Viewer.Do(t, "GET", "/api/v1/agents/payroll"+path, nil).Fails(t, http.StatusNotFound, "agent_not_found")
	}
	if a := w.Viewer.Do(t, "GET", "/api/v1/agents", nil).Must(t, http.StatusOK, nil); strings.Contains(string(a.Body), "payroll") {
		t.Error("it is listed")
	}
}
