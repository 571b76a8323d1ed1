package costs

import (
	"github.com/fluxway/fluxway/internal/providers"
)

// printBytes is how much of a prompt's start, and of its end, is looked at: a
// fingerprint must cost next to nothing beside the call.
const printBytes = 1 << 10

// printer hashes text (FNV-1a) so that prompts that differ only in case, spaces
// or digits are the same.
type printer uint64

const (
	fnvStart printer = 14695981039346656037
	fnvPrime printer = 1099511628211
)

// folded is each character as prints see it; 0: not at all. What is not seen is multiplied by one: where the spaces of
// a text are nobody can foresee, so that a branch for them would be dear.
var folded = func() (t [256]byte) {
	for c := range t {
		switch b := byte(c); {
		case b <= ' ':
		case b >= '0' && b <= '9':
			t[c] = '0'
		case b >= 'A' && b <= 'Z':
			t[c] = b + 'a' - 'A'
		default:
			t[c] = b
		}
	}
	return t
}()

var factors = func() (t [256]printer) {
	for c := range t {
		if t[c] = fnvPrime; folded[c] == 0 {
			t[c] = 1
		}
	}
	return t
}()

func take[T string | []byte](h printer, text T) printer {
	for i := range len(text) {
		h = (h ^ printer(folded[text[i]])) * factors[text[i]]
	}
	return h
}

// sized tells apart long prompts of different lengths that begin and end alike.
func (h printer) sized(n int) printer { return (h ^ printer(n>>6)) * fnvPrime }

// PrintOf takes the fingerprint of a request: of how its system text and
// messages begin, and of how the last message ends.
func PrintOf(req *providers.Request) Print {
	h, left, total := fnvStart, printBytes, 0
	start := func(text string) {
		total += len(text)
		n := min(left, len(text))
		h = take(h, text[:n])
		left -= n
	}
	for i := range req.System {
		start(req.System[i].Text)
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			p := &req.Messages[i].Parts[j]
			start(p.Text)
			total += len(p.Data) + len(p.Args)
		}
	}
	print := Print{Prefix: int64(h)}
	if n := len(req.Messages); n > 0 {
		for i := range req.Messages[n-1].Parts {
			text := req.Messages[n-1].Parts[i].Text
			h = take(h, text[max(0, len(text)-printBytes):])
		}
	}
	print.Prompt = int64(h.sized(total))
	return print
}

// PrintOfBody is PrintOf for a request that stays encoded.
func PrintOfBody(body []byte) Print {
	h := take(fnvStart, body[:min(len(body), printBytes)])
	print := Print{Prefix: int64(h)}
	print.Prompt = int64(take(h, body[max(0, len(body)-printBytes):]).sized(len(body)))
	return print
}
