package compat

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

func responsesUsage(u providers.Usage) object {
	return object{
		"input_tokens": u.TotalInput(), "input_tokens_details": object{"cached_tokens": u.CacheRead},
		"output_tokens": u.TotalOutput(), "output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Total(),
	}
}

// responsesBody is the response object in a given state; what the caller asked
// for is repeated in it, as the vendor does.
func responsesBody(m Meta, model, status string, output []object, usage any) object {
	b := object{
		"id": "resp_" + m.ID, "object": "response", "created_at": m.At.Unix(), "status": status, "model": model, "output": output, "usage": usage,
		"error": nil, "incomplete_details": nil, "background": false, "previous_response_id": nil, "store": false, "truncation": "disabled",
	}
	for field, fallback := range map[string]string{
		"instructions": "null", "max_output_tokens": "null", "metadata": "{}", "parallel_tool_calls": "true", "reasoning": `{"effort":null,"summary":null}`,
		"temperature": "1", "text": `{"format":{"type":"text"}}`, "tool_choice": `"auto"`, "tools": "[]", "top_p": "1", "user": "null",
	} {
		b[field] = raw(m.Body, field, fallback)
	}
	return b
}

// stopped writes how an answer ended into its body.
func stopped(b object, stop providers.StopReason) object {
	switch stop {
	case providers.StopLength:
		b["status"], b["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case providers.StopFiltered:
		b["status"], b["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	return b
}

// responsesEncoder writes events. One item is open at a time; calls whose
// pieces come late are found by their index.
type responsesEncoder struct {
	meta     Meta
	vendor   string
	model    string
	usage    providers.Usage
	started  bool
	sequence int64
	output   []object // finished items
	open     string   // message, reasoning, function_call; "": none
	itemID   string
	text     strings.Builder // of the open item
	call     providers.Chunk // the open call
	sealed   string          // of the open reasoning
	thoughts thoughts
}

// Stream makes the encoder of one answer.
func (Responses) Stream(m Meta) Encoder {
	m.Body = slim(m.Body)
	return &responsesEncoder{meta: m, model: m.Model}
}

// slim keeps what the answer repeats, so that a large prompt is not held.
func slim(body []byte) []byte {
	kept := map[string]json.RawMessage{}
	for _, field := range []string{"instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "reasoning", "temperature", "text", "tool_choice", "tools", "top_p", "user"} {
		if value := raw(body, field, ""); len(value) > 0 {
			kept[field] = value
		}
	}
	return encode(kept)
}

func (e *responsesEncoder) emit(dst []byte, kind string, fields object) []byte {
	fields["type"], fields["sequence_number"] = kind, e.sequence
	e.sequence++
	return eventFrame(dst, kind, encode(fields))
}

// textDelta is by far the most frequent event and is written by hand.
func (e *responsesEncoder) textDelta(dst []byte, text string) []byte {
	dst = append(dst, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":"...)
	dst = number(dst, e.sequence)
	e.sequence++
	dst = quote(append(dst, `,"item_id":`...), e.itemID)
	dst = number(append(dst, `,"output_index":`...), int64(len(e.output)))
	dst = quote(append(dst, `,"content_index":0,"delta":`...), text)
	return append(dst, ",\"logprobs\":[]}\n\n"...)
}

func (e *responsesEncoder) begin(dst []byte, kind, prefix string, item object) []byte {
	dst = e.end(dst)
	e.open, e.itemID = kind, prefix+e.meta.ID+"_"+strconv.Itoa(len(e.output))
	e.text.Reset()
	item["type"], item["id"] = kind, e.itemID
	return e.emit(dst, "response.output_item.added", object{"output_index": len(e.output), "item": item})
}

// end closes the open item.
func (e *responsesEncoder) end(dst []byte) []byte {
	if e.open == "" {
		return dst
	}
	at, text, id := len(e.output), e.text.String(), e.itemID
	var item object
	switch e.open {
	case "message":
		part := textPart(text)
		dst = e.emit(dst, "response.output_text.done", object{"item_id": id, "output_index": at, "content_index": 0, "text": text, "logprobs": []any{}})
		dst = e.emit(dst, "response.content_part.done", object{"item_id": id, "output_index": at, "content_index": 0, "part": part})
		item = messageItem(id, text)
	case "reasoning":
		part := object{"type": "summary_text", "text": text}
		if text != "" {
			dst = e.emit(dst, "response.reasoning_summary_text.done", object{"item_id": id, "output_index": at, "summary_index": 0, "text": text})
			dst = e.emit(dst, "response.reasoning_summary_part.done", object{"item_id": id, "output_index": at, "summary_index": 0, "part": part})
		}
		item = reasoningItem(id, text, e.sealed)
		e.sealed = ""
	case "function_call":
		args := cmp.Or(text, "{}")
		dst = e.emit(dst, "response.function_call_arguments.done", object{"item_id": id, "output_index": at, "name": e.call.Name, "arguments": args})
		item = callItem(id, e.call.ID, e.call.Name, args)
	}
	e.open = ""
	dst = e.emit(dst, "response.output_item.done", object{"output_index": at, "item": item})
	e.output = append(e.output, item)
	return dst
}

func textPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func messageItem(id, text string) object {
	return object{"type": "message", "id": id, "status": "completed", "role": "assistant", "content": []object{textPart(text)}}
}

func callItem(id, call, name, args string) object {
	return object{"type": "function_call", "id": id, "status": "completed", "call_id": call, "name": name, "arguments": args}
}

// reasoningItem shows a seal of OpenAI's own as it was made.
func reasoningItem(id, text, sealed string) object {
	item := object{"type": "reasoning", "id": id, "summary": []object{}}
	if text != "" {
		item["summary"] = []object{{"type": "summary_text", "text": text}}
	}
	var own openAISeal
	switch {
	case sealed == "":
	case json.Unmarshal([]byte(sealed), &own) == nil && own.Encrypted != "":
		item["id"], item["encrypted_content"] = cmp.Or(own.ID, id), own.Encrypted
	default:
		item["encrypted_content"] = sealed
	}
	return item
}

// Chunk appends what a chunk becomes.
func (e *responsesEncoder) Chunk(dst []byte, c *providers.Chunk) []byte {
	if !e.started {
		e.started = true
		if c.Kind == providers.ChunkStart {
			e.vendor, e.model = c.Name, cmp.Or(c.Model, e.model)
		}
		running := responsesBody(e.meta, e.model, "in_progress", []object{}, nil)
		dst = e.emit(dst, "response.created", object{"response": running})
		dst = e.emit(dst, "response.in_progress", object{"response": running})
	}
	if _, signature := e.thoughts.add(c); signature != "" {
		dst = e.seal(dst, seal{Vendor: e.vendor, Model: e.model, Text: signature})
	}
	switch c.Kind {
	case providers.ChunkText:
		if e.open != "message" {
			dst = e.begin(dst, "message", "msg_", object{"status": "in_progress", "role": "assistant", "content": []any{}})
			dst = e.emit(dst, "response.content_part.added", object{"item_id": e.itemID, "output_index": len(e.output), "content_index": 0, "part": textPart("")})
		}
		e.text.WriteString(c.Text)
		return e.textDelta(dst, c.Text)
	case providers.ChunkReasoning:
		return e.reason(dst, c.Text)
	case providers.ChunkRedacted:
		return e.seal(e.end(dst), seal{Vendor: e.vendor, Model: e.model, Text: c.Text, Hidden: true})
	case providers.ChunkToolStart:
		if c.Text != "" {
			dst = e.seal(e.end(dst), seal{Vendor: e.vendor, Model: e.model, Text: c.Text, Call: true})
		}
		e.call = *c
		return e.begin(dst, "function_call", "fc_", object{"status": "in_progress", "call_id": c.ID, "name": c.Name, "arguments": ""})
	case providers.ChunkToolArgs:
		if e.open == "function_call" && e.call.Index == c.Index {
			e.text.WriteString(c.Text)
			return e.emit(dst, "response.function_call_arguments.delta", object{"item_id": e.itemID, "output_index": len(e.output), "delta": c.Text})
		}
	case providers.ChunkToolEnd:
		if e.open == "function_call" && e.call.Index == c.Index {
			return e.end(dst)
		}
	case providers.ChunkUsage:
		e.usage = c.Usage
	case providers.ChunkFinish:
		return e.finish(e.end(dst), c.Stop)
	}
	return dst
}

func (e *responsesEncoder) reason(dst []byte, text string) []byte {
	if e.open != "reasoning" {
		dst = e.begin(dst, "reasoning", "rs_", object{"summary": []any{}})
	}
	if e.text.Len() == 0 {
		dst = e.emit(dst, "response.reasoning_summary_part.added", object{"item_id": e.itemID, "output_index": len(e.output), "summary_index": 0, "part": object{"type": "summary_text", "text": ""}})
	}
	e.text.WriteString(text)
	return e.emit(dst, "response.reasoning_summary_text.delta", object{"item_id": e.itemID, "output_index": len(e.output), "summary_index": 0, "delta": text})
}

func (e *responsesEncoder) seal(dst []byte, s seal) []byte {
	if e.open != "reasoning" {
		dst = e.begin(dst, "reasoning", "rs_", object{"summary": []any{}})
	}
	e.sealed = toWire("openai", s)
	return e.end(dst)
}

func (e *responsesEncoder) finish(dst []byte, stop providers.StopReason) []byte {
	if e.output == nil {
		e.output = []object{}
	}
	body := stopped(responsesBody(e.meta, e.model, "completed", e.output, responsesUsage(e.usage)), stop)
	kind := "response.completed"
	if body["status"] == "incomplete" {
		kind = "response.incomplete"
	}
	return e.emit(dst, kind, object{"response": body})
}

// Fail appends a failed response in place of the rest.
func (e *responsesEncoder) Fail(dst []byte, f *fault.Fault) []byte {
	body := responsesBody(e.meta, e.model, "failed", e.output, nil)
	body["error"] = object{"code": openAICode(f), "message": words(f)}
	return e.emit(dst, "response.failed", object{"response": body})
}

// Whole encodes a complete answer.
func (Responses) Whole(r *providers.Response, m Meta) ([]byte, error) {
	output := []object{}
	id := func(prefix string) string { return prefix + m.ID + "_" + strconv.Itoa(len(output)) }
	for i := range r.Parts {
		p := &r.Parts[i]
		s := seal{Vendor: p.Vendor, Model: p.Model, Text: p.Signature, Hidden: p.Redacted, Call: p.Kind == providers.PartToolCall}
		sealed := ""
		if p.Signature != "" {
			sealed = toWire("openai", s)
		}
		switch p.Kind {
		case providers.PartText:
			output = append(output, messageItem(id("msg_"), p.Text))
		case providers.PartReasoning:
			output = append(output, reasoningItem(id("rs_"), p.Text, sealed))
		case providers.PartToolCall:
			if sealed != "" {
				output = append(output, reasoningItem(id("rs_"), "", sealed))
			}
			output = append(output, callItem(id("fc_"), p.ID, p.Name, string(p.Args)))
		}
	}
	return encode(stopped(responsesBody(m, cmp.Or(r.Model, m.Model), "completed", output, responsesUsage(r.Usage)), r.Stop)), nil
}

// Error encodes a refusal.
func (Responses) Error(f *fault.Fault, request string) []byte { return Chat{}.Error(f, request) }
