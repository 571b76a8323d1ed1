package coststest

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Vendor is a model that bills: it counts what each attempt used, as the one
// who sends the invoice does. Each answer is Words tokens long.
type Vendor struct {
	Words int64 // tokens of an answer, one a chunk; 0: 10
	// Fails makes the attempt with this number (from 1) fail before anything is
	// sent; Breaks makes it break after half of the answer; nil: never.
	Fails, Breaks func(attempt int) bool

	mu       sync.Mutex // guards the fields below
	attempts int
	billed   map[string]providers.Usage
}

// Stream starts an attempt; its model's input is billed at once.
func (v *Vendor) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.attempts++
	if v.Fails != nil && v.Fails(v.attempts) {
		return nil, providers.Failure{Vendor: Provider, Status: 503, Message: "busy"}.Fault()
	}
	s := &vendorStream{ctx: ctx, v: v, model: req.Model, usage: providers.Usage{Input: providers.EstimateRequest(req)}, words: v.Words}
	if s.words == 0 {
		s.words = 10
	}
	s.breaks = v.Breaks != nil && v.Breaks(v.attempts)
	v.bill(req.Model, s.usage)
	return s, nil
}

func (v *Vendor) bill(model string, u providers.Usage) {
	if v.billed == nil {
		v.billed = make(map[string]providers.Usage)
	}
	v.billed[model] = v.billed[model].Plus(u)
}

// Billed is what a model's attempts used in all.
func (v *Vendor) Billed(model string) providers.Usage {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.billed[model]
}

// Attempts counts how often it was asked.
func (v *Vendor) Attempts() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.attempts
}

type vendorStream struct {
	ctx    context.Context
	v      *Vendor
	model  string
	usage  providers.Usage
	words  int64
	sent   int64
	step   int
	breaks bool
}

// Next sends start, usage, then word and usage in turn, then the finish.
func (s *vendorStream) Next(c *providers.Chunk) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	*c = providers.Chunk{}
	s.step++
	switch {
	case s.step == 1:
		*c = providers.Chunk{Kind: providers.ChunkStart, Model: s.model}
	case s.step == 2 || s.step%2 == 0 && s.sent <= s.words:
		*c = providers.Chunk{Kind: providers.ChunkUsage, Usage: s.usage}
	case s.breaks && s.sent >= s.words/2:
		return fault.New(fault.Upstream, providers.CodeBroken, "The answer broke off midway.")
	case s.sent < s.words:
		s.sent++
		s.usage.Output++
		s.v.mu.Lock()
		s.v.bill(s.model, providers.Usage{Output: 1})
		s.v.mu.Unlock()
		*c = providers.Chunk{Kind: providers.ChunkText, Text: strings.Repeat("w", 4)}
	case s.sent == s.words:
		s.sent++
		*c = providers.Chunk{Kind: providers.ChunkFinish, Stop: providers.StopEnd}
	default:
		return io.EOF
	}
	return nil
}

// Close gives nothing back.
func (s *vendorStream) Close() error { return nil }
