package api

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"strings"

	"github.com/fluxway/fluxway/internal/api/compat"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

func (a doorsAPI) openAI() []route {
	chat, responses := compat.Chat{}, compat.Responses{}
	all := []route{
		{"POST", "/v1/chat/completions", "models:use", "OpenAI's Chat Completions, with any model.", foreign[none](chat, a.ask("openai"), also("text/event-stream"))},
		{"POST", "/v1/responses", "models:use", "OpenAI's Responses, with any model.", foreign[none](responses, a.ask("openai"), also("text/event-stream"))},
		{"POST", "/v1/embeddings", "models:use", "OpenAI's embeddings, with any model that makes them.", foreign[none](chat, a.embeddings)},
		{"POST", "/v1/audio/transcriptions", "models:use", "OpenAI's speech to text.", foreign[none](chat, a.transcribe, ownBody)},
		{"POST", "/v1/audio/translations", "models:use", "OpenAI's speech to English text.", foreign[none](chat, a.transcribe, ownBody)},
		{"POST", "/v1/audio/speech", "models:use", "OpenAI's text to speech.", foreign[none](chat, a.speak, media("audio/*"))},
		{"GET", "/v1/models", "models:read", "The models that can be asked, in OpenAI's shape, or in Anthropic's with the header anthropic-version.", foreign[none](chat, a.list)},
	}
	return append(all, perModel("GET", "/v1/models", "models:read", "One model, in OpenAI's or Anthropic's shape.", chat, a.one)...)
}

// ask is the door of a dialect whose body names the model.
func (a doorsAPI) ask(door string) func(c *call) error {
	return func(c *call) error {
		head, err := c.e.route.Action.dialect.Head(c.body)
		if err != nil {
			return err
		}
		return a.answer(c, &question{Head: head, door: door})
	}
}

// decodeForeign reads a body of which unknown fields are ignored.
func decodeForeign(c *call, into any) error {
	return compat.Decode(c.body, into)
}

type embeddingsRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Format     string          `json:"encoding_format"`
	Dimensions int             `json:"dimensions"`
}

// texts are the inputs; OpenAI also takes numbers of its own tokens, which mean
// nothing to others.
func (r *embeddingsRequest) texts() ([]string, error) {
	var one string
	var many []string
	if len(r.Input) > 0 && r.Input[0] == '"' && json.Unmarshal(r.Input, &one) == nil {
		return []string{one}, nil
	}
	if json.Unmarshal(r.Input, &many) == nil && len(many) > 0 {
		return many, nil
	}
	return nil, fault.New(fault.Invalid, "invalid_request", "The input of an embedding is a text, or a list of texts.").
		WithParam("input").WithHint("Send texts; numbers of tokens are not translated.")
}

func (a doorsAPI) embeddings(c *call) error {
	var in embeddingsRequest
	if err := decodeForeign(c, &in); err != nil {
		return err
	}
	texts, err := in.texts()
	if err != nil {
		return err
	}
	if in.Format != "" && in.Format != "float" && in.Format != "base64" {
		return fault.New(fault.Invalid, "invalid_request", "There is no encoding %q.", cut(in.Format)).WithParam("encoding_format").WithHint("Use float or base64.")
	}
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	out, err := models.Embed(c.charged("openai", in.Model), providers.EmbedRequest{Model: in.Model, Texts: texts, Dimensions: in.Dimensions})
	if err != nil {
		return err
	}
	data := make([]map[string]any, len(out.Vectors))
	for i, v := range out.Vectors {
		var vector any = v
		if in.Format == "base64" {
			vector = base64Floats(v)
		}
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": vector}
	}
	used := out.Usage.TotalInput()
	return c.foreignJSON(map[string]any{
		"object": "list", "model": out.Model, "data": data, "usage": map[string]int64{"prompt_tokens": used, "total_tokens": used},
	})
}

// base64Floats is how OpenAI packs a vector.
func base64Floats(v []float32) string {
	packed := make([]byte, 0, 4*len(v))
	for _, f := range v {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(f))
	}
	return base64.StdEncoding.EncodeToString(packed)
}

// foreignJSON answers with v.
func (c *call) foreignJSON(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, body)
	return nil
}

// modelStart is a date for models whose own nobody knows; clients sort by it.
const modelStart = 1_700_000_000

func openAIModel(l providers.Listing) map[string]any {
	owner := "fluxway"
	if !l.Route {
		owner = l.Entry.Provider()
	}
	return map[string]any{"id": l.Name, "object": "model", "created": modelStart, "owned_by": owner}
}

func anthropicModel(l providers.Listing) map[string]any {
	name := l.Entry.Name
	if name == "" {
		name = l.Name
	}
	return map[string]any{"type": "model", "id": l.Name, "display_name": name, "created_at": "2023-11-14T22:13:20Z"}
}

// wantsAnthropic tells the two clients apart that share an address.
func wantsAnthropic(c *call) bool { return len(c.r.Header["Anthropic-Version"]) > 0 }

func (a doorsAPI) list(c *call) error {
	listing, err := a.listing(c)
	if err != nil {
		return err
	}
	data := make([]map[string]any, 0, len(listing))
	if !wantsAnthropic(c) {
		for _, l := range listing {
			data = append(data, openAIModel(l))
		}
		return c.foreignJSON(map[string]any{"object": "list", "data": data})
	}
	var first, last any
	for _, l := range listing {
		data = append(data, anthropicModel(l))
	}
	if len(listing) > 0 {
		first, last = listing[0].Name, listing[len(listing)-1].Name
	}
	return c.foreignJSON(map[string]any{"data": data, "has_more": false, "first_id": first, "last_id": last})
}

// listing is the models that the caller can ask for, agents among them.
func (a doorsAPI) listing(c *call) ([]providers.Listing, error) {
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return nil, err
	}
	all := models.List()
	if a.s.opts.Agents == nil {
		return all, nil
	}
	team, err := a.s.opts.Agents.List(c.ctx, c.caller.Workspace)
	if err != nil {
		return nil, err
	}
	for _, agent := range team {
		name := "agent/" + agent.Name
		if _, err := models.Plan(&providers.Request{Model: name}); err == nil {
			all = append(all, providers.Listing{Name: name, Entry: providers.Entry{ID: name}})
		}
	}
	return all, nil
}

func (a doorsAPI) one(c *call) error {
	l, err := a.find(c, pathModel(c))
	if err != nil {
		return err
	}
	if wantsAnthropic(c) {
		return c.foreignJSON(anthropicModel(l))
	}
	return c.foreignJSON(openAIModel(l))
}

// find is a model by any name it can be asked for under, even one that the
// catalogue does not know.
func (a doorsAPI) find(c *call, name string) (providers.Listing, error) {
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return providers.Listing{}, err
	}
	plan, err := models.Plan(&providers.Request{Model: name})
	if err != nil {
		return providers.Listing{}, err
	}
	for _, l := range models.List() {
		if l.Name == name || l.Name == plan[0] {
			l.Name = name
			return l, nil
		}
	}
	return providers.Listing{Name: name, Route: !strings.Contains(name, "/"), Entry: providers.Entry{ID: plan[0]}}, nil
}
