package openai

import (
	"encoding/json"
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// FuzzEvent: whatever a server sends, decoding neither panics nor hangs.
func FuzzEvent(f *testing.F) {
	f.Add(`{"choices":[{"delta":{"tool_calls":[{"index":3,"function":{"arguments":"x"}}]}}]}`, `{"choices":[{"delta":{"content":[{"type":"thinking"}]},"finish_reason":"stop"}],"usage":{}}`)
	f.Add(`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","arguments":"{}"}}`, `{"type":"response.completed","response":{"usage":{}}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		{
			var q wire.Queue
			dec := &chatDecoder{}
			_ = dec.Event(nil, []byte(a), &q)
			_ = dec.Event(nil, []byte(b), &q)
		}
		{
			var q wire.Queue
			dec := &responsesDecoder{}
			_ = dec.Event(nil, []byte(a), &q)
			_ = dec.Event(nil, []byte(b), &q)
		}
		tallyChat([]byte(a), &providers.Tally{})
		tallyResponses([]byte(a), &providers.Tally{})
	})
}

// FuzzPlainDelta: what is read without decoding is what decoding would give.
func FuzzPlainDelta(f *testing.F) {
	f.Add(`{"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"h\\u00fc \\" x","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}`)
	f.Add(`{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}`)
	f.Add(`{"choices":[{"delta":{"content":"a","content":"b"}}],"error":null}`)
	f.Fuzz(func(t *testing.T, in string) {
		text, ok := plainDelta([]byte(in))
		if !ok || !json.Valid([]byte(in)) {
			return
		}
		var ev chatEvent
		if err := json.Unmarshal([]byte(in), &ev); err != nil {
			return
		}
		if len(ev.Choices) != 1 || ev.Choices[0].Delta == nil || ev.Usage != nil || ev.Choices[0].FinishReason != "" || ev.Choices[0].Index != 0 {
			t.Skip("keys in another case")
		}
		if got := ev.Choices[0].Delta.Content.answer; got != text {
			t.Errorf("%s: read %q, decoded %q", in, text, got)
		}
	})
}
