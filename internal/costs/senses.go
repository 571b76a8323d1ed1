package costs

import (
	"context"

	"github.com/fluxway/fluxway/internal/providers"
)

// Embed reserves, asks and records.
func (m *meter) Embed(ctx context.Context, req providers.EmbedRequest) (providers.Embeddings, error) {
	embedder, ok := providers.As[providers.Embedder](m.model)
	if !ok {
		return providers.Embeddings{}, unsupported(m.provider, "embed")
	}
	var input int64
	for _, text := range req.Texts {
		input += providers.EstimateText(text)
	}
	c := m.call(ctx, req.Model, providers.Trail{})
	c.Input, c.Output = input, 1
	r, err := m.l.Reserve(ctx, c)
	if err != nil {
		return providers.Embeddings{}, err
	}
	out, err := embedder.Embed(r.watch(ctx), req)
	if err == nil && out.Usage.Zero() {
		out.Usage = providers.Usage{Input: input, Estimated: true}
	}
	settleWhole(ctx, r, out.Model, out.Usage, err)
	return out, err
}

// Transcribe reserves, asks and records. A vendor that charges by the minute
// tells no tokens; the price is then unknown, not zero.
func (m *meter) Transcribe(ctx context.Context, req providers.TranscribeRequest) (providers.Transcript, error) {
	transcriber, ok := providers.As[providers.Transcriber](m.model)
	if !ok {
		return providers.Transcript{}, unsupported(m.provider, "transcribe")
	}
	r, err := m.l.Reserve(ctx, m.call(ctx, req.Model, providers.Trail{}))
	if err != nil {
		return providers.Transcript{}, err
	}
	out, err := transcriber.Transcribe(r.watch(ctx), req)
	if err == nil && out.Usage.Zero() {
		r.withoutTokens()
	}
	settleWhole(ctx, r, "", out.Usage, err)
	return out, err
}

// Speak reserves, asks and records. Vendors do not tell the tokens of the sound
// they send, so the price of a speech stays unknown unless the model is free.
func (m *meter) Speak(ctx context.Context, req providers.SpeakRequest) (*providers.Speech, error) {
	speaker, ok := providers.As[providers.Speaker](m.model)
	if !ok {
		return nil, unsupported(m.provider, "speak")
	}
	c := m.call(ctx, req.Model, providers.Trail{})
	c.Input = providers.EstimateText(req.Text)
	r, err := m.l.Reserve(ctx, c)
	if err != nil {
		return nil, err
	}
	speech, err := speaker.Speak(r.watch(ctx), req)
	r.withoutTokens()
	settleWhole(ctx, r, "", providers.Usage{Input: c.Input, Estimated: true}, err)
	return speech, err
}

// withoutTokens makes the price unknown, because not all that was used is told,
// unless the model is known to cost nothing.
func (r *Reservation) withoutTokens() {
	one := providers.Usage{Input: 1, Output: 1, AudioInput: 1, AudioOutput: 1}
	if price := r.rates.cost(one); price == nil || *price > 0 {
		r.rates = rated{}
	}
}

// settleWhole ends a call whose answer comes in one piece.
func settleWhole(ctx context.Context, r *Reservation, model string, usage providers.Usage, err error) {
	if err != nil {
		r.Settle(unanswered(ctx, r, err, r.rec.Input))
		return
	}
	r.Settle(Settlement{Outcome: OK, Usage: usage, Model: model})
}
