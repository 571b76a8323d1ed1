package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Snippet is shell text found in a file.
type Snippet struct {
	Name string `json:"name"` // where in the file: a target, a script, a step
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Snippets finds the shell text in a file, by its name: Makefile, package.json,
// YAML of a CI system, Dockerfile; anything else is a script.
func Snippets(name string, text []byte) ([]Snippet, error) {
	base := path.Base(strings.ReplaceAll(name, "\\", "/"))
	switch {
	case base == "Makefile" || base == "makefile" || base == "GNUmakefile" || path.Ext(base) == ".mk":
		return makeSnippets(string(text)), nil
	case base == "package.json":
		return packageSnippets(text)
	case path.Ext(base) == ".yml" || path.Ext(base) == ".yaml":
		return yamlSnippets(text)
	case base == "Dockerfile" || base == "Containerfile" || path.Ext(base) == ".dockerfile":
		return dockerSnippets(string(text)), nil
	}
	if lang := scriptLanguage(base, string(text)); lang != "" && lang != "sh" {
		program := map[string]string{"python": "python3", "r": "Rscript"}[lang]
		if program == "" {
			program = lang
		}
		return []Snippet{{Name: base, Line: 1, Text: program + " <<'FLUXWAY_END'\n" + string(text) + "\nFLUXWAY_END\n"}}, nil
	}
	return []Snippet{{Name: base, Line: 1, Text: string(text)}}, nil
}

func makeSnippets(text string) []Snippet {
	m := parseMakefile(text, map[string]string{})
	var out []Snippet
	for _, name := range slices.Sorted(maps.Keys(m.targets)) {
		if lines := m.targets[name].lines; len(lines) > 0 {
			out = append(out, Snippet{Name: name, Line: lineOf(text, name+":"), Text: strings.Join(lines, "\n")})
		}
	}
	return out
}

func lineOf(text, part string) int {
	if i := strings.Index(text, part); i >= 0 {
		return strings.Count(text[:i], "\n") + 1
	}
	return 1
}

func packageSnippets(text []byte) ([]Snippet, error) {
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("reading package.json: %w", err)
	}
	var out []Snippet
	for _, name := range slices.Sorted(maps.Keys(file.Scripts)) {
		out = append(out, Snippet{Name: name, Line: lineOf(string(text), `"`+name+`"`), Text: file.Scripts[name]})
	}
	return out, nil
}

// scriptKeys are the keys under which CI systems keep shell text.
var scriptKeys = map[string]bool{"run": true, "script": true, "before_script": true, "after_script": true, "command": true, "commands": true, "cmds": true, "cmd": true, "bash": true, "sh": true, "steps": true}

func yamlSnippets(text []byte) ([]Snippet, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	var out []Snippet
	for _, doc := range file.Docs {
		ast.Walk(visitor(func(n ast.Node) {
			pair, ok := n.(*ast.MappingValueNode)
			if !ok || !scriptKeys[pair.Key.String()] {
				return
			}
			values := []ast.Node{pair.Value}
			if seq, ok := pair.Value.(*ast.SequenceNode); ok {
				values = seq.Values
			}
			for _, v := range values {
				if s, ok := scalar(v); ok {
					line := v.GetToken().Position.Line
					if v.Type() == ast.LiteralType { // the text starts below the sign
						line++
					}
					out = append(out, Snippet{Name: pair.Key.String(), Line: line, Text: templated(s)})
				}
			}
		}), doc.Body)
	}
	return out, nil
}

type visitor func(ast.Node)

// Visit calls the function for every node.
func (v visitor) Visit(n ast.Node) ast.Visitor { v(n); return v }

func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// templated turns ${{ … }} of CI systems into a variable nobody knows.
func templated(text string) string {
	for {
		i := strings.Index(text, "${{")
		if i < 0 {
			return text
		}
		j := strings.Index(text[i:], "}}")
		if j < 0 {
			return text
		}
		text = text[:i] + "${__template}" + text[i+j+2:]
	}
}

func dockerSnippets(text string) []Snippet {
	var out []Snippet
	joined := strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.SplitSeq(joined, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.EqualFold(word, "RUN") || strings.HasPrefix(strings.TrimSpace(rest), "[") {
			continue
		}
		out = append(out, Snippet{Name: "RUN", Line: lineOf(text, line[:min(len(line), 20)]), Text: rest})
	}
	return out
}
