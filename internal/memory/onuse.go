package memory

import (
	"regexp"
	"sync"
)

// onUse makes a pattern that is compiled when it is first used: there are many, and a server that has just started needs none.
func onUse(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
