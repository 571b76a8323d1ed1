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

// Embedder embeds with the newest models there are, and learns them.
type Embedder struct {
	db *store.DB

	mu     sync.Mutex // guards the fields below
	newest string     // "": not read yet, or there is none
	loaded map[key]*model
	words  int // of all loaded models
}

// key is one owner's model of one name.
type key struct {
	name  string
	owner memory.Owner
}

// New makes an embedder. Nothing is read before it is used.
func New(opts Options) (*Embedder, error) {
	if opts.DB == nil {
		return nil, errors.New("lsi: Options.DB is nil")
	}
	return &Embedder{db: opts.DB, loaded: map[key]*model{}}, nil
}

const family = "lsi-128-own/"

// Made says whether a name is that of models of this kind.
func Made(name string) bool { return strings.HasPrefix(name, family) }

// Name is that of the newest models; before there are any, that of none.
func (e *Embedder) Name() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.newest == "" {
		return family + "0"
	}
	return e.newest
}

// Dimensions are the same for all models.
func (e *Embedder) Dimensions() int { return Dimensions }

// Embed knows no words: what they mean is known by their owner only.
func (e *Embedder) Embed(_ context.Context, texts []string, kind memory.TextKind) ([][]float32, error) {
	return project(nil, texts, kind), nil
}

// EmbedFor projects texts with the newest model of an owner.
func (e *Embedder) EmbedFor(ctx context.Context, o memory.Owner, texts []string, kind memory.TextKind) ([][]float32, error) {
	return e.embed(ctx, key{e.Name(), o}, texts, kind)
}

func (e *Embedder) embed(ctx context.Context, k key, texts []string, kind memory.TextKind) ([][]float32, error) {
	m, err := e.load(ctx, k)
	if err != nil {
		return nil, err
	}
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

// few is the number of texts of an owner below which words say all there is to find by.
const few = 50

// Learn takes over the newest models, and makes newer ones when enough has changed since.
func (e *Embedder) Learn(ctx context.Context, owners []memory.Corpus) error {
	last, err := store.One[newest](ctx, e.db.Read(), selectNewest)
	if err != nil {
		return fmt.Errorf("looking for the meanings of words: %w", err)
	}
	kept, err := store.All[row](ctx, e.db.Read(), selectModels, last.Number)
	if err != nil {
		return fmt.Errorf("looking for the meanings of words: %w", err)
	}
	if !grown(owners, kept) {
		e.adopt(last.Number)
		return nil
	}
	number := last.Number + 1
	for _, c := range owners {
		if c.Texts < few {
			continue
		}
		if err := e.learn(ctx, number, c); err != nil {
			return err
		}
	}
	err = e.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, deleteOlder, number-1)
		return err
	})
	if err != nil {
		return fmt.Errorf("forgetting old meanings of words: %w", err)
	}
	e.adopt(number)
	return nil
}

// grown says whether models are worth making anew: there are a fifth more texts than they were made of, or owners whose
// texts they do not know, because they have none or had half as many, hold a twentieth of all.
func grown(owners []memory.Corpus, kept []row) bool {
	known := map[memory.Owner]int64{}
	var then, now, unknown int64
	for _, r := range kept {
		known[memory.Owner{Workspace: r.Workspace, User: r.User}] = r.Texts
		then += r.Texts
	}
	for _, c := range owners {
		if c.Texts < few {
			continue
		}
		now += c.Texts
		if c.Texts >= 2*known[c.Owner] {
			unknown += c.Texts
		}
	}
	return now > 0 && (now*5 >= then*6 || unknown*20 >= now)
}

// learn makes and keeps the model of one owner.
func (e *Embedder) learn(ctx context.Context, number int64, from memory.Corpus) error {
	all, err := texts(from.Words)
	if err != nil {
		return err
	}
	c := gather(all)
	body := []byte{} // of none: no word is in two texts
	if len(c.words) > 0 {
		rows, err := decompose(ctx, c)
		if err != nil {
			return err
		}
		if body, err = pack(c, rows); err != nil {
			return err
		}
	}
	err = e.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertModel, nameOf(number), from.Workspace, from.User, number, from.Texts, body, time.Now())
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping the meanings of words: %w", err)
	}
	return nil
}

func texts(each iter.Seq2[string, error]) ([][]string, error) {
	var all [][]string
	for text, err := range each {
		if err != nil {
			return nil, err
		}
		if all = append(all, strings.Split(text, " ")); len(all) == mostTexts {
			break
		}
	}
	return all, nil
}

func nameOf(number int64) string { return fmt.Sprintf("%s%d", family, number) }

// adopt makes kept models the newest of this process.
func (e *Embedder) adopt(number int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if number > 0 {
		e.newest = nameOf(number)
	}
}

// mostLoaded is how many words of models are held, at about half a kilobyte each.
const mostLoaded = 3 * mostWords

// load reads a model; nil: there is none.
func (e *Embedder) load(ctx context.Context, k key) (*model, error) {
	e.mu.Lock()
	m, known := e.loaded[k]
	e.mu.Unlock()
	if known {
		return m, nil
	}
	body, err := store.One[[]byte](ctx, e.db.Read(), selectModel, k.name, k.owner.Workspace, k.owner.User)
	switch {
	case errors.Is(err, store.ErrNoRows) || err == nil && len(body) == 0:
	case err != nil:
		return nil, fmt.Errorf("reading the meanings of words %s: %w", k.name, err)
	default:
		if m, err = unpack(k.name, body); err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 1
	if m != nil {
		n = len(m.idf)
	}
	if e.words += n; e.words > mostLoaded {
		clear(e.loaded)
		e.words = n
	}
	e.loaded[k] = m
	return m, nil
}

// Forget removes what was learned from an owner's texts, and of a whole workspace if no user is named.
func (e *Embedder) Forget(ctx context.Context, tx *store.Tx, o memory.Owner) error {
	if _, err := tx.Exec(ctx, deleteModels, o.Workspace, o.User, o.User); err != nil {
		return fmt.Errorf("forgetting the meanings of words: %w", err)
	}
	tx.AfterCommit(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		clear(e.loaded)
		e.words = 0
	})
	return nil
}

// Version is the embedder of models of one name, whichever are the newest.
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
	return v.of.Embed(ctx, texts, kind)
}

func (v version) EmbedFor(ctx context.Context, o memory.Owner, texts []string, kind memory.TextKind) ([][]float32, error) {
	return v.of.embed(ctx, key{v.name, o}, texts, kind)
}
