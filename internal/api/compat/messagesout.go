package compat

import (
	"cmp"
	"encoding/json"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

func messagesStop(s providers.StopReason) string {
	switch s {
	case providers.StopTools:
		return "tool_use"
	case providers.StopLength:
		return "max_tokens"
	case providers.StopSequence:
		return "stop_sequence"
	case providers.StopRefused, providers.StopFiltered:
		return "refusal"
	case providers.StopPaused:
		return "pause_turn"
	}
	return "end_turn"
}

func messagesUsage(u providers.Usage) object {
	return object{
		"input_tokens": u.Input + u.AudioInput + u.ImageInput, "output_tokens": u.TotalOutput(),
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite + u.CacheWriteLong,
	}
}

// messagesEncoder writes events. One block is open at a time; a call's pieces
// that come after its block was closed still name it by its index.
type messagesEncoder struct {
	meta     Meta
	vendor   string // that signs
	model    string
	usage    providers.Usage
	started  bool
	open     string // kind of the open block; "": none
	index    int    // of the open block, or of the next
	blocks   map[int]int
	thoughts thoughts
}

// Stream makes the encoder of one answer.
func (Messages) Stream(m Meta) Encoder {
	return &messagesEncoder{meta: m, model: m.Model, blocks: make(map[int]int)}
}

func (e *messagesEncoder) start(dst []byte) []byte {
	message := object{
		"id": "msg_" + e.meta.ID, "type": "message", "role": "assistant", "model": e.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": messagesUsage(e.usage),
	}
	return eventFrame(dst, "message_start", encode(object{"type": "message_start", "message": message}))
}

func (e *messagesEncoder) begin(dst []byte, kind string, content object) []byte {
	dst = e.end(dst)
	e.open = kind
	content["type"] = kind
	return eventFrame(dst, "content_block_start", encode(object{"type": "content_block_start", "index": e.index, "content_block": content}))
}

func (e *messagesEncoder) end(dst []byte) []byte {
	if e.open == "" {
		return dst
	}
	e.open = ""
	dst = number(append(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...), int64(e.index))
	e.index++
	return append(dst, "}\n\n"...)
}

func (e *messagesEncoder) delta(dst []byte, index int, kind, field, text string) []byte {
	dst = number(append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...), int64(index))
	dst = append(append(append(dst, `,"delta":{"type":"`...), kind...), `","`...)
	return append(quote(append(append(dst, field...), `":`...), text), "}}\n\n"...)
}

// Chunk appends what a chunk becomes.
func (e *messagesEncoder) Chunk(dst []byte, c *providers.Chunk) []byte {
	if !e.started {
		e.started = true
		if c.Kind == providers.ChunkStart {
			e.vendor, e.model = c.Name, cmp.Or(c.Model, e.model)
		}
		dst = e.start(dst)
	}
	if _, signature := e.thoughts.add(c); signature != "" {
		dst = e.seal(dst, signature)
	}
	switch c.Kind {
	case providers.ChunkText:
		if e.open != "text" {
			dst = e.begin(dst, "text", object{"text": ""})
		}
		return e.delta(dst, e.index, "text_delta", "text", c.Text)
	case providers.ChunkReasoning:
		if e.open != "thinking" {
			dst = e.begin(dst, "thinking", object{"thinking": "", "signature": ""})
		}
		return e.delta(dst, e.index, "thinking_delta", "thinking", c.Text)
	case providers.ChunkRedacted:
		return e.hidden(dst, seal{Vendor: e.vendor, Model: e.model, Text: c.Text, Hidden: true})
	case providers.ChunkToolStart:
		if c.Text != "" {
			dst = e.hidden(dst, seal{Vendor: e.vendor, Model: e.model, Text: c.Text, Call: true})
		}
		dst = e.begin(dst, "tool_use", object{"id": c.ID, "name": c.Name, "input": object{}})
		e.blocks[c.Index] = e.index
		return dst
	case providers.ChunkToolArgs:
		return e.delta(dst, e.blocks[c.Index], "input_json_delta", "partial_json", c.Text)
	case providers.ChunkToolEnd:
		if e.open == "tool_use" && e.blocks[c.Index] == e.index {
			return e.end(dst)
		}
	case providers.ChunkUsage:
		e.usage = c.Usage
	case providers.ChunkFinish:
		return e.finish(e.end(dst), c.Stop)
	}
	return dst
}

// seal closes a thinking block with its signature.
func (e *messagesEncoder) seal(dst []byte, signature string) []byte {
	if e.open != "thinking" {
		dst = e.begin(dst, "thinking", object{"thinking": "", "signature": ""})
	}
	wired := toWire("anthropic", seal{Vendor: e.vendor, Model: e.model, Text: signature})
	return e.end(e.delta(dst, e.index, "signature_delta", "signature", wired))
}

func (e *messagesEncoder) hidden(dst []byte, s seal) []byte {
	return e.end(e.begin(dst, "redacted_thinking", object{"data": toWire("anthropic", s)}))
}

func (e *messagesEncoder) finish(dst []byte, stop providers.StopReason) []byte {
	dst = eventFrame(dst, "message_delta", encode(object{
		"type": "message_delta", "delta": object{"stop_reason": messagesStop(stop), "stop_sequence": nil}, "usage": messagesUsage(e.usage),
	}))
	return append(dst, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}

// Fail appends an error in place of the rest.
func (e *messagesEncoder) Fail(dst []byte, f *fault.Fault) []byte {
	return eventFrame(dst, "error", Messages{}.Error(f, e.meta.ID))
}

// Whole encodes a complete answer.
func (Messages) Whole(r *providers.Response, m Meta) ([]byte, error) {
	content := []object{}
	for i := range r.Parts {
		p := &r.Parts[i]
		s := seal{Vendor: p.Vendor, Model: p.Model, Text: p.Signature, Hidden: p.Redacted}
		switch p.Kind {
		case providers.PartText:
			content = append(content, object{"type": "text", "text": p.Text, "citations": nil})
		case providers.PartReasoning:
			signature := ""
			if p.Signature != "" {
				signature = toWire("anthropic", s)
			}
			if p.Redacted {
				content = append(content, object{"type": "redacted_thinking", "data": signature})
			} else {
				content = append(content, object{"type": "thinking", "thinking": p.Text, "signature": signature})
			}
		case providers.PartToolCall:
			if s.Call = true; p.Signature != "" {
				content = append(content, object{"type": "redacted_thinking", "data": toWire("anthropic", s)})
			}
			content = append(content, object{"type": "tool_use", "id": p.ID, "name": p.Name, "input": objectArgs(p.Args)})
		}
	}
	return encode(object{
		"id": "msg_" + m.ID, "type": "message", "role": "assistant", "model": cmp.Or(r.Model, m.Model), "content": content,
		"stop_reason": messagesStop(r.Stop), "stop_sequence": nil, "usage": messagesUsage(r.Usage),
	}), nil
}

// objectArgs keeps arguments an object, as two of the dialects demand.
func objectArgs(args json.RawMessage) json.RawMessage {
	if len(args) > 0 && args[0] == '{' && json.Valid(args) {
		return args
	}
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}")
	}
	return encode(object{"value": string(args)})
}

// Error encodes a refusal.
func (Messages) Error(f *fault.Fault, request string) []byte {
	return encode(object{"type": "error", "error": object{"type": anthropicType(f), "message": anthropicWords(f), "code": f.Code}, "request_id": request})
}
