package mcp

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/fluxway/fluxway/internal/tools"
)

// maxName is what every vendor of models takes.
const maxName = 64

// toolName is what a server's tool is called in the toolbox. A name that had to be shortened, and one that would be
// the same as another's, ends in a piece of the hash of the whole, so that it stays the same from one start to the next.
func toolName(server, tool string, taken map[string]bool) string {
	full := server + "__" + tool
	name := tools.Normalize(full)
	if len(full) > maxName || taken[name] {
		sum := sha256.Sum256([]byte(full))
		tail := "_" + hex.EncodeToString(sum[:4])
		name = name[:min(len(name), maxName-len(tail))] + tail
	}
	taken[name] = true
	return name
}
