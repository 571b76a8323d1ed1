package compat

import (
	"encoding/json"
	"strconv"

	"github.com/fluxway/fluxway/internal/providers"
)

// Messages is Anthropic's Messages.
type Messages struct{}

// Name names the dialect.
func (Messages) Name() providers.Dialect { return providers.DialectMessages }

// Vendor is whose dialect it is.
func (Messages) Vendor() string { return "anthropic" }

// Head reads model and stream.
func (Messages) Head(body []byte) (Head, error) {
	var h Head
	if err := head(body, h.common); err != nil {
		return h, err
	}
	return named(h)
}

type messagesRequest struct {
	Model      string        `json:"model"`
	MaxTokens  int64         `json:"max_tokens"`
	System     either[block] `json:"system"`
	Messages   []message     `json:"messages"`
	Tools      []messageTool `json:"tools"`
	ToolChoice *struct {
		Type       string `json:"type"`
		Name       string `json:"name"`
		OneAtATime bool   `json:"disable_parallel_tool_use"`
	} `json:"tool_choice"`
	Temperature   *float64 `json:"temperature"`
	TopP          *float64 `json:"top_p"`
	StopSequences []string `json:"stop_sequences"`
	Thinking      *struct {
		Type         string `json:"type"`
		BudgetTokens int64  `json:"budget_tokens"`
	} `json:"thinking"`
	OutputConfig *struct {
		Effort string        `json:"effort"`
		Format *outputFormat `json:"format"`
	} `json:"output_config"`
	OutputFormat *outputFormat `json:"output_format"`
	Metadata     *struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
	Container  json.RawMessage   `json:"container"`
	MCPServers []json.RawMessage `json:"mcp_servers"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type message struct {
	Role    string        `json:"role"`
	Content either[block] `json:"content"`
}

type messageTool struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       bool            `json:"strict"`
	CacheControl *cacheControl   `json:"cache_control"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// block is every kind of content block that can be translated.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      either[block]   `json:"content"`
	IsError      bool            `json:"is_error"`
	Source       *blockSource    `json:"source"`
	Title        string          `json:"title"`
	CacheControl *cacheControl   `json:"cache_control"`
}

// blockSource is where the data of an image or a document comes from.
type blockSource struct {
	Type      string        `json:"type"`
	MediaType string        `json:"media_type"`
	Data      string        `json:"data"`
	URL       string        `json:"url"`
	FileID    string        `json:"file_id"`
	Content   either[block] `json:"content"`
}

// Request decodes a body.
func (Messages) Request(body []byte) (*providers.Request, error) {
	var in messagesRequest
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	req := &providers.Request{Model: in.Model, MaxTokens: in.MaxTokens, Temperature: in.Temperature, TopP: in.TopP, Stop: in.StopSequences}
	if in.Metadata != nil {
		req.User = in.Metadata.UserID
	}
	if len(in.MCPServers) > 0 {
		return nil, untranslatable("mcp_servers", "Anthropic's MCP connector cannot be used by another vendor's model.").WithHint("Connect the MCP server yourself and offer its tools.")
	}
	if err := in.settings(req); err != nil {
		return nil, err
	}
	system, err := blocks(&in.System, "system")
	if err != nil {
		return nil, err
	}
	for _, p := range system {
		if p.Kind != providers.PartText {
			return nil, bad("system", "The system prompt holds text only.")
		}
	}
	req.System = system
	t := newThread(req)
	for i := range in.Messages {
		if err := in.Messages[i].into(t, "messages["+strconv.Itoa(i)+"]"); err != nil {
			return nil, err
		}
	}
	return req, t.check("messages")
}

func (in *messagesRequest) settings(req *providers.Request) error {
	for i, t := range in.Tools {
		if t.Type != "" && t.Type != "custom" {
			return untranslatable("tools["+strconv.Itoa(i)+"]", "The tool %q is run by Anthropic and cannot be given to another vendor's model.", t.Type).
				WithHint("Offer a tool of your own with an input_schema, or choose a model of Anthropic.")
		}
		if t.Name == "" {
			return bad("tools["+strconv.Itoa(i)+"].name", "A tool has no name.")
		}
		req.Tools = append(req.Tools, providers.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema, Strict: t.Strict, Cache: t.CacheControl != nil})
	}
	if c := in.ToolChoice; c != nil {
		mode, ok := map[string]providers.ToolMode{"auto": providers.ToolAuto, "any": providers.ToolRequired, "tool": providers.ToolNamed, "none": providers.ToolNone}[c.Type]
		if !ok {
			return bad("tool_choice.type", "There is no tool choice %q.", c.Type).WithHint("Use auto, any, tool or none.")
		}
		req.ToolChoice = providers.ToolChoice{Mode: mode, Name: c.Name, Sequential: c.OneAtATime}
	}
	if f := in.OutputFormat; f != nil && len(f.Schema) > 0 {
		req.Format = &providers.Format{Schema: f.Schema, Strict: true}
	}
	if o := in.OutputConfig; o != nil {
		var err error
		if req.Reasoning.Effort, err = effort(o.Effort); err != nil {
			return err
		}
		if o.Format != nil && len(o.Format.Schema) > 0 {
			req.Format = &providers.Format{Schema: o.Format.Schema, Strict: true}
		}
	}
	return in.think(req)
}

// think reads the thinking setting; an effort without it says how much to write,
// not to think, and is only a wish of the model's own vendor.
func (in *messagesRequest) think(req *providers.Request) error {
	if in.Thinking == nil {
		req.Reasoning = providers.Reasoning{}
		return nil
	}
	switch in.Thinking.Type {
	case "enabled":
		req.Reasoning.Budget = in.Thinking.BudgetTokens
	case "adaptive":
		if req.Reasoning.Effort == "" {
			req.Reasoning.Effort = providers.EffortMedium
		}
	case "disabled":
		req.Reasoning = providers.Reasoning{Effort: providers.EffortNone}
	default:
		return bad("thinking.type", "There is no thinking of type %q.", in.Thinking.Type).WithHint("Use enabled, adaptive or disabled.")
	}
	return nil
}

func (m *message) into(t *thread, at string) error {
	parts, err := blocks(&m.Content, at+".content")
	if err != nil {
		return err
	}
	switch m.Role {
	case "user":
		t.add(providers.RoleUser, parts...)
	case "assistant":
		t.add(providers.RoleModel, parts...)
	case "system":
		t.req.System = append(t.req.System, parts...)
	default:
		return bad(at+".role", "There is no role %q.", m.Role).WithHint("Use user or assistant; the system prompt has its own field.")
	}
	return nil
}

func blocks(content *either[block], at string) ([]providers.Part, error) {
	if content.isText {
		if content.text == "" {
			return nil, nil
		}
		return []providers.Part{providers.Text(content.text)}, nil
	}
	var out []providers.Part
	var pending *seal // of the call that follows
	for i := range content.list {
		b := &content.list[i]
		if b.Type == "redacted_thinking" {
			if s, ok := unwrap(b.Data); ok && s.Call {
				pending = &s
				continue
			}
		}
		p, err := b.part(at + "[" + strconv.Itoa(i) + "]")
		if err != nil {
			return nil, err
		}
		if p.Kind == providers.PartToolCall && pending != nil {
			p.Signature, p.Vendor, p.Model = pending.Text, pending.Vendor, pending.Model
			pending = nil
		}
		out = append(out, p)
	}
	return out, nil
}

func (b *block) part(at string) (providers.Part, error) {
	p := providers.Part{Cache: b.CacheControl != nil}
	switch b.Type {
	case "text":
		p.Kind, p.Text = providers.PartText, b.Text
	case "thinking":
		p.Kind, p.Text = providers.PartReasoning, b.Thinking
		fromWire(&p, "anthropic", b.Signature)
	case "redacted_thinking":
		p.Kind, p.Redacted = providers.PartReasoning, true
		fromWire(&p, "anthropic", b.Data)
	case "tool_use":
		p.Kind, p.ID, p.Name, p.Args = providers.PartToolCall, b.ID, b.Name, b.Input
		if len(p.Args) == 0 {
			p.Args = json.RawMessage("{}")
		}
	case "tool_result":
		inner, err := blocks(&b.Content, at+".content")
		if err != nil {
			return p, err
		}
		p.Kind, p.ID, p.IsError = providers.PartToolResult, b.ToolUseID, b.IsError
		if b.Content.isText {
			p.Text = b.Content.text
		} else {
			p.Parts = inner
		}
	case "image", "document":
		return b.media(p, at)
	default:
		return p, untranslatable(at+".type", "A block of type %q cannot be shown to another vendor's model.", b.Type)
	}
	return p, nil
}

func (b *block) media(p providers.Part, at string) (providers.Part, error) {
	p.Kind, p.Name = providers.PartImage, b.Title
	if b.Type == "document" {
		p.Kind = providers.PartDocument
	}
	if b.Source == nil {
		return p, bad(at+".source", "A block of type %q has no source.", b.Type)
	}
	switch b.Source.Type {
	case "base64":
		var err error
		p.MediaType = b.Source.MediaType
		p.Data, err = base64Data(b.Source.Data)
		return p, err
	case "url":
		p.URL = b.Source.URL
	case "text":
		p.MediaType, p.Data = "text/plain", []byte(b.Source.Data)
	case "content":
		inner, err := blocks(&b.Source.Content, at+".source.content")
		if err != nil {
			return p, err
		}
		text := providers.Message{Parts: inner}.Text()
		p.MediaType, p.Data = "text/plain", []byte(text)
	default:
		return p, untranslatable(at+".source.type", "A source of type %q cannot be shown to another vendor's model.", b.Source.Type).WithHint("Send the data itself, as base64.")
	}
	return p, nil
}
