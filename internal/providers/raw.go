package providers

import (
	"context"
	"io"
	"net/http"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Dialect names a wire protocol.
type Dialect string

// The dialects our doors and adapters speak.
const (
	DialectChat      Dialect = "openai-chat"      // POST /chat/completions
	DialectResponses Dialect = "openai-responses" // POST /responses
	DialectMessages  Dialect = "anthropic"        // POST /messages
	DialectGemini    Dialect = "gemini"           // POST /models/{model}:generateContent
	DialectOllama    Dialect = "ollama"           // POST /api/chat
)

// Relayer is a Model that can pass on a request already encoded in its own
// dialect, and give the answer's bytes back untouched.
type Relayer interface {
	Model
	// Speaks says whether Relay takes this dialect.
	Speaks(d Dialect) bool
	// Relay sends the body. A refusal is a fault as from Stream; a RawResponse
	// is always an accepted one.
	Relay(ctx context.Context, req *RawRequest) (*RawResponse, error)
}

// RawRequest is an encoded request.
type RawRequest struct {
	Dialect   Dialect
	Model     string // as the vendor calls it; written over the body's own
	Body      []byte // not changed; the adapter copies when it must edit
	Streaming bool
	Header    http.Header // vendor headers to pass on (beta flags); no credentials
	Trail     Trail
}

// RawResponse is an answer as the vendor sent it.
type RawResponse struct {
	Status int
	Header http.Header
	Body   io.ReadCloser // decompressed; reading it feeds Meter
	Meter  *Scanner
	// Ready is about how many bytes of the body are here already.
	Ready int
	// PremiumMilli is what the request itself costs where requests are counted.
	PremiumMilli int64
}

// speaks says whether a model relays a dialect.
func speaks(m Model, d Dialect) bool {
	r, ok := m.(Relayer)
	return ok && r.Speaks(d)
}

// relay passes on, or says that the model cannot.
func relay(ctx context.Context, m Model, req *RawRequest) (*RawResponse, error) {
	r, ok := m.(Relayer)
	if !ok || !r.Speaks(req.Dialect) {
		return nil, fault.New(fault.Unsupported, "relay_unsupported", "%s does not speak %s.", req.Model, req.Dialect).
			WithHint("Translate the request and stream it instead.")
	}
	return r.Relay(ctx, req)
}

// As finds a further port (Counter, Lister, Embedder, …) of a model, looking
// through the wrappers around it.
func As[T any](m Model) (T, bool) {
	for {
		if t, ok := m.(T); ok {
			return t, true
		}
		wrapped, ok := m.(interface{ Unwrap() Model })
		if !ok {
			var none T
			return none, false
		}
		m = wrapped.Unwrap()
	}
}
