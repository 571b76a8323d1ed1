package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// ground is what a server of ours stands on: a database, events, someone with a
// key, and spans that are recorded and delivered.
type ground struct {
	db        *store.DB
	hub       *events.Hub
	directory *identity.Directory
	watch     *observe.Observe
	key       string
	workspace ids.Workspace
}

// openGround makes it in a fresh folder; whoever asked closes the database.
func openGround(ctx context.Context, dir string) (*ground, error) {
	g := &ground{}
	engine, err := sqlite.Open(filepath.Join(dir, "bench.db"))
	if err != nil {
		return nil, err
	}
	if g.watch, err = observe.New(observe.Options{Log: observe.LogOptions{Writer: io.Discard}}); err != nil {
		return nil, err
	}
	if err := g.watch.Attach("bench", discard{}); err != nil {
		return nil, err
	}
	if g.db, err = store.New(store.Options{Engine: engine}); err != nil {
		return nil, err
	}
	if err := g.db.Migrate(ctx); err != nil {
		return nil, err
	}
	if g.hub, err = events.New(events.Options{DB: g.db}); err != nil {
		return nil, err
	}
	box, err := seal.OpenFile(filepath.Join(dir, "key"))
	if err != nil {
		return nil, err
	}
	if g.directory, err = identity.New(identity.Options{DB: g.db, Box: box, Events: g.hub}); err != nil {
		return nil, err
	}
	g.key, g.workspace, err = benchKey(ctx, g.directory)
	return g, err
}
