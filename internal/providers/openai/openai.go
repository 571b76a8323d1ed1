package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// API is one of the two protocols.
type API string

// The protocols.
const (
	Chat      API = "chat"
	Responses API = "responses"
)

// Options sets the adapter up. Start from a Preset's.
type Options struct {
	Vendor   string              // "": openai
	BaseURL  string              // "": the vendor's; includes /v1
	Accounts *providers.Accounts // nil: none; required unless Quirks.Keyless
	HTTP     *http.Client        // nil: wire.NewHTTP
	API      API                 // "": responses for openai, chat for everyone else
	Quirks   Quirks
	Header   map[string]string
	// PerRequest adds headers that depend on the request; nil: none.
	PerRequest func(req *providers.Request) http.Header
	// PerRelay does the same for relayed bodies; nil: none.
	PerRelay func(req *providers.RawRequest) http.Header
}

// Model serves every model of one server.
type Model struct {
	vendor string
	client wire.Client
	api    API
	quirks Quirks
	header func(req *providers.Request) http.Header
	relay  func(req *providers.RawRequest) http.Header
}

// New makes the adapter.
func New(opts Options) (*Model, error) {
	vendor := cmp.Or(opts.Vendor, "openai")
	preset, _ := PresetFor(vendor)
	base, err := wire.CheckBase(vendor, cmp.Or(opts.BaseURL, preset.BaseURL))
	if err != nil {
		return nil, err
	}
	if opts.Quirks == (Quirks{}) {
		opts.Quirks = preset.Quirks
	}
	client := opts.HTTP
	if client == nil {
		client = wire.NewHTTP()
	}
	accounts := opts.Accounts
	if accounts == nil && !opts.Quirks.Keyless {
		accounts = providers.NewAccounts(vendor)
	}
	if accounts != nil && opts.Quirks.Keyless && len(accounts.Status()) == 0 {
		accounts = nil
	}
	return &Model{
		vendor: vendor, api: cmp.Or(opts.API, preset.API, Chat), quirks: opts.Quirks, header: opts.PerRequest, relay: opts.PerRelay,
		client: wire.Client{Vendor: vendor, Base: base, HTTP: client, Accounts: accounts, Sign: wire.Bearer, Header: opts.Header},
	}, nil
}

// Stream asks a model.
func (m *Model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	if m.api == Responses {
		return m.streamResponses(ctx, req)
	}
	return m.streamChat(ctx, req)
}

func (m *Model) streamChat(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	built, err := m.chatRequest(req)
	if err != nil {
		return nil, err
	}
	body, err := wire.Encode(built, req.Extra)
	if err != nil {
		return nil, err
	}
	call := wire.Call{Path: "/chat/completions", Body: body, Accept: wire.Accept(req), Model: req.Model}
	if m.header != nil {
		call.Header = m.header(req)
	}
	resp, err := m.client.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	dec := &chatDecoder{vendor: m.vendor, model: req.Model}
	if !wire.IsEvents(resp) {
		return wire.Whole(ctx, m.vendor, resp, dec), nil
	}
	return wire.Events(ctx, m.vendor, resp, dec), nil
}

func (m *Model) streamResponses(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	built, err := m.responsesRequest(req)
	if err != nil {
		return nil, err
	}
	body, err := wire.Encode(built, req.Extra)
	if err != nil {
		return nil, err
	}
	resp, err := m.client.Do(ctx, wire.Call{Path: "/responses", Body: body, Accept: "text/event-stream", Model: req.Model})
	if err != nil {
		return nil, err
	}
	return wire.Events(ctx, m.vendor, resp, &responsesDecoder{vendor: m.vendor, model: req.Model}), nil
}

// Models lists what the server serves.
func (m *Model) Models(ctx context.Context) ([]providers.Listed, error) {
	var out struct {
		Data []struct {
			ID            string `json:"id"`
			Name          string `json:"name"`
			ContextLength int64  `json:"context_length"` // openrouter, together
			ContextWindow int64  `json:"context_window"` // groq
			MaxModelLen   int64  `json:"max_model_len"`  // vllm
			MaxContext    int64  `json:"max_context_length"`
			Meta          struct {
				Trained int64 `json:"n_ctx_train"` // llama.cpp
			} `json:"meta"`
		} `json:"data"`
	}
	raw, err := m.list(ctx)
	if err != nil {
		return nil, err
	}
	if len(raw) > 0 && raw[0] == '[' { // together answers a bare list
		raw = append(append([]byte(`{"data":`), raw...), '}')
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, providers.Broken(ctx, m.vendor, err)
	}
	all := make([]providers.Listed, 0, len(out.Data))
	for _, d := range out.Data {
		all = append(all, providers.Listed{ID: d.ID, Name: d.Name, Context: cmp.Or(d.ContextLength, d.ContextWindow, d.MaxModelLen, d.MaxContext, d.Meta.Trained)})
	}
	return all, nil
}

func (m *Model) list(ctx context.Context) (json.RawMessage, error) {
	var raw json.RawMessage
	err := m.client.JSON(ctx, wire.Call{Method: http.MethodGet, Path: "/models"}, nil, &raw)
	return raw, err
}

// Speaks says which dialects Relay takes: every server chats, OpenAI answers
// Responses too.
func (m *Model) Speaks(d providers.Dialect) bool {
	return d == providers.DialectChat || (d == providers.DialectResponses && m.api == Responses)
}

// Relay passes a body on. A streamed chat is asked for its usage if the caller
// did not, so its answer may end with one more chunk, without choices.
func (m *Model) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	edits := [2]rawjson.Field{rawjson.Quoted("model", req.Model), {Key: "stream_options", Value: []byte(`{"include_usage":true}`)}}
	n := 1
	if req.Dialect == providers.DialectChat && req.Streaming && !m.quirks.NoStreamOptions {
		n = 2
	}
	body, err := rawjson.Set(req.Body, edits[:n]...)
	if err != nil {
		return nil, providers.Failure{Vendor: m.vendor, Status: http.StatusBadRequest, Message: err.Error()}.Fault()
	}
	call := wire.Call{Path: "/chat/completions", Body: body, Model: req.Model}
	if m.relay != nil {
		call.Header = m.relay(req)
	}
	if req.Dialect == providers.DialectResponses {
		call.Path = "/responses"
		return m.client.Relay(ctx, call, req.Streaming, providers.FramingSSE, tallyResponses)
	}
	return m.client.Relay(ctx, call, req.Streaming, providers.FramingSSE, tallyChat)
}
