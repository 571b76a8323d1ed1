package openai

import (
	"encoding/json"
	"fmt"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

type responsesEvent struct {
	Type        string        `json:"type"`
	OutputIndex int           `json:"output_index"`
	Delta       string        `json:"delta"`
	Item        *responseItem `json:"item"`
	Response    *responseBody `json:"response"`
	Code        string        `json:"code"`
	Message     string        `json:"message"`
	Error       *vendorError  `json:"error"`
}

type responseItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Encrypted string `json:"encrypted_content"`
}

type responseBody struct {
	ID         string       `json:"id"`
	Object     string       `json:"object"`
	Model      string       `json:"model"`
	Status     string       `json:"status"`
	Error      *vendorError `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *responsesUsage `json:"usage"`
}

type vendorError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responsesUsage struct {
	Input     int64 `json:"input_tokens"`
	Output    int64 `json:"output_tokens"`
	InputMore struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputMore struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *responsesUsage) usage() providers.Usage {
	return providers.Usage{
		Input: max(0, u.Input-u.InputMore.Cached-u.InputMore.Written), CacheRead: u.InputMore.Cached, CacheWrite: u.InputMore.Written,
		Output: max(0, u.Output-u.OutputMore.Reasoning), Reasoning: u.OutputMore.Reasoning,
	}
}

// responsesDecoder follows one answer.
type responsesDecoder struct {
	vendor, model string
	calls         map[int]*responsesCall // by output index
	refused       bool
	paragraph     bool // the next summary piece starts a new paragraph
}

type responsesCall struct {
	index int
	args  bool // some were streamed
}

// Event decodes one event.
func (d *responsesDecoder) Event(_, data []byte, out *wire.Queue) error {
	if string(rawjson.Find(data, "type")) == `"response.output_text.delta"` {
		if text, ok := rawjson.String(data, "delta"); ok {
			out.Push(providers.Chunk{Kind: providers.ChunkText, Text: text})
			return nil
		}
	}
	var ev responsesEvent
	if err := json.Unmarshal(data, &ev); err != nil {
		return fmt.Errorf("decoding an event of %s: %w", d.vendor, err)
	}
	switch ev.Type {
	case "response.created":
		if ev.Response != nil {
			out.Push(providers.Chunk{Kind: providers.ChunkStart, ID: ev.Response.ID, Model: ev.Response.Model, Name: d.vendor})
		}
	case "response.output_item.added":
		d.added(&ev, out)
	case "response.output_text.delta":
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: ev.Delta})
	case "response.refusal.delta":
		d.refused = true
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: ev.Delta})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if d.paragraph {
			d.paragraph = false
			ev.Delta = "\n\n" + ev.Delta
		}
		out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: ev.Delta})
	case "response.reasoning_summary_part.done":
		d.paragraph = true
	case "response.function_call_arguments.delta":
		if call := d.calls[ev.OutputIndex]; call != nil && ev.Delta != "" {
			call.args = true
			out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: call.index, Text: ev.Delta})
		}
	case "response.output_item.done":
		d.itemDone(&ev, out)
	case "response.completed", "response.incomplete":
		d.completed(ev.Response, out)
	case "response.failed", "error":
		return d.failure(&ev)
	}
	return nil
}

func (d *responsesDecoder) added(ev *responsesEvent, out *wire.Queue) {
	if ev.Item == nil || ev.Item.Type != "function_call" {
		return
	}
	if d.calls == nil {
		d.calls = map[int]*responsesCall{}
	}
	call := &responsesCall{index: len(d.calls)}
	d.calls[ev.OutputIndex] = call
	out.Push(providers.Chunk{Kind: providers.ChunkToolStart, Index: call.index, ID: ev.Item.CallID, Name: ev.Item.Name})
}

func (d *responsesDecoder) itemDone(ev *responsesEvent, out *wire.Queue) {
	if ev.Item == nil {
		return
	}
	switch ev.Item.Type {
	case "function_call":
		call := d.calls[ev.OutputIndex]
		if call == nil {
			d.added(ev, out)
			call = d.calls[ev.OutputIndex]
		}
		if !call.args && ev.Item.Arguments != "" {
			out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: call.index, Text: ev.Item.Arguments})
		}
		out.Push(providers.Chunk{Kind: providers.ChunkToolEnd, Index: call.index})
	case "reasoning":
		d.paragraph = false
		if ev.Item.Encrypted == "" {
			return
		}
		if sealed, err := json.Marshal(seal{ev.Item.ID, ev.Item.Encrypted}); err == nil {
			out.Push(providers.Chunk{Kind: providers.ChunkSignature, Text: string(sealed)})
		}
	}
}

func (d *responsesDecoder) completed(r *responseBody, out *wire.Queue) {
	if r == nil {
		return
	}
	if r.Usage != nil {
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: r.Usage.usage()})
	}
	out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: r.stop(len(d.calls) > 0, d.refused)})
}

func (r *responseBody) stop(called, refused bool) providers.StopReason {
	switch {
	case r.Incomplete != nil && r.Incomplete.Reason == "content_filter":
		return providers.StopFiltered
	case r.Status == "incomplete":
		return providers.StopLength
	case refused:
		return providers.StopRefused
	case called:
		return providers.StopTools
	}
	return providers.StopEnd
}

func (d *responsesDecoder) failure(ev *responsesEvent) error {
	f := providers.Failure{Vendor: d.vendor, Model: d.model, Code: ev.Code, Message: ev.Message}
	e := ev.Error
	if e == nil && ev.Response != nil {
		e = ev.Response.Error
	}
	if e != nil {
		f.Code, f.Message = e.Code+" "+e.Type, e.Message
	}
	return f.Fault()
}

// tallyResponses reads usage from bytes that are relayed.
func tallyResponses(data []byte, t *providers.Tally) {
	if !hasUsage(data) {
		return
	}
	var v struct {
		Type     string        `json:"type"`
		Response *responseBody `json:"response"`
		responseBody
	}
	if json.Unmarshal(data, &v) != nil {
		return
	}
	body := v.Response
	if v.Object == "response" {
		body = &v.responseBody
	}
	if body == nil || (v.Type != "" && v.Type != "response.completed" && v.Type != "response.incomplete") {
		return
	}
	t.Model, t.Stop = body.Model, body.stop(false, false)
	t.Finished = body.Status == "completed" || body.Status == "incomplete"
	if body.Usage != nil {
		t.Usage = body.Usage.usage()
	}
}
