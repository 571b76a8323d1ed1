package openai

import (
	"encoding/json"
	"testing"
)

func TestAUsageIsReadAsItIsDecoded(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"prompt_tokens":50,"completion_tokens":100,"total_tokens":150}`,
		`{"prompt_tokens":50,"completion_tokens":100,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":7,"audio_tokens":3,"cache_write_tokens":2},"completion_tokens_details":{"reasoning_tokens":9,"audio_tokens":1,"more":{"x":[1]}}}`,
		`{"prompt_tokens":50,"prompt_tokens_details":null,"completion_tokens_details":{"reasoning_tokens":null}}`,
		`{"prompt_tokens":5e1,"prompt_cache_hit_tokens":4}`,
		`{"prompt_tokens": 50 , "completion_tokens":0}`,
		`{"prompt_tokens":"50"}`, `{"prompt_tokens":12.5}`, `{"prompt_tokens":-3}`, `{"prompt_tokens":99999999999999999999}`, `null`, `{}`, `[]`, `"x"`, ``,
	} {
		var want, got chatUsage
		wantOK := len(raw) > 0 && raw[0] == '{' && json.Unmarshal([]byte(raw), &want) == nil
		if gotOK := got.read([]byte(raw)); gotOK != wantOK || wantOK && got != want {
			t.Errorf("%s: %+v, %v; want %+v, %v", raw, got, gotOK, want, wantOK)
		}
	}
}

func TestWhatATallyLooksFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ reason, usage bool }{
		`{"choices":[{"delta":{"content":"a_b {"},"finish_reason":null}],"usage":null}`: {},
		`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}`:                {reason: true},
		`{"choices":[{"delta":{},"finish_reason": "stop"}]}`:                            {reason: true},
		`{"choices":[{"finish_reason":null},{"finish_reason":"length"}]}`:               {reason: true},
		`{"usage":{"prompt_tokens":1},"choices":[]}`:                                    {usage: true},
		`{"choices":[],"usage":  {"prompt_tokens":1}}`:                                  {usage: true},
		`{"choices":[{"finish_reason":"stop"}],"usage":{}}`:                             {reason: true, usage: true},
		`{"prompt_reason":"x","my_usage":{}}`:                                           {},
		`_reason":"`:                                                                    {},
		`{`:                                                                             {},
		``:                                                                              {},
	} {
		if reason, usage := hasReason([]byte(text)), hasUsage([]byte(text)); reason != want.reason || usage != want.usage {
			t.Errorf("%s: reason %v, usage %v", text, reason, usage)
		}
	}
}
