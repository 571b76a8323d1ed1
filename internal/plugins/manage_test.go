package plugins

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestLifeOfAPlugin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, db)
		if h.m.Any() {
			t.Fatal("there are plugins before one was installed")
		}
		source := folder(t, examples(t, "../../docs/plugins.md"))
		name := h.install(source)
		if err := os.WriteFile(filepath.Join(source, "later"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		h.givesNothing(name, StateDisabled)

		err := h.m.Enable(t.Context(), h.ws, h.user, name, "sha256:other")
		if !fault.HasCode(err, "plugin_changed") {
			t.Errorf("enabling what was not shown: %v", err)
		}
		h.enable(name)
		h.gives(name)
		p := h.get(name)
		if p.State != StateEnabled || !p.Healthy || p.EnabledBy != h.user || p.Agreed != "1.0.0" || p.Files != 5 {
			t.Errorf("enabled: %+v", p)
		}

		h.restart()
		h.gives(name)
		if other := ids.New[ids.Workspace](); h.m.Hooks(other, BeforeTool) {
			t.Error("another workspace has the hook")
		}

		if err := h.m.Disable(t.Context(), h.ws, name); err != nil {
			t.Fatal(err)
		}
		h.givesNothing(name, StateDisabled)

		h.enable(name)
		if err := h.m.Remove(t.Context(), h.ws, name); err != nil {
			t.Fatal(err)
		}
		if list, err := h.m.List(t.Context(), h.ws); err != nil || len(list) != 0 {
			t.Errorf("after removing: %+v, %v", list, err)
		}
		h.nothingGiven(name)
		bin, err := h.m.Bin()
		if err != nil || len(bin) != 1 || bin[0].Name != name || !bin[0].Until.After(time.Now()) {
			t.Errorf("bin = %+v, %v", bin, err)
		}
		if err := h.m.Restore(t.Context(), h.ws, name); err != nil {
			t.Fatal(err)
		}
		h.givesNothing(name, StateDisabled)
		h.enable(name)
		h.gives(name)
	})
}

// gives checks that the documented plugin contributes everything.
func (h *house) gives(name string) {
	h.t.Helper()
	servers, agents := h.given.counts(name)
	shelf := h.m.Shelf(h.t.Context(), h.ws)
	if servers != 1 || agents != 1 || len(shelf) != 1 || shelf[0].Plugin != name || !h.m.Hooks(h.ws, BeforeTool) {
		h.t.Errorf("%s gives %d servers, %d agents, skills %+v", name, servers, agents, shelf)
	}
	if v := h.m.Ask(h.t.Context(), h.about(BeforeTool, "run_command", `{"command":"make deploy"}`)); v == nil || v.Plugin != name || v.Reason != "The house does not allow deploy." {
		h.t.Errorf("make deploy: %+v", v)
	}
	if v := h.m.Ask(h.t.Context(), h.about(BeforeTool, "run_command", `{"command":"make test"}`)); v != nil {
		h.t.Errorf("make test: %+v", v)
	}
}

func (h *house) givesNothing(name string, state State) {
	h.t.Helper()
	if p := h.get(name); p.State != state {
		h.t.Errorf("%s is %s, want %s", name, p.State, state)
	}
	h.nothingGiven(name)
}

func (h *house) nothingGiven(name string) {
	h.t.Helper()
	servers, agents := h.given.counts(name)
	if servers+agents != 0 || len(h.m.Shelf(h.t.Context(), h.ws)) != 0 || h.m.Hooks(h.ws, Events()...) {
		h.t.Errorf("%s still gives %d servers, %d agents, skills %v, hooks %v", name, servers, agents, h.m.Shelf(h.t.Context(), h.ws), h.m.Hooks(h.ws, Events()...))
	}
}

func TestChangedFilesNeedConsent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, db)
		source := folder(t, examples(t, "../../docs/plugins.md"))
		name, err := h.m.Install(t.Context(), h.ws, source, Link)
		if err != nil {
			t.Fatal(err)
		}
		h.enable(name)
		h.gives(name)

		write(t, source, "check.sh", "#!/bin/sh\nexit 0\n")
		write(t, source, "extra.txt", "x")
		if err := os.Remove(filepath.Join(source, "workflows/nightly.yaml")); err != nil {
			t.Fatal(err)
		}
		// Even before anybody looked, the hook is not run as it is now, and the skills are not shown.
		if v := h.m.Ask(t.Context(), h.about(BeforeTool, "run_command", `{"command":"ls"}`)); v == nil || !v.Failed {
			t.Errorf("a changed hook that must not fail: %+v", v)
		}
		if len(h.m.Shelf(t.Context(), h.ws)) != 0 {
			t.Error("skills of a changed plugin are shown")
		}
		p := h.get(name)
		want := []FileChange{{"check.sh", "changed"}, {"extra.txt", "added"}, {"workflows/nightly.yaml", "removed"}}
		if p.State != StateChanged || !slices.Equal(p.Changes, want) {
			t.Errorf("changed: %s %+v", p.State, p.Changes)
		}
		if servers, agents := h.given.counts(name); servers+agents != 0 {
			t.Errorf("a changed plugin gives %d servers and %d agents", servers, agents)
		}
		h.restart() // what it forbids stays forbidden
		if v := h.m.Ask(t.Context(), h.about(BeforeTool, "run_command", `{"command":"ls"}`)); v == nil || !v.Failed || !strings.Contains(v.Reason, "not those that were agreed to") {
			t.Errorf("after a restart: %+v", v)
		}
		write(t, source, "workflows/nightly.yaml", "name: nightly\n")
		h.enable(name)
		if v := h.m.Ask(t.Context(), h.about(BeforeTool, "run_command", `{"command":"make deploy"}`)); v != nil {
			t.Errorf("after a new consent: %+v", v)
		}
	})
}

func TestRunTakesBackWhatChanged(t *testing.T) {
	t.Parallel()
	withdrawn := make(chan struct{}, 10)
	h := newHouse(t, storetest.SQLite(t), func(o *Options) {
		o.Every = time.Millisecond
		o.Servers = func(_ context.Context, _ ids.Workspace, _ string, list []ReadyServer) map[string]error {
			if len(list) == 0 {
				withdrawn <- struct{}{}
			}
			return nil
		}
	})
	source := folder(t, examples(t, "../../docs/plugins.md"))
	name, err := h.m.Install(t.Context(), h.ws, source, Link)
	if err != nil {
		t.Fatal(err)
	}
	h.enable(name)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.m.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	write(t, source, "check.sh", "#!/bin/sh\nexit 1\n")
	select {
	case <-withdrawn:
	case <-time.After(patience):
		t.Error("nothing was taken back")
	}
	cancel()
	wg.Wait()
}

func TestSettings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := newHouse(t, db, func(o *Options) {
			o.Lookup = func(name string) (string, bool) { return "from the environment", name == "WIKI_TOKEN" }
		})
		name := h.install(folder(t, examples(t, "../../docs/plugins.md")))
		set := func(values string) error {
			var change map[string]json.RawMessage
			if err := json.Unmarshal([]byte(values), &change); err != nil {
				t.Fatal(err)
			}
			return h.m.Configure(t.Context(), h.ws, name, change)
		}
		for values, code := range map[string]string{
			`{"forbiden":["x"]}`: "setting_unknown", `{"forbidden":"x"}`: "setting_invalid", `{"token":1}`: "setting_invalid",
		} {
			if err := set(values); !fault.HasCode(err, code) {
				t.Errorf("set %s: %v, want %s", values, err, code)
			}
		}
		if err := set(`{"forbidden":["publish","ship"],"token":"hunter2"}`); err != nil {
			t.Fatal(err)
		}
		h.enable(name)
		if v := h.m.Ask(t.Context(), h.about(BeforeTool, "run_command", `{"command":"ship it"}`)); v == nil || v.Reason != "The house does not allow ship." {
			t.Errorf("ship it: %+v", v)
		}
		h.restart()
		server := h.given.servers[name][0]
		if server.Headers["Authorization"] != "${HEADER_AUTHORIZATION}" || server.Secrets["HEADER_AUTHORIZATION"].Reveal() != "Bearer hunter2" {
			t.Errorf("the server has %v", server.Headers)
		}
		shown, err := json.Marshal(h.get(name))
		if err != nil || strings.Contains(string(shown), "hunter2") || !strings.Contains(string(shown), `"publish"`) {
			t.Errorf("shown: %s, %v", shown, err)
		}
		row, err := h.m.rowOf(t.Context(), key{h.ws, name})
		if err != nil || strings.Contains(string(row.Sealed), "hunter2") || len(row.Sealed) == 0 || row.Settings["token"] != nil {
			t.Errorf("kept: %+v, %v", row, err)
		}
		if err := set(`{"token":"${NO_SUCH}"}`); !fault.HasCode(err, "setting_unset") {
			t.Errorf("a variable that is not set: %v", err)
		}
		if err := set(`{"token":"${WIKI_TOKEN}","forbidden":null}`); err != nil {
			t.Fatal(err)
		}
		if got := h.given.servers[name][0].Secrets["HEADER_AUTHORIZATION"].Reveal(); got != "Bearer from the environment" {
			t.Errorf("by reference: %q", got)
		}
		if v := h.m.Ask(t.Context(), h.about(BeforeTool, "run_command", `{"command":"ship it"}`)); v != nil {
			t.Errorf("after going back to the default: %+v", v)
		}
	})
}

func TestARequiredSettingComesFirst(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	name := h.install(folder(t, map[string]string{ManifestFile: "name: x\nversion: 1\ndescription: x\nsettings: {token: {type: secret, required: true}}\n"}))
	err := h.m.Enable(t.Context(), h.ws, h.user, name, h.get(name).Digest)
	if f := fault.From(err); f.Code != "setting_missing" || f.Param != "settings.token" {
		t.Errorf("enabling without it: %v", err)
	}
	if err := h.m.Configure(t.Context(), h.ws, name, map[string]json.RawMessage{"token": json.RawMessage(`"x"`)}); err != nil {
		t.Fatal(err)
	}
	h.enable(name)
}

func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	good := folder(t, map[string]string{ManifestFile: "name: x\nversion: 1\ndescription: x\n"})
	h.install(good)
	out := folder(t, map[string]string{ManifestFile: "name: y\nversion: 1\ndescription: x\n"})
	if err := os.Symlink("/etc/passwd", filepath.Join(out, "passwd")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ folder, code string }{
		"a relative path":         {"plugins/x", "bad_folder"},
		"no folder":               {"/no/such/folder", "bad_folder"},
		"a folder that is no one": {t.TempDir(), "plugin_invalid"},
		"a name that is there":    {good, "plugin_exists"},
		"a link that leads out":   {out, "plugin_invalid"},
		"one's own folder":        {filepath.Join(h.opts.Folder, "x"), "bad_folder"},
	} {
		if _, err := h.m.Install(t.Context(), h.ws, c.folder, Copy); !fault.HasCode(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if err := h.m.Restore(t.Context(), h.ws, "x"); !fault.HasCode(err, "plugin_not_removed") {
		t.Errorf("restoring what was not removed: %v", err)
	}
	if err := h.m.Enable(t.Context(), h.ws, h.user, "xx", ""); !strings.Contains(fault.From(err).Hint, "Did you mean x?") {
		t.Errorf("a name that is not there: %v", err)
	}
	h.enable("x")
	other := ids.New[ids.Workspace]()
	if err := h.m.Remove(t.Context(), other, "x"); !fault.HasCode(err, "plugin_in_use") {
		t.Errorf("removing what another workspace uses: %v", err)
	}
}
