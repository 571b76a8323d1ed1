package wire

import (
	"io"
	"net/http"
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
)

// words makes a chunk of every event but pings.
type words struct{}

func (words) Event(_, data []byte, out *Queue) error {
	switch string(data) {
	case "ping":
	case "end":
		out.Push(providers.Chunk{Kind: providers.ChunkFinish, Stop: providers.StopEnd})
	default:
		out.Push(providers.Chunk{Kind: providers.ChunkText, Text: string(data)})
	}
	return nil
}

func TestAChunkSaysWhetherTheNextIsHere(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	s := Events(t.Context(), "vendor", &http.Response{Body: in}, words{})
	defer s.Close()
	sent := make(chan string)
	go func() {
		for text := range sent {
			_, _ = io.WriteString(out, text)
		}
	}()
	defer close(sent)
	for _, tt := range []struct {
		send string
		want []bool
	}{
		{"data: a\n\ndata: b\n\ndata: c\n\n", []bool{true, true, false}},
		{"data: d\n\ndata: ping\n\n", []bool{false}}, // a ping is nothing to wait for
		{"data: e\r\n\r\ndata: ping\r\n\r\ndata: f\r\n\r\n", []bool{true, false}},
		{"data: g\n\ndata: half", []bool{false}},
		{"\n\ndata: end\n\n", []bool{true, false}},
	} {
		sent <- tt.send
		for i, want := range tt.want {
			var c providers.Chunk
			if err := s.Next(&c); err != nil || c.More != want {
				t.Fatalf("%q, %d: %+v, %v", tt.send, i, c, err)
			}
		}
	}
}
