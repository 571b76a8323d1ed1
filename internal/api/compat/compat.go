package compat

import (
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Dialect is one vendor's way to ask and to answer.
type Dialect interface {
	// Name is the dialect as adapters know it.
	Name() providers.Dialect
	// Vendor is whose seals travel unwrapped.
	Vendor() string
	// Head reads the few fields that route a request, without decoding the rest.
	Head(body []byte) (Head, error)
	// Request decodes a body. Its Model is what the caller wrote.
	Request(body []byte) (*providers.Request, error)
	// Stream makes the encoder of one streamed answer.
	Stream(m Meta) Encoder
	// Whole encodes a complete answer.
	Whole(r *providers.Response, m Meta) ([]byte, error)
	// Error encodes a refusal in the vendor's shape; request is our id of it.
	Error(f *fault.Fault, request string) []byte
}

// Head is what routes a request.
type Head struct {
	Model  string
	Stream bool
	Usage  bool // a chat stream ends with a chunk of usage, because the caller asked for it
}

// Meta is what an answer repeats.
type Meta struct {
	ID    string // of our request; the answer's own id is made from it
	Model string // as the caller named it, until the vendor tells
	At    time.Time
	Usage bool // as in Head
	Array bool // Gemini: a JSON array instead of events
	Body  []byte
}

// Encoder writes one streamed answer. It is used by one goroutine.
type Encoder interface {
	// Chunk appends what a chunk becomes on the wire, which may be nothing.
	Chunk(dst []byte, c *providers.Chunk) []byte
	// Fail appends the end of an answer that broke.
	Fail(dst []byte, f *fault.Fault) []byte
}
