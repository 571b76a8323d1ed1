package plugins

import (
	"fmt"

	"github.com/fluxway/fluxway/internal/kit/yamlnode"
)

// The bounds of a manifest.
const (
	maxManifest = 256 << 10
	maxTokens   = 10_000
	maxDepth    = 16
)

// node is a value in a file and where it stands.
type node = yamlnode.Node

// get is the value of a key; nil: it is not there.
func get(n *node, key string) *node {
	e, _ := n.Get(key)
	return e.Value
}

// parse reads one YAML document that is a table.
func parse(src []byte) (*node, *yamlnode.Error) {
	if len(src) > maxManifest {
		return nil, &yamlnode.Error{At: yamlnode.Position{Line: 1, Column: 1}, Message: fmt.Sprintf("is larger than %d kB", maxManifest>>10)}
	}
	n, bad := yamlnode.Parse(src, yamlnode.Limits{Tokens: maxTokens, Depth: maxDepth})
	switch {
	case bad != nil:
		return nil, bad
	case n.Kind == yamlnode.Null:
		return nil, &yamlnode.Error{At: n.At, Message: "is empty"}
	case n.Kind != yamlnode.Table:
		return nil, &yamlnode.Error{At: n.At, Message: "must be a table of keys, and is " + n.Kind.String()}
	}
	return n, nil
}
