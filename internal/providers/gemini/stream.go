package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

type event struct {
	ResponseID   string `json:"responseId"`
	ModelVersion string `json:"modelVersion"`
	Candidates   []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback *struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *usageMetadata  `json:"usageMetadata"`
	Error json.RawMessage `json:"error"`
}

type usageMetadata struct {
	Prompt     int64      `json:"promptTokenCount"`
	Cached     int64      `json:"cachedContentTokenCount"`
	Candidates int64      `json:"candidatesTokenCount"`
	Thoughts   int64      `json:"thoughtsTokenCount"`
	ToolPrompt int64      `json:"toolUsePromptTokenCount"`
	PromptBy   []modality `json:"promptTokensDetails"`
	AnswerBy   []modality `json:"candidatesTokensDetails"`
}

type modality struct {
	Modality string `json:"modality"`
	Count    int64  `json:"tokenCount"`
}

func of(list []modality, kind string) int64 {
	var n int64
	for _, m := range list {
		if m.Modality == kind {
			n += m.Count
		}
	}
	return n
}

func (u *usageMetadata) usage() providers.Usage {
	audio, image := of(u.PromptBy, "AUDIO"), of(u.PromptBy, "IMAGE")
	audioOut, imageOut := of(u.AnswerBy, "AUDIO"), of(u.AnswerBy, "IMAGE")
	return providers.Usage{
		Input: max(0, u.Prompt+u.ToolPrompt-u.Cached-audio-image), CacheRead: u.Cached, AudioInput: audio, ImageInput: image,
		Output: max(0, u.Candidates-audioOut-imageOut), Reasoning: u.Thoughts, AudioOutput: audioOut, ImageOutput: imageOut,
	}
}

// decoder follows one answer. This protocol has no closing event: the answer is
// complete when the body ends after a finish reason.
type decoder struct {
	model   string
	started bool
	calls   int
	stop    providers.StopReason
}

// Event decodes one event.
func (d *decoder) Event(_, data []byte, out *wire.Queue) error {
	var ev event
	if err := json.Unmarshal(data, &ev); err != nil {
		return fmt.Errorf("decoding an event of %s: %w", Vendor, err)
	}
	if len(ev.Error) > 0 {
		f := wire.ParseError(data)
		f.Vendor, f.Model = Vendor, d.model
		return f.Fault()
	}
	if !d.started {
		d.started = true
		out.Push(providers.Chunk{Kind: providers.ChunkStart, ID: ev.ResponseID, Model: ev.ModelVersion, Name: Vendor})
	}
	if ev.PromptFeedback != nil && ev.PromptFeedback.BlockReason != "" && len(ev.Candidates) == 0 {
		return providers.Failure{Vendor: Vendor, Model: d.model, Status: 400, Code: "prohibited_content " + ev.PromptFeedback.BlockReason, Message: "The prompt was blocked."}.Fault()
	}
	if len(ev.Candidates) > 0 {
		c := &ev.Candidates[0]
		for i := range c.Content.Parts {
			d.part(&c.Content.Parts[i], out)
		}
		if c.FinishReason != "" {
			d.stop = stopOf(c.FinishReason, d.calls > 0)
		}
	}
	if ev.Usage != nil {
		out.Push(providers.Chunk{Kind: providers.ChunkUsage, Usage: ev.Usage.usage()})
	}
	return nil
}

// End finishes an answer that gave its reason.
func (d *decoder) End(out *wire.Queue) {
	if d.stop != "" {
		out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: d.stop})
	}
}

func (d *decoder) part(p *part, out *wire.Queue) {
	switch {
	case p.FunctionCall != nil:
		id := p.FunctionCall.ID
		if id == "" {
			id = localID + p.FunctionCall.Name + "_" + strconv.Itoa(d.calls+1)
		}
		args := string(p.FunctionCall.Args)
		if args == "" {
			args = "{}"
		}
		out.Push(providers.Chunk{Kind: providers.ChunkToolStart, Index: d.calls, ID: id, Name: p.FunctionCall.Name, Text: p.ThoughtSignature})
		out.Push(providers.Chunk{Kind: providers.ChunkToolArgs, Index: d.calls, Text: args})
		out.Push(providers.Chunk{Kind: providers.ChunkToolEnd, Index: d.calls})
		d.calls++
	case p.Text != nil && *p.Text != "" && p.Thought:
		out.Push(providers.Chunk{Kind: providers.ChunkReasoning, Text: *p.Text})
	case p.Text != nil && *p.Text != "":
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: *p.Text})
	}
}

func stopOf(reason string, called bool) providers.StopReason {
	switch reason {
	case "MAX_TOKENS":
		return providers.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE":
		return providers.StopFiltered
	}
	if called {
		return providers.StopTools
	}
	return providers.StopEnd
}

// tally reads usage from bytes that are relayed.
func tally(data []byte, t *providers.Tally) {
	if !bytes.Contains(data, []byte(`"usageMetadata"`)) && !bytes.Contains(data, []byte(`"finishReason"`)) {
		return
	}
	var ev event
	if json.Unmarshal(data, &ev) != nil {
		return
	}
	t.Model = ev.ModelVersion
	if ev.Usage != nil {
		t.Usage = ev.Usage.usage()
	}
	if len(ev.Candidates) > 0 && ev.Candidates[0].FinishReason != "" {
		t.Stop, t.Finished = stopOf(ev.Candidates[0].FinishReason, false), true
	}
}
