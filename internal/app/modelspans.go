package app

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/providers"
)

// observers tell several of every attempt; each gets the context of the one before.
type observers []providers.Observer

// Begin tells all, in order.
func (all observers) Begin(ctx context.Context, a *providers.Attempt) context.Context {
	for _, o := range all {
		ctx = o.Begin(ctx, a)
	}
	return ctx
}

// End tells all, the last first.
func (all observers) End(ctx context.Context, a *providers.Attempt) {
	for i := len(all) - 1; i >= 0; i-- {
		all[i].End(ctx, a)
	}
}

// spans makes a span of each attempt, in the words of OpenTelemetry's
// conventions for generative AI.
type spans struct{ observe *observe.Observe }

type spanKey struct{}

// Begin starts the span.
func (s spans) Begin(ctx context.Context, a *providers.Attempt) context.Context {
	if !s.observe.Listening() {
		return ctx
	}
	ctx, span := s.observe.Start(ctx, a.Operation+" "+a.Model,
		attribute.String("gen_ai.operation.name", a.Operation), attribute.String("gen_ai.provider.name", a.Provider),
		attribute.String("gen_ai.request.model", a.Model), attribute.String("fluxway.model.asked", a.Asked),
		attribute.Int("fluxway.model.attempt", a.Attempt))
	return context.WithValue(ctx, spanKey{}, span)
}

// End finishes it with what came of the attempt.
func (s spans) End(ctx context.Context, a *providers.Attempt) {
	span, ok := ctx.Value(spanKey{}).(trace.Span)
	if !ok {
		return
	}
	span.SetAttributes(
		attribute.String("gen_ai.response.model", a.Served), attribute.String("fluxway.model.outcome", string(a.Outcome)),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(a.Stop)}),
		attribute.Int64("gen_ai.usage.input_tokens", a.Usage.TotalInput()), attribute.Int64("gen_ai.usage.output_tokens", a.Usage.TotalOutput()),
		attribute.Float64("fluxway.model.first_token_seconds", a.FirstToken.Seconds()))
	observe.End(span, a.Err)
}
