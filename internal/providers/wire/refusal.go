package wire

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Refusal maps a response that is not a success to a fault.
func Refusal(vendor, model string, resp *http.Response, body []byte) *fault.Fault {
	f := ParseError(body)
	f.Vendor, f.Model, f.Status = vendor, model, resp.StatusCode
	if f.Message == "" {
		f.Message = resp.Status
	}
	for _, h := range []string{"Request-Id", "X-Request-Id", "X-Goog-Request-Id"} {
		if id := resp.Header.Get(h); id != "" {
			f.RequestID = id
			break
		}
	}
	if after := RetryAfter(resp.Header, time.Now()); after > 0 {
		f.RetryAfter = after
	}
	return f.Fault()
}

// ParseError finds code and text in the shapes vendors use: {"error":{…}},
// {"error":"…"}, {"message":…}, {"detail":…}, and Gemini's array of the first.
func ParseError(body []byte) providers.Failure {
	trimmed := strings.TrimSpace(string(body))
	if strings.HasPrefix(trimmed, "[") {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			return ParseError(list[0])
		}
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
		Code    any             `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return providers.Failure{Message: clip(trimmed)}
	}
	if f, ok := parseInner(outer.Error); ok {
		return f
	}
	f := providers.Failure{Code: text(outer.Code), Message: outer.Message}
	if f.Message == "" && outer.Detail != nil {
		f.Message = clip(text(outer.Detail))
	}
	if f.Message == "" {
		f.Message = clip(trimmed)
	}
	return f
}

func parseInner(raw json.RawMessage) (providers.Failure, bool) {
	var words string
	if json.Unmarshal(raw, &words) == nil && words != "" {
		return providers.Failure{Message: words}, true
	}
	var inner struct {
		Type    string `json:"type"`
		Status  string `json:"status"` // gemini
		Code    any    `json:"code"`
		Message string `json:"message"`
		Details []struct {
			Reason     string `json:"reason"`
			RetryDelay string `json:"retryDelay"`
		} `json:"details"`
		Metadata struct {
			Raw string `json:"raw"` // openrouter keeps the upstream's text here
		} `json:"metadata"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &inner) != nil {
		return providers.Failure{}, false
	}
	f := providers.Failure{Message: inner.Message}
	for _, c := range []string{text(inner.Code), inner.Type, inner.Status} {
		if _, err := strconv.Atoi(c); err == nil || c == "" || strings.Contains(f.Code, c) {
			continue
		}
		f.Code = strings.TrimSpace(f.Code + " " + c)
	}
	for _, d := range inner.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			f.RetryAfter = wait
		}
		if d.Reason != "" {
			f.Code = strings.TrimSpace(f.Code + " " + d.Reason)
		}
	}
	if inner.Metadata.Raw != "" {
		f.Message = strings.TrimSpace(f.Message + " " + clip(inner.Metadata.Raw))
	}
	return f, true
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}

// RetryAfter reads when to come back, from the standard header and from the
// vendors' own; 0 when not told.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if d := until(h.Get("Retry-After"), now); d > 0 {
		return d
	}
	if d := until(h.Get("Anthropic-Ratelimit-Unified-Reset"), now); d > 0 {
		return d
	}
	var wait time.Duration
	for _, pair := range limits {
		remaining, reset := h.Get(pair[0]), until(h.Get(pair[1]), now)
		if reset > wait && (remaining == "0" || remaining == "") {
			wait = reset
		}
	}
	return wait
}

// limits are pairs of "how many are left" and "when it is full again".
var limits = [][2]string{
	{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
	{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
	{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
	{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
	{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
	{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
	{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
}

// until reads seconds, a Go duration ("6m0s"), an HTTP date, RFC 3339, or a
// Unix time in seconds or milliseconds.
func until(v string, now time.Time) time.Duration {
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case n > 1e12:
			return max(0, time.UnixMilli(int64(n)).Sub(now))
		case n > 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now))
		}
		return max(0, time.Duration(n*float64(time.Second)))
	}
	if d, err := time.ParseDuration(v); err == nil {
		return max(0, d)
	}
	if at, err := time.Parse(time.RFC3339, v); err == nil {
		return max(0, at.Sub(now))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
