package tools

import (
	"fmt"
	"path"
	"strings"
)

// Filter says which tools an agent has. Deny wins; an empty Allow means none.
type Filter struct {
	Allow []string `json:"allow"` // globs over names: "git_*", "*"
	Deny  []string `json:"deny"`
}

// All is the filter that lets every tool through.
func All() Filter { return Filter{Allow: []string{"*"}} }

// Check finds a pattern that cannot be read.
func (f Filter) Check() error {
	for _, list := range [][]string{f.Allow, f.Deny} {
		for _, glob := range list {
			if _, err := path.Match(glob, ""); err != nil {
				return fmt.Errorf("tools: the pattern %q cannot be read: %w", glob, err)
			}
		}
	}
	return nil
}

// Has reports whether a tool of this name passes. A deny pattern that cannot be read denies.
func (f Filter) Has(name string) bool {
	for _, glob := range f.Deny {
		if ok, err := path.Match(glob, name); ok || err != nil {
			return false
		}
	}
	for _, glob := range f.Allow {
		if ok, err := path.Match(glob, name); ok && err == nil {
			return true
		}
	}
	return false
}

// maxName is what every vendor takes.
const maxName = 64

// Normalize makes a name that every model vendor accepts: letters, digits, _ and -, at
// most 64 of them. Other characters become _; the result is empty only for an empty name.
func Normalize(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
		if b.Len() == maxName {
			break
		}
	}
	return b.String()
}
