package providers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func box(t *testing.T, keys ...byte) *seal.Box {
	t.Helper()
	var all [][]byte
	for _, k := range keys {
		all = append(all, bytes.Repeat([]byte{k}, seal.KeySize))
	}
	b, err := seal.New(all[0], all[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKeeper(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub := eventstest.New(t, db)
		k, err := providers.NewKeeper(providers.KeeperOptions{DB: db, Hub: hub, Box: box(t, 1)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, ws, other := t.Context(), ids.New[ids.Workspace](), ids.New[ids.Workspace]()
		heard := eventstest.Listen(t, hub, ws, providers.Channel)
		add := func(provider, name, key string) providers.StoredAccount {
			t.Helper()
			a, err := k.Add(ctx, ws, providers.NewAccount{Provider: provider, Name: name, Secret: secret.New(key)})
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		first, second := add("openai", "mine", " sk-first\n"), add("openai", "theirs", "sk-second")
		add("anthropic", "mine", "sk-third")

		open := func() (out []string) {
			t.Helper()
			accounts, err := k.Open(ctx, ws, "openai")
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range accounts {
				out = append(out, a.Name+"="+a.Secret.Reveal())
			}
			return out
		}
		if diff := cmp.Diff([]string{"mine=sk-first", "theirs=sk-second"}, open()); diff != "" {
			t.Errorf("opened (-want +got):\n%s", diff)
		}
		if err := errors.Join(k.Replace(ctx, ws, first.ID, secret.New("sk-new")), k.Turn(ctx, ws, second.ID, providers.Off)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"mine=sk-new"}, open()); diff != "" {
			t.Errorf("after the change (-want +got):\n%s", diff)
		}
		list, err := k.List(ctx, ws, "")
		if err != nil || len(list) != 3 {
			t.Fatalf("List = %+v, %v", list, err)
		}
		shown, err := json.Marshal(list)
		if err != nil || strings.Contains(string(shown), "sk-") {
			t.Errorf("the list shows secrets: %s", shown)
		}
		if err := k.Remove(ctx, ws, second.ID); err != nil {
			t.Fatal(err)
		}
		want := []string{"providers.account_added", "providers.account_added", "providers.account_added", "providers.account_changed", "providers.account_changed", "providers.account_removed"}
		if diff := cmp.Diff(want, heard.Kinds(len(want))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		for name, err := range map[string]error{
			"a foreign workspace": k.Remove(ctx, other, first.ID), "gone": k.Replace(ctx, ws, second.ID, secret.New("x")),
		} {
			if !fault.HasCode(err, "account_not_found") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := k.Add(ctx, ws, providers.NewAccount{Provider: "openai", Name: "mine", Secret: secret.New("x")}); !fault.HasCode(err, "account_exists") {
			t.Errorf("the same name twice: %v", err)
		}
		if accounts, err := k.Open(ctx, other, "openai"); err != nil || len(accounts) != 0 {
			t.Errorf("another workspace sees %d accounts, %v", len(accounts), err)
		}
	})
}

func TestKeeperSealsAndReseals(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, ws, hub := t.Context(), ids.New[ids.Workspace](), eventstest.New(t, db)
		keeper := func(b *seal.Box) *providers.Keeper {
			t.Helper()
			k, err := providers.NewKeeper(providers.KeeperOptions{DB: db, Hub: hub, Box: b})
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		for i := range 3 {
			if _, err := keeper(box(t, 1)).Add(ctx, ws, providers.NewAccount{Provider: "openai", Name: fmt.Sprint(i), Secret: secret.New("sk-hidden")}); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := store.All[[]byte](ctx, db.Read(), `SELECT secret FROM providers_accounts`)
		if err != nil || len(raw) != 3 || bytes.Contains(bytes.Join(raw, nil), []byte("sk-hidden")) {
			t.Fatalf("%d rows, %v; want three that hide the key", len(raw), err)
		}
		if _, err := keeper(box(t, 2)).Open(ctx, ws, "openai"); !fault.HasCode(err, "secret_unreadable") {
			t.Errorf("with another key: %v", err)
		}
		for _, want := range []int{3, 0} {
			if n, err := keeper(box(t, 2, 1)).Reseal(ctx); n != want || err != nil {
				t.Errorf("Reseal = %d, %v; want %d", n, err, want)
			}
		}
		if all, err := keeper(box(t, 2)).Open(ctx, ws, "openai"); err != nil || len(all) != 3 || all[0].Secret.Reveal() != "sk-hidden" {
			t.Errorf("after resealing: %d, %v", len(all), err)
		}
	})
}

func TestKeeperRefusesNonsense(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	k, err := providers.NewKeeper(providers.KeeperOptions{DB: db, Hub: eventstest.New(t, db), Box: box(t, 1)})
	if err != nil {
		t.Fatal(err)
	}
	for code, n := range map[string]providers.NewAccount{
		"provider_invalid": {Provider: "a/b", Name: "x", Secret: secret.New("x")},
		"name_invalid":     {Provider: "openai", Secret: secret.New("x")},
		"secret_missing":   {Provider: "openai", Name: "x", Secret: secret.New("  ")},
		"kind_invalid":     {Provider: "openai", Name: "x", Secret: secret.New("x"), Type: "magic"},
	} {
		if _, err := k.Add(t.Context(), ids.New[ids.Workspace](), n); !fault.HasCode(err, code) {
			t.Errorf("%+v: %v, want %s", n, err, code)
		}
	}
}
