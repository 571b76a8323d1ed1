package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

type chatRequest struct {
	Model               string            `json:"model"`
	Messages            []chatMessage     `json:"messages"`
	Tools               []chatTool        `json:"tools,omitempty"`
	ToolChoice          any               `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls,omitempty"`
	ResponseFormat      *responseFormat   `json:"response_format,omitempty"`
	MaxTokens           int64             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int64             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64          `json:"temperature,omitempty"`
	TopP                *float64          `json:"top_p,omitempty"`
	Stop                []string          `json:"stop,omitempty"`
	Stream              bool              `json:"stream"`
	StreamOptions       *streamOptions    `json:"stream_options,omitempty"`
	ReasoningEffort     string            `json:"reasoning_effort,omitempty"`
	Reasoning           *routerReasoning  `json:"reasoning,omitempty"`
	Metadata            map[string]string `json:"metadata,omitempty"`
	User                string            `json:"user,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type routerReasoning struct {
	Effort    string `json:"effort,omitempty"`
	MaxTokens int64  `json:"max_tokens,omitempty"`
}

type chatMessage struct {
	Role             string          `json:"role"`
	Content          any             `json:"content"` // string, []chatPart, or nil
	ToolCalls        []chatCall      `json:"tool_calls,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

type chatPart struct {
	Type       string      `json:"type"`
	Text       string      `json:"text,omitempty"`
	ImageURL   *imageURL   `json:"image_url,omitempty"`
	InputAudio *inputAudio `json:"input_audio,omitempty"`
	File       *filePart   `json:"file,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type inputAudio struct {
	Data   []byte `json:"data"`
	Format string `json:"format"`
}

type filePart struct {
	FileName string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatCallFunc `json:"function"`
}

type chatCallFunc struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict,omitempty"`
}

func (m *Model) chatRequest(req *providers.Request) (*chatRequest, error) {
	out := &chatRequest{Model: req.Model, Temperature: req.Temperature, TopP: req.TopP, Stop: req.Stop, Stream: !req.Whole}
	if !m.quirks.NoStreamOptions && !req.Whole {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if m.quirks.OldMaxTokens {
		out.MaxTokens = req.MaxTokens
	} else {
		out.MaxCompletionTokens = req.MaxTokens
	}
	if !m.quirks.NoMetadata {
		out.Metadata, out.User = req.Metadata, req.User
	}
	m.reason(out, req.Reasoning)
	m.format(out, req.Format)
	m.tools(out, req)
	if text := systemText(req.System); text != "" {
		role := "system"
		if m.quirks.Developer {
			role = "developer"
		}
		out.Messages = append(out.Messages, chatMessage{Role: role, Content: text})
	}
	for i := range req.Messages {
		var err error
		if req.Messages[i].Role == providers.RoleModel {
			m.addModel(out, &req.Messages[i])
		} else {
			err = addUser(out, &req.Messages[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *Model) reason(out *chatRequest, r providers.Reasoning) {
	if m.quirks.NoEffort || (r.Effort == "" && r.Budget == 0) {
		return
	}
	effort := effortOf(r)
	if m.quirks.ReasoningObject {
		out.Reasoning = &routerReasoning{Effort: effort}
		if r.Budget > 0 {
			out.Reasoning = &routerReasoning{MaxTokens: r.Budget}
		}
		return
	}
	out.ReasoningEffort = effort
}

// effortOf names the effort; a bare budget is turned into the nearest one.
func effortOf(r providers.Reasoning) string {
	switch {
	case r.Effort == providers.EffortMax:
		return "xhigh"
	case r.Effort != "":
		return string(r.Effort)
	case r.Budget <= 0:
		return ""
	case r.Budget <= 4096:
		return "low"
	case r.Budget <= 16384:
		return "medium"
	}
	return "high"
}

func (m *Model) format(out *chatRequest, f *providers.Format) {
	switch {
	case f == nil:
	case len(f.Schema) == 0 || m.quirks.NoSchema:
		out.ResponseFormat = &responseFormat{Type: "json_object"}
	default:
		out.ResponseFormat = &responseFormat{Type: "json_schema", JSONSchema: &jsonSchema{Name: cmp.Or(f.Name, "answer"), Schema: f.Schema, Strict: f.Strict}}
	}
}

func (m *Model) tools(out *chatRequest, req *providers.Request) {
	if len(req.Tools) == 0 {
		return
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, chatTool{Type: "function", Function: chatFunction{Name: t.Name, Description: t.Description, Parameters: schemaOf(t), Strict: t.Strict}})
	}
	if req.ToolChoice.Sequential && !m.quirks.NoParallelFlag {
		out.ParallelToolCalls = new(bool)
	}
	switch req.ToolChoice.Mode {
	case providers.ToolNone, providers.ToolRequired:
		out.ToolChoice = string(req.ToolChoice.Mode)
	case providers.ToolNamed:
		out.ToolChoice = map[string]any{"type": "function", "function": map[string]string{"name": req.ToolChoice.Name}}
	}
}

func schemaOf(t providers.Tool) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

func systemText(parts []providers.Part) string {
	var texts []string
	for i := range parts {
		if parts[i].Text != "" {
			texts = append(texts, parts[i].Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (m *Model) addModel(out *chatRequest, msg *providers.Message) {
	cm := chatMessage{Role: "assistant"}
	var text strings.Builder
	for i := range msg.Parts {
		p := &msg.Parts[i]
		switch p.Kind {
		case providers.PartText:
			text.WriteString(p.Text)
		case providers.PartToolCall:
			cm.ToolCalls = append(cm.ToolCalls, chatCall{ID: p.ID, Type: "function", Function: chatCallFunc{Name: p.Name, Arguments: string(p.Args)}})
		case providers.PartReasoning:
			if m.quirks.ReplayReasoning {
				cm.ReasoningContent += p.Text
			}
			if m.quirks.ReasoningObject && p.SignedBy(m.vendor) && json.Valid([]byte(p.Signature)) {
				cm.ReasoningDetails = json.RawMessage(p.Signature)
			}
		}
	}
	if text.Len() > 0 {
		cm.Content = text.String()
	}
	if len(cm.ToolCalls) == 0 {
		cm.ReasoningContent = "" // only wanted while tools are being used
		if cm.Content == nil {
			return
		}
	}
	out.Messages = append(out.Messages, cm)
}

// addUser puts tool results first, each as its own message; what else the
// results hold (images) and the user's own parts follow.
func addUser(out *chatRequest, msg *providers.Message) error {
	var parts []chatPart
	for i := range msg.Parts {
		p := &msg.Parts[i]
		if p.Kind != providers.PartToolResult {
			cp, err := toChatPart(p)
			if err != nil {
				return err
			}
			parts = append(parts, cp)
			continue
		}
		text := p.ResultText()
		if p.IsError {
			text = "Error: " + text
		}
		out.Messages = append(out.Messages, chatMessage{Role: "tool", ToolCallID: p.ID, Content: text})
		for j := range p.Parts {
			if p.Parts[j].Kind != providers.PartText {
				cp, err := toChatPart(&p.Parts[j])
				if err != nil {
					return err
				}
				parts = append(parts, cp)
			}
		}
	}
	switch {
	case len(parts) == 0:
	case len(parts) == 1 && parts[0].Type == "text":
		out.Messages = append(out.Messages, chatMessage{Role: "user", Content: parts[0].Text})
	default:
		out.Messages = append(out.Messages, chatMessage{Role: "user", Content: parts})
	}
	return nil
}

func toChatPart(p *providers.Part) (chatPart, error) {
	switch p.Kind {
	case providers.PartText:
		return chatPart{Type: "text", Text: p.Text}, nil
	case providers.PartImage:
		return chatPart{Type: "image_url", ImageURL: &imageURL{URL: dataURL(p)}}, nil
	case providers.PartAudio:
		return chatPart{Type: "input_audio", InputAudio: &inputAudio{Data: p.Data, Format: audioFormat(p.MediaType)}}, nil
	case providers.PartDocument:
		if strings.HasPrefix(p.MediaType, "text/") {
			return chatPart{Type: "text", Text: documentText(p)}, nil
		}
		if p.URL != "" {
			return chatPart{}, fault.New(fault.Invalid, "part_unsupported", "This protocol takes documents as data, not as an address.").
				WithHint("Fetch the document and attach it.")
		}
		return chatPart{Type: "file", File: &filePart{FileName: cmp.Or(p.Name, "document.pdf"), FileData: dataURL(p)}}, nil
	}
	return chatPart{}, fault.New(fault.Invalid, "part_unsupported", "A user's message cannot hold a %s.", p.Kind)
}

func documentText(p *providers.Part) string {
	if p.Name == "" {
		return string(p.Data)
	}
	return p.Name + ":\n\n" + string(p.Data)
}

func dataURL(p *providers.Part) string {
	if p.URL != "" {
		return p.URL
	}
	return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

func audioFormat(mediaType string) string {
	switch mediaType {
	case "audio/wav", "audio/x-wav", "audio/wave":
		return "wav"
	case "audio/mpeg", "audio/mp3":
		return "mp3"
	}
	_, sub, _ := strings.Cut(mediaType, "/")
	return cmp.Or(sub, "wav")
}
