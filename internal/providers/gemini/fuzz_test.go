package gemini

import (
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// FuzzEvent: whatever a server sends, decoding neither panics nor hangs.
func FuzzEvent(f *testing.F) {
	f.Add(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}},{"text":"x","thought":true}]},"finishReason":"STOP"}]}`, `{"promptFeedback":{"blockReason":"X"},"usageMetadata":{}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		{
			var q wire.Queue
			dec := &decoder{}
			_ = dec.Event(nil, []byte(a), &q)
			_ = dec.Event(nil, []byte(b), &q)
		}
		tally([]byte(a), &providers.Tally{})
	})
}
