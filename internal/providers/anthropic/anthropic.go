package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// Vendor is the provider's name.
const Vendor = "anthropic"

const (
	defaultBase      = "https://api.anthropic.com"
	version          = "2023-06-01"
	defaultMaxTokens = 8192
	oauthBeta        = "oauth-2025-04-20"
)

// Options sets the adapter up.
type Options struct {
	Accounts *providers.Accounts      // required
	BaseURL  string                   // "": the vendor's
	HTTP     *http.Client             // nil: wire.NewHTTP
	MaxOut   func(model string) int64 // most tokens a model may answer, which this protocol must be told; nil or 0: 8192
}

// Model serves every model of the vendor.
type Model struct {
	client wire.Client
	maxOut func(string) int64
}

// New makes the adapter.
func New(opts Options) (*Model, error) {
	base, err := wire.CheckBase(Vendor, cmp.Or(opts.BaseURL, defaultBase))
	if err != nil {
		return nil, err
	}
	accounts := opts.Accounts
	if accounts == nil {
		accounts = providers.NewAccounts(Vendor)
	}
	client := opts.HTTP
	if client == nil {
		client = wire.NewHTTP()
	}
	return &Model{
		client: wire.Client{Vendor: Vendor, Base: base, HTTP: client, Accounts: accounts, Sign: sign, Header: map[string]string{"anthropic-version": version}},
		maxOut: opts.MaxOut,
	}, nil
}

// sign uses the key header for keys and a bearer token, with its flag, for sign-ins.
func sign(r *http.Request, g *providers.Grant) {
	if !g.Bearer {
		r.Header.Set("x-api-key", g.Value.Reveal())
		return
	}
	wire.Bearer(r, g)
	if flags := r.Header.Get("anthropic-beta"); flags != "" {
		r.Header.Set("anthropic-beta", flags+","+oauthBeta)
		return
	}
	r.Header.Set("anthropic-beta", oauthBeta)
}

// Stream asks a model.
func (m *Model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	body, err := m.encode(req)
	if err != nil {
		return nil, err
	}
	resp, err := m.client.Do(ctx, wire.Call{Path: "/v1/messages", Body: body, Accept: wire.Accept(req), Model: req.Model})
	if err != nil {
		return nil, err
	}
	if !wire.IsEvents(resp) {
		return wire.Whole(ctx, Vendor, resp, &decoder{}), nil
	}
	return wire.Events(ctx, Vendor, resp, &decoder{}), nil
}

// CountTokens asks the vendor how many tokens the request has.
func (m *Model) CountTokens(ctx context.Context, req *providers.Request) (int64, error) {
	full, err := m.build(req)
	if err != nil {
		return 0, err
	}
	in := countRequest{Model: full.Model, System: full.System, Messages: full.Messages, Tools: full.Tools, ToolChoice: full.ToolChoice, Thinking: full.Thinking}
	var out struct {
		InputTokens int64 `json:"input_tokens"`
	}
	err = m.client.JSON(ctx, wire.Call{Path: "/v1/messages/count_tokens", Model: req.Model}, in, &out)
	return out.InputTokens, err
}

// Models lists what the account may use.
func (m *Model) Models(ctx context.Context) ([]providers.Listed, error) {
	var all []providers.Listed
	after := ""
	for {
		var page struct {
			Data []struct {
				ID          string `json:"id"`
				DisplayName string `json:"display_name"`
				MaxInput    int64  `json:"max_input_tokens"`
				MaxOutput   int64  `json:"max_tokens"`
			} `json:"data"`
			HasMore bool   `json:"has_more"`
			LastID  string `json:"last_id"`
		}
		path := "/v1/models?limit=1000"
		if after != "" {
			path += "&after_id=" + url.QueryEscape(after)
		}
		if err := m.client.JSON(ctx, wire.Call{Method: http.MethodGet, Path: path}, nil, &page); err != nil {
			return nil, err
		}
		for _, d := range page.Data {
			all = append(all, providers.Listed{ID: d.ID, Name: d.DisplayName, Context: d.MaxInput, MaxOutput: d.MaxOutput})
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			return all, nil
		}
		after = page.LastID
	}
}

// Speaks says which dialect Relay takes.
func (m *Model) Speaks(d providers.Dialect) bool { return d == providers.DialectMessages }

// Relay passes a Messages body on.
func (m *Model) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	body, err := rawjson.SetString(req.Body, "model", req.Model)
	if err != nil {
		return nil, providers.Failure{Vendor: Vendor, Status: http.StatusBadRequest, Message: err.Error()}.Fault()
	}
	header := http.Header{}
	if flags := req.Header.Get("anthropic-beta"); flags != "" {
		header.Set("anthropic-beta", flags)
	}
	call := wire.Call{Path: "/v1/messages", Body: body, Header: header, Model: req.Model}
	return m.client.Relay(ctx, call, req.Streaming, providers.FramingSSE, tally)
}

func (m *Model) encode(req *providers.Request) ([]byte, error) {
	full, err := m.build(req)
	if err != nil {
		return nil, err
	}
	return wire.Encode(full, req.Extra)
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
