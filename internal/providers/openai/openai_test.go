package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/openai"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func start(opts openai.Options) func(*testing.T, *providers.Accounts) (providers.Model, *providerstest.Fake) {
	return func(t *testing.T, accounts *providers.Accounts) (providers.Model, *providerstest.Fake) {
		f := providerstest.FakeOpenAI(t)
		opts := opts
		opts.Accounts, opts.BaseURL = accounts, f.URL+"/v1"
		m, err := openai.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		return m, f
	}
}

func chatBody(streaming bool) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":"hi"}],"model":"other","stream":%v}`, streaming)
}

func TestChatContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start(openai.Options{API: openai.Chat}), Model: "gpt-test", Dialect: providers.DialectChat, RawBody: chatBody,
	})
}

func TestResponsesContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start(openai.Options{}), Model: "gpt-test", Signs: true, Dialect: providers.DialectResponses,
		RawBody: func(streaming bool) string {
			return fmt.Sprintf(`{"input":"hi","model":"other","stream":%v}`, streaming)
		},
	})
}

func TestEveryPresetKeepsTheContract(t *testing.T) {
	t.Parallel()
	for _, p := range openai.Presets() {
		if p.API != openai.Chat {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			providerstest.Contract(t, providerstest.Subject{
				New: start(openai.Options{Vendor: p.Name}), Model: "some-model", Dialect: providers.DialectChat, RawBody: chatBody, NoSchema: p.Quirks.NoSchema,
			})
		})
	}
}

func TestPresetsAreUsable(t *testing.T) {
	t.Parallel()
	for _, p := range openai.Presets() {
		if p.BaseURL == "" || p.Title == "" || (p.EnvKey == "" && !p.Quirks.Keyless) || p.API == "" {
			t.Errorf("preset %+v lacks something", p)
		}
		if _, err := openai.New(openai.Options{Vendor: p.Name}); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if _, err := openai.New(openai.Options{Vendor: "mine", BaseURL: "ftp://x"}); err == nil {
		t.Error("ftp is no base URL")
	}
	if _, err := openai.New(openai.Options{Vendor: "mine"}); err == nil {
		t.Error("an unknown vendor needs a base URL")
	}
}

func TestQuirksShapeTheBody(t *testing.T) {
	t.Parallel()
	req := func() *providers.Request {
		return &providers.Request{Model: "m", MaxTokens: 77, User: "u1", System: []providers.Part{providers.Text("sys")},
			Reasoning: providers.Reasoning{Effort: providers.EffortHigh}, Messages: []providers.Message{providers.UserText("hi")}}
	}
	for name, tt := range map[string]struct {
		opts     openai.Options
		has, not []string
	}{
		"openai by chat": {openai.Options{API: openai.Chat}, []string{`"max_completion_tokens":77`, `"role":"developer"`, `"reasoning_effort":"high"`, `"user":"u1"`, `"include_usage":true`}, []string{`"max_tokens"`}},
		"responses":      {openai.Options{}, []string{`"max_output_tokens":77`, `"instructions":"sys"`, `"effort":"high"`, `"summary":"auto"`, `"store":false`, `"reasoning.encrypted_content"`}, []string{`stream_options`}},
		"mistral":        {openai.Options{Vendor: "mistral"}, []string{`"max_tokens":77`, `"role":"system"`}, []string{"stream_options", "reasoning_effort", `"user":`}},
		"openrouter":     {openai.Options{Vendor: "openrouter"}, []string{`"reasoning":{"effort":"high"}`}, []string{"reasoning_effort"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, f := start(tt.opts)(t, providers.OneKey("x", secret.New(providerstest.FakeKey)))
			if _, err := providers.Complete(t.Context(), m, req()); err != nil {
				t.Fatal(err)
			}
			body := string(f.Seen()[0].Body)
			for _, want := range tt.has {
				if !strings.Contains(body, want) {
					t.Errorf("lacks %s: %s", want, body)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(body, not) {
					t.Errorf("has %s: %s", not, body)
				}
			}
		})
	}
}

// serve answers every request with one body.
func serve(t *testing.T, contentType, body string) providers.Model {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	m, err := openai.New(openai.Options{Vendor: "lmstudio", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOddServersAreUnderstood(t *testing.T) {
	t.Parallel()
	const stream = "text/event-stream"
	for name, tt := range map[string]struct {
		contentType, body string
		want              []providers.Part
		usage             providers.Usage
		stop              providers.StopReason
	}{
		"one JSON body for a stream": {"application/json", `{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`,
			[]providers.Part{providers.Text("hi")}, providers.Usage{Input: 3, Output: 2}, providers.StopEnd},
		"no [DONE]": {stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"length\"}]}\n\n",
			[]providers.Part{providers.Text("hi")}, providers.Usage{}, providers.StopLength},
		"every call has index 0, and stop instead of tool_calls": {stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n" +
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{\\\"x\\\":1}\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			[]providers.Part{{Kind: providers.PartToolCall, ID: "a", Name: "f", Args: []byte("{}")}, {Kind: providers.PartToolCall, ID: "b", Name: "g", Args: []byte(`{"x":1}`)}}, providers.Usage{}, providers.StopTools},
		"reasoning beside the completion (xai)": {stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":115,\"completion_tokens_details\":{\"reasoning_tokens\":100}}}\n\ndata: [DONE]\n\n",
			[]providers.Part{providers.Text("x")}, providers.Usage{Input: 10, Output: 5, Reasoning: 100}, providers.StopEnd},
		"thinking inside content (mistral)": {stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"hm\"}]}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			[]providers.Part{{Kind: providers.PartReasoning, Text: "hm"}, providers.Text("ok")}, providers.Usage{}, providers.StopEnd},
		"cache hits of deepseek": {stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":1,\"total_tokens\":11,\"prompt_cache_hit_tokens\":8}}\n\ndata: [DONE]\n\n",
			[]providers.Part{providers.Text("x")}, providers.Usage{Input: 2, CacheRead: 8, Output: 1}, providers.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := providers.Complete(t.Context(), serve(t, tt.contentType, tt.body), &providers.Request{Model: "m", Messages: []providers.Message{providers.UserText("x")}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Parts); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			if got.Usage != tt.usage || got.Stop != tt.stop {
				t.Errorf("usage %+v, stop %s; want %+v, %s", got.Usage, got.Stop, tt.usage, tt.stop)
			}
		})
	}
	_, err := providers.Complete(t.Context(), serve(t, "application/json", `{"error":{"message":"no model is loaded","code":503}}`), &providers.Request{Model: "m"})
	if err == nil || !strings.Contains(fault.From(err).Details["vendor_message"].(string), "no model is loaded") {
		t.Errorf("an error with status 200: %v", err)
	}
	_, err = providers.Complete(t.Context(), serve(t, stream, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\ndata: [DONE]\n\n"), &providers.Request{Model: "m"})
	if !fault.HasCode(err, providers.CodeBroken) {
		t.Errorf("[DONE] without a reason: %v", err)
	}
	_, err = providers.Complete(t.Context(), serve(t, stream, "data: {\"choices\":[{\n\n"), &providers.Request{Model: "m"})
	if !fault.HasCode(err, providers.CodeBroken) {
		t.Errorf("half a JSON value: %v", err)
	}
}

func TestSenses(t *testing.T) {
	t.Parallel()
	model, f := start(openai.Options{})(t, providers.OneKey("openai", secret.New(providerstest.FakeKey)))
	m := model.(*openai.Model)
	e, err := m.Embed(t.Context(), providers.EmbedRequest{Model: "embed-test", Texts: []string{"a", "b", "c"}, Dimensions: 2})
	if err != nil || len(e.Vectors) != 3 || e.Vectors[2][0] != 2 || e.Usage.Input == 0 {
		t.Errorf("Embed = %+v, %v", e, err)
	}
	tr, err := m.Transcribe(t.Context(), providers.TranscribeRequest{Model: "whisper", Audio: strings.NewReader("RIFFdata"), FileName: "x.wav", Language: "en"})
	if want := (providers.Usage{Input: 4, AudioInput: 10, Output: 3}); err != nil || tr.Text != "Hello there." || tr.Usage != want {
		t.Errorf("Transcribe = %+v, %v", tr, err)
	}
	seen := f.Seen()
	if last := seen[len(seen)-1]; !strings.HasPrefix(last.Header.Get("Content-Type"), "multipart/form-data") || !strings.Contains(string(last.Body), "RIFFdata") || !strings.Contains(string(last.Body), "whisper") {
		t.Errorf("the form is %s", last.Body)
	}
	sp, err := m.Speak(t.Context(), providers.SpeakRequest{Model: "tts", Text: "Hi", Voice: "coral"})
	if err != nil {
		t.Fatal(err)
	}
	sound, err := io.ReadAll(sp.Audio)
	if err = errors.Join(err, sp.Audio.Close()); err != nil || string(sound) != "ID3sound" || sp.MediaType != "audio/mpeg" {
		t.Errorf("Speak = %q, %s, %v", sound, sp.MediaType, err)
	}
	list, err := m.Models(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != "gpt-test" {
		t.Errorf("Models = %+v, %v", list, err)
	}
	big := io.LimitReader(zeros{}, 26<<20)
	if _, err := m.Transcribe(t.Context(), providers.TranscribeRequest{Model: "whisper", Audio: big}); !fault.HasCode(err, "audio_too_large") {
		t.Errorf("a huge recording: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
