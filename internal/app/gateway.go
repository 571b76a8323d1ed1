package app

import (
	"context"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/providers"
)

// gateway gives the compatible doors the router of the caller's workspace.
type gateway struct{ m *models }

// Router is everything that the caller's workspace can ask, its own accounts included.
func (g gateway) Router(ctx context.Context) (*providers.Router, error) {
	b, err := g.m.board(ctx, identity.From(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	return b.router, nil
}
