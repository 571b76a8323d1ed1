package lsi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// Options are what an Embedder needs.
type Options struct {
	DB *store.DB // required: models are kept in it
}

// Embedder embeds with the newest model there is, and learns it.
type Embedder struct {
	db *store.DB

	mu     sync.Mutex // guards the fields below
	newest *model     // nil: not read yet, or there is none
	loaded map[string]*model
}

// New makes an embedder. Nothing is read before it is used.
func New(opts Options) (*Embedder, error) {
	if opts.DB == nil {
		return nil, errors.New("lsi: Options.DB is nil")
	}
	return &Embedder{db: opts.DB, loaded: map[string]*model{}}, nil
}

const family = "lsi-128/"

// Made says whether a name is that of a model of this kind.
func Made(name string) bool { return strings.HasPrefix(name, family) }

// Name is that of the newest model; before there is one, that of none.
func (e *Embedder) Name() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.newest == nil {
		return family + "0"
	}
	return e.newest.name
}

// Dimensions are the same for all models.
func (e *Embedder) Dimensions() int { return Dimensions }

// Embed projects texts with the newest model.
func (e *Embedder) Embed(_ context.Context, texts []string, kind memory.TextKind) ([][]float32, error) {
	e.mu.Lock()
	m := e.newest
	e.mu.Unlock()
	return project(m, texts, kind), nil
}

func project(m *model, texts []string, kind memory.TextKind) [][]float32 {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = m.embed(text, kind)
	}
	return out
}

// Weight says how far vectors of this kind count against words: they help with documents, and neither with what was
// said in passing nor with code.
func (e *Embedder) Weight(kind memory.Kind, language words.Language) float64 {
	return weight(kind, language)
}

func weight(kind memory.Kind, language words.Language) float64 {
	if kind == memory.KindTurn || language == words.Code {
		return 0
	}
	return 0.3
}

// few is the number of texts below which words say all there is to find by.
const few = 50

// Learn takes over the newest model, and makes a newer one when there are a fifth more texts than it was made of.
func (e *Embedder) Learn(ctx context.Context, texts int64, each iter.Seq2[string, error]) error {
	last, err := store.One[row](ctx, e.db.Read(), selectNewest)
	switch {
	case errors.Is(err, store.ErrNoRows):
	case err != nil:
		return fmt.Errorf("looking for the meanings of words: %w", err)
	}
	if texts < few || last.Name != "" && texts < last.Texts*6/5 {
		return e.adopt(ctx, last.Name)
	}
	var all [][]string
	for text, err := range each {
		if err != nil {
			return err
		}
		if all = append(all, strings.Split(text, " ")); len(all) == mostTexts {
			break
		}
	}
	c := gather(all)
	if len(c.words) == 0 {
		return nil
	}
	rows, err := decompose(ctx, c)
	if err != nil {
		return err
	}
	body, err := pack(c, rows)
	if err != nil {
		return err
	}
	fresh := row{Name: fmt.Sprintf("%s%d", family, last.Number+1), Number: last.Number + 1}
	err = e.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, insertModel, fresh.Name, fresh.Number, texts, body, time.Now()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, deleteOlder, fresh.Number-1)
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping the meanings of words: %w", err)
	}
	return e.adopt(ctx, fresh.Name)
}

// adopt makes a kept model the newest of this process.
func (e *Embedder) adopt(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	m, err := e.load(ctx, name)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.newest = m
	return nil
}

func (e *Embedder) load(ctx context.Context, name string) (*model, error) {
	e.mu.Lock()
	m := e.loaded[name]
	e.mu.Unlock()
	if m != nil {
		return m, nil
	}
	kept, err := store.One[keptModel](ctx, e.db.Read(), selectModel, name)
	if err != nil {
		return nil, fmt.Errorf("reading the meanings of words %s: %w", name, err)
	}
	if m, err = unpack(name, kept.Texts, kept.Body); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.loaded) > 1 { // the newest and the one before are used
		clear(e.loaded)
	}
	e.loaded[name] = m
	return m, nil
}

// Version is the embedder of one model, whichever is the newest.
func (e *Embedder) Version(name string) memory.Embedder { return version{e, name} }

type version struct {
	of   *Embedder
	name string
}

func (v version) Name() string  { return v.name }
func (version) Dimensions() int { return Dimensions }

func (version) Weight(kind memory.Kind, language words.Language) float64 {
	return weight(kind, language)
}

func (v version) Embed(ctx context.Context, texts []string, kind memory.TextKind) ([][]float32, error) {
	if v.name == family+"0" {
		return project(nil, texts, kind), nil
	}
	m, err := v.of.load(ctx, v.name)
	if err != nil {
		return nil, err
	}
	return project(m, texts, kind), nil
}

// row is a kept model without its body.
type row struct {
	Name   string `db:"name"`
	Number int64  `db:"number"`
	Texts  int64  `db:"texts"`
}

type keptModel struct {
	Texts int64  `db:"texts"`
	Body  []byte `db:"body"`
}
