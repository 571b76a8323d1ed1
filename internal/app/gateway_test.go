package app

import (
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
)

func TestTheDoorsListWhatTheCallersWorkspaceCanAsk(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	if _, err := s.AddAccount(t.Context(), s.ws, api.NewAccount{Provider: "mistral", Key: secret.New("ours")}); err != nil {
		t.Fatal(err)
	}
	for ws, want := range map[ids.Workspace]bool{s.ws: true, ids.New[ids.Workspace](): false} {
		ctx := identity.With(t.Context(), &identity.Identity{Workspace: ws})
		router, err := gateway{s.models}.Router(ctx)
		if err != nil {
			t.Fatal(err)
		}
		listed := slices.ContainsFunc(router.List(), func(l providers.Listing) bool { return l.Entry.Provider() == "mistral" })
		relayed := router.Relayable("mistral/mistral-large-latest", providers.DialectChat)
		if listed != want || relayed != want {
			t.Errorf("the workspace with the account: %v; its models are listed: %v, its bytes relayed: %v", want, listed, relayed)
		}
		if !slices.ContainsFunc(router.List(), func(l providers.Listing) bool { return l.Name == demoModel }) {
			t.Error("the demonstration is not listed")
		}
	}
}
