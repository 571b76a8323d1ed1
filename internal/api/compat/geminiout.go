package compat

import (
	"cmp"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

func geminiStop(s providers.StopReason) string {
	switch s {
	case providers.StopLength:
		return "MAX_TOKENS"
	case providers.StopFiltered, providers.StopRefused:
		return "SAFETY"
	}
	return "STOP"
}

func geminiUsage(u providers.Usage) object {
	return object{
		"promptTokenCount": u.TotalInput(), "candidatesTokenCount": u.TotalOutput() - u.Reasoning, "totalTokenCount": u.Total(),
		"cachedContentTokenCount": u.CacheRead, "thoughtsTokenCount": u.Reasoning,
	}
}

// geminiEncoder writes pieces of an answer; a call is sent once it is whole,
// because this dialect has no other way.
type geminiEncoder struct {
	meta     Meta
	vendor   string
	model    string
	usage    providers.Usage
	written  bool // the array was opened
	call     *providers.Chunk
	args     strings.Builder
	thoughts thoughts
}

// Stream makes the encoder of one answer.
func (Gemini) Stream(m Meta) Encoder { return &geminiEncoder{meta: m, model: m.Model} }

// frame appends one value, as an event or as an element of the array.
func (e *geminiEncoder) frame(dst, data []byte) []byte {
	if !e.meta.Array {
		return append(append(append(dst, "data: "...), data...), "\r\n\r\n"...)
	}
	if e.written {
		dst = append(dst, ",\r\n"...)
	} else {
		dst = append(dst, '[')
	}
	e.written = true
	return append(dst, data...)
}

func (e *geminiEncoder) parts(dst []byte, finish string, parts ...object) []byte {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	body := object{"candidates": []object{candidate}, "modelVersion": e.model, "responseId": e.meta.ID}
	if finish != "" {
		candidate["finishReason"] = finish
		body["usageMetadata"] = geminiUsage(e.usage)
	}
	return e.frame(dst, encode(body))
}

func (e *geminiEncoder) text(dst []byte, text string) []byte {
	if e.meta.Array {
		return e.parts(dst, "", object{"text": text})
	}
	dst = quote(append(dst, `data: {"candidates":[{"content":{"role":"model","parts":[{"text":`...), text)
	dst = quote(append(dst, `}]},"index":0}],"modelVersion":`...), e.model)
	dst = quote(append(dst, `,"responseId":`...), e.meta.ID)
	return append(dst, "}\r\n\r\n"...)
}

// Chunk appends what a chunk becomes.
func (e *geminiEncoder) Chunk(dst []byte, c *providers.Chunk) []byte {
	if _, signature := e.thoughts.add(c); signature != "" {
		dst = e.parts(dst, "", object{"text": "", "thought": true, "thoughtSignature": toWire("gemini", seal{Vendor: e.vendor, Model: e.model, Text: signature})})
	}
	switch c.Kind {
	case providers.ChunkStart:
		e.vendor, e.model = c.Name, cmp.Or(c.Model, e.model)
	case providers.ChunkText:
		return e.text(e.flush(dst), c.Text)
	case providers.ChunkReasoning:
		return e.parts(dst, "", object{"text": c.Text, "thought": true})
	case providers.ChunkRedacted:
		return e.parts(dst, "", object{"text": "", "thought": true, "thoughtSignature": toWire("gemini", seal{Vendor: e.vendor, Model: e.model, Text: c.Text, Hidden: true})})
	case providers.ChunkToolStart:
		dst = e.flush(dst)
		call := *c
		e.call = &call
	case providers.ChunkToolArgs:
		if e.call != nil && e.call.Index == c.Index {
			e.args.WriteString(c.Text)
		}
	case providers.ChunkToolEnd:
		if e.call != nil && e.call.Index == c.Index {
			return e.flush(dst)
		}
	case providers.ChunkUsage:
		e.usage = c.Usage
	case providers.ChunkFinish:
		dst = e.parts(e.flush(dst), geminiStop(c.Stop), object{"text": ""})
		if e.meta.Array {
			dst = append(dst, "]\r\n"...)
		}
	}
	return dst
}

// flush sends the call that was being received.
func (e *geminiEncoder) flush(dst []byte) []byte {
	if e.call == nil {
		return dst
	}
	call := geminiCallPart(e.call.ID, e.call.Name, e.args.String(), seal{Vendor: e.vendor, Model: e.model, Text: e.call.Text, Call: true})
	e.call = nil
	e.args.Reset()
	return e.parts(dst, "", call)
}

func geminiCallPart(id, name, args string, s seal) object {
	part := object{"functionCall": object{"id": id, "name": name, "args": objectArgs(providers.ToolArgs(args))}}
	if s.Text != "" {
		part["thoughtSignature"] = toWire("gemini", s)
	}
	return part
}

// Fail appends an error in place of the rest.
func (e *geminiEncoder) Fail(dst []byte, f *fault.Fault) []byte {
	dst = e.frame(dst, Gemini{}.Error(f, e.meta.ID))
	if e.meta.Array {
		dst = append(dst, "]\r\n"...)
	}
	return dst
}

// Whole encodes a complete answer.
func (Gemini) Whole(r *providers.Response, m Meta) ([]byte, error) {
	parts := []object{}
	for i := range r.Parts {
		p := &r.Parts[i]
		s := seal{Vendor: p.Vendor, Model: p.Model, Text: p.Signature, Hidden: p.Redacted, Call: p.Kind == providers.PartToolCall}
		switch p.Kind {
		case providers.PartText:
			parts = append(parts, object{"text": p.Text})
		case providers.PartReasoning:
			part := object{"text": p.Text, "thought": true}
			if p.Signature != "" {
				part["thoughtSignature"] = toWire("gemini", s)
			}
			parts = append(parts, part)
		case providers.PartToolCall:
			parts = append(parts, geminiCallPart(p.ID, p.Name, string(p.Args), s))
		}
	}
	return encode(object{
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": geminiStop(r.Stop)}},
		"usageMetadata": geminiUsage(r.Usage), "modelVersion": cmp.Or(r.Model, m.Model), "responseId": m.ID,
	}), nil
}

// Error encodes a refusal.
func (Gemini) Error(f *fault.Fault, request string) []byte {
	return encode(object{"error": object{
		"code": f.Status(), "message": words(f), "status": googleStatus(f),
		"details": []object{{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": strings.ToUpper(f.Code), "domain": "fluxway", "metadata": object{"request_id": request}}},
	}})
}
