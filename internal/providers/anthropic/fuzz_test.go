package anthropic

import (
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// FuzzEvent: whatever a server sends, decoding neither panics nor hangs.
func FuzzEvent(f *testing.F) {
	f.Add(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}`)
	f.Add(`{"type":"content_block_stop","index":-1}`, `{"type":"message_delta","usage":{"output_tokens":1,"cache_creation":{}}}`)
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
