package app

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/memory/gte"
	"github.com/fluxway/fluxway/internal/memory/lsi"
	"github.com/fluxway/fluxway/internal/providers"
)

// memoryEmbedder is the one the settings ask for, nil for none. Without weights in the binary words get their meaning
// from the texts they stand in.
func (a *App) memoryEmbedder() (memory.Embedder, error) {
	switch name := a.cfg.Memory.Embedder; {
	case name == "off":
		return nil, nil
	case name != "" && name != "built-in":
		return &vendorEmbedder{app: a, model: name}, nil
	case gte.Included():
		return gte.New(), nil
	}
	return lsi.New(lsi.Options{DB: a.db})
}

// formerEmbedder is one that was in use before, by its name; nil if it cannot be asked any more.
func (a *App) formerEmbedder() func(name string) memory.Embedder {
	included, topics := sync.OnceValue(gte.New), sync.OnceValues(func() (*lsi.Embedder, error) { return lsi.New(lsi.Options{DB: a.db}) })
	return func(name string) memory.Embedder {
		if gte.Included() && name == gte.Name {
			return included()
		}
		if lsi.Made(name) {
			if e, err := topics(); err == nil {
				return e.Version(name)
			}
			return nil
		}
		if !a.models.knows(context.Background(), "", name) {
			return nil
		}
		return &vendorEmbedder{app: a, model: name}
	}
}

// vendorEmbedder asks a provider for vectors, with the accounts that are everyone's.
type vendorEmbedder struct {
	app   *App
	model string
	size  atomic.Int64 // told by the first answer
}

// Name is the model's.
func (e *vendorEmbedder) Name() string { return e.model }

// Dimensions is 0 until something was embedded.
func (e *vendorEmbedder) Dimensions() int { return int(e.size.Load()) }

// Embed asks the provider.
func (e *vendorEmbedder) Embed(ctx context.Context, texts []string, kind memory.TextKind) ([][]float32, error) {
	b, err := e.app.models.board(ctx, "")
	if err != nil {
		return nil, err
	}
	purpose := "document"
	if kind == memory.QueryText {
		purpose = "query"
	}
	out, err := b.router.Embed(ctx, providers.EmbedRequest{Model: e.model, Texts: texts, Purpose: purpose})
	if err != nil {
		return nil, fmt.Errorf("embedding with %s: %w", e.model, err)
	}
	for _, v := range out.Vectors {
		e.size.Store(int64(len(v)))
		unit(v)
	}
	return out.Vectors, nil
}

// unit makes a vector one of length one, as memory compares them.
func unit(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	length := float32(math.Sqrt(sum))
	for i := range v {
		v[i] /= length
	}
}

// extractor finds facts with the model of the settings; nil: rules find them.
func (a *App) extractor() memory.Extractor {
	name := a.cfg.Memory.LearnModel
	if name == "" {
		return nil
	}
	return memory.ModelExtractor{Model: func(ctx context.Context, ws ids.Workspace) (providers.Model, string, error) {
		return a.models.find(ctx, ws, name)
	}}
}

// meaningOf is the vector of a question, for the cache of answers.
func (a *App) meaningOf(ctx context.Context, text string) ([]float32, error) {
	if a.embedder == nil {
		return nil, gte.ErrLeftOut
	}
	vectors, err := a.embedder.Embed(ctx, []string{text}, memory.QueryText)
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}
