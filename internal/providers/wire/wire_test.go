package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/providers"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		h    map[string]string
		want time.Duration
	}{
		"nothing told":                  {nil, 0},
		"seconds":                       {map[string]string{"Retry-After": "20"}, 20 * time.Second},
		"parts of a second":             {map[string]string{"Retry-After": "0.5"}, 500 * time.Millisecond},
		"a date":                        {map[string]string{"Retry-After": "Sun, 15 Nov 2026 12:01:00 GMT"}, time.Minute},
		"a date in the past":            {map[string]string{"Retry-After": "Sun, 15 Nov 2026 11:00:00 GMT"}, 0},
		"milliseconds win":              {map[string]string{"Retry-After-Ms": "250", "Retry-After": "20"}, 250 * time.Millisecond},
		"openai, out of requests":       {map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "6m0s", "X-Ratelimit-Remaining-Tokens": "9", "X-Ratelimit-Reset-Tokens": "9h"}, 6 * time.Minute},
		"anthropic, out of tokens":      {map[string]string{"Anthropic-Ratelimit-Input-Tokens-Remaining": "0", "Anthropic-Ratelimit-Input-Tokens-Reset": "2026-11-15T12:00:30Z"}, 30 * time.Second},
		"a plan's reset as a Unix time": {map[string]string{"Anthropic-Ratelimit-Unified-Reset": "1794747600"}, 5*time.Hour - 4*time.Hour},
		"openrouter's milliseconds":     {map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1794744060000"}, time.Minute},
		"nonsense":                      {map[string]string{"Retry-After": "soon"}, 0},
	} {
		h := http.Header{}
		for k, v := range tt.h {
			h.Set(k, v)
		}
		if got := RetryAfter(h, now); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestParseError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]providers.Failure{
		`{"error":{"message":"m","type":"t","code":"c"}}`:                                                     {Message: "m", Code: "c t"},
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:                                  {Message: "m", Code: "overloaded_error"},
		`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}`: {Message: "m", Code: "RESOURCE_EXHAUSTED", RetryAfter: 34 * time.Second},
		`[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]`:                                  {Message: "m", Code: "INVALID_ARGUMENT"},
		`{"error":"model 'x' not found"}`:                                                                     {Message: "model 'x' not found"},
		`{"object":"error","message":"m","code":"c"}`:                                                         {Message: "m", Code: "c"},
		`{"detail":"Not Found"}`:                                                                              {Message: "Not Found"},
		`{"detail":[{"msg":"field required"}]}`:                                                               {Message: `[{"msg":"field required"}]`},
		`<html>502 Bad Gateway</html>`:                                                                        {Message: "<html>502 Bad Gateway</html>"},
		`{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream text"}}}`:       {Message: "Provider returned error upstream text"},
		``: {},
	} {
		if got := ParseError([]byte(body)); got != want {
			t.Errorf("ParseError(%s) = %+v, want %+v", body, got, want)
		}
	}
}

func TestCheckBase(t *testing.T) {
	t.Parallel()
	if got, err := CheckBase("x", "https://host/v1/"); got != "https://host/v1" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", "host", "ftp://host", "https://", "://x"} {
		if _, err := CheckBase("x", bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
