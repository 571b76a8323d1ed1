package providerstest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// FakeOllama serves /api/chat, /api/tags and /api/embed.
func FakeOllama(t testing.TB) *Fake {
	return newFake(t, func(path string) dialect {
		if path == "/api/chat" {
			return ollamaDialect{}
		}
		return nil
	}, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		switch r.URL.Path {
		case "/api/tags":
			writeJSON(w, object{"models": []object{{"name": "llama-test:latest", "model": "llama-test:latest", "details": object{"parameter_size": "8B"}}}})
		case "/api/embed":
			n := strings.Count(string(rawjson.Find(body, "input")), `"`) / 2
			var list [][]float64
			for i := range n {
				list = append(list, []float64{float64(i), 0.5})
			}
			writeJSON(w, object{"model": "embed-test", "embeddings": list, "prompt_eval_count": len(body) / 4})
		default:
			return false
		}
		return true
	})
}

type ollamaDialect struct{}

func (ollamaDialect) contentType() string    { return "application/x-ndjson" }
func (ollamaDialect) keepAlive() string      { return "\n" }
func (ollamaDialect) key(http.Header) string { return "-" }
func (ollamaDialect) unknown() string {
	return line(object{"model": "m", "sparkle": 1, "message": object{"role": "assistant", "content": ""}, "done": false})
}
func (ollamaDialect) refusal(r *Reply) string {
	return encode(object{"error": strings.TrimSpace(r.Code + " " + r.Message)})
}
func (ollamaDialect) failure(r *Reply) string {
	return line(object{"error": strings.TrimSpace(r.Code + " " + r.Message)})
}

func line(v any) string { return encode(v) + "\n" }

func ollamaMessage(r *Reply) object {
	msg := object{"role": "assistant", "content": r.Says}
	if r.Thinks != "" {
		msg["thinking"] = r.Thinks
	}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{"function": object{"name": c.Name, "arguments": jsonObject(c.Args)}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	return msg
}

func ollamaEnd(r *Reply, model string, msg object) object {
	reason := "stop"
	if r.stop() == providers.StopLength {
		reason = "length"
	}
	return object{"model": model, "created_at": "2026-01-01T00:00:00Z", "message": msg, "done": true, "done_reason": reason,
		"total_duration": 1, "prompt_eval_count": r.Usage.TotalInput(), "eval_count": r.Usage.TotalOutput()}
}

func (ollamaDialect) frames(r *Reply, model string) []string {
	var out []string
	emit := func(msg object) {
		msg["role"] = "assistant"
		out = append(out, line(object{"model": model, "created_at": "2026-01-01T00:00:00Z", "message": msg, "done": false}))
	}
	if r.Thinks != "" {
		for _, w := range words(r.Thinks) {
			emit(object{"content": "", "thinking": w})
		}
	}
	if r.Says != "" {
		for _, w := range words(r.Says) {
			emit(object{"content": w})
		}
	}
	for _, c := range r.Calls {
		emit(object{"content": "", "tool_calls": []object{{"function": object{"name": c.Name, "arguments": jsonObject(c.Args)}}}})
	}
	return append(out, line(ollamaEnd(r, model, object{"role": "assistant", "content": ""})))
}

func (ollamaDialect) whole(r *Reply, model string) string {
	return encode(ollamaEnd(r, model, ollamaMessage(r)))
}
