package app

import (
	"context"
	"maps"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/vendors"
)

// gateway is the routers as the compatible doors see them. A call goes to the
// router of the caller's workspace. What the doors ask without a caller is
// answered for all: which names would be tried, by every known provider, and
// what is listed, by the providers that are everyone's.
type gateway struct{ m *models }

func (g gateway) router(ctx context.Context) (*providers.Router, error) {
	b, err := g.m.board(ctx, identity.From(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	return b.router, nil
}

// wide is the router that knows every name.
func (g gateway) wide() *providers.Router {
	g.m.mu.RLock()
	defer g.m.mu.RUnlock()
	return g.m.wide
}

// widen makes a router of a board's providers and all others that are known.
func (m *models) widen(ctx context.Context, b *board) (*providers.Router, error) {
	cfg := m.settings()
	table := maps.Clone(b.table)
	for _, v := range vendors.All() {
		if table[v.Name] != nil {
			continue
		}
		s, err := m.seat(ctx, "", v.Name, false)
		if err != nil {
			return nil, err
		}
		table[v.Name] = s.model
	}
	return m.newRouter(table, cfg, b.preset)
}

// Plan lists what would be tried.
func (g gateway) Plan(req *providers.Request) ([]string, error) { return g.wide().Plan(req) }

// Relayable says whether the first choice takes a dialect's bytes.
func (g gateway) Relayable(name string, d providers.Dialect) bool {
	return g.wide().Relayable(name, d)
}

// Speaks says whether anyone does.
func (g gateway) Speaks(d providers.Dialect) bool { return g.wide().Speaks(d) }

// List shows what everyone can ask for.
func (g gateway) List() []providers.Listing {
	g.m.mu.RLock()
	defer g.m.mu.RUnlock()
	return g.m.common.router.List()
}

// Stream asks.
func (g gateway) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	r, err := g.router(ctx)
	if err != nil {
		return nil, err
	}
	return r.Stream(ctx, req)
}

// Relay passes an encoded request on.
func (g gateway) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	r, err := g.router(ctx)
	if err != nil {
		return nil, err
	}
	return r.Relay(ctx, req)
}

// CountTokens counts.
func (g gateway) CountTokens(ctx context.Context, req *providers.Request) (int64, bool, error) {
	r, err := g.router(ctx)
	if err != nil {
		return 0, false, err
	}
	return r.CountTokens(ctx, req)
}

// Embed makes vectors.
func (g gateway) Embed(ctx context.Context, req providers.EmbedRequest) (providers.Embeddings, error) {
	r, err := g.router(ctx)
	if err != nil {
		return providers.Embeddings{}, err
	}
	return r.Embed(ctx, req)
}

// Transcribe turns speech into text.
func (g gateway) Transcribe(ctx context.Context, req providers.TranscribeRequest) (providers.Transcript, error) {
	r, err := g.router(ctx)
	if err != nil {
		return providers.Transcript{}, err
	}
	return r.Transcribe(ctx, req)
}

// Speak reads a text aloud.
func (g gateway) Speak(ctx context.Context, req providers.SpeakRequest) (*providers.Speech, error) {
	r, err := g.router(ctx)
	if err != nil {
		return nil, err
	}
	return r.Speak(ctx, req)
}
