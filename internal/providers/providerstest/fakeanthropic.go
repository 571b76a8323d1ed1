package providerstest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
)

// FakeAnthropic serves /v1/messages, its token counter and the list of models.
func FakeAnthropic(t testing.TB) *Fake {
	return newFake(t, func(path string) dialect {
		if path == "/v1/messages" {
			return anthropicDialect{}
		}
		return nil
	}, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		switch r.URL.Path {
		case "/v1/messages/count_tokens":
			writeJSON(w, object{"input_tokens": len(body) / 4})
		case "/v1/models":
			writeJSON(w, object{"data": []object{{"id": "claude-test", "display_name": "Claude Test", "type": "model"}}, "has_more": false})
		default:
			return false
		}
		return true
	})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(encode(v)))
}

type anthropicDialect struct{}

func (anthropicDialect) contentType() string { return "text/event-stream; charset=utf-8" }
func (anthropicDialect) keepAlive() string   { return "event: ping\ndata: {\"type\": \"ping\"}\n\n" }
func (anthropicDialect) unknown() string {
	return "event: content_block_sparkle\ndata: {\"type\":\"content_block_sparkle\",\"index\":0,\"delta\":{\"type\":\"sparkle_delta\"}}\n\n"
}

func (anthropicDialect) key(h http.Header) string {
	if h.Get("anthropic-version") == "" {
		return ""
	}
	if h.Get("anthropic-beta") != "" && h.Get("Authorization") != "" {
		return bearer(h)
	}
	return h.Get("x-api-key")
}

func (anthropicDialect) refusal(r *Reply) string {
	return encode(object{"type": "error", "error": object{"type": r.Code, "message": r.Message}, "request_id": "req_1"})
}

func (anthropicDialect) failure(r *Reply) string {
	return event("error", object{"type": "error", "error": object{"type": r.Code, "message": r.Message}})
}

func anthropicStop(s providers.StopReason) string {
	switch s {
	case providers.StopTools:
		return "tool_use"
	case providers.StopLength:
		return "max_tokens"
	case providers.StopSequence:
		return "stop_sequence"
	case providers.StopRefused:
		return "refusal"
	}
	return "end_turn"
}

func anthropicUsage(u providers.Usage) object {
	return object{
		"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite + u.CacheWriteLong,
		"cache_creation": object{"ephemeral_5m_input_tokens": u.CacheWrite, "ephemeral_1h_input_tokens": u.CacheWriteLong},
		"output_tokens":  u.Output + u.Reasoning,
	}
}

func (anthropicDialect) frames(r *Reply, model string) []string {
	start := anthropicUsage(r.Usage)
	start["output_tokens"] = 1
	out := []string{event("message_start", object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "usage": start}})}
	index := 0
	block := func(content object, deltas ...object) {
		out = append(out, event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": content}))
		for _, d := range deltas {
			out = append(out, event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d}))
		}
		out = append(out, event("content_block_stop", object{"type": "content_block_stop", "index": index}))
		index++
	}
	if r.Thinks != "" {
		var deltas []object
		for _, w := range words(r.Thinks) {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": w})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": r.Signature})
		block(object{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if r.Redacted != "" {
		block(object{"type": "redacted_thinking", "data": r.Redacted})
	}
	if r.Says != "" {
		var deltas []object
		for _, w := range words(r.Says) {
			deltas = append(deltas, object{"type": "text_delta", "text": w})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range r.Calls {
		deltas := []object{{"type": "input_json_delta", "partial_json": ""}}
		for _, p := range pieces(c.Args, r.Pieces) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas...)
	}
	return append(out,
		event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": anthropicStop(r.stop()), "stop_sequence": nil}, "usage": object{"output_tokens": r.Usage.Output + r.Usage.Reasoning}}),
		event("message_stop", object{"type": "message_stop"}))
}

func (anthropicDialect) whole(r *Reply, model string) string {
	var content []object
	if r.Thinks != "" {
		content = append(content, object{"type": "thinking", "thinking": r.Thinks, "signature": r.Signature})
	}
	if r.Says != "" {
		content = append(content, object{"type": "text", "text": r.Says})
	}
	for _, c := range r.Calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": jsonObject(c.Args)})
	}
	return encode(object{"id": "msg_1", "type": "message", "role": "assistant", "model": strings.TrimSpace(model), "content": content,
		"stop_reason": anthropicStop(r.stop()), "stop_sequence": nil, "usage": anthropicUsage(r.Usage)})
}
