package compat

import (
	"cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

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
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning, "audio_tokens": u.AudioOutput, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// chatEncoder writes chunks.
type chatEncoder struct {
	meta     Meta
	vendor   string // that signs
	model    string
	prefix   []byte // of every chunk, up to its choices
	usage    providers.Usage
	thoughts thoughts
	sealed   int // how many pieces of reasoning
	started  bool
}

// Stream makes the encoder of one answer.
func (Chat) Stream(m Meta) Encoder { return &chatEncoder{meta: m, model: m.Model} }

func (e *chatEncoder) begin() {
	e.prefix = append(e.prefix, `data: {"id":`...)
	e.prefix = quote(e.prefix, "chatcmpl-"+e.meta.ID)
	e.prefix = append(e.prefix, `,"object":"chat.completion.chunk","created":`...)
	e.prefix = number(e.prefix, e.meta.At.Unix())
	e.prefix = append(e.prefix, `,"model":`...)
	e.prefix = append(quote(e.prefix, e.model), `,"choices":[`...)
}

// delta appends a chunk with one choice whose delta is given.
func (e *chatEncoder) delta(dst []byte, delta func(dst []byte) []byte, finish string) []byte {
	dst = append(append(dst, e.prefix...), `{"index":0,"delta":{`...)
	dst = delta(dst)
	dst = append(dst, `},"logprobs":null,"finish_reason":`...)
	if finish == "" {
		dst = append(dst, "null"...)
	} else {
		dst = quote(dst, finish)
	}
	dst = append(dst, "}]"...)
	if e.meta.Usage {
		dst = append(dst, `,"usage":null`...)
	}
	return append(dst, "}\n\n"...)
}

func (e *chatEncoder) piece(dst []byte, field, text string) []byte {
	return e.delta(dst, func(dst []byte) []byte {
		return quote(append(append(append(dst, '"'), field...), `":`...), text)
	}, "")
}

// value appends a chunk whose delta has one field of any value.
func (e *chatEncoder) value(dst []byte, field string, v any) []byte {
	return e.delta(dst, func(dst []byte) []byte {
		return append(append(append(append(dst, '"'), field...), `":`...), encode(v)...)
	}, "")
}

// Chunk appends what a chunk becomes.
func (e *chatEncoder) Chunk(dst []byte, c *providers.Chunk) []byte {
	if !e.started {
		e.started = true
		if c.Kind == providers.ChunkStart {
			e.vendor, e.model = c.Name, cmp.Or(c.Model, e.model)
		}
		e.begin()
		dst = e.delta(dst, func(dst []byte) []byte { return append(dst, `"role":"assistant","content":""`...) }, "")
	}
	if text, signature := e.thoughts.add(c); signature != "" {
		dst = e.thought(dst, chatThought{Type: "reasoning.text", Text: text, Signature: seal{Vendor: e.vendor, Model: e.model, Text: signature}.wrap()})
	}
	switch c.Kind {
	case providers.ChunkText:
		return e.piece(dst, "content", c.Text)
	case providers.ChunkReasoning:
		return e.piece(dst, "reasoning_content", c.Text)
	case providers.ChunkRedacted:
		return e.thought(dst, chatThought{Type: "reasoning.encrypted", Data: seal{Vendor: e.vendor, Model: e.model, Text: c.Text, Hidden: true}.wrap()})
	case providers.ChunkToolStart:
		call := chatCall{Index: &c.Index, ID: c.ID, Type: "function", Function: chatCallFunc{Name: c.Name}, Extra: callSeal(e.vendor, e.model, c.Text)}
		return e.value(dst, "tool_calls", []chatCall{call})
	case providers.ChunkToolArgs:
		return e.delta(dst, func(dst []byte) []byte {
			dst = number(append(dst, `"tool_calls":[{"index":`...), int64(c.Index))
			return append(quote(append(dst, `,"function":{"arguments":`...), c.Text), "}}]"...)
		}, "")
	case providers.ChunkUsage:
		e.usage = c.Usage
	case providers.ChunkFinish:
		dst = e.delta(dst, func(dst []byte) []byte { return dst }, chatStop(c.Stop))
		if e.meta.Usage {
			dst = append(append(dst, e.prefix...), `],"usage":`...)
			dst = append(append(dst, encode(chatUsage(e.usage))...), "}\n\n"...)
		}
		return append(dst, "data: [DONE]\n\n"...)
	}
	return dst
}

func (e *chatEncoder) thought(dst []byte, d chatThought) []byte {
	d.Format, d.Index = e.vendor, e.sealed
	e.sealed++
	return e.value(dst, "reasoning_details", []chatThought{d})
}

// callSeal carries a call's seal where Google's own clients of this dialect
// look for it.
func callSeal(vendor, model, text string) map[string]any {
	if text == "" {
		return nil
	}
	return object{"google": object{"thought_signature": toWire("gemini", seal{Vendor: vendor, Model: model, Text: text, Call: true})}}
}

// Fail appends an error in place of the rest.
func (e *chatEncoder) Fail(dst []byte, f *fault.Fault) []byte {
	return dataFrame(dst, Chat{}.Error(f, e.meta.ID))
}

// Whole encodes a complete answer.
func (Chat) Whole(r *providers.Response, m Meta) ([]byte, error) {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	var calls []chatCall
	var thoughts []chatThought
	text, thinking := "", ""
	for i := range r.Parts {
		switch p := &r.Parts[i]; p.Kind {
		case providers.PartText:
			text += p.Text
		case providers.PartReasoning:
			thinking += p.Text
			if p.Signature == "" {
				continue
			}
			wrapped := seal{Vendor: p.Vendor, Model: p.Model, Text: p.Signature, Hidden: p.Redacted}.wrap()
			if p.Redacted {
				thoughts = append(thoughts, chatThought{Type: "reasoning.encrypted", Data: wrapped, Format: p.Vendor, Index: len(thoughts)})
			} else {
				thoughts = append(thoughts, chatThought{Type: "reasoning.text", Text: p.Text, Signature: wrapped, Format: p.Vendor, Index: len(thoughts)})
			}
		case providers.PartToolCall:
			calls = append(calls, chatCall{ID: p.ID, Type: "function", Function: chatCallFunc{p.Name, string(p.Args)}, Extra: callSeal(p.Vendor, p.Model, p.Signature)})
		}
	}
	if r.Stop == providers.StopRefused {
		message["refusal"] = text
	} else if text != "" || calls == nil {
		message["content"] = text
	}
	if thinking != "" {
		message["reasoning_content"] = thinking
	}
	if thoughts != nil {
		message["reasoning_details"] = thoughts
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return encode(object{
		"id": "chatcmpl-" + m.ID, "object": "chat.completion", "created": m.At.Unix(), "model": cmp.Or(r.Model, m.Model),
		"choices": []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": chatStop(r.Stop)}},
		"usage":   chatUsage(r.Usage),
	}), nil
}

// Error encodes a refusal.
func (Chat) Error(f *fault.Fault, request string) []byte {
	return encode(object{"error": openAIError(f, request)})
}
