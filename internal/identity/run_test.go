package identity_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestRunWritesWhatIsLeftWhenItEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k, text, err := w.CreateKey(w.admin, identity.NewKey{Name: "ci"})
		must(t, "create", err)
		_, err = w.key(text.Reveal())
		must(t, "use", err)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Errorf("Run = %v", err)
			}
		})
		cancel()
		wg.Wait()
		if got, err := w.Key(w.admin, k.ID); err != nil || got.UsedAt.IsZero() {
			t.Errorf("the last use was lost: %+v, %v", got, err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	db, box := storetest.SQLite(t), identitytest.Box(t)
	oidc := func(change func(*identity.OIDCOptions)) *identity.OIDCOptions {
		o := &identity.OIDCOptions{IssuerURL: "https://id.example", ClientID: "x", RedirectURL: "https://x.example/cb"}
		change(o)
		return o
	}
	for what, opts := range map[string]identity.Options{
		"no database":     {Box: box},
		"no box":          {DB: db},
		"no issuer":       {DB: db, Box: box, OIDC: oidc(func(o *identity.OIDCOptions) { o.IssuerURL = "" })},
		"no client":       {DB: db, Box: box, OIDC: oidc(func(o *identity.OIDCOptions) { o.ClientID = "" })},
		"no redirect URL": {DB: db, Box: box, OIDC: oidc(func(o *identity.OIDCOptions) { o.RedirectURL = "" })},
		"unknown role":    {DB: db, Box: box, OIDC: oidc(func(o *identity.OIDCOptions) { o.Role = "owner" })},
	} {
		if _, err := identity.New(opts); err == nil {
			t.Errorf("New accepts %s", what)
		}
	}
}

func TestEventsTellNoSecretsAndHideNoFacts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k, text, err := w.CreateKey(w.admin, identity.NewKey{Name: "ci"})
		must(t, "create", err)
		list, err := w.hub.List(t.Context(), events.Query{Workspace: w.workspace, Kind: "identity.key_created"})
		must(t, "events", err)
		if len(list.Data) != 1 {
			t.Fatalf("events %+v", list)
		}
		var fact identity.KeyCreated
		must(t, "fact", json.Unmarshal(list.Data[0].Data, &fact))
		if fact.Key != k.ID || fact.Name != "ci" || strings.Contains(string(list.Data[0].Data), text.Reveal()) {
			t.Errorf("said %s", list.Data[0].Data)
		}
	})
}

func TestChangesWhileRequestsComeIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		otto := w.add("otto", identity.Operator)
		_, text, err := w.CreateKey(otto, identity.NewKey{Name: "ci"})
		must(t, "create", err)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, err := w.key(text.Reveal()); err != nil {
						t.Errorf("a good key is refused: %v", err)
						return
					}
				}
			})
		}
		user := identity.From(otto).User
		for i := range 10 {
			role, may := identity.Viewer, false
			if i%2 == 1 {
				role, may = identity.Operator, true
			}
			_, err := w.ChangeUser(w.admin, user, identity.UserChange{Role: &role})
			must(t, "change", err)
			if id, err := w.key(text.Reveal()); err != nil || id.May("runs:write") != may {
				t.Errorf("right after the change to %s the key may write: %v, %v", role, !may, err)
			}
		}
		close(stop)
		wg.Wait()
	})
}

func TestRestingRowsAreSwept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		secret, _ := w.enable()
		_, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{TOTP: w.code(secret), TrustDevice: true})
		must(t, "sign-in", err)
		w.clock.Advance(31 * 24 * time.Hour)
		must(t, "sweep", w.Sweep(t.Context()))
		for _, table := range []string{`SELECT count(*) FROM identity_devices`, `SELECT count(*) FROM identity_sessions`} {
			if n, err := store.One[int](t.Context(), w.db.Read(), table); n != 0 || err != nil {
				t.Errorf("%s = %d, %v; want 0", table, n, err)
			}
		}
		must(t, "no devices left to revoke", w.RevokeDevices(w.admin))
	})
}
