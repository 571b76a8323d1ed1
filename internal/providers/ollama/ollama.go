package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// Vendor is the provider's name.
const Vendor = "ollama"

// DefaultBase is where Ollama listens unless told otherwise.
const DefaultBase = "http://127.0.0.1:11434"

// Options sets the adapter up.
type Options struct {
	BaseURL  string              // "": DefaultBase
	Accounts *providers.Accounts // nil or empty: no credential, which is usual
	HTTP     *http.Client        // nil: wire.NewHTTP
}

// Model serves every model of one Ollama.
type Model struct{ client wire.Client }

// New makes the adapter.
func New(opts Options) (*Model, error) {
	base, err := wire.CheckBase(Vendor, cmp.Or(opts.BaseURL, DefaultBase))
	if err != nil {
		return nil, err
	}
	client := opts.HTTP
	if client == nil {
		client = wire.NewHTTP()
	}
	accounts := opts.Accounts
	if accounts != nil && len(accounts.Status()) == 0 {
		accounts = nil
	}
	return &Model{client: wire.Client{Vendor: Vendor, Base: base, HTTP: client, Accounts: accounts, Sign: wire.Bearer}}, nil
}

// Stream asks a model.
func (m *Model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	built, err := build(req)
	if err != nil {
		return nil, err
	}
	body, err := wire.Encode(built, req.Extra)
	if err != nil {
		return nil, err
	}
	resp, err := m.client.Do(ctx, wire.Call{Path: "/api/chat", Body: body, Accept: "application/x-ndjson", Model: req.Model})
	if err != nil {
		return nil, err
	}
	return wire.Lines(ctx, Vendor, resp, &decoder{model: req.Model}), nil
}

// Models lists what is on the machine.
func (m *Model) Models(ctx context.Context) ([]providers.Listed, error) {
	var out struct {
		Models []struct {
			Name    string `json:"name"`
			Model   string `json:"model"`
			Details struct {
				Size string `json:"parameter_size"`
			} `json:"details"`
		} `json:"models"`
	}
	if err := m.client.JSON(ctx, wire.Call{Method: http.MethodGet, Path: "/api/tags"}, nil, &out); err != nil {
		return nil, err
	}
	all := make([]providers.Listed, 0, len(out.Models))
	for _, d := range out.Models {
		all = append(all, providers.Listed{ID: cmp.Or(d.Model, d.Name), Name: strings.TrimSpace(d.Name + " " + d.Details.Size)})
	}
	return all, nil
}

// Embed makes one vector per text.
func (m *Model) Embed(ctx context.Context, req providers.EmbedRequest) (providers.Embeddings, error) {
	in := map[string]any{"model": req.Model, "input": req.Texts}
	if req.Dimensions > 0 {
		in["dimensions"] = req.Dimensions
	}
	var out struct {
		Model      string      `json:"model"`
		Embeddings [][]float32 `json:"embeddings"`
		Prompt     int64       `json:"prompt_eval_count"`
	}
	if err := m.client.JSON(ctx, wire.Call{Path: "/api/embed", Model: req.Model}, in, &out); err != nil {
		return providers.Embeddings{}, err
	}
	e := providers.Embeddings{Model: cmp.Or(out.Model, req.Model), Vectors: out.Embeddings, Usage: providers.Usage{Input: out.Prompt}}
	if len(e.Vectors) != len(req.Texts) {
		return e, providers.Broken(ctx, Vendor, fmt.Errorf("%d vectors for %d texts", len(e.Vectors), len(req.Texts)))
	}
	return e, nil
}

// Speaks says which dialect Relay takes.
func (m *Model) Speaks(d providers.Dialect) bool { return d == providers.DialectOllama }

// Relay passes an /api/chat body on.
func (m *Model) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	body, err := rawjson.SetString(req.Body, "model", req.Model)
	if err != nil {
		return nil, providers.Failure{Vendor: Vendor, Status: http.StatusBadRequest, Message: err.Error()}.Fault()
	}
	return m.client.Relay(ctx, wire.Call{Path: "/api/chat", Body: body, Model: req.Model}, req.Streaming, providers.FramingLines, tally)
}

type chatRequest struct {
	Model    string          `json:"model"`
	Messages []chatMessage   `json:"messages"`
	Tools    []chatTool      `json:"tools,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	Stream   bool            `json:"stream"`
	Think    any             `json:"think,omitempty"` // bool, or a level for models that take one
	Options  map[string]any  `json:"options,omitempty"`
}

type chatMessage struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Thinking  string     `json:"thinking,omitempty"`
	Images    [][]byte   `json:"images,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
	ToolName  string     `json:"tool_name,omitempty"`
}

type toolCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func build(req *providers.Request) (*chatRequest, error) {
	out := &chatRequest{Model: req.Model, Stream: true, Options: options(req), Think: think(req)}
	if f := req.Format; f != nil {
		out.Format = f.Schema
		if len(f.Schema) == 0 {
			out.Format = json.RawMessage(`"json"`)
		}
	}
	if req.ToolChoice.Mode != providers.ToolNone {
		for _, t := range req.Tools {
			schema := t.Schema
			if len(schema) == 0 {
				schema = json.RawMessage(`{"type":"object","properties":{}}`)
			}
			out.Tools = append(out.Tools, chatTool{"function", toolFunction{t.Name, t.Description, schema}})
		}
	}
	for i := range req.System {
		if req.System[i].Text != "" {
			out.Messages = append(out.Messages, chatMessage{Role: "system", Content: req.System[i].Text})
		}
	}
	for i := range req.Messages {
		if err := out.add(&req.Messages[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func options(req *providers.Request) map[string]any {
	opts := map[string]any{}
	if req.MaxTokens > 0 {
		opts["num_predict"] = req.MaxTokens
	}
	if req.Temperature != nil {
		opts["temperature"] = *req.Temperature
	}
	if req.TopP != nil {
		opts["top_p"] = *req.TopP
	}
	if len(req.Stop) > 0 {
		opts["stop"] = req.Stop
	}
	return opts
}

// think asks models that take a level for one; the others only know on and off.
func think(req *providers.Request) any {
	r := req.Reasoning
	switch {
	case r.Effort == "" && r.Budget == 0:
		return nil
	case !r.Wanted():
		return false
	case !strings.Contains(req.Model, "gpt-oss"):
		return true
	}
	switch r.Effort {
	case providers.EffortMinimal, providers.EffortLow:
		return "low"
	case providers.EffortHigh, providers.EffortMax:
		return "high"
	}
	return "medium"
}

func (r *chatRequest) add(msg *providers.Message) error {
	cm := chatMessage{Role: "user"}
	if msg.Role == providers.RoleModel {
		cm.Role = "assistant"
	}
	for i := range msg.Parts {
		p := &msg.Parts[i]
		switch p.Kind {
		case providers.PartText:
			cm.Content += p.Text
		case providers.PartReasoning:
			cm.Thinking += p.Text
		case providers.PartToolCall:
			call := toolCall{ID: p.ID}
			call.Function.Name, call.Function.Arguments = p.Name, p.Args
			cm.ToolCalls = append(cm.ToolCalls, call)
		case providers.PartToolResult:
			text := p.ResultText()
			if p.IsError {
				text = "Error: " + text
			}
			r.Messages = append(r.Messages, chatMessage{Role: "tool", ToolName: p.Name, Content: text})
			for j := range p.Parts { // a result has no place for pictures, so they come behind it
				if p.Parts[j].Kind == providers.PartImage && p.Parts[j].URL == "" {
					cm.Images = append(cm.Images, p.Parts[j].Data)
				}
			}
		case providers.PartImage:
			if p.URL != "" {
				return fault.New(fault.Invalid, "part_unsupported", "Ollama takes images as data, not as an address.").WithHint("Fetch the image and attach it.")
			}
			cm.Images = append(cm.Images, p.Data)
		case providers.PartDocument:
			if !strings.HasPrefix(p.MediaType, "text/") {
				return unsupported(p)
			}
			cm.Content += "\n\n" + p.Name + ":\n" + string(p.Data)
		default:
			return unsupported(p)
		}
	}
	if cm.Content != "" || len(cm.Images) > 0 || len(cm.ToolCalls) > 0 {
		r.Messages = append(r.Messages, cm)
	}
	return nil
}

func unsupported(p *providers.Part) error {
	return fault.New(fault.Invalid, "part_unsupported", "Ollama does not take this kind of input (%s, %s).", p.Kind, p.MediaType).
		WithHint("Turn it into text first, or choose a model that takes it.")
}
