package openai

import (
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
