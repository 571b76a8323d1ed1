package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

type event struct {
	Model      string      `json:"model"`
	Message    chatMessage `json:"message"`
	Done       bool        `json:"done"`
	DoneReason string      `json:"done_reason"`
	Prompt     int64       `json:"prompt_eval_count"`
	Eval       int64       `json:"eval_count"`
	Error      string      `json:"error"`
}

func (ev *event) usage() providers.Usage {
	return providers.Usage{Input: ev.Prompt, Output: ev.Eval}
}

func (ev *event) stop(called bool) providers.StopReason {
	switch {
	case ev.DoneReason == "length":
		return providers.StopLength
	case called:
		return providers.StopTools
	}
	return providers.StopEnd
}

// decoder follows one answer.
type decoder struct {
	model   string
	started bool
	calls   int
}

// Event decodes one line.
func (d *decoder) Event(_, data []byte, out *wire.Queue) error {
	var ev event
	if err := json.Unmarshal(data, &ev); err != nil {
		return fmt.Errorf("decoding a line of %s: %w", Vendor, err)
	}
	if ev.Error != "" {
		return providers.Failure{Vendor: Vendor, Model: d.model, Message: ev.Error}.Fault()
	}
	if !d.started {
		d.started = true
		out.Push(providers.Chunk{Kind: providers.ChunkStart, Model: ev.Model, Name: Vendor})
	}
	if ev.Message.Thinking != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: ev.Message.Thinking})
	}
	if ev.Message.Content != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: ev.Message.Content})
	}
	for i := range ev.Message.ToolCalls {
		d.call(&ev.Message.ToolCalls[i], out)
	}
	if ev.Done {
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: ev.usage()})
		out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: ev.stop(d.calls > 0)})
	}
	return nil
}

// call emits a whole call; this protocol does not cut them, and older servers
// give no id.
func (d *decoder) call(c *toolCall, out *wire.Queue) {
	id := c.ID
	if id == "" {
		id = "call_" + strconv.Itoa(d.calls+1)
	}
	out.Push(providers.Chunk{Kind: providers.ChunkToolStart, Index: d.calls, ID: id, Name: c.Function.Name})
	if len(c.Function.Arguments) > 0 {
		out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: d.calls, Text: string(c.Function.Arguments)})
	}
	out.Push(providers.Chunk{Kind: providers.ChunkToolEnd, Index: d.calls})
	d.calls++
}

// tally reads usage from lines that are relayed.
func tally(data []byte, t *providers.Tally) {
	if !bytes.Contains(data, []byte(`"done":true`)) && !bytes.Contains(data, []byte(`"done": true`)) {
		return
	}
	var ev event
	if json.Unmarshal(data, &ev) != nil || !ev.Done {
		return
	}
	t.Model, t.Usage, t.Stop, t.Finished = ev.Model, ev.usage(), ev.stop(false), true
}
