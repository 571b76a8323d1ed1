package providerstest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// FakeOpenAI serves /v1/chat/completions, /v1/responses, /v1/embeddings,
// /v1/audio and /v1/models.
func FakeOpenAI(t testing.TB) *Fake {
	return newFake(t, func(path string) dialect {
		switch {
		case strings.HasSuffix(path, "/chat/completions"):
			return chatDialect{}
		case strings.HasSuffix(path, "/responses"):
			return responsesDialect{}
		}
		return nil
	}, openAIExtras)
}

func openAIExtras(w http.ResponseWriter, r *http.Request, body []byte) bool {
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		writeJSON(w, object{"object": "list", "data": []object{{"id": "gpt-test", "object": "model"}}})
	case strings.HasSuffix(r.URL.Path, "/embeddings"):
		n := strings.Count(string(rawjson.Find(body, "input")), `"`) / 2
		var list []object
		for i := n - 1; i >= 0; i-- { // any order is allowed
			list = append(list, object{"object": "embedding", "index": i, "embedding": []float64{float64(i), 0.5}})
		}
		writeJSON(w, object{"object": "list", "model": "embed-test", "data": list, "usage": object{"prompt_tokens": len(body) / 4, "total_tokens": len(body) / 4}})
	case strings.HasSuffix(r.URL.Path, "/audio/transcriptions"), strings.HasSuffix(r.URL.Path, "/audio/translations"):
		writeJSON(w, object{"text": "Hello there.", "usage": object{"type": "tokens", "input_tokens": 14, "input_token_details": object{"text_tokens": 4, "audio_tokens": 10}, "output_tokens": 3}})
	case strings.HasSuffix(r.URL.Path, "/audio/speech"):
		w.Header().Set("Content-Type", "audio/mpeg")
		_, _ = w.Write([]byte("ID3sound"))
	default:
		return false
	}
	return true
}

type chatDialect struct{}

func (chatDialect) contentType() string      { return "text/event-stream; charset=utf-8" }
func (chatDialect) keepAlive() string        { return ": keep-alive\n\n" }
func (chatDialect) key(h http.Header) string { return bearer(h) }
func (chatDialect) unknown() string {
	return data(object{"id": "chatcmpl-1", "object": "chat.completion.sparkle", "choices": []any{}, "sparkle": true})
}

func openAIError(r *Reply) object {
	return object{"error": object{"message": r.Message, "type": r.Code, "param": nil, "code": r.Code}}
}

func (chatDialect) refusal(r *Reply) string { return encode(openAIError(r)) }
func (chatDialect) failure(r *Reply) string { return data(openAIError(r)) }

func chatStop(s providers.StopReason) string {
	switch s {
	case providers.StopTools:
		return "tool_calls"
	case providers.StopLength:
		return "length"
	case providers.StopFiltered:
		return "content_filter"
	}
	return "stop"
}

func chatUsage(u providers.Usage) object {
	return object{
		"prompt_tokens": u.TotalInput(), "completion_tokens": u.TotalOutput(), "total_tokens": u.Total(),
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead, "audio_tokens": u.AudioInput},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning, "audio_tokens": u.AudioOutput},
	}
}

func (chatDialect) frames(r *Reply, model string) []string {
	var out []string
	chunk := func(delta object, finish any) {
		out = append(out, data(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}, "usage": nil}))
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if r.Thinks != "" {
		for _, w := range words(r.Thinks) {
			chunk(object{"reasoning_content": w}, nil)
		}
	}
	if r.Says != "" {
		for _, w := range words(r.Says) {
			chunk(object{"content": w}, nil)
		}
	}
	for i, c := range r.Calls {
		chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Args, r.Pieces) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	chunk(object{}, chatStop(r.stop()))
	return append(out,
		data(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": []any{}, "usage": chatUsage(r.Usage)}),
		"data: [DONE]\n\n")
}

func (chatDialect) whole(r *Reply, model string) string {
	msg := object{"role": "assistant", "content": r.Says}
	if r.Thinks != "" {
		msg["reasoning_content"] = r.Thinks
	}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	return encode(object{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
		"choices": []object{{"index": 0, "message": msg, "finish_reason": chatStop(r.stop())}}, "usage": chatUsage(r.Usage)})
}

type responsesDialect struct{}

func (responsesDialect) contentType() string      { return "text/event-stream; charset=utf-8" }
func (responsesDialect) keepAlive() string        { return ": keep-alive\r\n\r\n" }
func (responsesDialect) key(h http.Header) string { return bearer(h) }
func (responsesDialect) refusal(r *Reply) string  { return encode(openAIError(r)) }
func (responsesDialect) unknown() string {
	return event("response.sparkle.delta", object{"type": "response.sparkle.delta", "output_index": 0, "delta": "glitter"})
}

func (responsesDialect) failure(r *Reply) string {
	return event("response.failed", object{"type": "response.failed", "response": object{"id": "resp_1", "status": "failed", "error": object{"code": r.Code, "message": r.Message}}})
}

func responsesUsage(u providers.Usage) object {
	return object{"input_tokens": u.TotalInput(), "input_tokens_details": object{"cached_tokens": u.CacheRead},
		"output_tokens": u.TotalOutput(), "output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Total()}
}

func responsesBody(r *Reply, model string) object {
	body := object{"id": "resp_1", "object": "response", "model": model, "status": "completed", "incomplete_details": nil, "usage": responsesUsage(r.Usage)}
	if r.stop() == providers.StopLength {
		body["status"], body["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	}
	var items []object
	if r.Thinks != "" {
		items = append(items, reasoningItem(r))
	}
	if r.Says != "" {
		items = append(items, object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []object{{"type": "output_text", "text": r.Says, "annotations": []any{}}}})
	}
	for _, c := range r.Calls {
		items = append(items, callItem(c))
	}
	body["output"] = items
	return body
}

func reasoningItem(r *Reply) object {
	return object{"type": "reasoning", "id": "rs_1", "summary": []object{{"type": "summary_text", "text": r.Thinks}}, "encrypted_content": r.Signature}
}

func callItem(c Call) object {
	return object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": c.Args, "status": "completed"}
}

func (responsesDialect) frames(r *Reply, model string) []string {
	var out []string
	seq := 0
	emit := func(kind string, fields object) {
		fields["type"], fields["sequence_number"] = kind, seq
		seq++
		out = append(out, event(kind, fields))
	}
	running := object{"id": "resp_1", "object": "response", "model": model, "status": "in_progress", "output": []any{}, "usage": nil}
	emit("response.created", object{"response": running})
	emit("response.in_progress", object{"response": running})
	at := 0
	if r.Thinks != "" {
		emit("response.output_item.added", object{"output_index": at, "item": object{"type": "reasoning", "id": "rs_1", "summary": []any{}}})
		emit("response.reasoning_summary_part.added", object{"output_index": at, "item_id": "rs_1", "summary_index": 0, "part": object{"type": "summary_text", "text": ""}})
		for _, w := range words(r.Thinks) {
			emit("response.reasoning_summary_text.delta", object{"output_index": at, "item_id": "rs_1", "summary_index": 0, "delta": w})
		}
		emit("response.output_item.done", object{"output_index": at, "item": reasoningItem(r)})
		at++
	}
	if r.Says != "" {
		part := func(text string) object { return object{"type": "output_text", "text": text, "annotations": []any{}} }
		emit("response.output_item.added", object{"output_index": at, "item": object{"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []any{}}})
		emit("response.content_part.added", object{"output_index": at, "item_id": "msg_1", "content_index": 0, "part": part("")})
		for _, w := range words(r.Says) {
			emit("response.output_text.delta", object{"output_index": at, "item_id": "msg_1", "content_index": 0, "delta": w})
		}
		emit("response.output_text.done", object{"output_index": at, "item_id": "msg_1", "content_index": 0, "text": r.Says})
		emit("response.content_part.done", object{"output_index": at, "item_id": "msg_1", "content_index": 0, "part": part(r.Says)})
		emit("response.output_item.done", object{"output_index": at, "item": object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []object{part(r.Says)}}})
		at++
	}
	for _, c := range r.Calls {
		emit("response.output_item.added", object{"output_index": at, "item": object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": ""}})
		for _, p := range pieces(c.Args, r.Pieces) {
			emit("response.function_call_arguments.delta", object{"output_index": at, "item_id": "fc_" + c.ID, "delta": p})
		}
		emit("response.function_call_arguments.done", object{"output_index": at, "item_id": "fc_" + c.ID, "arguments": c.Args})
		emit("response.output_item.done", object{"output_index": at, "item": callItem(c)})
		at++
	}
	kind := "response.completed"
	if r.stop() == providers.StopLength {
		kind = "response.incomplete"
	}
	emit(kind, object{"response": responsesBody(r, model)})
	return out
}

func (responsesDialect) whole(r *Reply, model string) string { return encode(responsesBody(r, model)) }
