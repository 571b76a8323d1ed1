package providers_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/providers/vendors"
)

// TestWhatIsObservedIsWhatWasCounted: over any mixture of answers, refusals,
// retries and fallbacks, the attempts that finished add
// up to what the vendors counted, and every attempt that began has ended.
func TestWhatIsObservedIsWhatWasCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		fakes := map[string]*providerstest.Fake{"openai": providerstest.FakeOpenAI(t), "anthropic": providerstest.FakeAnthropic(t)}
		seen := &recorder{}
		models := map[string]providers.Model{}
		for name, f := range fakes {
			base := f.URL
			if name == "openai" {
				base += "/v1"
			}
			m, err := vendors.New(vendors.Spec{Name: name, BaseURL: base, Accounts: providers.OneKey(name, secret.New(providerstest.FakeKey))})
			if err != nil {
				rt.Fatal(err)
			}
			models[name] = providers.Retry(providers.NewBreaker(providers.Observe(m, name, seen), providers.BreakerOptions{Failures: 3, Rest: time.Hour}), retry.Policy{Attempts: 2, First: time.Nanosecond})
			for range rapid.IntRange(0, 8).Draw(rt, name) {
				f.Will(reply(rt))
			}
		}
		r, err := providers.NewRouter(providers.RouterOptions{Providers: models, Catalogue: catalogue(t), Routes: []providers.Route{
			{Name: "any", Targets: []providers.Target{{Model: "openai/gpt-5"}, {Model: "anthropic/claude-opus-5"}}},
		}})
		if err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(rt, "calls") {
			_, _ = providers.Complete(t.Context(), r, question("any")) // failures are part of the mixture
		}
		var finished, counted providers.Usage
		for _, a := range seen.ended {
			if a.Outcome == providers.OutcomeFinished {
				finished = finished.Plus(a.Usage)
			} else if !a.Usage.Zero() {
				rt.Errorf("a refused attempt cost %+v", a.Usage)
			}
		}
		for _, f := range fakes {
			counted = counted.Plus(f.Counted())
		}
		if finished.TotalInput() != counted.TotalInput() || finished.TotalOutput() != counted.TotalOutput() || finished.Estimated {
			rt.Errorf("observed %+v, counted %+v", finished, counted)
		}
		if seen.begun != len(seen.ended) {
			rt.Errorf("%d attempts began, %d ended", seen.begun, len(seen.ended))
		}
	})
}

func reply(rt *rapid.T) providerstest.Reply {
	switch rapid.IntRange(0, 5).Draw(rt, "kind") {
	case 0:
		return providerstest.Reply{Status: 429, Code: "rate_limit_exceeded", Message: "slow"}
	case 1:
		return providerstest.Reply{Status: 503, Code: "overloaded_error", Message: "busy"}
	case 2:
		return providerstest.Reply{Status: 400, Code: "invalid_value", Message: "no"}
	}
	count := func(name string) int64 { return int64(rapid.IntRange(1, 5000).Draw(rt, name)) }
	return providerstest.Reply{Says: "An answer.", Usage: providers.Usage{Input: count("input"), CacheRead: count("cached"), Output: count("output"), Reasoning: count("reasoning")}}
}
