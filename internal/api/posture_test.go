package api_test

import (
	"io"
	"os"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestPostureNamesWhatIsOpenAndTheFix(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) {
		o.Listen, o.DataDir, o.Backups = "0.0.0.0:0", dir, t.TempDir()
	})
	states := func() map[string]api.PostureFinding {
		var got api.Posture
		w.Admin.Do(t, "GET", "/api/v1/system/posture", nil).Must(t, 200, &got)
		out := map[string]api.PostureFinding{}
		for _, f := range got.Findings {
			out[f.Name] = f
			if (f.State == "ok") != (f.Fix == "") {
				t.Errorf("%s is %s and its fix is %q", f.Name, f.State, f.Fix)
			}
		}
		return out
	}
	before := states()
	for name, want := range map[string]string{
		"network": "advice", "encryption": "risk", "two_factor": "advice", "keys": "ok", "guard": "ok", "two_person": "ok",
		"data_folder": "risk", "backups": "advice", "audit": "ok", "telemetry": "ok",
	} {
		if before[name].State != want {
			t.Errorf("%s = %+v, want %s", name, before[name], want)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.Admin.Do(t, "POST", "/api/v1/system/backups", nil).Must(t, 201, nil)
	if after := states(); after["data_folder"].State != "ok" || after["backups"].State != "ok" {
		t.Errorf("after the fixes: %+v", after)
	}
	w.Operator.Do(t, "GET", "/api/v1/system/posture", nil).Fails(t, 403, "forbidden")
}

func TestLogsOverHTTP(t *testing.T) {
	t.Parallel()
	o, err := observe.New(observe.Options{Log: observe.LogOptions{Writer: io.Discard, Format: observe.FormatText}})
	if err != nil {
		t.Fatal(err)
	}
	w := apitest.New(t, storetest.SQLite(t), func(opts *api.Options) { opts.Observe = o })
	o.Log().Info("all is well")
	o.Log().Warn("disk is nearly full", "part", "store")
	var got api.ServerLogs
	w.Admin.Do(t, "GET", "/api/v1/system/logs?level=warn", nil).Must(t, 200, &got)
	if len(got.Lines) != 1 || got.Lines[0].Text != "disk is nearly full" || got.Lines[0].Fields["part"] != "store" || got.Level != "info" {
		t.Errorf("logs = %+v", got)
	}
	w.Operator.Do(t, "GET", "/api/v1/system/logs", nil).Fails(t, 403, "forbidden")
}
