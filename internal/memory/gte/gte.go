package gte

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
)

// Name is what vectors of this embedder are filed under. The number changes
// when the same text gives another vector.
const Name = "gte-small-int8/1"

// WeightsSHA256 is the digest of the file of weights.
const WeightsSHA256 = "0b3e2f1f4029479edca16e8b69f06a064b06ccc5511e0cbeeb2b3b846d6ff151"

// ErrLeftOut is what Embed answers when the binary was built without weights.
var ErrLeftOut = fault.New(fault.Unavailable, "embedder_left_out", "This binary was built without the weights of its embedder.").
	WithHint("Build with `make build`, which fetches them, or name another embedder in the configuration.")

// Embedder runs gte-small. It is for many callers at once; each call works on
// one core.
type Embedder struct {
	open    func() (*encoder, error) // once
	scratch sync.Pool
}

// New makes an embedder; it reads nothing before the first text comes.
func New() *Embedder {
	return &Embedder{
		open:    sync.OnceValues(func() (*encoder, error) { return openEmbedded(available()[0]) }),
		scratch: sync.Pool{New: func() any { return new(scratch) }},
	}
}

// Included says whether the weights are inside this binary.
func Included() bool {
	_, err := fs.Stat(embedded(), weightsFile)
	return err == nil
}

// weightsFile is made by scripts/model-weights.
const weightsFile = "weights/gte-small.bin"

func openEmbedded(k kernels) (*encoder, error) {
	f, err := embedded().Open(weightsFile)
	if err != nil {
		return nil, ErrLeftOut
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// An embedded file is a view of the binary: it is read where it lies, and
	// need not be closed.
	return open(f.(io.ReaderAt), info.Size(), k)
}

func (e *Embedder) Name() string { return Name }

func (e *Embedder) Dimensions() int { return hidden }

// Embed works on texts of similar length together. Questions and passages are
// embedded alike.
func (e *Embedder) Embed(ctx context.Context, texts []string, _ memory.TextKind) ([][]float32, error) {
	model, err := e.open()
	if err != nil {
		return nil, err
	}
	seqs := make([][]int32, len(texts))
	order := make([]int, len(texts))
	for i, text := range texts {
		seqs[i], order[i] = model.tokens.encode(text, maxTokens), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(seqs[a]), len(seqs[b])) })
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	vectors := make([][]float32, len(texts))
	for len(order) > 0 {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		batch := nextBatch(order, seqs)
		picked := make([][]int32, len(batch))
		for i, text := range batch {
			picked[i] = seqs[text]
		}
		done, err := model.encode(picked, s)
		if err != nil {
			return nil, err
		}
		for i, text := range batch {
			vectors[text] = done[i]
		}
		order = order[len(batch):]
	}
	return vectors, nil
}

// nextBatch takes texts from the front until they have enough tokens.
func nextBatch(order []int, seqs [][]int32) []int {
	tokens := 0
	for i, text := range order {
		if tokens += len(seqs[text]); i > 0 && tokens > batchTokens {
			return order[:i]
		}
	}
	return order
}
