package mcp

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// given is a server as other programs keep it.
type given struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
}

var (
	secretName = regexp.MustCompile(`(?i)key|token|secret|password|authorization|cookie`)
	noWord     = regexp.MustCompile(`[^A-Z0-9]+`)
)

// ParseServers reads the shapes that other programs keep their servers in: {"mcpServers": {"name": {"command", "args", "env"} or
// {"url", "headers", "type"}}}, the same under "servers" or without a word around it, or one server with a name. Values
// that may be secret become secrets of the definition.
func ParseServers(text []byte) ([]Definition, error) {
	unreadable := fault.New(fault.Invalid, "servers_unreadable", "This is not a list of MCP servers.").WithParam("text").
		WithHint("It is JSON such as {\"mcpServers\": {\"name\": {\"command\": \"npx\", \"args\": [\"-y\", \"package\"]}}}.")
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, unreadable.Because(err)
	}
	for _, around := range []string{"mcpServers", "servers"} {
		if inner, ok := file[around]; ok {
			file = nil
			if err := json.Unmarshal(inner, &file); err != nil {
				return nil, unreadable.Because(err)
			}
			break
		}
	}
	var one given
	if json.Unmarshal(text, &one) == nil && one.Name != "" && one.Command+one.URL != "" {
		file = map[string]json.RawMessage{one.Name: text}
	}
	var out []Definition
	for _, name := range slices.Sorted(maps.Keys(file)) {
		var g given
		if json.Unmarshal(file[name], &g) != nil || g.Command+g.URL == "" {
			continue // whatever else such a file holds
		}
		d := g.definition(name)
		if err := d.Check(); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(out) == 0 && len(file) > 0 {
		return nil, unreadable
	}
	return out, nil
}

func (g given) definition(name string) Definition {
	d := Definition{Name: Nameable(name), Command: g.Command, Args: g.Args, Folder: g.Cwd, URL: g.URL, Disabled: g.Disabled, Secrets: map[string]secret.Text{}}
	switch g.Type {
	case "sse":
		d.Transport = SSE
	case "http", "streamable-http", "streamableHttp":
		d.Transport = HTTP
	case "stdio":
		d.Transport = Stdio
	}
	d.Env, d.Headers = d.apart(g.Env, ""), d.apart(g.Headers, "HEADER_")
	return d
}

// apart makes secrets of the values that may be secret.
func (d *Definition) apart(values map[string]string, prefix string) map[string]string {
	out := maps.Clone(values)
	for name, value := range values {
		if !secretName.MatchString(name) || reference.MatchString(value) {
			continue
		}
		word := noWord.ReplaceAllString(strings.ToUpper(prefix+name), "_")
		d.Secrets[word] = secret.New(value)
		out[name] = "${" + word + "}"
	}
	return out
}

// Nameable makes a server's name out of any text.
func Nameable(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 {
			b.WriteByte('-')
		}
	}
	name := b.String()
	return strings.Trim(name[:min(len(name), 32)], "-")
}
