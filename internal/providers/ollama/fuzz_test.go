package ollama

import (
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// FuzzEvent: whatever a server sends, decoding neither panics nor hangs.
func FuzzEvent(f *testing.F) {
	f.Add(`{"message":{"tool_calls":[{"function":{"name":"f","arguments":{}}}]}}`, `{"done":true,"done_reason":"length"}`)
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
