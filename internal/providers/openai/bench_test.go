package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

const tokens = 500

func streamed() []byte {
	var b bytes.Buffer
	for range tokens {
		b.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-test","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n")
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":500,"total_tokens":510}}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// BenchmarkDecode is what translating costs per streamed token, on our side of it.
func BenchmarkDecode(b *testing.B) {
	body := streamed()
	b.ReportAllocs()
	for b.Loop() {
		s := wire.Events(context.Background(), "x", &http.Response{Body: io.NopCloser(bytes.NewReader(body))}, &chatDecoder{})
		var c providers.Chunk
		n := 0
		for s.Next(&c) == nil {
			n++
		}
		if n < tokens {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

// BenchmarkMeter is what counting costs per relayed token.
func BenchmarkMeter(b *testing.B) {
	body := streamed()
	b.ReportAllocs()
	for b.Loop() {
		meter := providers.NewScanner(providers.FramingSSE, tallyChat)
		for rest := body; len(rest) > 0; {
			n := min(len(rest), 4096)
			_, _ = meter.Write(rest[:n])
			rest = rest[n:]
		}
		if t := meter.Tally(); t.Usage.Output != tokens || !t.Finished {
			b.Fatalf("%+v", t)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

func TestMeterReadsPiecesOfAnySize(t *testing.T) {
	t.Parallel()
	body := streamed()
	for _, size := range []int{1, 7, 100, 1 << 20} {
		meter := providers.NewScanner(providers.FramingSSE, tallyChat)
		if _, err := io.CopyBuffer(struct{ io.Writer }{meter}, struct{ io.Reader }{strings.NewReader(string(body))}, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if got := meter.Tally(); got.Usage.Output != tokens || !got.Finished || got.Events != tokens+3 || got.Bytes != int64(len(body)) {
			t.Errorf("in pieces of %d: %+v", size, got)
		}
	}
}
