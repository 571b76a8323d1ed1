package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

type chatEvent struct {
	ID      string       `json:"id"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage"`
	XGroq   struct {
		Usage *chatUsage `json:"usage"`
	} `json:"x_groq"`
	Error json.RawMessage `json:"error"`
}

type chatChoice struct {
	Index        int        `json:"index"`
	Delta        *chatDelta `json:"delta"`
	Message      *chatDelta `json:"message"` // a whole answer
	FinishReason string     `json:"finish_reason"`
}

type chatDelta struct {
	Content          text              `json:"content"`
	Refusal          string            `json:"refusal"`
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        string            `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ToolCalls        []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// text is a string, or a list of parts of which the text ones count; some
// servers (Mistral's thinking models) send the latter.
type text struct {
	answer, thinking string
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, &t.answer)
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		t.answer += p.Text
		for _, th := range p.Thinking {
			t.thinking += th.Text
		}
	}
	return nil
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	CacheHit   int64 `json:"prompt_cache_hit_tokens"` // deepseek
	PromptMore struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
		Audio   int64 `json:"audio_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionMore struct {
		Reasoning int64 `json:"reasoning_tokens"`
		Audio     int64 `json:"audio_tokens"`
	} `json:"completion_tokens_details"`
}

// usage makes the kinds disjoint. Most servers count reasoning within the
// completion; xAI counts it beside, which the total gives away.
func (u *chatUsage) usage() providers.Usage {
	cached := max(u.PromptMore.Cached, u.CacheHit)
	reasoning := u.CompletionMore.Reasoning
	output := u.Completion - reasoning - u.CompletionMore.Audio
	if reasoning > 0 && u.Total == u.Prompt+u.Completion+reasoning {
		output += reasoning
	}
	return providers.Usage{
		Input: max(0, u.Prompt-cached-u.PromptMore.Written-u.PromptMore.Audio), CacheRead: cached, CacheWrite: u.PromptMore.Written, AudioInput: u.PromptMore.Audio,
		Output: max(0, output), Reasoning: reasoning, AudioOutput: u.CompletionMore.Audio,
	}
}

// chatDecoder follows one answer.
type chatDecoder struct {
	vendor, model string
	started       bool
	calls         []chatOpen
	details       []json.RawMessage
	stop          providers.StopReason // set once a finish reason came
	refused       bool
}

type chatOpen struct {
	wire int // the server's index
	id   string
}

var done = []byte("[DONE]")

// Event decodes one event.
func (d *chatDecoder) Event(_, data []byte, out *wire.Queue) error {
	if bytes.Equal(bytes.TrimSpace(data), done) {
		d.End(out)
		return nil
	}
	if d.started {
		if text, ok := plainDelta(data); ok {
			if text != "" {
				out.Push(providers.Chunk{Kind: providers.ChunkText, Text: text})
			}
			return nil
		}
	}
	var ev chatEvent
	if err := json.Unmarshal(data, &ev); err != nil {
		return fmt.Errorf("decoding an event of %s: %w", d.vendor, err)
	}
	if len(ev.Error) > 0 && string(ev.Error) != "null" {
		f := wire.ParseError(data)
		f.Vendor, f.Model = d.vendor, d.model
		return f.Fault()
	}
	if !d.started && (ev.ID != "" || len(ev.Choices) > 0) {
		d.started = true
		out.Push(providers.Chunk{Kind: providers.ChunkStart, ID: ev.ID, Model: ev.Model, Name: d.vendor})
	}
	for i := range ev.Choices {
		if ev.Choices[i].Index == 0 { // we never ask for more than one
			d.choice(&ev.Choices[i], out)
		}
	}
	if u := ev.Usage; u != nil {
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: u.usage()})
	} else if u := ev.XGroq.Usage; u != nil {
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: u.usage()})
	}
	return nil
}

// plainDelta reads an event that is nothing but a piece of text, which nearly
// all are, without decoding it. Whatever it does not expect it leaves to the
// decoder.
func plainDelta(data []byte) (text string, ok bool) {
	var choices, usage []byte
	strange := false
	err := rawjson.Fields(data, func(key, value []byte) bool {
		switch string(key) {
		case "choices":
			choices = value
		case "usage":
			usage = value
		case "error", "x_groq":
			strange = true
		}
		return !strange
	})
	if err != nil || strange || (usage != nil && string(usage) != "null") {
		return "", false
	}
	var delta []byte
	err = rawjson.Fields(rawjson.Only(choices), func(key, value []byte) bool {
		switch string(key) {
		case "delta":
			delta = value
		case "index":
			strange = string(value) != "0"
		case "finish_reason":
			strange = string(value) != "null"
		case "logprobs":
		default:
			strange = true
		}
		return !strange
	})
	if err != nil || strange {
		return "", false
	}
	err = rawjson.Fields(delta, func(key, value []byte) bool {
		switch string(key) {
		case "content":
			text, ok = rawjson.Text(value)
			strange = !ok
		case "role":
		case "refusal", "reasoning_content", "reasoning", "tool_calls", "function_call", "annotations", "audio":
			strange = string(value) != "null"
		default:
			strange = true
		}
		return !strange
	})
	return text, ok && err == nil && !strange
}

// End finishes the answer if the server gave a reason; some never send [DONE].
func (d *chatDecoder) End(out *wire.Queue) {
	if d.stop != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: d.stop})
	}
}

func (d *chatDecoder) choice(c *chatChoice, out *wire.Queue) {
	delta := c.Delta
	if delta == nil {
		delta = c.Message
	}
	if delta != nil {
		d.delta(delta, out)
	}
	if c.FinishReason == "" || d.stop != "" {
		return
	}
	if len(d.details) > 0 {
		if sealed, err := json.Marshal(d.details); err == nil {
			out.Push(providers.Chunk{Kind: providers.ChunkSignature, Text: string(sealed)})
		}
	}
	for i := range d.calls {
		out.Push(providers.Chunk{Kind: providers.ChunkToolEnd, Index: i})
	}
	d.stop = chatStop(c.FinishReason, len(d.calls) > 0, d.refused)
}

func (d *chatDecoder) delta(delta *chatDelta, out *wire.Queue) {
	if thought := delta.ReasoningContent + delta.Content.thinking; thought != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: thought})
	} else if delta.Reasoning != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: delta.Reasoning})
	}
	d.details = append(d.details, delta.ReasoningDetails...)
	if delta.Content.answer != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: delta.Content.answer})
	}
	if delta.Refusal != "" {
		d.refused = true
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: delta.Refusal})
	}
	for i := range delta.ToolCalls {
		call := &delta.ToolCalls[i]
		at := d.call(call.Index, i, call.ID, call.Function.Name, out)
		if call.Function.Arguments != "" && at >= 0 {
			out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: at, Text: call.Function.Arguments})
		}
	}
}

// call finds the open call that a piece belongs to, or opens one. Servers that
// leave the index out, or always say 0, are told apart by the id.
func (d *chatDecoder) call(index *int, position int, id, name string, out *wire.Queue) int {
	wireIndex := position
	if index != nil {
		wireIndex = *index
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].wire == wireIndex && (id == "" || d.calls[i].id == id || name == "") {
			return i
		}
	}
	if name == "" {
		return len(d.calls) - 1
	}
	if id == "" {
		id = "call_" + strconv.Itoa(len(d.calls)+1)
	}
	d.calls = append(d.calls, chatOpen{wireIndex, id})
	at := len(d.calls) - 1
	out.Push(providers.Chunk{Kind: providers.ChunkToolStart, Index: at, ID: id, Name: name})
	return at
}

func chatStop(reason string, called, refused bool) providers.StopReason {
	switch reason {
	case "tool_calls", "function_call":
		return providers.StopTools
	case "length", "model_length":
		return providers.StopLength
	case "content_filter":
		return providers.StopFiltered
	}
	switch {
	case refused:
		return providers.StopRefused
	case called: // some servers say "stop" beside tool calls
		return providers.StopTools
	}
	return providers.StopEnd
}

var (
	usageName    = []byte(`"usage":`)
	reasonBefore = []byte(`"finish`)
	reasonBehind = []byte(`_reason":`)
	quoteMark    = []byte(`"`)
)

// hasUsage looks for a usage that is an object. Streams repeat empty fields
// ("usage":null) in every event, and those must cost neither a decoding nor a
// search for the whole name: braces are few and quickly found.
func hasUsage(data []byte) bool {
	for i := 0; ; i++ {
		j := bytes.IndexByte(data[i:], '{')
		if j < 0 {
			return false
		}
		if i += j; bytes.HasSuffix(bytes.TrimRight(data[:i], " "), usageName) {
			return true
		}
	}
}

// hasReason looks for a finish_reason that is a text, by its underscore.
func hasReason(data []byte) bool {
	for i := 0; ; i++ {
		j := bytes.IndexByte(data[i:], '_')
		if j < 0 {
			return false
		}
		i += j
		rest, ok := bytes.CutPrefix(data[i:], reasonBehind)
		if ok && bytes.HasSuffix(data[:i], reasonBefore) && bytes.HasPrefix(bytes.TrimLeft(rest, " "), quoteMark) {
			return true
		}
	}
}

// tallyChat reads usage from bytes that are relayed. An answer is complete once
// it says why it ends: some servers never send [DONE].
func tallyChat(data []byte, t *providers.Tally) {
	if bytes.Equal(bytes.TrimSpace(data), done) {
		t.Finished = true
		return
	}
	if !hasReason(data) && !hasUsage(data) {
		return
	}
	var choices, usage []byte
	if rawjson.Fields(data, func(key, value []byte) bool {
		switch string(key) {
		case "model":
			t.Model, _ = rawjson.Text(value)
		case "choices":
			choices = value
		case "usage":
			usage = value
		}
		return true
	}) != nil {
		return
	}
	choice := rawjson.Only(choices)
	if reason, ok := rawjson.String(choice, "finish_reason"); ok && reason != "" {
		t.Stop, t.Finished = chatStop(reason, false, false), true
	} else if choice == nil && string(choices) != "[]" { // none come with the usage
		tallyChoices(choices, t)
	}
	var u chatUsage
	if u.read(usage) {
		t.Usage = u.usage()
	}
}

// read takes the counts out of a usage; what is not a plain number is left to
// the decoder.
func (u *chatUsage) read(raw []byte) bool {
	plain := true
	take := func(to *int64, v []byte) {
		n := int64(0)
		for _, c := range v {
			if plain = plain && c >= '0' && c <= '9' && n < 1<<40; !plain {
				return
			}
			n = n*10 + int64(c-'0')
		}
		*to = n
	}
	details := func(v []byte, field func(key, v []byte)) {
		if string(v) != "null" && rawjson.Fields(v, func(k, v []byte) bool { field(k, v); return true }) != nil {
			plain = false
		}
	}
	err := rawjson.Fields(raw, func(k, v []byte) bool {
		switch string(k) {
		case "prompt_tokens":
			take(&u.Prompt, v)
		case "completion_tokens":
			take(&u.Completion, v)
		case "total_tokens":
			take(&u.Total, v)
		case "prompt_cache_hit_tokens":
			take(&u.CacheHit, v)
		case "prompt_tokens_details":
			details(v, func(k, v []byte) {
				switch string(k) {
				case "cached_tokens":
					take(&u.PromptMore.Cached, v)
				case "cache_write_tokens":
					take(&u.PromptMore.Written, v)
				case "audio_tokens":
					take(&u.PromptMore.Audio, v)
				}
			})
		case "completion_tokens_details":
			details(v, func(k, v []byte) {
				switch string(k) {
				case "reasoning_tokens":
					take(&u.CompletionMore.Reasoning, v)
				case "audio_tokens":
					take(&u.CompletionMore.Audio, v)
				}
			})
		}
		return plain
	})
	if err == nil && plain {
		return true
	}
	*u = chatUsage{}
	return len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, u) == nil
}

// tallyChoices is for callers who asked for several answers at once.
func tallyChoices(choices []byte, t *providers.Tally) {
	var all []chatChoice
	if json.Unmarshal(choices, &all) != nil {
		return
	}
	for _, c := range all {
		if c.FinishReason != "" {
			t.Stop, t.Finished = chatStop(c.FinishReason, false, false), true
		}
	}
}
