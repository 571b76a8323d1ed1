package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Local is the parts a command needs to work on the data itself, before or
// while a server runs.
type Local struct {
	Data     Data
	DB       *store.DB
	Hub      *events.Hub
	Identity *identity.Directory

	box *seal.Box
}

// OpenLocal opens the data the settings name and brings it up to date.
func OpenLocal(ctx context.Context, cfg config.Config, log *slog.Logger) (*Local, error) {
	l := &Local{Data: Data{cfg.Data}}
	if err := l.open(ctx, cfg, log); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Local) open(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	if err := l.Data.open(); err != nil {
		return err
	}
	engine, err := openEngine(cfg, l.Data)
	if err != nil {
		return err
	}
	if l.DB, err = store.New(store.Options{Engine: engine, Log: log, Backups: l.Data.Backups()}); err != nil {
		return err
	}
	if err := l.DB.Migrate(ctx); err != nil {
		return err
	}
	if l.Hub, err = events.New(events.Options{DB: l.DB, Log: log}); err != nil {
		return err
	}
	box, err := openBox(cfg, l.Data)
	l.box = box
	if err != nil {
		return err
	}
	l.Identity, err = identity.New(identity.Options{DB: l.DB, Box: box, Events: l.Hub, Log: log})
	return err
}

// As gives a context that acts as the oldest administrator of a workspace (id
// or name; "" for the oldest).
func (l *Local) As(ctx context.Context, workspace string) (context.Context, error) {
	who, err := l.Identity.LocalIdentity(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return identity.With(ctx, who), nil
}

// Models is who serves models, as a server on this data would have it.
func (l *Local) Models(ctx context.Context, loaded *config.Loaded) (api.Models, error) {
	keeper, err := providers.NewKeeper(providers.KeeperOptions{DB: l.DB, Hub: l.Hub, Box: l.box})
	if err != nil {
		return nil, err
	}
	catalogue, err := providers.NewCatalogue(nil)
	if err != nil {
		return nil, err
	}
	return newModels(ctx, modelsOptions{Keeper: keeper, Catalogue: catalogue, Loaded: loaded})
}

// Close closes the database.
func (l *Local) Close() error {
	if l.DB == nil {
		return nil
	}
	return l.DB.Close()
}
