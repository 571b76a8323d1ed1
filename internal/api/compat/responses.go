package compat

import (
	"encoding/json"
	"strconv"

	"github.com/fluxway/fluxway/internal/providers"
)

// Responses is OpenAI's Responses.
type Responses struct{}

// Name names the dialect.
func (Responses) Name() providers.Dialect { return providers.DialectResponses }

// Vendor is whose dialect it is.
func (Responses) Vendor() string { return "openai" }

// Head reads model and stream.
func (Responses) Head(body []byte) (Head, error) {
	var h Head
	if err := head(body, h.common); err != nil {
		return h, err
	}
	return named(h)
}

type responsesRequest struct {
	Model             string          `json:"model"`
	Input             either[item]    `json:"input"`
	Instructions      string          `json:"instructions"`
	Tools             []responsesTool `json:"tools"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls"`
	Text              *struct {
		Format *struct {
			Type   string          `json:"type"`
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict *bool           `json:"strict"`
		} `json:"format"`
	} `json:"text"`
	MaxOutputTokens int64    `json:"max_output_tokens"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	Reasoning       *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Metadata         map[string]string `json:"metadata"`
	User             string            `json:"user"`
	SafetyIdentifier string            `json:"safety_identifier"`
	Previous         string            `json:"previous_response_id"`
	Conversation     json.RawMessage   `json:"conversation"`
	Prompt           json.RawMessage   `json:"prompt"`
	Background       bool              `json:"background"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

// item is every kind of input that can be translated.
type item struct {
	Type      string               `json:"type"`
	Role      string               `json:"role"`
	Content   either[responsePart] `json:"content"`
	ID        string               `json:"id"`
	CallID    string               `json:"call_id"`
	Name      string               `json:"name"`
	Arguments string               `json:"arguments"`
	Output    either[responsePart] `json:"output"`
	Summary   []responsePart       `json:"summary"`
	Encrypted string               `json:"encrypted_content"`
}

type responsePart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL string          `json:"image_url"`
	FileID   string          `json:"file_id"`
	FileData string          `json:"file_data"`
	FileName string          `json:"filename"`
	FileURL  string          `json:"file_url"`
	Audio    json.RawMessage `json:"input_audio"`
}

// Request decodes a body.
func (Responses) Request(body []byte) (*providers.Request, error) {
	var in responsesRequest
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	if err := in.refuse(); err != nil {
		return nil, err
	}
	req := &providers.Request{
		Model: in.Model, MaxTokens: in.MaxOutputTokens, Temperature: in.Temperature, TopP: in.TopP, Metadata: in.Metadata, User: in.User,
	}
	if in.SafetyIdentifier != "" {
		req.User = in.SafetyIdentifier
	}
	if in.Instructions != "" {
		req.System = append(req.System, providers.Text(in.Instructions))
	}
	if err := in.settings(req); err != nil {
		return nil, err
	}
	t := newThread(req)
	if in.Input.isText {
		t.add(providers.RoleUser, providers.Text(in.Input.text))
		return req, nil
	}
	r := itemReader{thread: t}
	for i := range in.Input.list {
		if err := r.add(&in.Input.list[i], "input["+strconv.Itoa(i)+"]"); err != nil {
			return nil, err
		}
	}
	return req, t.check("input")
}

// refuse names what needs answers that OpenAI keeps.
func (in *responsesRequest) refuse() error {
	given := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	switch {
	case in.Previous != "":
		return untranslatable("previous_response_id", "Answers are not kept here, so that a conversation cannot go on from one.").
			WithHint("Send the whole conversation as input, with the output items of earlier answers.")
	case given(in.Conversation):
		return untranslatable("conversation", "Conversations are kept by OpenAI, and this model is not theirs.").WithHint("Send the whole conversation as input.")
	case given(in.Prompt):
		return untranslatable("prompt", "Stored prompts are kept by OpenAI, and this model is not theirs.").WithHint("Send the prompt as input.")
	case in.Background:
		return untranslatable("background", "Answers in the background are not translated.").WithHint("Leave background out and read the stream.")
	}
	return nil
}

func (in *responsesRequest) settings(req *providers.Request) error {
	if in.Reasoning != nil {
		var err error
		if req.Reasoning.Effort, err = effort(in.Reasoning.Effort); err != nil {
			return err
		}
	}
	if in.Text != nil && in.Text.Format != nil {
		switch f := in.Text.Format; f.Type {
		case "text", "":
		case "json_object":
			req.Format = &providers.Format{}
		case "json_schema":
			req.Format = &providers.Format{Name: f.Name, Schema: f.Schema, Strict: truth(f.Strict)}
		default:
			return bad("text.format.type", "There is no text format %q.", f.Type).WithHint("Use text, json_object or json_schema.")
		}
	}
	for i, t := range in.Tools {
		if t.Type != "function" {
			return untranslatable("tools["+strconv.Itoa(i)+"].type", "A tool of type %q is run by OpenAI and cannot be given to another vendor's model.", t.Type).
				WithHint("Use tools of type function, or choose a model of OpenAI.")
		}
		if t.Name == "" {
			return bad("tools["+strconv.Itoa(i)+"].name", "A tool has no name.")
		}
		req.Tools = append(req.Tools, providers.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters, Strict: truth(t.Strict)})
	}
	req.ToolChoice.Sequential = in.ParallelToolCalls != nil && !*in.ParallelToolCalls
	return openAIChoice(in.ToolChoice, req)
}

// itemReader turns items into messages; a seal waits for the call it belongs to.
type itemReader struct {
	*thread
	pending *seal
}

func (r *itemReader) add(it *item, at string) error {
	switch it.Type {
	case "message", "":
		return r.message(it, at)
	case "function_call":
		p := providers.Part{Kind: providers.PartToolCall, ID: it.CallID, Name: it.Name, Args: providers.ToolArgs(it.Arguments)}
		if r.pending != nil {
			p.Signature, p.Vendor, p.Model = r.pending.Text, r.pending.Vendor, r.pending.Model
			r.pending = nil
		}
		r.thread.add(providers.RoleModel, p)
	case "function_call_output":
		p := providers.Part{Kind: providers.PartToolResult, ID: it.CallID, Text: it.Output.text}
		parts, err := responseParts(it.Output.list, at+".output")
		if err != nil {
			return err
		}
		p.Parts = parts
		r.thread.add(providers.RoleUser, p)
	case "reasoning":
		r.reasoning(it)
	default:
		return untranslatable(at+".type", "An item of type %q cannot be shown to another vendor's model.", it.Type)
	}
	return nil
}

func (r *itemReader) reasoning(it *item) {
	p := providers.Part{Kind: providers.PartReasoning}
	for i, s := range it.Summary {
		if i > 0 {
			p.Text += "\n\n"
		}
		p.Text += s.Text
	}
	switch s, wrapped := unwrap(it.Encrypted); {
	case wrapped && s.Call:
		r.pending = &s
		return
	case wrapped:
		fromWire(&p, "openai", it.Encrypted)
	case it.Encrypted != "":
		p.Vendor = "openai"
		p.Signature = string(encode(openAISeal{it.ID, it.Encrypted}))
	}
	if p.Text != "" || p.Signature != "" {
		r.thread.add(providers.RoleModel, p)
	}
}

// openAISeal is what the adapter of this dialect keeps in a signature.
type openAISeal struct {
	ID        string `json:"id"`
	Encrypted string `json:"encrypted_content"`
}

func (r *itemReader) message(it *item, at string) error {
	var parts []providers.Part
	if it.Content.isText && it.Content.text != "" {
		parts = []providers.Part{providers.Text(it.Content.text)}
	}
	more, err := responseParts(it.Content.list, at+".content")
	if err != nil {
		return err
	}
	parts = append(parts, more...)
	switch it.Role {
	case "system", "developer":
		for _, p := range parts {
			if p.Kind != providers.PartText {
				return bad(at+".content", "A %s message holds text only.", it.Role)
			}
		}
		r.req.System = append(r.req.System, parts...)
	case "user":
		r.thread.add(providers.RoleUser, parts...)
	case "assistant":
		r.thread.add(providers.RoleModel, parts...)
	default:
		return bad(at+".role", "There is no role %q.", it.Role).WithHint("Use system, developer, user or assistant.")
	}
	return nil
}

func responseParts(list []responsePart, at string) ([]providers.Part, error) {
	var out []providers.Part
	for i := range list {
		p, err := list[i].part(at + "[" + strconv.Itoa(i) + "]")
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (p *responsePart) part(at string) (providers.Part, error) {
	switch {
	case p.Type == "input_text" || p.Type == "output_text" || p.Type == "text" || p.Type == "summary_text":
		return providers.Text(p.Text), nil
	case p.Type == "refusal":
		return providers.Text(p.Refusal), nil
	case p.FileID != "":
		return providers.Part{}, untranslatable(at+".file_id", "A file kept by OpenAI cannot be shown to another vendor's model.").WithHint("Send its data.")
	case p.Type == "input_image":
		return atAddress(providers.PartImage, p.ImageURL)
	case p.Type == "input_file" && p.FileURL != "":
		return providers.Part{Kind: providers.PartDocument, URL: p.FileURL, Name: p.FileName}, nil
	case p.Type == "input_file":
		return fileData(p.FileData, p.FileName)
	}
	return providers.Part{}, bad(at, "A part of type %q is not understood.", p.Type)
}
