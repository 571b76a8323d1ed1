package providers

import (
	"context"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Relayable says whether the first choice for a name takes a dialect's bytes.
func (r *Router) Relayable(name string, d Dialect) bool {
	ids, err := r.Plan(&Request{Model: name})
	if err != nil {
		return false
	}
	m, err := r.provider(ids[0])
	return err == nil && speaks(m, d)
}

// Speaks says yes to every dialect that some provider speaks.
func (r *Router) Speaks(d Dialect) bool {
	for _, m := range r.opts.Providers {
		if speaks(m, d) {
			return true
		}
	}
	return false
}

// Relay passes an encoded request to the model of that name, and to its
// fallbacks as long as they speak the dialect.
func (r *Router) Relay(ctx context.Context, req *RawRequest) (*RawResponse, error) {
	ids, err := r.Plan(&Request{Model: req.Model})
	if err != nil {
		return nil, err
	}
	trail := req.Trail.shared()
	trail.Asked = req.Model
	var last error
	for i, id := range ids {
		m, err := r.provider(id)
		if err != nil {
			return nil, err
		}
		if last != nil && (!speaks(m, req.Dialect) || !r.moveOn(ctx, last, ids[i-1], id)) {
			break
		}
		try := *req
		try.Trail = trail
		_, try.Model, _ = strings.Cut(id, "/")
		resp, err := relay(ctx, m, &try)
		if err == nil {
			return resp, nil
		}
		last = err
	}
	return nil, last
}

// CountTokens counts with the vendor's own counter where it has one, and
// estimates elsewhere; exact says which.
func (r *Router) CountTokens(ctx context.Context, req *Request) (tokens int64, exact bool, err error) {
	ids, err := r.Plan(req)
	if err != nil {
		return 0, false, err
	}
	m, err := r.provider(ids[0])
	if err != nil {
		return 0, false, err
	}
	counter, ok := As[Counter](m)
	if !ok {
		return EstimateRequest(req), false, nil
	}
	try := *req
	_, try.Model, _ = strings.Cut(ids[0], "/")
	n, err := counter.CountTokens(ctx, &try)
	return n, true, err
}

// Embed makes vectors with the model of that name.
func (r *Router) Embed(ctx context.Context, req EmbedRequest) (Embeddings, error) {
	return sense(ctx, r, "embed", req.Model, func(ctx context.Context, e Embedder, model string) (Embeddings, Usage, error) {
		req.Model = model
		out, err := e.Embed(ctx, req)
		return out, out.Usage, err
	})
}

// Transcribe turns speech into text with the model of that name.
func (r *Router) Transcribe(ctx context.Context, req TranscribeRequest) (Transcript, error) {
	return sense(ctx, r, "transcribe", req.Model, func(ctx context.Context, t Transcriber, model string) (Transcript, Usage, error) {
		req.Model = model
		out, err := t.Transcribe(ctx, req)
		return out, out.Usage, err
	})
}

// Speak reads a text aloud with the model of that name.
func (r *Router) Speak(ctx context.Context, req SpeakRequest) (*Speech, error) {
	return sense(ctx, r, "speak", req.Model, func(ctx context.Context, s Speaker, model string) (*Speech, Usage, error) {
		req.Model = model
		out, err := s.Speak(ctx, req)
		return out, Usage{Input: EstimateText(req.Text), Estimated: true}, err
	})
}

// sense finds the port, makes one observed attempt and nothing more: a
// recording cannot be read twice.
func sense[P, T any](ctx context.Context, r *Router, operation, name string, do func(ctx context.Context, port P, model string) (T, Usage, error)) (T, error) {
	var none T
	ids, err := r.Plan(&Request{Model: name})
	if err != nil {
		return none, err
	}
	provider, model, _ := strings.Cut(ids[0], "/")
	m, err := r.provider(ids[0])
	if err != nil {
		return none, err
	}
	port, ok := As[P](m)
	if !ok {
		return none, fault.New(fault.Invalid, "operation_unsupported", "%s cannot %s.", provider, operation).WithParam("model").
			WithHint("`fluxway models` shows what each model can do.")
	}
	a := &Attempt{Trail: Trail{Asked: name, Attempt: 1}, Operation: operation, Provider: provider, Model: model, Started: time.Now()}
	if r.opts.Observer == nil {
		out, _, err := do(ctx, port, model)
		return out, err
	}
	ctx = r.opts.Observer.Begin(ctx, a)
	out, usage, err := do(ctx, port, model)
	if err == nil {
		a.Usage, a.Served = usage, model
	}
	(&observed{observer: r.opts.Observer}).end(ctx, a, err)
	return out, err
}
