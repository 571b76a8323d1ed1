package compat

import (
	"encoding/json"
	"strconv"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// Chat is OpenAI's Chat Completions.
type Chat struct{}

// Name names the dialect.
func (Chat) Name() providers.Dialect { return providers.DialectChat }

// Vendor is whose dialect it is.
func (Chat) Vendor() string { return "openai" }

// Head reads model, stream and whether usage is wanted.
func (Chat) Head(body []byte) (Head, error) {
	var h Head
	err := head(body, func(key string, value []byte) error {
		if key != "stream_options" || string(value) == "null" {
			return h.common(key, value)
		}
		usage, err := rawjson.Look(value, "include_usage")
		if err != nil {
			return notObject()
		}
		if usage == nil {
			return nil
		}
		return readBool("stream_options.include_usage", usage, &h.Usage)
	})
	if err != nil {
		return h, err
	}
	return named(h)
}

type chatRequest struct {
	Model               string            `json:"model"`
	Messages            []chatMessage     `json:"messages"`
	Tools               []chatTool        `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls"`
	ResponseFormat      *chatFormat       `json:"response_format"`
	MaxTokens           int64             `json:"max_tokens"`
	MaxCompletionTokens int64             `json:"max_completion_tokens"`
	Temperature         *float64          `json:"temperature"`
	TopP                *float64          `json:"top_p"`
	Stop                either[string]    `json:"stop"`
	ReasoningEffort     string            `json:"reasoning_effort"`
	User                string            `json:"user"`
	SafetyIdentifier    string            `json:"safety_identifier"`
	Metadata            map[string]string `json:"metadata"`
	N                   int64             `json:"n"`
	Functions           json.RawMessage   `json:"functions"`
	Modalities          []string          `json:"modalities"`
	WebSearch           json.RawMessage   `json:"web_search_options"`
}

type chatFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict *bool           `json:"strict"`
	} `json:"json_schema"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

type chatMessage struct {
	Role             string           `json:"role"`
	Content          either[chatPart] `json:"content"`
	Refusal          string           `json:"refusal"`
	Name             string           `json:"name"`
	ToolCalls        []chatCall       `json:"tool_calls"`
	ToolCallID       string           `json:"tool_call_id"`
	FunctionCall     json.RawMessage  `json:"function_call"`
	ReasoningContent string           `json:"reasoning_content"`
	ReasoningDetails []chatThought    `json:"reasoning_details"`
}

type chatPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url"`
	InputAudio *struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File *struct {
		FileData string `json:"file_data"`
		FileID   string `json:"file_id"`
		FileName string `json:"filename"`
	} `json:"file"`
}

type chatCall struct {
	Index    *int           `json:"index,omitempty"`
	ID       string         `json:"id,omitempty"`
	Type     string         `json:"type,omitempty"`
	Function chatCallFunc   `json:"function"`
	Extra    map[string]any `json:"extra_content,omitempty"`
}

type chatCallFunc struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// chatThought is how routers of several vendors carry sealed reasoning in this
// dialect; the signature is one that fromWire reads.
type chatThought struct {
	Type      string `json:"type"`
	Text      string `json:"text,omitempty"`
	Data      string `json:"data,omitempty"`
	Signature string `json:"signature,omitempty"`
	Format    string `json:"format,omitempty"`
	Index     int    `json:"index"`
}

// Request decodes a body.
func (Chat) Request(body []byte) (*providers.Request, error) {
	var in chatRequest
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	req := &providers.Request{
		Model: in.Model, MaxTokens: max(in.MaxTokens, in.MaxCompletionTokens), Temperature: in.Temperature, TopP: in.TopP,
		Stop: in.Stop.list, Metadata: in.Metadata, User: in.User,
	}
	if in.Stop.isText {
		req.Stop = []string{in.Stop.text}
	}
	if in.SafetyIdentifier != "" {
		req.User = in.SafetyIdentifier
	}
	if err := in.refuse(); err != nil {
		return nil, err
	}
	var err error
	if req.Reasoning.Effort, err = effort(in.ReasoningEffort); err != nil {
		return nil, err
	}
	if err := in.format(req); err != nil {
		return nil, err
	}
	if err := in.tools(req); err != nil {
		return nil, err
	}
	t := newThread(req)
	for i := range in.Messages {
		if err := in.Messages[i].into(t, "messages["+strconv.Itoa(i)+"]"); err != nil {
			return nil, err
		}
	}
	return req, t.check("messages")
}

// refuse names what only OpenAI itself can do.
func (in *chatRequest) refuse() error {
	switch {
	case in.N > 1:
		return untranslatable("n", "This model gives one answer at a time.").WithHint("Leave n out, or send the request several times.")
	case len(in.Functions) > 0 && string(in.Functions) != "null":
		return untranslatable("functions", "The old form \"functions\" is not translated.").WithHint("Use tools of type function.")
	case len(in.WebSearch) > 0 && string(in.WebSearch) != "null":
		return untranslatable("web_search_options", "OpenAI's web search cannot be done by another vendor's model.").WithHint("Leave it out, or choose a model of OpenAI.")
	}
	for _, m := range in.Modalities {
		if m != "text" {
			return untranslatable("modalities", "This model answers with text only.").WithHint("Leave modalities out; speech is at /v1/audio/speech.")
		}
	}
	return nil
}

func (in *chatRequest) format(req *providers.Request) error {
	f := in.ResponseFormat
	if f == nil {
		return nil
	}
	switch f.Type {
	case "text", "":
	case "json_object":
		req.Format = &providers.Format{}
	case "json_schema":
		if f.JSONSchema == nil {
			return bad("response_format.json_schema", "The JSON schema is missing.")
		}
		req.Format = &providers.Format{Name: f.JSONSchema.Name, Schema: f.JSONSchema.Schema, Strict: truth(f.JSONSchema.Strict)}
	default:
		return bad("response_format.type", "There is no response format %q.", f.Type).WithHint("Use text, json_object or json_schema.")
	}
	return nil
}

func truth(b *bool) bool { return b != nil && *b }

func (in *chatRequest) tools(req *providers.Request) error {
	for i, t := range in.Tools {
		if t.Type != "function" && t.Type != "" {
			return untranslatable("tools["+strconv.Itoa(i)+"].type", "A tool of type %q cannot be given to another vendor's model.", t.Type).WithHint("Use tools of type function.")
		}
		if t.Function.Name == "" {
			return bad("tools["+strconv.Itoa(i)+"].function.name", "A tool has no name.")
		}
		req.Tools = append(req.Tools, providers.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters, Strict: truth(t.Function.Strict)})
	}
	req.ToolChoice.Sequential = in.ParallelToolCalls != nil && !*in.ParallelToolCalls
	return openAIChoice(in.ToolChoice, req)
}

// openAIChoice reads tool_choice in both of OpenAI's shapes.
func openAIChoice(choice json.RawMessage, req *providers.Request) error {
	if len(choice) == 0 || string(choice) == "null" {
		return nil
	}
	if choice[0] == '"' {
		var mode string
		if err := decode(choice, &mode); err != nil {
			return err
		}
		switch m := providers.ToolMode(mode); m {
		case providers.ToolAuto, providers.ToolNone, providers.ToolRequired:
			req.ToolChoice.Mode = m
			return nil
		}
		return bad("tool_choice", "There is no tool choice %q.", mode).WithHint("Use auto, none, required, or name a function.")
	}
	var named struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := decode(choice, &named); err != nil {
		return err
	}
	if named.Type != "function" {
		return untranslatable("tool_choice.type", "A tool choice of type %q cannot be translated.", named.Type).WithHint("Use auto, none, required, or name a function.")
	}
	if named.Name == "" {
		named.Name = named.Function.Name
	}
	req.ToolChoice.Mode, req.ToolChoice.Name = providers.ToolNamed, named.Name
	return nil
}

func (m *chatMessage) into(t *thread, at string) error {
	parts, err := m.parts(at)
	if err != nil {
		return err
	}
	switch m.Role {
	case "system", "developer":
		for _, p := range parts {
			if p.Kind != providers.PartText {
				return bad(at+".content", "A %s message holds text only.", m.Role)
			}
		}
		t.req.System = append(t.req.System, parts...)
	case "user":
		t.add(providers.RoleUser, parts...)
	case "tool":
		result := providers.Part{Kind: providers.PartToolResult, ID: m.ToolCallID}
		if m.Content.isList {
			result.Parts = parts
		} else {
			result.Text = m.Content.text
		}
		t.add(providers.RoleUser, result)
	case "assistant":
		if len(m.FunctionCall) > 0 && string(m.FunctionCall) != "null" {
			return untranslatable(at+".function_call", "The old form \"function_call\" is not translated.").WithHint("Use tool_calls.")
		}
		t.add(providers.RoleModel, m.answer(parts)...)
	default:
		return bad(at+".role", "There is no role %q.", m.Role).WithHint("Use system, developer, user, assistant or tool.")
	}
	return nil
}

// answer puts reasoning first, then words, then calls.
func (m *chatMessage) answer(words []providers.Part) []providers.Part {
	var out []providers.Part
	sealed := false
	for _, d := range m.ReasoningDetails {
		p := providers.Part{Kind: providers.PartReasoning, Text: d.Text, Redacted: d.Type == "reasoning.encrypted"}
		if text := d.Signature + d.Data; text != "" {
			fromWire(&p, d.Format, text)
			sealed = true
		}
		out = append(out, p)
	}
	if !sealed && m.ReasoningContent != "" {
		out = append(out, providers.Part{Kind: providers.PartReasoning, Text: m.ReasoningContent})
	}
	out = append(out, words...)
	if m.Refusal != "" {
		out = append(out, providers.Text(m.Refusal))
	}
	for _, c := range m.ToolCalls {
		p := providers.Part{Kind: providers.PartToolCall, ID: c.ID, Name: c.Function.Name, Args: providers.ToolArgs(c.Function.Arguments)}
		if google, ok := c.Extra["google"].(object); ok {
			if text, ok := google["thought_signature"].(string); ok {
				fromWire(&p, "gemini", text)
			}
		}
		out = append(out, p)
	}
	return out
}

func (m *chatMessage) parts(at string) ([]providers.Part, error) {
	if m.Content.isText {
		if m.Content.text == "" {
			return nil, nil
		}
		return []providers.Part{providers.Text(m.Content.text)}, nil
	}
	var out []providers.Part
	for i := range m.Content.list {
		p, err := m.Content.list[i].part(at + ".content[" + strconv.Itoa(i) + "]")
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (p *chatPart) part(at string) (providers.Part, error) {
	switch {
	case p.Type == "text":
		return providers.Text(p.Text), nil
	case p.Type == "refusal":
		return providers.Text(p.Refusal), nil
	case p.Type == "image_url" && p.ImageURL != nil:
		return atAddress(providers.PartImage, p.ImageURL.URL)
	case p.Type == "input_audio" && p.InputAudio != nil:
		data, err := base64Data(p.InputAudio.Data)
		return providers.Part{Kind: providers.PartAudio, MediaType: audioType(p.InputAudio.Format), Data: data}, err
	case p.Type == "file" && p.File != nil && p.File.FileData != "":
		return fileData(p.File.FileData, p.File.FileName)
	case p.Type == "file" && p.File != nil && p.File.FileID != "":
		return providers.Part{}, untranslatable(at+".file.file_id", "A file kept by OpenAI cannot be shown to another vendor's model.").WithHint("Send the file as file_data.")
	}
	return providers.Part{}, bad(at, "A part of type %q is not understood, or lacks its value.", p.Type)
}

func audioType(format string) string {
	if format == "mp3" {
		return "audio/mpeg"
	}
	return "audio/" + format
}
