package identity_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func setup(code string) identity.Setup {
	return identity.Setup{Code: code, Login: "Anna", Name: "Anna A.", Password: identitytest.Password, Workspace: "Lab"}
}

func TestFirstSetUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, ctx := newWorld(t, db), from(t, "192.0.2.9")
		if needed, err := w.SetupNeeded(ctx); !needed || err != nil {
			t.Fatalf("SetupNeeded = %v, %v", needed, err)
		}
		_, err := w.LocalIdentity(ctx, "")
		wantCode(t, "a local command before set-up", err, "setup_needed")
		old, err := w.NewSetupCode(ctx)
		must(t, "first code", err)
		w.clock.Advance(23 * time.Hour)
		code, err := w.NewSetupCode(ctx)
		must(t, "second code", err)
		w.clock.Advance(2 * time.Hour)
		_, err = w.SetUp(ctx, setup(old))
		wantCode(t, "an expired code", err, "bad_setup_code")
		_, err = w.SetUp(ctx, setup("AAAA-AAAA"))
		wantCode(t, "a wrong code", err, "bad_setup_code")
		weak := setup(code)
		weak.Password = "password123"
		_, err = w.SetUp(ctx, weak)
		wantCode(t, "a weak password", err, "weak_password")
		for _, bad := range []struct{ login, code string }{{"", "bad_login"}, {"a b", "bad_login"}, {"-x", "bad_login"}} {
			in := setup(code)
			in.Login = bad.login
			_, err = w.SetUp(ctx, in)
			wantCode(t, "login "+bad.login, err, bad.code)
		}
		admitted, err := w.SetUp(ctx, setup("  "+code[:4]+code[5:]+" "))
		must(t, "set-up", err)
		id, err := w.session(admitted.Token.Reveal())
		must(t, "the first session", err)
		if id.Login != "anna" || id.Role != identity.Admin || id.WorkspaceName != "Lab" || !id.May("system:write") || id.Via != identity.ViaSession {
			t.Errorf("first identity %+v", id)
		}
		w.workspace = id.Workspace
		if got, want := w.said(), []string{"identity.workspace_created", "identity.set_up", "identity.signed_in"}; !slices.Equal(got, want) {
			t.Errorf("said %v, want %v", got, want)
		}
		_, err = w.SetUp(ctx, setup(code))
		wantCode(t, "a second set-up", err, "already_set_up")
		_, _, err = w.SetUpLocally(ctx, setup(""))
		wantCode(t, "a second set-up by command", err, "already_set_up")
		if code, err := w.NewSetupCode(ctx); code != "" || err != nil {
			t.Errorf("a code after set-up: %q, %v", code, err)
		}
		local, err := w.LocalIdentity(ctx, "lab")
		must(t, "local identity", err)
		if local.Login != "anna" || local.Via != identity.ViaLocal || !local.May("keys:write") {
			t.Errorf("local identity %+v", local)
		}
		_, err = w.LocalIdentity(ctx, "elsewhere")
		wantCode(t, "an unknown workspace", err, "workspace_not_found")
	})
}

func TestSetupCodesCannotBeGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	code, err := w.NewSetupCode(t.Context())
	must(t, "code", err)
	ctx := from(t, "192.0.2.9")
	refused := false
	for range 10 {
		_, err := w.SetUp(ctx, setup("AAAA-AAAA"))
		if f := fault.From(err); f.Code == "too_many_attempts" {
			refused = f.RetryAfter > 0
		}
	}
	if !refused {
		t.Error("guessing codes is not slowed down")
	}
	_, err = w.SetUp(from(t, "192.0.2.10"), setup(code))
	must(t, "set-up from another address", err)
}

// reopen gives another process's view of a database.
func reopen(t *testing.T, open func() (*store.Engine, error)) *store.DB {
	t.Helper()
	engine, err := open()
	must(t, "opening again", err)
	db, err := store.New(store.Options{Engine: engine})
	must(t, "opening again", err)
	t.Cleanup(func() { must(t, "closing", db.Close()) })
	return db
}

// processes opens one database several times, as several processes would.
func processes(t *testing.T, n int, test func(t *testing.T, dbs []*store.DB)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		first := storetest.SQLite(t)
		dbs := []*store.DB{first}
		for range n - 1 {
			dbs = append(dbs, reopen(t, func() (*store.Engine, error) { return sqlite.Open(first.Engine().Path) }))
		}
		test(t, dbs)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := storetest.PostgresURL(t)
		var dbs []*store.DB
		for range n {
			dbs = append(dbs, reopen(t, func() (*store.Engine, error) { return postgres.Open(url) }))
		}
		test(t, dbs)
	})
}

func TestOfConcurrentSetUpsExactlyOneWins(t *testing.T) {
	processes(t, 3, func(t *testing.T, dbs []*store.DB) {
		var mu sync.Mutex
		won, lost := 0, 0
		var wg sync.WaitGroup
		begin := make(chan struct{})
		for i := range 9 {
			d := identitytest.New(t, dbs[i%len(dbs)])
			code := ""
			if i%2 == 0 {
				var err error
				code, err = d.NewSetupCode(t.Context())
				must(t, "code", err)
			}
			wg.Go(func() {
				<-begin
				var err error
				if code != "" {
					_, err = d.SetUp(t.Context(), setup(code))
				} else {
					_, _, err = d.SetUpLocally(t.Context(), setup(""))
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case fault.HasCode(err, "already_set_up"), fault.HasCode(err, "bad_setup_code"): // the winner used all codes up
					lost++
				default:
					t.Errorf("set-up %d: %v", i, err)
				}
			})
		}
		close(begin)
		wg.Wait()
		if won != 1 || lost != 8 {
			t.Errorf("%d set-ups won and %d lost, want 1 and 8", won, lost)
		}
		for _, table := range []string{`SELECT count(*) FROM identity_users`, `SELECT count(*) FROM identity_workspaces`} {
			if n, err := store.One[int](t.Context(), dbs[0].Read(), table); n != 1 || err != nil {
				t.Errorf("%s = %d, %v; want 1", table, n, err)
			}
		}
	})
}
