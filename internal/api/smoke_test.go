package api_test

import (
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestSmoke(t *testing.T) {
	w := apitest.New(t, storetest.SQLite(t))
	var v api.Version
	w.Nobody.Do(t, "GET", "/version", nil).Must(t, 200, &v)
	a := w.Admin.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
	t.Logf("%s %v", a.Body, a.Header)
	w.Admin.Do(t, "GET", "/api/v1/system", nil).Must(t, 200, nil)
	w.Nobody.Do(t, "GET", "/api/v1/session", nil).Fails(t, 401, "credentials_required")
}
