package gemini

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// Vendor is the provider's name.
const Vendor = "gemini"

const defaultBase = "https://generativelanguage.googleapis.com/v1beta"

// Options sets the adapter up.
type Options struct {
	Accounts *providers.Accounts // required
	BaseURL  string              // "": the vendor's; includes the version
	HTTP     *http.Client        // nil: wire.NewHTTP
}

// Model serves every model of the vendor.
type Model struct{ client wire.Client }

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
	return &Model{client: wire.Client{Vendor: Vendor, Base: base, HTTP: client, Accounts: accounts, Sign: sign}}, nil
}

func sign(r *http.Request, g *providers.Grant) {
	if g.Bearer {
		wire.Bearer(r, g)
		return
	}
	r.Header.Set("x-goog-api-key", g.Value.Reveal())
}

// modelPath keeps names like tunedModels/x as they are.
func modelPath(model, method string) string {
	if !strings.Contains(model, "/") {
		model = "models/" + url.PathEscape(model)
	}
	return "/" + model + ":" + method
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
	resp, err := m.client.Do(ctx, wire.Call{Path: modelPath(req.Model, "streamGenerateContent") + "?alt=sse", Body: body, Accept: "text/event-stream", Model: req.Model})
	if err != nil {
		return nil, err
	}
	return wire.Events(ctx, Vendor, resp, &decoder{model: req.Model}), nil
}

// CountTokens asks the vendor how many tokens the request has.
func (m *Model) CountTokens(ctx context.Context, req *providers.Request) (int64, error) {
	built, err := build(req)
	if err != nil {
		return 0, err
	}
	in := struct {
		Request countedRequest `json:"generateContentRequest"`
	}{countedRequest{Model: "models/" + req.Model, generateRequest: built}}
	var out struct {
		TotalTokens int64 `json:"totalTokens"`
	}
	err = m.client.JSON(ctx, wire.Call{Path: modelPath(req.Model, "countTokens"), Model: req.Model}, in, &out)
	return out.TotalTokens, err
}

type countedRequest struct {
	Model string `json:"model"`
	*generateRequest
}

// Models lists the models that generate text.
func (m *Model) Models(ctx context.Context) ([]providers.Listed, error) {
	var all []providers.Listed
	token := ""
	for {
		var page struct {
			Models []struct {
				Name        string   `json:"name"`
				DisplayName string   `json:"displayName"`
				Input       int64    `json:"inputTokenLimit"`
				Output      int64    `json:"outputTokenLimit"`
				Methods     []string `json:"supportedGenerationMethods"`
			} `json:"models"`
			Next string `json:"nextPageToken"`
		}
		path := "/models?pageSize=1000"
		if token != "" {
			path += "&pageToken=" + url.QueryEscape(token)
		}
		if err := m.client.JSON(ctx, wire.Call{Method: http.MethodGet, Path: path}, nil, &page); err != nil {
			return nil, err
		}
		for _, d := range page.Models {
			if slices.Contains(d.Methods, "generateContent") {
				all = append(all, providers.Listed{ID: strings.TrimPrefix(d.Name, "models/"), Name: d.DisplayName, Context: d.Input, MaxOutput: d.Output})
			}
		}
		if page.Next == "" || page.Next == token {
			return all, nil
		}
		token = page.Next
	}
}

// Embed makes one vector per text.
func (m *Model) Embed(ctx context.Context, req providers.EmbedRequest) (providers.Embeddings, error) {
	type one struct {
		Model      string  `json:"model"`
		Content    content `json:"content"`
		TaskType   string  `json:"taskType,omitempty"`
		Dimensions int     `json:"outputDimensionality,omitempty"`
	}
	task := map[string]string{"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}[req.Purpose]
	var in struct {
		Requests []one `json:"requests"`
	}
	var estimate int64
	for _, text := range req.Texts {
		in.Requests = append(in.Requests, one{"models/" + req.Model, content{Parts: []part{{Text: &text}}}, task, req.Dimensions})
		estimate += providers.EstimateText(text)
	}
	var out struct {
		Embeddings []struct {
			Values []float32 `json:"values"`
		} `json:"embeddings"`
		Usage struct {
			Prompt int64 `json:"promptTokenCount"`
		} `json:"usageMetadata"`
	}
	if err := m.client.JSON(ctx, wire.Call{Path: modelPath(req.Model, "batchEmbedContents"), Model: req.Model}, in, &out); err != nil {
		return providers.Embeddings{}, err
	}
	e := providers.Embeddings{Model: req.Model, Usage: providers.Usage{Input: out.Usage.Prompt}}
	if out.Usage.Prompt == 0 {
		e.Usage = providers.Usage{Input: estimate, Estimated: true}
	}
	for _, v := range out.Embeddings {
		e.Vectors = append(e.Vectors, v.Values)
	}
	if len(e.Vectors) != len(req.Texts) {
		return e, providers.Broken(ctx, Vendor, fmt.Errorf("%d vectors for %d texts", len(e.Vectors), len(req.Texts)))
	}
	return e, nil
}

// Speaks says which dialect Relay takes.
func (m *Model) Speaks(d providers.Dialect) bool { return d == providers.DialectGemini }

// Relay passes a body on; in this protocol the model is in the address.
func (m *Model) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	path := modelPath(req.Model, "generateContent")
	if req.Streaming {
		path = modelPath(req.Model, "streamGenerateContent") + "?alt=sse"
	}
	return m.client.Relay(ctx, wire.Call{Path: path, Body: req.Body, Model: req.Model}, req.Streaming, providers.FramingSSE, tally)
}
