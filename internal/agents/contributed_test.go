package agents_test

import (
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestAgentsOfPlugins(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	list, notes, err := agents.Read([]byte("agents:\n  - {name: keeper, description: Keeps., instructions: Keep.}\n  - {name: coder, description: Another.}\n"))
	if err != nil || len(notes) > 0 || len(list) != 2 {
		t.Fatalf("read %+v, %v, %v", list, notes, err)
	}
	taken, err := w.Contribute(w.ctx, w.ws, "house", list)
	if err != nil || !slices.Equal(taken, []string{"coder"}) {
		t.Errorf("taken: %v, %v", taken, err)
	}
	if a := w.get("keeper"); a.Origin != agents.FromPlugin || a.Plugin != "house" {
		t.Errorf("keeper: %+v", a)
	}
	if a := w.get("coder"); a.Origin != agents.FromPreset {
		t.Errorf("a plugin covers a preset: %+v", a)
	}
	_, err = w.Patch(w.ctx, w.ws, "keeper", []byte(`{"title":"Mine"}`))
	wantCode(t, "changing an agent of a plugin", err, "agent_of_plugin")
	wantCode(t, "deleting one", w.Delete(w.ctx, w.ws, "keeper"), "agent_of_plugin")
	if names, err := w.List(w.ctx, storetest.Workspace()); err != nil || slices.ContainsFunc(names, func(a agents.Agent) bool { return a.Name == "keeper" }) {
		t.Errorf("another workspace has it too: %v", err)
	}
	if _, err := w.Contribute(w.ctx, w.ws, "house", nil); err != nil {
		t.Fatal(err)
	}
	_, err = w.Get(w.ctx, w.ws, "keeper")
	wantCode(t, "after it was taken back", err, "agent_not_found")
}
