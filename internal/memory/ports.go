package memory

import (
	"context"
	"iter"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// TextKind says what a text is for; some models embed questions differently.
type TextKind int

const (
	PassageText TextKind = iota // something to be found
	QueryText                   // something to find it with
)

// Embedder turns texts into vectors of length one.
type Embedder interface {
	// Name tells vectors that may be compared from those that may not: "gte-small-int8/1".
	Name() string
	Dimensions() int
	// Embed answers one vector per text, in their order. A text that is too
	// long is embedded by its beginning.
	Embed(ctx context.Context, texts []string, kind TextKind) ([][]float32, error)
}

// OwnEmbedder is an embedder that knows only what it learned from the texts of their owner: a user of a workspace, or, without
// a user, what is open to all of it.
type OwnEmbedder interface {
	Embedder
	EmbedFor(ctx context.Context, o Owner, texts []string, kind TextKind) ([][]float32, error)
}

// Learner is an embedder that is made of the texts it embeds, of each owner's apart.
type Learner interface {
	OwnEmbedder
	// Learn has it look at the texts if they have changed enough since it last did; its name is another afterwards.
	Learn(ctx context.Context, owners []Corpus) error
	// Forget removes what was learned from an owner's texts, and of a whole workspace if no user is named.
	Forget(ctx context.Context, tx *store.Tx, o Owner) error
}

// Corpus is the texts of one owner.
type Corpus struct {
	Owner
	Texts int64
	Words iter.Seq2[string, error] // of each text, the newest first
}

// Weigher is an embedder that knows how far its vectors count against words, from 0 to 1.
type Weigher interface {
	Embedder
	Weight(kind Kind, language words.Language) float64
}

// Partition names vectors that live and are searched together. Vectors of
// different partitions never meet.
type Partition struct {
	Workspace ids.Workspace
	Scope     string // "fact/user_01…", "knowledge/ksrc_01…"
	Embedder  string // Embedder.Name
}

// Vector is a unit vector and the id of what it stands for.
type Vector struct {
	ID     string
	Values []float32
}

// VectorQuery asks for the nearest vectors of some partitions.
type VectorQuery struct {
	Partitions []Partition // all of one embedder; none: nothing is found
	Vector     []float32   // of length one
	Limit      int         // how many, over all partitions together
	// Sure is how many of the best of a partition must be its best; of those after them some may be missed that are as
	// good, which is cheaper. 0: all of them.
	Sure int
	// Only restricts the search to these ids, scored exactly; nil: all. It is
	// for filters that leave few.
	Only []string
	// Allow drops ids the caller does not want, and more are looked for in
	// their place; nil: all. It is for filters that leave many.
	Allow func(id string) bool
}

// Match is a vector found, by its cosine with the question: 1 is the same direction.
type Match struct {
	Partition Partition
	ID        string
	Score     float32
}

// PartitionSize is what a partition holds.
type PartitionSize struct {
	Partition Partition
	Vectors   int64
}

// Index keeps vectors beside the rows they stand for. What a transaction
// changed is found, or no longer found, as soon as it is committed.
type Index interface {
	// Put adds vectors, or replaces those of the same ids.
	Put(ctx context.Context, tx *store.Tx, part Partition, items ...Vector) error
	// Delete removes vectors; ids that are not there are ignored. A partition
	// without an embedder stands for those of every embedder.
	Delete(ctx context.Context, tx *store.Tx, part Partition, ids ...string) error
	// Clear removes whole partitions: one; that of every embedder when it names
	// none; all of the workspace when it names no scope either.
	Clear(ctx context.Context, tx *store.Tx, part Partition) error
	// Search finds the nearest, best first; equal scores by id.
	Search(ctx context.Context, q VectorQuery) ([]Match, error)
	// Vectors walks a partition in the order of ids, starting after an id.
	Vectors(ctx context.Context, part Partition, after string) iter.Seq2[Vector, error]
	// Partitions lists what a workspace has.
	Partitions(ctx context.Context, ws ids.Workspace) ([]PartitionSize, error)
}
