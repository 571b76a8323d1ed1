package api

//go:generate go test -count=1 -run ^TestGolden$ . -update

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/plugins"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/tools"
)

var update = flag.Bool("update", false, "write generated files again")

// full is a table with every part, none of which is there.
func full(t testing.TB) []route {
	t.Helper()
	s := &Server{started: time.Now(), opts: Options{
		Jobs: new(jobs.Queue), Conversations: new(conversations.Book), Agents: new(agents.Roster), Router: new(agents.Router), Runs: new(runs.Desk), Costs: new(costs.Ledger), Guard: new(guard.Guard), Push: new(push.Herald), Projects: new(projects.Projects), Memory: new(memory.Mind), Tools: new(tools.Toolbox), MCP: struct{ MCP }{}, Plugins: new(plugins.Manager), Settings: struct{ Settings }{}, Models: struct{ Models }{}, Gateway: struct{ Gateway }{},
	}}
	routes := s.table()
	for _, r := range routes {
		if err := r.prepare(); err != nil {
			t.Fatal(err)
		}
	}
	return routes
}

func TestGolden(t *testing.T) {
	t.Parallel()
	routes := full(t)
	doc := document(routes, "dev")
	for path, text := range map[string][]byte{
		"../../docs/openapi.json":     indented(doc),
		"../../docs/permissions.md":   matrix(routes),
		"../../web/src/api/schema.ts": typescript(doc),
	} {
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(kept), string(text)); diff != "" {
			t.Errorf("%s is out of date; run `make generate`:\n%s", path, diff)
		}
	}
}
