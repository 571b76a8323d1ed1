package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/store/storetest"

	"github.com/fluxway/fluxway/internal/events/eventstest"
)

// What the settings say of agents arrives in the roster, and nothing else does.
func TestAgentSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "writer.md"), []byte("Write well.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := `
agents:
  coder:
    model: openai/gpt-6-sol
    deny_tools: [run_*]
    max_time: 10m
    max_money: 2.5
    temperature: 0.2
    recall: false
  writer:
    title: Writer
    instructions_file: writer.md
    tools: []
    users: [mira]
`
	loaded, err := config.Check(config.Sources{Dir: dir, Env: []string{"HOME=" + dir}}, filepath.Join(dir, "fluxway.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	patches, err := agentSettings(loaded.Config, loaded.Origins)
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.SQLite(t)
	r, err := agents.Open(agents.Options{DB: db, Hub: eventstest.New(t, db), Model: agents.Always("test/model"), Settings: patches})
	if err != nil {
		t.Fatal(err)
	}
	coder, err := r.Get(t.Context(), storetest.Workspace(), "coder")
	if err != nil {
		t.Fatal(err)
	}
	if coder.Model != "openai/gpt-6-sol" || coder.Tools.Has("run_command") || !coder.Tools.Has("edit_file") || coder.Limits.Time != 10*time.Minute ||
		coder.Limits.Money != 2_500_000 || *coder.Params.Temperature != 0.2 || coder.Memory.Recall || !coder.Memory.Remember || coder.Title != "Coder" {
		t.Errorf("coder is %+v", coder)
	}
	writer, err := r.Get(t.Context(), storetest.Workspace(), "writer")
	if err != nil || writer.Instructions != "Write well." || len(writer.Tools.Allow) != 0 || !slices.Equal(writer.Users, []string{"mira"}) {
		t.Errorf("writer is %+v (%v)", writer, err)
	}
}

// Every setting of an agent is mapped, so that none is read and ignored.
func TestEveryAgentSettingIsMapped(t *testing.T) {
	t.Parallel()
	mapped := agentFields(config.Agent{})
	var schema struct {
		Properties struct {
			Agents struct {
				Additional struct {
					Properties map[string]json.RawMessage `json:"properties"`
				} `json:"additionalProperties"`
			} `json:"agents"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	known := schema.Properties.Agents.Additional.Properties
	if len(known) < 20 {
		t.Fatalf("the schema lists %d settings of an agent", len(known))
	}
	for key := range known {
		if _, ok := mapped[key]; !ok && key != "instructions_file" { // its text becomes instructions
			t.Errorf("agents.NAME.%s is read and ignored", key)
		}
	}
}
