package app

import (
	"testing"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// rowsOf lists the tables of memory whose rows are somebody's.
const rowsOf = `
	SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'user_id'
	WHERE m.type = 'table' AND m.name LIKE 'memory_%' ORDER BY m.name`

func TestWhoIsRemovedIsForgotten(t *testing.T) {
	t.Parallel()
	src := config.Sources{Dir: t.TempDir(), Env: []string{"HOME=" + t.TempDir(), "FLUXWAY_HOME=" + t.TempDir(), "FLUXWAY_LISTEN=127.0.0.1:0", "FLUXWAY_LOG_LEVEL=error"}}
	loaded, err := config.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), Options{Sources: src, Loaded: loaded, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	admin := identitytest.SetUp(t, a.directory)
	ws := identity.From(admin).Workspace
	vera, err := a.directory.AddUser(admin, identity.NewUser{Login: "vera", Password: identitytest.Password, Role: identity.Operator})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := store.All[string](t.Context(), a.db.Read(), rowsOf)
	if err != nil || len(tables) < 5 {
		t.Fatalf("%v, %v", tables, err)
	}
	count := func(o memory.Owner) (sum int) {
		t.Helper()
		for _, table := range tables {
			n, err := store.One[int](t.Context(), a.db.Read(), "SELECT count(*) FROM "+table+" WHERE workspace_id = ? AND user_id = ?", o.Workspace, o.User)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
		return sum
	}
	hers, his := memory.Owner{Workspace: ws, User: vera.ID}, memory.Owner{Workspace: ws, User: identity.From(admin).User}
	for _, o := range []memory.Owner{hers, his} {
		if _, err := a.memory.Add(t.Context(), o, memory.NewFact{Scope: memory.Scope{User: o.User}, Text: "The zither is tuned in fifths"}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.memory.CreateEntities(t.Context(), memory.GraphOf{Owner: o}, []memory.Node{{Name: "zither", EntityType: "instrument", Observations: []string{"old"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.memory.MergeProfile(t.Context(), o, map[string]any{"instrument": "zither"}); err != nil {
			t.Fatal(err)
		}
	}
	before := count(his)
	if n := count(hers); n < 4 || before < 4 {
		t.Fatalf("%d rows are hers and %d are his", n, before)
	}
	if err := a.directory.RemoveUser(admin, vera.ID); err != nil {
		t.Fatal(err)
	}
	if n := count(hers); n != 0 {
		t.Errorf("%d rows of hers are left", n)
	}
	if n := count(his); n != before {
		t.Errorf("%d rows of his are left of %d", n, before)
	}
}
