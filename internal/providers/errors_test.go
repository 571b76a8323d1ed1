package providers

import (
	"testing"
	"time"
)

func TestFailureMapsToTheSmallSet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		f         Failure
		code      string
		status    int
		retryable bool
	}{
		"a wrong key":                          {Failure{Status: 401, Code: "invalid_api_key"}, CodeAuth, 502, false},
		"a 403":                                {Failure{Status: 403}, CodeAuth, 502, false},
		"quota hides behind 429":               {Failure{Status: 429, Code: "insufficient_quota"}, CodeQuota, 429, false},
		"anthropic's empty purse is a 400":     {Failure{Status: 400, Message: "Your credit balance is too low"}, CodeQuota, 429, false},
		"a real rate limit":                    {Failure{Status: 429, Code: "rate_limit_error", RetryAfter: time.Second}, CodeRate, 429, true},
		"openai's long prompt":                 {Failure{Status: 400, Code: "context_length_exceeded"}, CodeContext, 400, false},
		"anthropic's long prompt":              {Failure{Status: 400, Code: "invalid_request_error", Message: "prompt is too long: 210000 tokens > 200000 maximum"}, CodeContext, 400, false},
		"gemini's long prompt":                 {Failure{Status: 400, Code: "INVALID_ARGUMENT", Message: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."}, CodeContext, 400, false},
		"azure's filter":                       {Failure{Status: 400, Code: "content_filter"}, CodeFiltered, 400, false},
		"anthropic's 529":                      {Failure{Status: 529, Code: "overloaded_error"}, CodeOverloaded, 503, true},
		"an overload inside a stream":          {Failure{Code: "overloaded_error"}, CodeOverloaded, 503, true},
		"a 500":                                {Failure{Status: 500}, CodeUnavailable, 503, true},
		"no connection":                        {Failure{Message: "connection refused"}, CodeUnavailable, 503, true},
		"an unknown model":                     {Failure{Status: 404, Code: "model_not_found"}, CodeNoModel, 404, false},
		"ollama's unknown model":               {Failure{Status: 404, Message: "model 'x' not found"}, CodeNoModel, 404, false},
		"any other 400":                        {Failure{Status: 400, Message: "temperature out of range"}, CodeBadRequest, 400, false},
		"gemini's wrong key is a 400":          {Failure{Status: 400, Code: "INVALID_ARGUMENT", Message: "API key not valid. Please pass a valid API key."}, CodeAuth, 502, false},
		"gemini's rate limit":                  {Failure{Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "Resource has been exhausted"}, CodeRate, 429, true},
		"a 408 is the vendor's, not a mistake": {Failure{Status: 408}, CodeUnavailable, 503, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.f.Vendor = "acme"
			got := tt.f.Fault()
			if got.Code != tt.code || got.Status() != tt.status || got.Retryable != tt.retryable || got.RetryAfter != tt.f.RetryAfter {
				t.Errorf("Fault(%+v) = %s, %d, retryable %v after %s; want %s, %d, %v", tt.f, got.Code, got.Status(), got.Retryable, got.RetryAfter, tt.code, tt.status, tt.retryable)
			}
			if tt.f.Message != "" && got.Details["vendor_message"] != tt.f.Message {
				t.Errorf("the vendor's text is lost: %v", got.Details)
			}
			if got.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}
