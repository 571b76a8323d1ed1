package api_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestAccountsOfProviders(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	const path = "/api/v1/providers/openai/accounts"
	problem := w.Admin.Do(t, "POST", path, `{"key":"sk-wrong","test":true}`).Fails(t, 400, providers.CodeAuth)
	if problem.Param != "key" || strings.Contains(problem.Message, "sk-wrong") {
		t.Errorf("%+v", problem)
	}
	var added api.AddedAccount
	a := w.Admin.Do(t, "POST", path, map[string]any{"name": "work", "key": apitest.WorkingKey, "test": true}).Must(t, 201, &added)
	if added.Account.Name != "work" || added.Test == nil || !added.Test.OK || strings.Contains(string(a.Body), apitest.WorkingKey) {
		t.Fatalf("%s", a.Body)
	}
	w.Admin.Do(t, "POST", path, `{"name":"work","key":"sk-other"}`).Fails(t, 409, "account_exists")
	one := path + "/" + string(added.Account.ID)
	w.Foreign.Do(t, "PATCH", one, `{"enabled":false}`).Fails(t, 404, "account_not_found")
	w.Foreign.Do(t, "DELETE", one, nil).Fails(t, 404, "account_not_found")
	var changed api.ProviderAccount
	w.Admin.Do(t, "PATCH", one, `{"enabled":false}`).Must(t, 200, &changed)
	if changed.State != "off" {
		t.Errorf("%+v", changed)
	}
	w.Admin.Do(t, "PATCH", one, map[string]any{"enabled": true, "key": apitest.WorkingKey}).Must(t, 200, nil)
	var test api.ProviderTest
	w.Admin.Do(t, "POST", "/api/v1/providers/openai/test", `{}`).Must(t, 200, &test)
	if !test.OK {
		t.Errorf("%+v", test)
	}
	var list struct{ Data []api.Provider }
	seen := w.Viewer.Do(t, "GET", "/api/v1/providers", nil).Must(t, 200, &list)
	if len(list.Data) != 1 || list.Data[0].State != "ready" || strings.Contains(string(seen.Body), apitest.WorkingKey) {
		t.Errorf("%s", seen.Body)
	}
	w.Viewer.Do(t, "GET", "/api/v1/providers/opneai", nil).Fails(t, 404, "provider_not_found")
	w.Viewer.Do(t, "GET", "/api/v1/models", nil).Must(t, 200, nil)
	w.Viewer.Do(t, "GET", "/api/v1/models/found", nil).Fails(t, 403, "forbidden")
	w.Admin.Do(t, "GET", "/api/v1/models/found", nil).Must(t, 200, nil)
	w.Admin.Do(t, "DELETE", one, nil).Must(t, 204, nil)
	w.Admin.Do(t, "DELETE", one, nil).Fails(t, 404, "account_not_found")
	// The audit knows who did it and not what the key is.
	audit := w.Admin.Do(t, "GET", "/api/v1/audit?limit=100", nil).Must(t, 200, nil)
	if text := string(audit.Body); !strings.Contains(text, "accounts") || strings.Contains(text, apitest.WorkingKey) || strings.Contains(text, "sk-wrong") {
		t.Errorf("%s", text)
	}
}
