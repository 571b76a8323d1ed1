package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/plugins"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestPlugins(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		dir := filepath.Join(t.TempDir(), "my-plugin")
		if err := plugins.Begin(dir, "my-plugin"); err != nil {
			t.Fatal(err)
		}
		if a := w.Operator.Do(t, "POST", "/api/v1/plugins", map[string]any{"folder": dir}); a.Status != http.StatusForbidden {
			t.Errorf("an operator installs: %d", a.Status)
		}
		one := decode[plugins.Plugin](t, w.Admin, "POST", http.StatusCreated, "/api/v1/plugins", map[string]any{"folder": dir})
		if one.State != plugins.StateDisabled || len(one.Powers) != 2 || one.Digest == "" {
			t.Errorf("installed: %+v", one)
		}
		path := "/api/v1/plugins/my-plugin"
		if a := w.Admin.Do(t, "POST", path+"/enable", map[string]string{"digest": "sha256:other"}); a.Status != http.StatusConflict {
			t.Errorf("enabled with another digest: %d %s", a.Status, a.Body)
		}
		one = decode[plugins.Plugin](t, w.Admin, "POST", http.StatusOK, path+"/enable", map[string]string{"digest": one.Digest})
		if one.State != plugins.StateEnabled || one.EnabledBy == "" {
			t.Errorf("enabled: %+v", one)
		}
		foreign := decode[plugins.Plugin](t, w.Foreign, "GET", http.StatusOK, path)
		if foreign.State != plugins.StateDisabled {
			t.Errorf("another workspace has it too: %s", foreign.State)
		}
		if a := w.Foreign.Do(t, "DELETE", path, nil); a.Status != http.StatusConflict {
			t.Errorf("another workspace removes it: %d", a.Status)
		}
		one = decode[plugins.Plugin](t, w.Admin, "PATCH", http.StatusOK, path+"/settings", map[string]any{"settings": map[string]any{"forbidden": "x"}})
		if string(one.Settings[0].Value) != `"x"` || !one.Settings[0].Set {
			t.Errorf("configured: %+v", one.Settings)
		}
		if a := w.Admin.Do(t, "PATCH", path+"/settings", map[string]any{"settings": map[string]any{"forbidden": 1}}); a.Status != http.StatusBadRequest || !strings.Contains(string(a.Body), `"param":"settings.forbidden"`) {
			t.Errorf("a wrong type: %d %s", a.Status, a.Body)
		}
		if a := w.Admin.Do(t, "DELETE", path, nil); a.Status != http.StatusNoContent {
			t.Errorf("removing: %d %s", a.Status, a.Body)
		}
		bin := decode[page.Page[plugins.Binned]](t, w.Viewer, "GET", http.StatusOK, "/api/v1/plugins/removed")
		if len(bin.Data) != 1 || bin.Data[0].Name != "my-plugin" {
			t.Errorf("bin: %+v", bin)
		}
		one = decode[plugins.Plugin](t, w.Admin, "POST", http.StatusOK, path+"/restore", nil)
		if one.State != plugins.StateDisabled || string(one.Settings[0].Value) != `"x"` {
			t.Errorf("restored: %+v", one)
		}
		if err := os.WriteFile(filepath.Join(dir, plugins.ManifestFile), []byte("name: other\nversio: 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if a := w.Admin.Do(t, "POST", "/api/v1/plugins", map[string]any{"folder": dir}); a.Status != http.StatusBadRequest || !strings.Contains(string(a.Body), `Did you mean \"version\"?`) || !strings.Contains(string(a.Body), `"line":2`) {
			t.Errorf("a folder with mistakes: %d %s", a.Status, a.Body)
		}
	})
}

func decode[T any](t *testing.T, c apitest.Client, method string, status int, path string, body ...any) T {
	t.Helper()
	var out T
	var send any
	if len(body) > 0 {
		send = body[0]
	}
	c.Do(t, method, path, send).Must(t, status, &out)
	return out
}
