package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	ContentBlock answered `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// answered is one block of an answer.
type answered struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Data      string          `json:"data"`
	Input     json.RawMessage `json:"input"`
	Thinking  string          `json:"thinking"`  // of a whole answer
	Signature string          `json:"signature"` // the same
}

// whole is an answer in one piece.
type whole struct {
	ID         string     `json:"id"`
	Model      string     `json:"model"`
	Content    []answered `json:"content"`
	StopReason string     `json:"stop_reason"`
	Usage      usage      `json:"usage"`
}

type usage struct {
	Input         *int64 `json:"input_tokens"`
	Output        *int64 `json:"output_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
	CacheCreate   *int64 `json:"cache_creation_input_tokens"`
	CacheCreation *struct {
		Short int64 `json:"ephemeral_5m_input_tokens"`
		Long  int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// into writes what was told over what is known: message_delta repeats some
// fields and leaves others out.
func (u *usage) into(t *providers.Usage) {
	set := func(dst *int64, src *int64) {
		if src != nil {
			*dst = *src
		}
	}
	set(&t.Input, u.Input)
	set(&t.Output, u.Output)
	set(&t.CacheRead, u.CacheRead)
	if u.CacheCreation != nil && u.CacheCreation.Short+u.CacheCreation.Long > 0 {
		t.CacheWrite, t.CacheWriteLong = u.CacheCreation.Short, u.CacheCreation.Long
		return
	}
	if u.CacheCreate != nil && *u.CacheCreate != t.CacheWrite+t.CacheWriteLong {
		t.CacheWrite, t.CacheWriteLong = *u.CacheCreate, 0
	}
}

// decoder follows one answer.
type decoder struct {
	usage providers.Usage
	stop  providers.StopReason
	calls int
	open  []openBlock // by the vendor's block index
}

type openBlock struct {
	kind string
	call int
}

// Event decodes one event.
func (d *decoder) Event(_, data []byte, out *wire.Queue) error {
	if text, ok := plainDelta(data); ok {
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: text})
		return nil
	}
	var ev event
	if err := json.Unmarshal(data, &ev); err != nil {
		return fmt.Errorf("decoding an event of %s: %w", Vendor, err)
	}
	switch ev.Type {
	case "message":
		return d.whole(data, out)
	case "message_start":
		ev.Message.Usage.into(&d.usage)
		out.Push(providers.Chunk{Kind: providers.ChunkStart, ID: ev.Message.ID, Model: ev.Message.Model, Name: Vendor})
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: d.usage})
	case "content_block_start":
		d.start(&ev, out)
	case "content_block_delta":
		d.delta(&ev, out)
	case "content_block_stop":
		if b := d.at(ev.Index); b != nil && b.kind == "tool_use" {
			out.Push(providers.Chunk{Kind: providers.ChunkToolEnd, Index: b.call})
		}
	case "message_delta":
		ev.Usage.into(&d.usage)
		if ev.Delta.StopReason != "" {
			d.stop = stopOf(ev.Delta.StopReason)
		}
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: d.usage})
	case "message_stop":
		out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: d.stop})
	case "error":
		return providers.Failure{Vendor: Vendor, Code: ev.Error.Type, Message: ev.Error.Message}.Fault()
	}
	return nil
}

// whole decodes an answer that came in one piece.
func (d *decoder) whole(data []byte, out *wire.Queue) error {
	var m whole
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("decoding an answer of %s: %w", Vendor, err)
	}
	m.Usage.into(&d.usage)
	out.Push(providers.Chunk{Kind: providers.ChunkStart, ID: m.ID, Model: m.Model, Name: Vendor})
	for i := range m.Content {
		b := &m.Content[i]
		d.start(&event{Index: i, ContentBlock: *b}, out)
		switch b.Type {
		case "thinking":
			out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: b.Thinking})
			out.Push(providers.Chunk{Kind: providers.ChunkSignature, Text: b.Signature})
		case "tool_use":
			if open := d.at(i); open != nil {
				out.Push(providers.Chunk{Kind: providers.ChunkToolEnd, Index: open.call})
			}
		}
	}
	out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: d.usage})
	if m.StopReason != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: stopOf(m.StopReason)})
	}
	return nil
}

var (
	deltaHead = []byte(`{"type":"content_block_delta","index":`)
	deltaText = []byte(`,"delta":{"type":"text_delta","text":"`)
)

// usualDelta is plainDelta for the very bytes that the vendor sends.
func usualDelta(data []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(data, deltaHead)
	if !ok {
		return "", false
	}
	if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, "0123456789"), deltaText); !ok {
		return "", false
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 || !utf8.Valid(rest[:end]) {
		return "", false
	}
	tail, ok := bytes.CutPrefix(rest[end+1:], []byte("}"))
	if tail = bytes.TrimSpace(tail); !ok || string(tail) != "}" {
		return "", false
	}
	return string(rest[:end]), true
}

// plainDelta reads a piece of text, which nearly all events are, without
// decoding the event.
func plainDelta(data []byte) (string, bool) {
	if text, ok := usualDelta(data); ok {
		return text, true
	}
	var kind, delta []byte
	if rawjson.Fields(data, func(key, value []byte) bool {
		switch string(key) {
		case "type":
			kind = value
		case "delta":
			delta = value
		}
		return true
	}) != nil || string(kind) != `"content_block_delta"` || string(rawjson.Find(delta, "type")) != `"text_delta"` {
		return "", false
	}
	return rawjson.String(delta, "text")
}

// maxBlocks bounds the table of open blocks against a hostile index.
const maxBlocks = 1 << 12

func (d *decoder) at(index int) *openBlock {
	if index < 0 || index >= len(d.open) {
		return nil
	}
	return &d.open[index]
}

func (d *decoder) start(ev *event, out *wire.Queue) {
	if ev.Index < 0 || ev.Index >= maxBlocks {
		return
	}
	for len(d.open) <= ev.Index {
		d.open = append(d.open, openBlock{})
	}
	b := &d.open[ev.Index]
	*b = openBlock{kind: ev.ContentBlock.Type}
	switch b.kind {
	case "text":
		if ev.ContentBlock.Text != "" {
			out.Push(providers.Chunk{Kind: providers.ChunkText, Text: ev.ContentBlock.Text})
		}
	case "redacted_thinking":
		out.Push(providers.Chunk{Kind: providers.ChunkRedacted, Text: ev.ContentBlock.Data})
	case "tool_use":
		b.call = d.calls
		d.calls++
		out.Push(providers.Chunk{Kind: providers.ChunkToolStart, Index: b.call, ID: ev.ContentBlock.ID, Name: ev.ContentBlock.Name})
		if in := bytes.TrimSpace(ev.ContentBlock.Input); len(in) > 2 && in[0] == '{' {
			out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: b.call, Text: string(in)})
		}
	}
}

func (d *decoder) delta(ev *event, out *wire.Queue) {
	switch ev.Delta.Type {
	case "text_delta":
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: ev.Delta.Text})
	case "thinking_delta":
		out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: ev.Delta.Thinking})
	case "signature_delta":
		out.Push(providers.Chunk{Kind: providers.ChunkSignature, Text: ev.Delta.Signature})
	case "input_json_delta":
		if b := d.at(ev.Index); b != nil && b.kind == "tool_use" && ev.Delta.PartialJSON != "" {
			out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: b.call, Text: ev.Delta.PartialJSON})
		}
	}
}

func stopOf(reason string) providers.StopReason {
	switch reason {
	case "tool_use":
		return providers.StopTools
	case "max_tokens", "model_context_window_exceeded":
		return providers.StopLength
	case "stop_sequence":
		return providers.StopSequence
	case "refusal":
		return providers.StopRefused
	case "pause_turn":
		return providers.StopPaused
	}
	return providers.StopEnd
}

// tally reads usage from bytes that are relayed.
func tally(data []byte, t *providers.Tally) {
	if bytes.Contains(data, []byte(`"message_stop"`)) {
		t.Finished = true
		return
	}
	if !bytes.Contains(data, []byte(`"usage"`)) {
		return
	}
	var v struct {
		Type       string `json:"type"`
		Model      string `json:"model"`
		StopReason string `json:"stop_reason"`
		Usage      usage  `json:"usage"`
		Message    struct {
			Model string `json:"model"`
			Usage usage  `json:"usage"`
		} `json:"message"`
		Delta struct {
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
	}
	if json.Unmarshal(data, &v) != nil {
		return
	}
	switch v.Type {
	case "message": // a whole answer
		t.Model, t.Finished, t.Stop = v.Model, true, stopOf(v.StopReason)
	case "message_start":
		t.Model = v.Message.Model
		v.Message.Usage.into(&t.Usage)
	case "message_delta":
		if v.Delta.StopReason != "" {
			t.Stop = stopOf(v.Delta.StopReason)
		}
	default:
		return
	}
	v.Usage.into(&t.Usage)
}
