package api

import (
	"strings"

	"github.com/fluxway/fluxway/internal/api/compat"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

func (a doorsAPI) gemini() []route {
	d := compat.Gemini{}
	const summary = "Google's generateContent, streamGenerateContent, countTokens and embedContent, with any model: {model} ends with a colon and the method."
	all := []route{{"GET", "/v1beta/models", "models:read", "The models that can be asked, in Google's shape.", foreign[none](d, a.listGemini)}}
	all = append(all, perModel("GET", "/v1beta/models", "models:read", "One model, in Google's shape.", d, a.oneGemini)...)
	return append(all, perModel("POST", "/v1beta/models", "models:use", summary, d, a.geminiMethod, also("text/event-stream"))...)
}

// geminiMethod does what the address says behind the model's colon.
func (a doorsAPI) geminiMethod(c *call) error {
	address := pathModel(c)
	at := strings.LastIndexByte(address, ':')
	if at < 0 {
		return noMethod("")
	}
	model, method := address[:at], address[at+1:]
	if _, err := (compat.Gemini{}).Head(c.body); err != nil {
		return err
	}
	switch method {
	case "generateContent":
		return a.answer(c, &question{Head: compat.Head{Model: model}, door: "gemini"})
	case "streamGenerateContent":
		return a.answer(c, &question{Head: compat.Head{Model: model, Stream: true}, door: "gemini", array: !eventsAsked(c.r.URL.RawQuery)})
	case "countTokens":
		return a.countGemini(c, model)
	case "embedContent":
		return a.embedGemini(c, model, false)
	case "batchEmbedContents":
		return a.embedGemini(c, model, true)
	}
	return noMethod(method)
}

// eventsAsked says whether alt=sse is in the query; without it Google streams a
// JSON array.
func eventsAsked(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "alt=sse" || pair == "%24alt=sse" || pair == "$alt=sse" {
			return true
		}
	}
	return false
}

func noMethod(method string) error {
	return fault.New(fault.NotFound, "no_such_method", "There is no method %q here.", cut(method)).WithParam("method").
		WithHint("Write the model, a colon, and generateContent, streamGenerateContent, countTokens, embedContent or batchEmbedContents.")
}

func (a doorsAPI) countGemini(c *call, model string) error {
	body := c.body
	if inner := rawjson.Find(body, "generateContentRequest"); inner != nil {
		body = inner
	}
	req, err := compat.Gemini{}.Request(body)
	if err != nil {
		return err
	}
	req.Model = model
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	tokens, _, err := models.CountTokens(c.charged("gemini", model), req)
	if err != nil {
		return err
	}
	return c.foreignJSON(map[string]int64{"totalTokens": tokens})
}

type geminiEmbedding struct {
	Content struct {
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	} `json:"content"`
	TaskType   string `json:"taskType"`
	Dimensions int    `json:"outputDimensionality"`
}

func (a doorsAPI) embedGemini(c *call, model string, batch bool) error {
	var in struct {
		geminiEmbedding
		Requests []geminiEmbedding `json:"requests"`
	}
	if err := decodeForeign(c, &in); err != nil {
		return err
	}
	if !batch {
		in.Requests = []geminiEmbedding{in.geminiEmbedding}
	}
	if len(in.Requests) == 0 {
		return fault.New(fault.Invalid, "invalid_request", "There is nothing to embed.").WithParam("requests")
	}
	req := providers.EmbedRequest{Model: model, Dimensions: in.Requests[0].Dimensions}
	switch in.Requests[0].TaskType {
	case "RETRIEVAL_QUERY":
		req.Purpose = "query"
	case "RETRIEVAL_DOCUMENT":
		req.Purpose = "document"
	}
	for _, r := range in.Requests {
		var text strings.Builder
		for _, p := range r.Content.Parts {
			text.WriteString(p.Text)
		}
		req.Texts = append(req.Texts, text.String())
	}
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	out, err := models.Embed(c.charged("gemini", model), req)
	if err != nil {
		return err
	}
	vectors := make([]map[string][]float32, len(out.Vectors))
	for i, v := range out.Vectors {
		vectors[i] = map[string][]float32{"values": v}
	}
	if !batch {
		return c.foreignJSON(map[string]any{"embedding": vectors[0]})
	}
	return c.foreignJSON(map[string]any{"embeddings": vectors})
}

func geminiModel(l providers.Listing) map[string]any {
	m := map[string]any{
		"name": "models/" + l.Name, "version": "1", "displayName": l.Entry.Name, "inputTokenLimit": l.Entry.Context, "outputTokenLimit": l.Entry.MaxOutput,
		"supportedGenerationMethods": []string{"generateContent", "streamGenerateContent", "countTokens"},
	}
	if l.Entry.Cans(providers.CanEmbed) {
		m["supportedGenerationMethods"] = []string{"embedContent", "batchEmbedContents"}
	}
	return m
}

func (a doorsAPI) listGemini(c *call) error {
	listing, err := a.listing(c)
	if err != nil {
		return err
	}
	data := make([]map[string]any, 0, len(listing))
	for _, l := range listing {
		data = append(data, geminiModel(l))
	}
	return c.foreignJSON(map[string]any{"models": data})
}

func (a doorsAPI) oneGemini(c *call) error {
	l, err := a.find(c, pathModel(c))
	if err != nil {
		return err
	}
	return c.foreignJSON(geminiModel(l))
}
