package config

import "github.com/fluxway/fluxway/internal/kit/yamlnode"

// parseYAML reads one YAML document.
func parseYAML(src []byte) (*node, *badFile) {
	n, bad := yamlnode.Parse(src, yamlnode.Limits{Tokens: maxTokens, Depth: maxDepth, Aliases: true, Repeats: true})
	if bad != nil {
		return nil, &badFile{position{bad.At.Line, bad.At.Column}, bad.Message}
	}
	return sharing{}.node(n), nil
}

// sharing turns YAML into our nodes. What an alias names is turned once: with all aliases written out it may be large.
type sharing map[*yamlnode.Node]*node

var kindsOfYAML = [...]kind{yamlnode.Null: null, yamlnode.Text: text, yamlnode.Number: number, yamlnode.Boolean: boolean, yamlnode.List: list, yamlnode.Table: table}

func (s sharing) node(n *yamlnode.Node) *node {
	if known, ok := s[n]; ok {
		return known
	}
	out := &node{kind: kindsOfYAML[n.Kind], text: n.Text, at: position{n.At.Line, n.At.Column}, flow: n.Flow}
	s[n] = out
	for _, item := range n.Items {
		out.items = append(out.items, s.node(item))
	}
	for _, e := range n.Entries {
		out.entries = append(out.entries, entry{e.Key, position{e.At.Line, e.At.Column}, s.node(e.Value)})
	}
	return out
}
