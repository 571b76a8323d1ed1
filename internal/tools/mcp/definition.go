package mcp

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/tools"
)

// Transport is how a server is spoken to.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio" // a program on this machine
	HTTP  Transport = "http"  // streamable HTTP
	SSE   Transport = "sse"   // the HTTP of 2024, with one long stream
)

// Sampling is whether a server may have our models answer something.
type Sampling string

// The ways to sample.
const (
	SamplingAsk   Sampling = "ask" // the person of the run, each time
	SamplingAllow Sampling = "allow"
	SamplingOff   Sampling = "off"
)

// Definition says what a server is. Values of Env and Headers may hold ${NAME}, which stands for the secret NAME of this
// definition or, if it has none of that name, for the variable NAME of the program's environment.
type Definition struct {
	Name      string            `json:"name"`
	Transport Transport         `json:"transport,omitempty"` // "": stdio with a command, http with a URL
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Folder    string            `json:"folder,omitempty"` // where the command runs; "": the home folder of the program
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	// SignIn asks each person to sign in at the remote server; their agents then use their sign-in.
	SignIn bool `json:"sign_in,omitempty"`
	// ClientID is how the remote server's sign-in knows us; "": we introduce ourselves. Its secret, if it has one, is CLIENT_SECRET.
	ClientID string `json:"client_id,omitempty"`

	Allow    []string                              `json:"allow,omitempty"`      // globs over the server's own tool names; none: all
	Deny     []string                              `json:"deny,omitempty"`       // wins over Allow
	Defaults map[string]map[string]json.RawMessage `json:"defaults,omitempty"`   // by glob: arguments for when the model gives none
	Level    tools.Level                           `json:"level,omitempty"`      // of its tools; "": restricted
	Levels   map[string]tools.Level                `json:"levels,omitempty"`     // by glob, over Level
	ReadOnly []string                              `json:"read_only,omitempty"`  // globs of tools that only look, said by a person: a server's own word is not taken
	Timeout  time.Duration                         `json:"timeout_ns,omitempty"` // of a call; 0: the toolbox's
	Disabled bool                                  `json:"disabled,omitempty"`

	Sampling Sampling `json:"sampling,omitempty"` // whether it may use our models; "": a person is asked each time
	NoRoots  bool     `json:"no_roots,omitempty"` // it is not told the folders of the projects

	Secrets map[string]secret.Text `json:"-"`
	// Ready is asked before the server is reached; with an error it is not. nil: nobody is asked.
	Ready func() error `json:"-"`
}

func (d *Definition) ready() error {
	if d.Ready == nil {
		return nil
	}
	return d.Ready()
}

var (
	namePattern   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	secretPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	reference     = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// Check completes a definition and says what is wrong with it.
func (d *Definition) Check() error {
	bad := func(param, format string, args ...any) error {
		return fault.New(fault.Invalid, "server_invalid", format, args...).WithParam(param)
	}
	if !namePattern.MatchString(d.Name) {
		return bad("name", "A server's name is 1 to 32 small letters, digits and hyphens; its tools are called name__tool.")
	}
	if d.Transport == "" {
		d.Transport = HTTP
		if d.Command != "" {
			d.Transport = Stdio
		}
	}
	switch d.Transport {
	case Stdio:
		if d.Command == "" || d.URL != "" {
			return bad("command", "A server over stdio needs a command and has no URL.")
		}
	case HTTP, SSE:
		u, err := url.Parse(d.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || d.Command != "" {
			return bad("url", "A server over %s needs an http or https URL and has no command.", d.Transport)
		}
		if u.User != nil {
			return bad("url", "A password in the address would be shown to everyone who sees it.")
		}
	default:
		return bad("transport", "A server is spoken to over stdio, http or sse.")
	}
	if d.SignIn && d.Transport == Stdio {
		return bad("sign_in", "Only remote servers know sign-ins.")
	}
	return d.checkTools(bad)
}

func (d *Definition) checkTools(bad func(param, format string, args ...any) error) error {
	globs := slices.Concat(d.Allow, d.Deny, d.ReadOnly, slices.Collect(maps.Keys(d.Defaults)), slices.Collect(maps.Keys(d.Levels)))
	for _, g := range globs {
		if _, err := path.Match(g, ""); err != nil {
			return bad("allow", "The pattern %q cannot be read.", g)
		}
	}
	for _, level := range append(slices.Collect(maps.Values(d.Levels)), d.Level) {
		if level != "" && level != tools.Public && level != tools.Restricted && level != tools.Dangerous {
			return bad("level", "A level is public, restricted or dangerous, not %q.", level)
		}
	}
	if d.Sampling != "" && d.Sampling != SamplingAsk && d.Sampling != SamplingAllow && d.Sampling != SamplingOff {
		return bad("sampling", "Sampling is ask, allow or off, not %q.", d.Sampling)
	}
	for name := range d.Secrets {
		if !secretPattern.MatchString(name) {
			return bad("secrets", "The name of a secret is letters, digits and _, not %q.", name)
		}
	}
	if d.Timeout < 0 || d.Timeout > time.Hour {
		return bad("timeout", "A call may take up to an hour.")
	}
	return nil
}

// has says whether the definition lets a tool of the server through.
func (d *Definition) has(tool string) bool {
	allow := d.Allow
	if len(allow) == 0 {
		allow = []string{"*"}
	}
	return tools.Filter{Allow: allow, Deny: d.Deny}.Has(tool)
}

func (d *Definition) levelOf(tool string) tools.Level {
	level := d.Level
	if level == "" {
		level = tools.Restricted
	}
	for _, glob := range slices.Sorted(maps.Keys(d.Levels)) {
		if ok, _ := path.Match(glob, tool); ok {
			level = d.Levels[glob]
		}
	}
	return level
}

func (d *Definition) looksOnly(tool string) bool {
	return len(d.ReadOnly) > 0 && tools.Filter{Allow: d.ReadOnly}.Has(tool)
}

func (d *Definition) defaultsOf(tool string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	for _, glob := range slices.Sorted(maps.Keys(d.Defaults)) {
		if ok, _ := path.Match(glob, tool); !ok {
			continue
		}
		if out == nil {
			out = map[string]json.RawMessage{}
		}
		maps.Copy(out, d.Defaults[glob])
	}
	return out
}

// expand puts secrets and variables where they are referred to.
func (d *Definition) expand(text string, lookup func(string) (string, bool)) (string, error) {
	var missing string
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-1]
		if s, ok := d.Secrets[name]; ok {
			return s.Reveal()
		}
		if v, ok := lookup(name); ok {
			return v
		}
		missing = name
		return ""
	})
	if missing != "" {
		return "", fault.New(fault.Invalid, "secret_missing", "The server %s needs %s, which is neither one of its secrets nor a variable.", d.Name, missing).
			WithHint("Store it: fluxway mcp add %s --secret %s=…, or set the variable before the server starts.", d.Name, missing)
	}
	return out, nil
}
