package providers

import (
	"cmp"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math"
	"sync"
	"time"
)

// SemanticCacheOptions sets a cache up.
type SemanticCacheOptions struct {
	Embed     func(ctx context.Context, text string) ([]float32, error) // required
	Scope     func(ctx context.Context) string                          // required: callers of one scope share answers; "": this call is not cached
	Threshold float64                                                   // how alike two questions must be, 0 to 1; 0: 0.98
	Size      int                                                       // answers kept; 0: 1000
	Life      time.Duration                                             // of an answer; 0: 1 hour
}

// SemanticCache answers a question like one answered before without asking
// again: same scope, model, instructions and history, and a last question that
// means nearly the same. Requests with tools are never cached. It must be asked
// for: a wrong hit is worse than a price. It does not relay: what it has not read
// it cannot compare.
type SemanticCache struct {
	inner Model
	opts  SemanticCacheOptions

	mu      sync.Mutex // guards the fields below
	byPlace map[[32]byte][]*list.Element
	age     *list.List // of *remembered, newest first
}

type remembered struct {
	place    [32]byte
	vector   []float32 // of length 1
	response *Response
	until    time.Time
}

// NewSemanticCache wraps a model.
func NewSemanticCache(m Model, opts SemanticCacheOptions) (*SemanticCache, error) {
	if opts.Embed == nil || opts.Scope == nil {
		return nil, errors.New("providers: SemanticCacheOptions needs Embed and Scope")
	}
	opts.Threshold, opts.Size, opts.Life = cmp.Or(opts.Threshold, 0.98), cmp.Or(opts.Size, 1000), cmp.Or(opts.Life, time.Hour)
	return &SemanticCache{inner: m, opts: opts, byPlace: map[[32]byte][]*list.Element{}, age: list.New()}, nil
}

// Unwrap is the model underneath.
func (s *SemanticCache) Unwrap() Model { return s.inner }

// Stream answers from memory, or asks and remembers. A cache that fails to
// embed stands aside.
func (s *SemanticCache) Stream(ctx context.Context, req *Request) (Stream, error) {
	place, question, ok := cachePlace(s.opts.Scope(ctx), req)
	if !ok {
		return s.inner.Stream(ctx, req)
	}
	vector, err := s.opts.Embed(ctx, question)
	if err != nil || !normalise(vector) {
		return s.inner.Stream(ctx, req)
	}
	if hit := s.find(place, vector); hit != nil {
		return &replay{ctx: ctx, chunks: hit.chunks()}, nil
	}
	inner, err := s.inner.Stream(ctx, req)
	if err != nil {
		return nil, err
	}
	return &remembering{Stream: inner, keep: func(r *Response) { s.keep(place, vector, r) }}, nil
}

// cachePlace is everything that must be equal for an answer to be shared, and
// the question that must only be alike.
func cachePlace(scope string, req *Request) (place [32]byte, question string, ok bool) {
	n := len(req.Messages)
	if scope == "" || len(req.Tools) > 0 || n == 0 || req.Messages[n-1].Role != RoleUser {
		return place, "", false
	}
	for _, p := range req.Messages[n-1].Parts {
		if p.Kind != PartText {
			return place, "", false
		}
	}
	rest := *req
	rest.Messages = req.Messages[:n-1]
	body, err := json.Marshal(struct {
		Scope string
		Rest  *Request
	}{scope, &rest})
	if err != nil {
		return place, "", false
	}
	return sha256.Sum256(body), req.Messages[n-1].Text(), true
}

// normalise makes a vector's length 1; a vector of nothing cannot be compared.
func normalise(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}

func likeness(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}

func (s *SemanticCache) find(place [32]byte, vector []float32) *Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *Response
	limit, now := s.opts.Threshold, time.Now()
	for _, e := range s.byPlace[place] {
		r := e.Value.(*remembered)
		if like := likeness(r.vector, vector); like >= limit && now.Before(r.until) {
			best, limit = r.response, like
		}
	}
	return best
}

func (s *SemanticCache) keep(place [32]byte, vector []float32, r *Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.age.PushFront(&remembered{place, vector, r, time.Now().Add(s.opts.Life)})
	s.byPlace[place] = append(s.byPlace[place], e)
	for s.age.Len() > s.opts.Size {
		s.forget(s.age.Back())
	}
}

func (s *SemanticCache) forget(e *list.Element) {
	place := s.age.Remove(e).(*remembered).place
	left := s.byPlace[place][:0]
	for _, other := range s.byPlace[place] {
		if other != e {
			left = append(left, other)
		}
	}
	if s.byPlace[place] = left; len(left) == 0 {
		delete(s.byPlace, place)
	}
}

// remembering keeps an answer that came to its natural end.
type remembering struct {
	Stream
	gather Gather
	keep   func(*Response)
}

// Next passes on.
func (r *remembering) Next(c *Chunk) error {
	err := r.Stream.Next(c)
	if err == nil {
		r.gather.Add(c)
	}
	if err == io.EOF && r.keep != nil {
		if response := r.gather.Response(); response.Stop == StopEnd {
			r.keep(response)
		}
		r.keep = nil
	}
	return err
}

// chunks are a whole answer as a stream; a remembered one costs no tokens.
func (r *Response) chunks() []Chunk {
	out := []Chunk{{Kind: ChunkStart, ID: r.ID, Model: r.Model}}
	for i := range r.Parts {
		kind := ChunkText
		if r.Parts[i].Kind == PartReasoning {
			kind = ChunkReasoning
		}
		if r.Parts[i].Text != "" {
			out = append(out, Chunk{Kind: kind, Text: r.Parts[i].Text})
		}
	}
	return append(out, Chunk{Kind: ChunkUsage}, Chunk{Kind: ChunkFinish, Stop: r.Stop})
}

// replay is a stream from memory.
type replay struct {
	ctx    context.Context
	chunks []Chunk
}

// Next gives the next chunk.
func (r *replay) Next(c *Chunk) error {
	*c = Chunk{}
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if len(r.chunks) == 0 {
		return io.EOF
	}
	*c, r.chunks = r.chunks[0], r.chunks[1:]
	return nil
}

// Close has nothing to give back.
func (r *replay) Close() error { return nil }
