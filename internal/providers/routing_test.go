package providers_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/openai"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/providers/scripted"
)

func question(model string) *providers.Request {
	return &providers.Request{Model: model, Messages: []providers.Message{providers.UserText("hello there")}}
}

// recorder is an observer that keeps everything.
type recorder struct {
	mu    sync.Mutex
	begun int
	ended []providers.Attempt
}

func (r *recorder) Begin(ctx context.Context, _ *providers.Attempt) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return ctx
}

func (r *recorder) End(_ context.Context, a *providers.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, *a)
}

func TestRetryRepeatsWhatMaySucceed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := &recorder{}
		rate := scripted.Turn{Steps: []scripted.Step{{Fails: "rate", RetryAfter: scripted.Duration(time.Minute)}}}
		inner := providerstest.Script(t, providerstest.Fails("overloaded"), rate, providerstest.Says("at last"))
		m := providers.Retry(providers.Observe(inner, "acme", seen), retry.Policy{Max: time.Minute})
		start := time.Now()
		got, err := providers.Complete(t.Context(), m, question("m"))
		if err != nil || got.Text() != "at last" || time.Since(start) < time.Minute {
			t.Fatalf("%q, %v after %s; want the answer after the vendor's minute", got.Text(), err, time.Since(start))
		}
		var codes []string
		for i, a := range seen.ended {
			codes = append(codes, string(a.Outcome)+" "+fault.From(errors.Join(a.Err, errors.New("x"))).Code)
			if a.Attempt != i+1 || a.Provider != "acme" || a.Model != "m" || a.Operation != "chat" {
				t.Errorf("attempt %d is %+v", i, a)
			}
		}
		want := []string{"failed provider_overloaded", "failed provider_rate", "finished internal"}
		if diff := cmp.Diff(want, codes); diff != "" || seen.begun != 3 {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		if last := seen.ended[2]; last.Usage.Output == 0 || last.Usage.Estimated || last.Stop != providers.StopEnd {
			t.Errorf("the last attempt is %+v", last)
		}
	})
}

func TestRetryLeavesWhatIsFinalOrHalfShown(t *testing.T) {
	t.Parallel()
	for how, code := range map[string]string{"bad_request": providers.CodeBadRequest, "auth": providers.CodeAuth, "context_too_long": providers.CodeContext} {
		m := providers.Retry(providerstest.Script(t, providerstest.Fails(how)), retry.Policy{})
		if _, err := providers.Complete(t.Context(), m, question("m")); !fault.HasCode(err, code) {
			t.Errorf("%s: %v", how, err)
		}
	}
	hour := scripted.Turn{Steps: []scripted.Step{{Fails: "rate", RetryAfter: scripted.Duration(time.Hour)}}}
	_, err := providers.Complete(t.Context(), providers.Retry(providerstest.Script(t, hour), retry.Policy{}), question("m"))
	if f := fault.From(err); f.Code != providers.CodeRate || f.RetryAfter != time.Hour {
		t.Errorf("an hour's wait: %v", err)
	}
	m := providers.Retry(providerstest.Script(t, providerstest.Together(providerstest.Says("half "), providerstest.Fails("broken"))), retry.Policy{})
	got, err := providers.Complete(t.Context(), m, question("m"))
	if !fault.HasCode(err, providers.CodeBroken) || got.Text() != "half " {
		t.Errorf("half an answer: %q, %v", got.Text(), err)
	}
}

func TestFirstTokenTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := &recorder{}
		slow := providerstest.Together(providerstest.Waits(time.Minute), providerstest.Says("too late"))
		steady := providerstest.Together(providerstest.Says("first "), providerstest.Waits(time.Hour), providerstest.Says("last"))
		m := providers.FirstTokenTimeout(providers.Observe(providerstest.Script(t, slow, steady), "acme", seen), 10*time.Second)
		start := time.Now()
		_, err := m.Stream(t.Context(), question("m"))
		if !fault.HasCode(err, providers.CodeSlow) || !fault.From(err).Retryable || time.Since(start) != 10*time.Second {
			t.Fatalf("%v after %s", err, time.Since(start))
		}
		if a := seen.ended[0]; a.Outcome != providers.OutcomeFailed || !a.Usage.Estimated || a.Usage.Input == 0 {
			t.Errorf("a slow attempt is %+v; want failed, with its input estimated", a)
		}
		got, err := providers.Complete(t.Context(), m, question("m"))
		if err != nil || got.Text() != "first last" {
			t.Fatalf("once it talks it may take its time: %q, %v", got.Text(), err)
		}
	})
}

func TestBreakerOpensRestsAndProbes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := providerstest.Script(t, providerstest.Fails("rate"), providerstest.Fails("unavailable"), providerstest.Fails("overloaded"),
			providerstest.Fails("unavailable"), providerstest.Says("well again"), providerstest.Says("still well"))
		b := providers.NewBreaker(inner, providers.BreakerOptions{Provider: "acme", Failures: 2, Rest: time.Minute})
		ask := func() error {
			_, err := providers.Complete(t.Context(), b, question("m"))
			return err
		}
		state := func(want providers.BreakerState) {
			t.Helper()
			if got, _ := b.State(); got != want {
				t.Fatalf("state %s, want %s", got, want)
			}
		}
		_ = ask() // a rate limit shows that it is alive
		_ = ask()
		state(providers.BreakerClosed)
		_ = ask()
		state(providers.BreakerOpen)
		before := len(inner.Requests())
		if f := fault.From(ask()); f.Code != providers.CodeUnavailable || f.RetryAfter != time.Minute || len(inner.Requests()) != before {
			t.Fatalf("while open: %+v", f)
		}
		<-time.After(time.Minute) // on the bubble's clock
		_ = ask()                 // the probe fails
		state(providers.BreakerOpen)
		<-time.After(time.Minute)
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		state(providers.BreakerClosed)
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBreakerSurvivesACancelledProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := providerstest.Script(t, providerstest.Fails("unavailable"), providerstest.Together(providerstest.Waits(time.Hour), providerstest.Says("x")), providerstest.Says("well"))
		b := providers.NewBreaker(inner, providers.BreakerOptions{Provider: "acme", Failures: 1, Rest: time.Second})
		_, _ = providers.Complete(t.Context(), b, question("m"))
		<-time.After(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := providers.Complete(ctx, b, question("m")); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("the cancelled probe: %v", err)
		}
		if got, err := providers.Complete(t.Context(), b, question("m")); err != nil || got.Text() != "well" {
			t.Errorf("the next probe: %q, %v", got.Text(), err)
		}
	})
}

func TestObserveTellsOfCancelledAndClosed(t *testing.T) {
	t.Parallel()
	seen := &recorder{}
	long := providerstest.Says(strings.Repeat("word ", 50))
	m := providers.Observe(providerstest.Script(t, long, providerstest.Together(long, providerstest.Fails("broken"))), "acme", seen)
	s, err := m.Stream(t.Context(), question("m"))
	if err != nil {
		t.Fatal(err)
	}
	var c providers.Chunk
	for range 6 {
		if err := s.Next(&c); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
	_ = s.Close()
	if _, err := providers.Complete(t.Context(), m, question("m")); err == nil {
		t.Fatal("not broken")
	}
	if len(seen.ended) != 2 {
		t.Fatalf("%d ends, want one per attempt", len(seen.ended))
	}
	closed, broken := seen.ended[0], seen.ended[1]
	if closed.Outcome != providers.OutcomeCancelled || !closed.Usage.Estimated || closed.Usage.Input == 0 || closed.Usage.Output != 7 || closed.FirstToken == 0 {
		t.Errorf("closed early: %+v; want cancelled with 5 words estimated", closed)
	}
	if broken.Outcome != providers.OutcomeFailed || !broken.Usage.Estimated || broken.Usage.Output < 50 {
		t.Errorf("broken: %+v", broken)
	}
}

func catalogue(t *testing.T, entries ...providers.Entry) *providers.Catalogue {
	t.Helper()
	c, err := providers.NewCatalogue(entries)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func price(in, out int64) []providers.Price {
	return []providers.Price{{Rates: providers.Rates{Input: &in, Output: &out}}}
}

// echo answers with the model's name, or fails as told.
type echo map[string]error

func (e echo) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	if err := e[req.Model]; err != nil {
		return nil, err
	}
	return scripted.Play(ctx, "echo", req, []scripted.Step{{Says: req.Model}}, 0)
}

func TestRouterFindsModels(t *testing.T) {
	t.Parallel()
	r, err := providers.NewRouter(providers.RouterOptions{
		Providers: map[string]providers.Model{"openai": echo{}, "anthropic": echo{}, "openrouter": echo{}},
		Catalogue: catalogue(t), Default: "fast",
		Routes: []providers.Route{
			{Name: "fast", Targets: []providers.Target{{Model: "openai/gpt-5-mini"}}},
			{Name: "smart", Targets: []providers.Target{{Model: "claude-opus-5-5"}, {Model: "fast"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"openai/gpt-5":                  {"openai/gpt-5"},
		"gpt-5":                         {"openai/gpt-5"},
		"claude-sonnet-4-5-20250929":    {"anthropic/claude-sonnet-4-5-20250929"},
		"fast":                          {"openai/gpt-5-mini"},
		"":                              {"openai/gpt-5-mini"},
		"default":                       {"openai/gpt-5-mini"},
		"smart":                         {"anthropic/claude-opus-5-5", "openai/gpt-5-mini"},
		"openai/brand-new":              {"openai/brand-new"},
		"openrouter/meta-llama/llama-4": {"openrouter/meta-llama/llama-4"},
	} {
		got, err := r.Plan(&providers.Request{Model: name})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Plan(%q): %v (-want +got):\n%s", name, err, diff)
		}
	}
	_, err = r.Stream(t.Context(), question("smrt"))
	if f := fault.From(err); f.Code != providers.CodeNoModel || !strings.Contains(f.Hint, `"smart"`) {
		t.Errorf("a slip: %v, %q", err, f.Hint)
	}
	if _, err := r.Stream(t.Context(), question("gemini/gemini-2.5-pro")); !fault.HasCode(err, providers.CodeNoModel) {
		t.Errorf("a provider that is not configured: %v", err)
	}
	if !slices.ContainsFunc(r.List(), func(l providers.Listing) bool { return l.Name == "smart" && l.Route }) {
		t.Error("routes are not listed")
	}
}

func TestRouterFallsBackOnlyWhereItHelps(t *testing.T) {
	t.Parallel()
	fails := func(status int, code string) error {
		return providers.Failure{Vendor: "echo", Status: status, Code: code}.Fault()
	}
	for name, tt := range map[string]struct {
		first error
		want  string // the answering model, or "" for the error
	}{
		"rate":       {fails(429, ""), "second"},
		"overloaded": {fails(529, ""), "second"},
		"auth":       {fails(401, ""), "second"},
		"no model":   {fails(404, ""), "second"},
		"context":    {fails(400, "context_length_exceeded"), "huge"},
		"filtered":   {fails(400, "content_filter"), ""},
		"bad":        {fails(400, "x"), ""},
	} {
		seen := &recorder{}
		e := echo{"first": tt.first}
		r, err := providers.NewRouter(providers.RouterOptions{
			Providers: map[string]providers.Model{"echo": providers.Observe(e, "echo", seen)},
			Catalogue: catalogue(t, providers.Entry{ID: "echo/first", Context: 1000}, providers.Entry{ID: "echo/second", Context: 1000}, providers.Entry{ID: "echo/huge", Context: 9000}),
			Routes:    []providers.Route{{Name: "route", Targets: []providers.Target{{Model: "echo/first"}, {Model: "echo/second"}}}},
			Upgrades:  map[string]string{"echo/first": "echo/huge"},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := providers.Complete(t.Context(), r, question("route"))
		if got.Text() != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got.Text(), err, tt.want)
		}
		for _, a := range seen.ended {
			if a.Asked != "route" {
				t.Errorf("%s: the attempt does not know what was asked for: %+v", name, a)
			}
		}
	}
}

func TestRouterChooses(t *testing.T) {
	t.Parallel()
	entries := []providers.Entry{
		{ID: "echo/dear", Context: 1_000_000, Can: []providers.Capability{"vision", "tools"}, Prices: price(10_000_000, 50_000_000)},
		{ID: "echo/cheap", Context: 1000, Can: []providers.Capability{"tools"}, Prices: price(100_000, 500_000)},
		{ID: "echo/middle", Context: 100_000, Can: []providers.Capability{"vision", "tools"}, Prices: price(1_000_000, 5_000_000)},
	}
	draw := 0.0
	r, err := providers.NewRouter(providers.RouterOptions{
		Providers: map[string]providers.Model{"echo": echo{}}, Catalogue: catalogue(t, entries...), Random: func() float64 { return draw },
		Routes: []providers.Route{
			{Name: "cheapest", Choose: providers.ChooseCheapest, Targets: []providers.Target{{Model: "echo/dear"}, {Model: "echo/unknown"}, {Model: "echo/middle"}, {Model: "echo/cheap"}}},
			{Name: "split", Choose: providers.ChooseWeighted, Targets: []providers.Target{{Model: "echo/dear", Weight: 1}, {Model: "echo/cheap", Weight: 9}}},
			{Name: "eyes", Needs: []providers.Capability{"vision"}, Targets: []providers.Target{{Model: "echo/cheap"}, {Model: "echo/dear"}}},
			{Name: "only", Targets: []providers.Target{{Model: "echo/cheap"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	picture := question("cheapest")
	picture.Messages[0].Parts = append(picture.Messages[0].Parts, providers.Part{Kind: providers.PartImage, Data: []byte("x")})
	long := question("cheapest")
	long.Messages[0].Parts[0].Text = strings.Repeat("long ", 2000)
	tooLong := question("only")
	tooLong.Messages[0].Parts[0].Text = strings.Repeat("long ", 2000)
	for name, tt := range map[string]struct {
		req  *providers.Request
		draw float64
		want []string
	}{
		"cheapest first, unknown last": {question("cheapest"), 0, []string{"echo/cheap", "echo/middle", "echo/dear", "echo/unknown"}},
		"cheapest that sees":           {picture, 0, []string{"echo/middle", "echo/dear", "echo/unknown"}},
		"cheapest that fits":           {long, 0, []string{"echo/middle", "echo/dear", "echo/unknown"}},
		"weighted, low draw":           {question("split"), 0.05, []string{"echo/dear", "echo/cheap"}},
		"weighted, high draw":          {question("split"), 0.5, []string{"echo/cheap", "echo/dear"}},
		"a route's own needs":          {question("eyes"), 0, []string{"echo/dear"}},
		"nothing fits: let it say so":  {tooLong, 0, []string{"echo/cheap"}},
	} {
		draw = tt.draw
		got, err := r.Plan(tt.req)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestRouterRefusesBadRoutes(t *testing.T) {
	t.Parallel()
	target := func(names ...string) (ts []providers.Target) {
		for _, n := range names {
			ts = append(ts, providers.Target{Model: n})
		}
		return ts
	}
	for name, routes := range map[string][]providers.Route{
		"a circle":          {{Name: "a", Targets: target("b")}, {Name: "b", Targets: target("a")}},
		"no targets":        {{Name: "a"}},
		"twice":             {{Name: "a", Targets: target("echo/x")}, {Name: "a", Targets: target("echo/x")}},
		"a slash":           {{Name: "a/b", Targets: target("echo/x")}},
		"an unknown target": {{Name: "a", Targets: target("nobody/x")}},
	} {
		if _, err := providers.NewRouter(providers.RouterOptions{Providers: map[string]providers.Model{"echo": echo{}}, Catalogue: catalogue(t), Routes: routes}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestWrappersKeepThePortsUnderneath(t *testing.T) {
	t.Parallel()
	m := providers.Retry(providers.NewBreaker(providers.FirstTokenTimeout(providers.Observe(counting{}, "x", &recorder{}), time.Second), providers.BreakerOptions{}), retry.Policy{})
	if c, ok := providers.As[providers.Counter](m); !ok {
		t.Error("the counter is lost")
	} else if n, err := c.CountTokens(t.Context(), question("m")); n != 42 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, ok := providers.As[providers.Embedder](m); ok {
		t.Error("found a port that is not there")
	}
	r, ok := m.(providers.Relayer)
	if !ok || r.Speaks(providers.DialectChat) {
		t.Error("a wrapper speaks what its model does not")
	}
	if _, err := r.Relay(t.Context(), &providers.RawRequest{Dialect: providers.DialectChat}); !fault.HasCode(err, "relay_unsupported") {
		t.Errorf("Relay = %v", err)
	}
}

type counting struct{ echo }

func (counting) CountTokens(context.Context, *providers.Request) (int64, error) { return 42, nil }

func TestStreamsEndWithEOFOnce(t *testing.T) {
	t.Parallel()
	m := providers.Retry(providers.NewBreaker(providers.Observe(echo{}, "x", &recorder{}), providers.BreakerOptions{}), retry.Policy{})
	s, err := m.Stream(t.Context(), question("m"))
	if err != nil {
		t.Fatal(err)
	}
	var c providers.Chunk
	for err == nil {
		err = s.Next(&c)
	}
	if err != io.EOF || s.Next(&c) != io.EOF {
		t.Errorf("end: %v", err)
	}
}

func TestRelayIsRoutedObservedAndCounted(t *testing.T) {
	t.Parallel()
	f := providerstest.FakeOpenAI(t)
	adapter, err := openai.New(openai.Options{BaseURL: f.URL + "/v1", Accounts: providers.OneKey("openai", secret.New(providerstest.FakeKey)), API: openai.Chat})
	if err != nil {
		t.Fatal(err)
	}
	seen := &recorder{}
	stack := providers.Retry(providers.NewBreaker(providers.FirstTokenTimeout(providers.Observe(adapter, "openai", seen), time.Minute), providers.BreakerOptions{}), retry.Policy{First: time.Microsecond})
	r, err := providers.NewRouter(providers.RouterOptions{
		Providers: map[string]providers.Model{"openai": stack, "echo": echo{}}, Catalogue: catalogue(t),
		Routes: []providers.Route{{Name: "fast", Targets: []providers.Target{{Model: "openai/gpt-5-mini"}, {Model: "echo/x"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Relayable("fast", providers.DialectChat) || r.Relayable("fast", providers.DialectMessages) || r.Relayable("echo/x", providers.DialectChat) {
		t.Error("Relayable is wrong")
	}
	f.Will(
		providerstest.Reply{Status: 503, Code: "overloaded", Message: "busy"}, providerstest.Reply{Says: "some words to relay"},
		providerstest.Reply{Says: "cut off in the middle of it", CutAfter: 3},
		providerstest.Reply{Says: "the caller goes away here", HoldAfter: 3},
	)
	read := func(n int64) error {
		resp, err := r.Relay(t.Context(), &providers.RawRequest{Dialect: providers.DialectChat, Model: "fast", Streaming: true, Body: []byte(`{"model":"fast","stream":true,"messages":[]}`)})
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, n))
		return errors.Join(err, resp.Body.Close())
	}
	if err := read(1 << 20); err != nil {
		t.Fatal(err)
	}
	if err := read(1 << 20); err == nil {
		t.Error("a cut relay reads to the end")
	}
	if err := read(200); err != nil {
		t.Error(err)
	}
	var got []string
	for _, a := range seen.ended {
		got = append(got, string(a.Outcome))
		if a.Asked != "fast" || a.Model != "gpt-5-mini" || a.Operation != "relay" {
			t.Errorf("attempt %+v", a)
		}
		if a.Outcome == providers.OutcomeFinished && (a.Usage.Estimated || a.Attempt != 2 || a.FirstToken == 0 || a.Served != "gpt-5-mini" || a.Stop != providers.StopEnd) {
			t.Errorf("the finished attempt is %+v", a)
		}
		if a.Outcome == providers.OutcomeCancelled && (!a.Usage.Estimated || a.Usage.Output == 0) {
			t.Errorf("the cancelled attempt is %+v", a)
		}
	}
	if diff := cmp.Diff([]string{"failed", "finished", "failed", "cancelled"}, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func TestSensesAreRoutedAndObserved(t *testing.T) {
	t.Parallel()
	f := providerstest.FakeOpenAI(t)
	adapter, err := openai.New(openai.Options{BaseURL: f.URL + "/v1", Accounts: providers.OneKey("openai", secret.New(providerstest.FakeKey))})
	if err != nil {
		t.Fatal(err)
	}
	seen := &recorder{}
	r, err := providers.NewRouter(providers.RouterOptions{Providers: map[string]providers.Model{"openai": providers.Observe(adapter, "openai", seen), "echo": echo{}}, Catalogue: catalogue(t), Observer: seen})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Embed(t.Context(), providers.EmbedRequest{Model: "text-embedding-3-small", Texts: []string{"a"}}); err != nil {
		t.Error(err)
	}
	if _, err := r.Transcribe(t.Context(), providers.TranscribeRequest{Model: "openai/whisper-1", Audio: strings.NewReader("x")}); err != nil {
		t.Error(err)
	}
	if s, err := r.Speak(t.Context(), providers.SpeakRequest{Model: "openai/tts-1", Text: "hello"}); err != nil {
		t.Error(err)
	} else {
		_ = s.Audio.Close()
	}
	if _, err := r.Embed(t.Context(), providers.EmbedRequest{Model: "echo/x", Texts: []string{"a"}}); !fault.HasCode(err, "operation_unsupported") {
		t.Errorf("a model without vectors: %v", err)
	}
	if n, exact, err := r.CountTokens(t.Context(), question("echo/x")); n == 0 || exact || err != nil {
		t.Errorf("CountTokens = %d, %v, %v", n, exact, err)
	}
	var got []string
	for _, a := range seen.ended {
		got = append(got, a.Operation+" "+a.Provider+"/"+a.Model)
		if a.Usage.Zero() || a.Outcome != providers.OutcomeFinished {
			t.Errorf("attempt %+v", a)
		}
	}
	if diff := cmp.Diff([]string{"embed openai/text-embedding-3-small", "transcribe openai/whisper-1", "speak openai/tts-1"}, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}
