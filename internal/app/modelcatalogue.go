package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// fillCatalogue makes the catalogue what the settings ask for; on an error the
// old one stays.
func (m *models) fillCatalogue(want config.Models) error {
	had := m.settings().Models
	if want.CatalogueFile != "" {
		if err := m.opts.Catalogue.LoadFile(want.CatalogueFile); err != nil {
			return fault.New(fault.Invalid, "catalogue_unreadable", "The catalogue %s cannot be used.", want.CatalogueFile).
				WithParam("models.catalogue_file").WithHint("Mend the file, or leave models.catalogue_file out.").Because(err)
		}
	} else if had.CatalogueFile != "" || had.CatalogueURL != want.CatalogueURL {
		if err := m.opts.Catalogue.LoadShipped(); err != nil {
			return err
		}
	}
	if had.CatalogueURL != want.CatalogueURL {
		select {
		case m.fetch <- struct{}{}:
		default: // it is fetched soon anyway
		}
	}
	return m.opts.Catalogue.Override(overrides(want.Known))
}

func overrides(known map[string]config.KnownModel) []providers.Entry {
	var all []providers.Entry
	for _, id := range slices.Sorted(maps.Keys(known)) {
		k := known[id]
		e := providers.Entry{ID: id, Name: k.Name, Context: int64(k.Context), MaxOutput: int64(k.MaxOutput)}
		for _, c := range k.Can {
			e.Can = append(e.Can, providers.Capability(c))
		}
		rates := providers.Rates{
			Input: rate(k.Input), CacheRead: rate(k.CacheRead), CacheWrite: rate(k.CacheWrite), Output: rate(k.Output), Reasoning: rate(k.Reasoning),
		}
		if rates != (providers.Rates{}) {
			e.Prices = []providers.Price{{Rates: rates}}
		}
		all = append(all, e)
	}
	return all
}

func rate(d config.Dollars) *int64 {
	if !d.Given {
		return nil
	}
	return &d.Micros
}

// Run fetches the catalogue when the settings name an address, now and then.
func (m *models) Run(ctx context.Context) error {
	defer m.http.CloseIdleConnections()
	for {
		cfg := m.settings()
		if address := cfg.Models.CatalogueURL; address != "" {
			if err := m.opts.Catalogue.LoadURL(ctx, m.http, address); err != nil && ctx.Err() == nil {
				m.log.WarnContext(ctx, "catalogue not fetched; the one at hand stays", "part", "providers", "url", address, "err", err)
			}
		}
		timer := time.NewTimer(cmp.Or(cfg.Models.CatalogueRefresh.Std(), 24*time.Hour))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-m.fetch:
		case <-timer.C:
		}
		timer.Stop()
	}
}
