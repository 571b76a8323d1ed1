package store

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Letters are looked at eight at a time: wherever one is that cannot be kept, it must be found.
func TestCleanFindsEveryLetterThatCannotBeKept(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "~", "\x7f", " ", "\x01", "é", "京", "\x80", "\xff", "\x00", "plain text "}
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[min(random.IntN(3*len(pieces)), len(pieces)-1)])
		}
		if s := b.String(); clean(s) != (utf8.ValidString(s) && !strings.Contains(s, "\x00")) {
			t.Fatalf("clean(%q) = %v", s, clean(s))
		}
	}
}
