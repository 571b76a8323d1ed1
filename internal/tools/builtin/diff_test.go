package builtin

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestADiffIsAPatch(t *testing.T) {
	t.Parallel()
	if got, want := diff("a.txt", "one\ntwo\nthree\n", "one\n2\nthree\n"), "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := diff("a.txt", "same\n", "same\n"); got != "" {
		t.Errorf("nothing changed, and it says %q", got)
	}
	if got := diff("a.txt", "", strings.Repeat("a long line of text\n", 1000)); got != "" {
		t.Errorf("a long difference is shown with %d bytes", len(got))
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []string {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = string(rune('a' + r.IntN(12)))
		}
		return lines
	}
	for range 300 {
		before := text(1 + r.IntN(60))
		after := append([]string{}, before...)
		for range 1 + r.IntN(4) {
			at := r.IntN(len(after) + 1)
			after = append(after[:at:at], append(text(r.IntN(4)), after[min(at+r.IntN(4), len(after)):]...)...)
		}
		from, to := strings.Join(before, "\n")+"\n", strings.Join(after, "\n")+"\n"
		patch := diff("x", from, to)
		if len(after) == 0 || patch == "" {
			continue
		}
		if got, err := applyPatch(from, patch); err != nil || got != to {
			t.Fatalf("from %q to %q by %q: %q, %v", from, to, patch, got, err)
		}
	}
}
