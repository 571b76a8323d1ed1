package providers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

type scopeKey struct{}

// meaning places "capital of france" questions close together and others apart.
func meaning(_ context.Context, text string) ([]float32, error) {
	switch {
	case strings.Contains(text, "unwell"):
		return nil, errors.New("no vectors today")
	case strings.Contains(text, "France"):
		return []float32{10, float32(len(text)) / 50, 0}, nil
	}
	return []float32{0, 1, float32(len(text))}, nil
}

func TestSemanticCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := providerstest.Script(t, providerstest.When(".", providerstest.Says("Paris.")))
		c, err := providers.NewSemanticCache(inner, providers.SemanticCacheOptions{
			Embed: meaning, Size: 3, Life: time.Hour,
			Scope: func(ctx context.Context) string { s, _ := ctx.Value(scopeKey{}).(string); return s },
		})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(scope, text string, change func(*providers.Request)) (asked bool) {
			t.Helper()
			req := &providers.Request{Model: "m", Messages: []providers.Message{providers.UserText(text)}}
			if change != nil {
				change(req)
			}
			before := len(inner.Requests())
			got, err := providers.Complete(context.WithValue(t.Context(), scopeKey{}, scope), c, req)
			if err != nil || got.Text() != "Paris." || got.Stop != providers.StopEnd {
				t.Fatalf("%+v, %v", got, err)
			}
			asked = len(inner.Requests()) > before
			if !asked && !got.Usage.Zero() {
				t.Errorf("a remembered answer costs %+v", got.Usage)
			}
			return asked
		}
		for _, step := range []struct {
			why, scope, text string
			change           func(*providers.Request)
			asked            bool
		}{
			{"the first time", "a", "Capital of France?", nil, true},
			{"nearly the same words", "a", "The capital of France, please?", nil, false},
			{"another scope", "b", "Capital of France?", nil, true},
			{"no scope", "", "Capital of France?", nil, true},
			{"another question", "a", "Who are you?", nil, true},
			{"another model", "a", "Capital of France?", func(r *providers.Request) { r.Model = "n" }, true},
			{"other instructions", "a", "Capital of France?", func(r *providers.Request) { r.System = []providers.Part{providers.Text("x")} }, true},
			{"tools are never cached", "a", "Capital of France?", func(r *providers.Request) { r.Tools = []providers.Tool{{Name: "t"}} }, true},
			{"the oldest was pushed out", "a", "Capital of France?", nil, true},
			{"and is remembered again", "a", "Capital of France?", nil, false},
			{"no vectors, no cache", "a", "unwell", nil, true},
			{"no vectors, no cache, again", "a", "unwell", nil, true},
		} {
			if got := ask(step.scope, step.text, step.change); got != step.asked {
				t.Errorf("%s: asked %v, want %v", step.why, got, step.asked)
			}
		}
		<-time.After(2 * time.Hour)
		if !ask("a", "Capital of France?", nil) {
			t.Error("an old answer was given")
		}
	})
}

func TestSemanticCacheForgetsHalfAnswers(t *testing.T) {
	t.Parallel()
	inner := providerstest.Script(t, providerstest.Together(providerstest.Says("half "), providerstest.Fails("broken")), providerstest.Says("whole"))
	c, err := providers.NewSemanticCache(inner, providers.SemanticCacheOptions{Embed: meaning, Scope: func(context.Context) string { return "a" }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := providers.Complete(t.Context(), c, question("m")); err == nil {
		t.Fatal("not broken")
	}
	if got, err := providers.Complete(t.Context(), c, question("m")); err != nil || got.Text() != "whole" {
		t.Errorf("%q, %v", got.Text(), err)
	}
}
