package jobs

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/store/storetest"
)

// A partial index is used only where its whole condition is said.
func TestALikeJobIsFoundByItsIndex(t *testing.T) {
	t.Parallel()
	plan := storetest.Plan(t, storetest.SQLite(t), selectUnique, "ws", "kind", "key")
	if len(plan) != 1 || !strings.Contains(plan[0], "jobs_jobs_unique (workspace_id=? AND kind=? AND unique_key=?)") {
		t.Errorf("plan %q", plan)
	}
}
