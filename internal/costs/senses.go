package costs

import (
	"context"

	"github.com/fluxway/fluxway/internal/providers"
)

// MeterEmbedder is Meter for vectors.
func MeterEmbedder(l *Ledger, provider string, e providers.Embedder) providers.Embedder {
	return &embedMeter{l, provider, e}
}

type embedMeter struct {
	l        *Ledger
	provider string
	embedder providers.Embedder
}

// Embed reserves, asks and records.
func (m *embedMeter) Embed(ctx context.Context, req providers.EmbedRequest) (providers.Embeddings, error) {
	var input int64
	for _, text := range req.Texts {
		input += providers.EstimateText(text)
	}
	r, err := m.l.Reserve(ctx, Call{Attribution: From(ctx), Provider: m.provider, Model: req.Model, Input: input, Output: 1})
	if err != nil {
		return providers.Embeddings{}, err
	}
	out, err := m.embedder.Embed(ctx, req)
	settleWhole(ctx, r, out.Model, out.Usage, input, err)
	return out, err
}

// MeterTranscriber is Meter for speech to text.
func MeterTranscriber(l *Ledger, provider string, t providers.Transcriber) providers.Transcriber {
	return &transcribeMeter{l, provider, t}
}

type transcribeMeter struct {
	l           *Ledger
	provider    string
	transcriber providers.Transcriber
}

// Transcribe reserves, asks and records. A vendor that charges by the minute
// tells no tokens; the price is then unknown, not zero.
func (m *transcribeMeter) Transcribe(ctx context.Context, req providers.TranscribeRequest) (providers.Transcript, error) {
	r, err := m.l.Reserve(ctx, Call{Attribution: From(ctx), Provider: m.provider, Model: req.Model, Input: providers.EstimateText(req.Prompt)})
	if err != nil {
		return providers.Transcript{}, err
	}
	out, err := m.transcriber.Transcribe(ctx, req)
	if out.Usage.Zero() && err == nil {
		r.rates = rated{}
	}
	settleWhole(ctx, r, req.Model, out.Usage, 0, err)
	return out, err
}

// MeterSpeaker is Meter for text to speech.
func MeterSpeaker(l *Ledger, provider string, s providers.Speaker) providers.Speaker {
	return &speakMeter{l, provider, s}
}

type speakMeter struct {
	l        *Ledger
	provider string
	speaker  providers.Speaker
}

// Speak reserves, asks and records. No vendor tells the tokens of the sound it
// sends, so the price of a speech stays unknown unless the model is free.
func (m *speakMeter) Speak(ctx context.Context, req providers.SpeakRequest) (*providers.Speech, error) {
	input := providers.EstimateText(req.Text)
	r, err := m.l.Reserve(ctx, Call{Attribution: From(ctx), Provider: m.provider, Model: req.Model, Input: input})
	if err != nil {
		return nil, err
	}
	speech, err := m.speaker.Speak(ctx, req)
	if err != nil {
		r.Settle(unanswered(ctx, r, err, input))
		return nil, err
	}
	usage := providers.Usage{Input: input, Estimated: true}
	if free := r.rates.cost(providers.Usage{Input: 1, AudioOutput: 1}); free == nil || *free > 0 {
		r.rates = rated{}
	}
	r.Settle(Settlement{Outcome: OK, Usage: usage, Model: req.Model})
	return speech, nil
}

// settleWhole ends a call whose answer comes in one piece.
func settleWhole(ctx context.Context, r *Reservation, model string, usage providers.Usage, input int64, err error) {
	if err != nil {
		r.Settle(unanswered(ctx, r, err, input))
		return
	}
	if usage.Zero() && input > 0 {
		usage = providers.Usage{Input: input, Estimated: true}
	}
	r.Settle(Settlement{Outcome: OK, Usage: usage, Model: model})
}
