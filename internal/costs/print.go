package costs

import (
	"hash/fnv"
	"io"

	"github.com/fluxway/fluxway/internal/providers"
)

// printBytes is how much of a prompt's start, and of its end, is looked at: a
// fingerprint must cost nothing beside the call.
const printBytes = 2 << 10

// PrintOf takes the fingerprint of a request. Two prompts that differ only in
// the middle of a very long text of the same length have the same one.
func PrintOf(req *providers.Request) Print {
	h := fnv.New64a()
	left := printBytes
	total := 0
	take := func(text string) {
		total += len(text)
		if left > 0 {
			n := min(left, len(text))
			_, _ = io.WriteString(h, text[:n]) // a hash never fails
			left -= n
		}
	}
	for i := range req.System {
		take(req.System[i].Text)
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			p := &req.Messages[i].Parts[j]
			take(p.Text)
			total += len(p.Data) + len(p.Args)
		}
	}
	print := Print{Prefix: int64(h.Sum64())}
	if n := len(req.Messages); n > 0 {
		for _, p := range req.Messages[n-1].Parts {
			_, _ = io.WriteString(h, p.Text[max(0, len(p.Text)-printBytes):])
		}
	}
	_, _ = h.Write([]byte{byte(total), byte(total >> 8), byte(total >> 16), byte(total >> 24), byte(len(req.Messages))})
	print.Prompt = int64(h.Sum64())
	return print
}

// PrintOfBody is PrintOf for a request that stays encoded.
func PrintOfBody(body []byte) Print {
	h := fnv.New64a()
	_, _ = h.Write(body[:min(len(body), printBytes)])
	print := Print{Prefix: int64(h.Sum64())}
	_, _ = h.Write(body[max(0, len(body)-printBytes):])
	_, _ = h.Write([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), byte(len(body) >> 24)})
	print.Prompt = int64(h.Sum64())
	return print
}
