package events

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pattern string
		yes, no []string
	}{
		"a name is itself":              {"runs/run_1", []string{"runs/run_1"}, []string{"runs", "runs/run_1/output", "runs/run_2"}},
		"a star is one segment":         {"runs/*", []string{"runs/a", "runs/b"}, []string{"runs", "runs/a/b", "jobs/a"}},
		"a star in the middle":          {"runs/*/output", []string{"runs/a/output"}, []string{"runs/output", "runs/a/b/output", "runs/a/outputs"}},
		"a star alone":                  {"*", []string{"runs", "jobs"}, []string{"runs/a"}},
		"two stars are the rest":        {"runs/**", []string{"runs", "runs/a", "runs/a/b"}, []string{"runsmith", "jobs/runs"}},
		"two stars alone are all":       {"**", []string{"runs", "runs/a/b"}, nil},
		"a star before two stars":       {"*/x/**", []string{"a/x", "b/x/y"}, []string{"a/y", "x"}},
		"names are compared as a whole": {"run", []string{"run"}, []string{"runs", "ru"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := ParsePattern(tt.pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, channel := range tt.yes {
				if !p.Match(channel) {
					t.Errorf("%s does not match %s", p, channel)
				}
			}
			for _, channel := range tt.no {
				if p.Match(channel) {
					t.Errorf("%s matches %s", p, channel)
				}
			}
		})
	}
}

func TestParsePatternRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "/", "a/", "/a", "a//b", "**/a", "a/**/b", "a*", "***", "a b", "ä", `a"`, "a\n", strings.Repeat("a", 201)} {
		if p, err := ParsePattern(text); err == nil {
			t.Errorf("ParsePattern(%q) = %v", text, p)
		}
	}
}

// Patterns over a small alphabet are compared with all channels over it.
func TestOverlapAndCoverAgreeWithMatch(t *testing.T) {
	t.Parallel()
	var channels []string
	for level, words := 0, []string{"a", "b", "c"}; level < 4; level++ {
		channels = append(channels, words...)
		var next []string
		for _, w := range words {
			for _, c := range []string{"a", "b", "c"} {
				next = append(next, w+"/"+c)
			}
		}
		words = next
	}
	pattern := rapid.Custom(func(t *rapid.T) Pattern {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*"}), 1, 3).Draw(t, "parts")
		if rapid.Bool().Draw(t, "rest") {
			parts = append(parts[:len(parts)-1], "**")
		}
		p, err := ParsePattern(strings.Join(parts, "/"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := pattern.Draw(t, "p"), pattern.Draw(t, "q")
		shared, outside := false, false
		for _, channel := range channels {
			shared = shared || p.Match(channel) && q.Match(channel)
			outside = outside || !p.Match(channel) && q.Match(channel)
			if p.Match(channel) && !strings.HasPrefix(channel, p.prefix()) {
				t.Fatalf("%s matches %s but its prefix is %s", p, channel, p.prefix())
			}
		}
		if got := p.overlaps(q); got != shared {
			t.Errorf("%s overlaps %s: %t, want %t", p, q, got, shared)
		}
		if got := p.covers(q); got == outside {
			t.Errorf("%s covers %s: %t, want %t", p, q, got, !outside)
		}
	})
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"runs/*", "**", "a/b/**", "a//b", "*/x"} {
		f.Add(seed, "runs/run_1")
	}
	f.Fuzz(func(t *testing.T, text, channel string) {
		p, err := ParsePattern(text)
		if err != nil {
			return
		}
		if _, ok := checkName(channel, false); !ok {
			return
		}
		matched := p.Match(channel)
		if p.Literal() && matched != (text == channel) {
			t.Errorf("%q matches %q: %t", text, channel, matched)
		}
		if !p.overlaps(p) || !p.covers(p) {
			t.Errorf("%q does not overlap and cover itself", text)
		}
	})
}
