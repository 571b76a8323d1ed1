package events

import (
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// maxChannel bounds the length of a channel's name and of a pattern.
const maxChannel = 200

// Pattern selects channels: segments divided by slashes, where * stands for one
// segment and ** at the end for any number of them, none included.
type Pattern struct {
	text string
	wild bool
}

// ParsePattern checks a pattern as a client wrote it.
func ParsePattern(text string) (Pattern, error) {
	wild, ok := checkName(text, true)
	if !ok {
		return Pattern{}, fault.New(fault.Invalid, "bad_channel", "%.60q is not a channel or a pattern of channels.", text).
			WithParam("channels").
			WithHint("Use names such as runs/run_01J…, * for one part and ** at the end for the rest: conversations/*, jobs/**.")
	}
	return Pattern{text: text, wild: wild}, nil
}

// ParsePatterns checks several patterns.
func ParsePatterns(texts ...string) ([]Pattern, error) {
	patterns := make([]Pattern, 0, len(texts))
	for _, text := range texts {
		p, err := ParsePattern(text)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Literal says whether the pattern names exactly one channel.
func (p Pattern) Literal() bool { return !p.wild }

// Match says whether the channel is selected.
func (p Pattern) Match(channel string) bool {
	if !p.wild {
		return p.text == channel
	}
	pattern, more := p.text, true
	for {
		var want, have string
		want, pattern, _ = strings.Cut(pattern, "/")
		if want == "**" {
			return true
		}
		if !more {
			return false
		}
		have, channel, more = strings.Cut(channel, "/")
		if want != "*" && want != have {
			return false
		}
		if pattern == "" {
			return !more
		}
	}
}

// prefix is the text that every selected channel starts with.
func (p Pattern) prefix() string {
	if !p.wild {
		return p.text
	}
	star := strings.IndexByte(p.text, '*')
	return strings.TrimSuffix(p.text[:star], "/")
}

// overlaps says whether some channel is selected by both.
func (p Pattern) overlaps(q Pattern) bool { return overlap(segments(p), segments(q)) }

func overlap(p, q []string) bool {
	for i := 0; ; i++ {
		switch {
		case i < len(p) && p[i] == "**", i < len(q) && q[i] == "**":
			return true
		case i == len(p) || i == len(q):
			return len(p) == len(q)
		case p[i] != q[i] && p[i] != "*" && q[i] != "*":
			return false
		}
	}
}

// covers says whether p selects every channel that q selects.
func (p Pattern) covers(q Pattern) bool {
	if p.text == "*/**" { // every channel has a first segment
		return true
	}
	ps, qs := segments(p), segments(q)
	for i := range ps {
		switch {
		case ps[i] == "**":
			return true
		case i >= len(qs) || qs[i] == "**":
			return false
		case ps[i] != "*" && ps[i] != qs[i]:
			return false
		}
	}
	return len(ps) == len(qs)
}

func segments(p Pattern) []string { return strings.Split(p.text, "/") }

// checkName says whether text is a channel, or with wildcards a pattern.
func checkName(text string, wildcards bool) (wild, ok bool) {
	if text == "" || len(text) > maxChannel {
		return false, false
	}
	for rest, more := text, true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if wildcards && (segment == "*" || segment == "**" && !more) {
			wild = true
			continue
		}
		if segment == "" {
			return false, false
		}
		for i := range len(segment) {
			if !inName(segment[i]) {
				return false, false
			}
		}
	}
	return wild, true
}

func inName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c == '@'
}

// checkKind says whether text is part.past_tense.
func checkKind(text string) bool {
	part, fact, ok := strings.Cut(text, ".")
	return ok && len(text) <= maxChannel && word(part) && word(fact)
}

func word(text string) bool {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
