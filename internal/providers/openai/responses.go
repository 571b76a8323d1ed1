package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

type responsesRequest struct {
	Model             string            `json:"model"`
	Instructions      string            `json:"instructions,omitempty"`
	Input             []item            `json:"input"`
	Tools             []responsesTool   `json:"tools,omitempty"`
	ToolChoice        any               `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool             `json:"parallel_tool_calls,omitempty"`
	Text              *textConfig       `json:"text,omitempty"`
	MaxOutputTokens   int64             `json:"max_output_tokens,omitempty"`
	Temperature       *float64          `json:"temperature,omitempty"`
	TopP              *float64          `json:"top_p,omitempty"`
	Reasoning         *reasoning        `json:"reasoning,omitempty"`
	Include           []string          `json:"include,omitempty"`
	Store             bool              `json:"store"`
	Stream            bool              `json:"stream"`
	Metadata          map[string]string `json:"metadata,omitempty"`
	User              string            `json:"safety_identifier,omitempty"`
	Retention         string            `json:"prompt_cache_retention,omitempty"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type textConfig struct {
	Format textFormat `json:"format"`
}

type textFormat struct {
	Type   string          `json:"type"`
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict bool            `json:"strict,omitempty"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// item is every kind of input item.
type item struct {
	Type      string    `json:"type"`
	Role      string    `json:"role,omitempty"`
	Content   []content `json:"content,omitempty"`
	ID        string    `json:"id,omitempty"`
	CallID    string    `json:"call_id,omitempty"`
	Name      string    `json:"name,omitempty"`
	Arguments *string   `json:"arguments,omitempty"`
	Output    any       `json:"output,omitempty"` // string or []content
	Summary   *[]piece  `json:"summary,omitempty"`
	Encrypted string    `json:"encrypted_content,omitempty"`
}

type piece struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type content struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
	FileName string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
	FileURL  string `json:"file_url,omitempty"`
}

// seal is what a reasoning part's signature holds for this protocol.
type seal struct {
	ID        string `json:"id"`
	Encrypted string `json:"encrypted_content"`
}

func (m *Model) responsesRequest(req *providers.Request) (*responsesRequest, error) {
	out := &responsesRequest{
		Model: req.Model, Instructions: systemText(req.System), MaxOutputTokens: req.MaxTokens,
		Temperature: req.Temperature, TopP: req.TopP, Stream: true, Input: []item{},
		Include: []string{"reasoning.encrypted_content"}, Metadata: req.Metadata, User: req.User,
	}
	if len(req.Stop) > 0 {
		return nil, fault.New(fault.Invalid, "parameter_unsupported", "OpenAI's Responses protocol has no stop sequences.").
			WithParam("stop").WithHint("Leave them out, or set this provider to the chat protocol.")
	}
	if effort := effortOf(req.Reasoning); effort != "" {
		out.Reasoning = &reasoning{Effort: effort}
		if effort != "none" {
			out.Reasoning.Summary = "auto"
		}
	}
	if req.Cache == providers.CacheLong {
		out.Retention = "24h"
	}
	if f := req.Format; f != nil {
		out.Text = &textConfig{Format: textFormat{Type: "json_object"}}
		if len(f.Schema) > 0 {
			out.Text.Format = textFormat{Type: "json_schema", Name: cmp.Or(f.Name, "answer"), Schema: f.Schema, Strict: f.Strict}
		}
	}
	out.addTools(req)
	for i := range req.Messages {
		if err := m.addItems(out, &req.Messages[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *responsesRequest) addTools(req *providers.Request) {
	if len(req.Tools) == 0 {
		return
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, responsesTool{Type: "function", Name: t.Name, Description: t.Description, Parameters: schemaOf(t), Strict: t.Strict})
	}
	if req.ToolChoice.Sequential {
		r.ParallelToolCalls = new(bool)
	}
	switch req.ToolChoice.Mode {
	case providers.ToolNone, providers.ToolRequired:
		r.ToolChoice = string(req.ToolChoice.Mode)
	case providers.ToolNamed:
		r.ToolChoice = map[string]string{"type": "function", "name": req.ToolChoice.Name}
	}
}

// addItems keeps the order of parts: reasoning must stand right before the call
// it led to.
func (m *Model) addItems(out *responsesRequest, msg *providers.Message) error {
	role, textType := "user", "input_text"
	if msg.Role == providers.RoleModel {
		role, textType = "assistant", "output_text"
	}
	var open []content
	flush := func() {
		if len(open) > 0 {
			out.Input = append(out.Input, item{Type: "message", Role: role, Content: open})
			open = nil
		}
	}
	for i := range msg.Parts {
		p := &msg.Parts[i]
		switch p.Kind {
		case providers.PartText:
			if p.Text != "" {
				open = append(open, content{Type: textType, Text: p.Text})
			}
		case providers.PartReasoning, providers.PartToolCall, providers.PartToolResult:
			it, ok, err := m.toItem(p)
			if err != nil {
				return err
			}
			if ok {
				flush()
				out.Input = append(out.Input, it)
			}
		default:
			c, err := toContent(p)
			if err != nil {
				return err
			}
			open = append(open, c)
		}
	}
	flush()
	return nil
}

func (m *Model) toItem(p *providers.Part) (item, bool, error) {
	switch p.Kind {
	case providers.PartReasoning:
		var s seal
		if !p.SignedBy(m.vendor) || json.Unmarshal([]byte(p.Signature), &s) != nil || s.Encrypted == "" {
			return item{}, false, nil
		}
		summary := []piece{}
		if p.Text != "" {
			summary = append(summary, piece{Type: "summary_text", Text: p.Text})
		}
		return item{Type: "reasoning", ID: s.ID, Encrypted: s.Encrypted, Summary: &summary}, true, nil
	case providers.PartToolCall:
		args := string(p.Args)
		return item{Type: "function_call", CallID: p.ID, Name: p.Name, Arguments: &args}, true, nil
	}
	it := item{Type: "function_call_output", CallID: p.ID, Output: p.ResultText()}
	if p.IsError {
		it.Output = "Error: " + p.ResultText()
	}
	var rich []content
	for i := range p.Parts {
		if p.Parts[i].Kind != providers.PartText {
			c, err := toContent(&p.Parts[i])
			if err != nil {
				return it, false, err
			}
			rich = append(rich, c)
		}
	}
	if rich != nil {
		it.Output = append([]content{{Type: "input_text", Text: p.ResultText()}}, rich...)
	}
	return it, true, nil
}

func toContent(p *providers.Part) (content, error) {
	switch p.Kind {
	case providers.PartText:
		return content{Type: "input_text", Text: p.Text}, nil
	case providers.PartImage:
		return content{Type: "input_image", ImageURL: dataURL(p)}, nil
	case providers.PartDocument:
		switch {
		case strings.HasPrefix(p.MediaType, "text/"):
			return content{Type: "input_text", Text: documentText(p)}, nil
		case p.URL != "":
			return content{Type: "input_file", FileURL: p.URL}, nil
		}
		return content{Type: "input_file", FileName: cmp.Or(p.Name, "document.pdf"), FileData: dataURL(p)}, nil
	}
	return content{}, fault.New(fault.Invalid, "part_unsupported", "OpenAI's Responses protocol does not take %s input.", p.Kind).
		WithHint("Transcribe it first, or set this provider to the chat protocol.")
}
