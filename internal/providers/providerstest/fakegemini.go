package providerstest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// FakeGemini serves generateContent, streamGenerateContent, countTokens,
// batchEmbedContents and the list of models under /v1beta.
func FakeGemini(t testing.TB) *Fake {
	return newFake(t, func(path string) dialect {
		if strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent") {
			return geminiDialect{}
		}
		return nil
	}, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, ":countTokens"):
			writeJSON(w, object{"totalTokens": len(body) / 4})
		case strings.HasSuffix(r.URL.Path, ":batchEmbedContents"):
			n := strings.Count(string(rawjson.Find(body, "requests")), `"content"`)
			var list []object
			for i := range n {
				list = append(list, object{"values": []float64{float64(i), 0.5}})
			}
			writeJSON(w, object{"embeddings": list})
		case strings.HasSuffix(r.URL.Path, "/models"):
			writeJSON(w, object{"models": []object{{"name": "models/gemini-test", "displayName": "Gemini Test", "inputTokenLimit": 1048576, "outputTokenLimit": 65536, "supportedGenerationMethods": []string{"generateContent"}}}})
		default:
			return false
		}
		return true
	})
}

type geminiDialect struct{}

func (geminiDialect) contentType() string      { return "text/event-stream" }
func (geminiDialect) keepAlive() string        { return ": keep-alive\r\n\r\n" }
func (geminiDialect) key(h http.Header) string { return h.Get("x-goog-api-key") }
func (geminiDialect) unknown() string {
	return crlf(object{"sparkle": object{"kind": "GLITTER"}})
}

// crlf frames as this vendor does.
func crlf(v any) string { return "data: " + encode(v) + "\r\n\r\n" }

func geminiError(r *Reply) object {
	status := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[r.Status]
	if status == "" {
		status = r.Code
	}
	e := object{"code": r.Status, "message": r.Message, "status": status}
	if r.Code != "" {
		e["details"] = []object{{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": r.Code}}
	}
	return object{"error": e}
}

func (geminiDialect) refusal(r *Reply) string { return encode(geminiError(r)) }
func (geminiDialect) failure(r *Reply) string { return crlf(geminiError(r)) }

func geminiUsage(u providers.Usage) object {
	return object{"promptTokenCount": u.TotalInput(), "cachedContentTokenCount": u.CacheRead, "candidatesTokenCount": u.Output,
		"thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Total(),
		"promptTokensDetails": []object{{"modality": "TEXT", "tokenCount": u.Input}}}
}

func geminiStop(s providers.StopReason) string {
	switch s {
	case providers.StopLength:
		return "MAX_TOKENS"
	case providers.StopFiltered:
		return "SAFETY"
	}
	return "STOP"
}

func geminiParts(r *Reply) (parts []object) {
	if r.Thinks != "" {
		for _, w := range words(r.Thinks) {
			parts = append(parts, object{"text": w, "thought": true})
		}
	}
	if r.Says != "" {
		for _, w := range words(r.Says) {
			parts = append(parts, object{"text": w})
		}
	}
	for i, c := range r.Calls {
		p := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": jsonObject(c.Args)}}
		if i == 0 && r.Signature != "" {
			p["thoughtSignature"] = r.Signature
		}
		parts = append(parts, p)
	}
	return parts
}

func (geminiDialect) frames(r *Reply, model string) []string {
	var out []string
	parts := geminiParts(r)
	for _, p := range parts {
		out = append(out, crlf(object{"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": []object{p}}}}, "modelVersion": model, "responseId": "gem-1"}))
	}
	return append(out, crlf(object{"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": []object{{"text": ""}}}, "finishReason": geminiStop(r.stop())}},
		"usageMetadata": geminiUsage(r.Usage), "modelVersion": model, "responseId": "gem-1"}))
}

func (geminiDialect) whole(r *Reply, model string) string {
	return encode(object{"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": geminiParts(r)}, "finishReason": geminiStop(r.stop())}},
		"usageMetadata": geminiUsage(r.Usage), "modelVersion": model, "responseId": "gem-1"})
}
