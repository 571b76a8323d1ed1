package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/mcp"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// openTools fills the toolbox. Nothing is tried and no server started: that happens when it is needed.
func (a *App) openTools(context.Context) (err error) {
	if a.toolbox, err = tools.New(tools.Options{Gate: a.plugins.Gate(a.guard), Auditor: a.plugins.Auditor(a.guard), DB: a.db, Bodies: a.bodies, Patience: a.opts.Patience, Log: a.log, Isolation: func() tools.Isolation { return a.sandbox.Isolation() }}); err != nil {
		return err
	}
	if a.sandbox, err = newSandbox(a.cfg, a.data); err != nil {
		return err
	}
	dialer, err := safenet.New(safenet.Options{Allow: a.cfg.Tools.PrivateHosts})
	if err != nil {
		return err
	}
	if err := a.openBrowser(dialer); err != nil {
		return err
	}
	if err := a.openRooms(); err != nil {
		return err
	}
	list, err := builtin.All(builtin.Options{
		DB: a.db, Bodies: a.bodies, Sandbox: a.sandbox, Net: dialer, Browser: a.browser, Rooms: a.rooms, Environ: forNPM(a.opts.Sources.Env), CommandNetwork: a.cfg.Tools.CommandNetwork,
	})
	if err != nil {
		return err
	}
	if err := a.toolbox.Put(builtin.Origin, list...); err != nil {
		return err
	}
	if err := a.putMemory(); err != nil {
		return err
	}
	servers, err := settingsServers(a.cfg.Tools)
	if err != nil {
		return err
	}
	environ, ports := a.opts.Sources.Env, mcpPorts{a}
	a.mcp, err = mcp.New(mcp.Options{
		DB: a.db, Hub: a.hub, Box: a.box, Toolbox: a.toolbox, Settings: servers, Lookup: lookupIn(environ), Environ: forPrograms(environ),
		Callback: a.URL() + "/api/v1/mcp/callback", Version: a.opts.Version, Log: a.log, Sampler: ports, Roots: ports, Parks: true,
	})
	return err
}

// isolation says how far programs are confined here. The first time it is tried out, which takes a moment.
func (a *App) isolation() string { return a.sandbox.Isolation().Summary() }

func newSandbox(cfg config.Config, data Data) (*sandbox.Sandbox, error) {
	return sandbox.New(sandbox.Options{Hidden: []string{data.Dir}, Unconfined: cfg.Tools.Unconfined})
}

// settingsServers are the MCP servers of the settings, and of the file they name.
func settingsServers(cfg config.Tools) ([]mcp.Definition, error) {
	var out []mcp.Definition
	for name, s := range cfg.MCPServers {
		out = append(out, settingsServer(name, s))
	}
	if cfg.MCPFile != "" {
		text, err := os.ReadFile(cfg.MCPFile)
		if err != nil {
			return nil, fault.New(fault.Invalid, "mcp_file_unreadable", "The file of MCP servers cannot be read.").WithHint("Correct tools.mcp_file.").Because(err)
		}
		more, err := mcp.ParseServers(text)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", cfg.MCPFile, err)
		}
		out = append(out, more...)
	}
	slices.SortFunc(out, func(a, b mcp.Definition) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// settingsServer maps one server. What may be secret becomes one of its secrets, so that it is never shown.
func settingsServer(name string, s config.MCPServer) mcp.Definition {
	def := mcp.Definition{
		Name: name, Transport: mcp.Transport(s.Transport), Command: s.Command, Args: s.Args, Folder: s.Folder, URL: s.URL, SignIn: s.SignIn, ClientID: s.ClientID,
		Allow: s.Allow, Deny: s.Deny, Level: tools.Level(s.Level), ReadOnly: s.ReadOnly, Timeout: s.Timeout.Std(), Disabled: !s.Enabled, Sampling: mcp.Sampling(s.Sampling), NoRoots: !s.Roots,
		Env: map[string]string{}, Headers: map[string]string{}, Secrets: map[string]secret.Text{},
	}
	for variable, value := range s.Env {
		def.Secrets[variable] = value
		def.Env[variable] = "${" + variable + "}"
	}
	for header, value := range s.Headers {
		word := "HEADER_" + strings.ToUpper(strings.ReplaceAll(header, "-", "_"))
		def.Secrets[word] = value
		def.Headers[header] = "${" + word + "}"
	}
	if !s.ClientSecret.Empty() {
		def.Secrets["CLIENT_SECRET"] = s.ClientSecret
	}
	return def
}

func lookupIn(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, e := range environ {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// forPrograms is the part of the environment that a program needs to run: nothing that could be a key.
func forPrograms(environ []string) []string {
	plain := []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "TERM", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	}
	var out []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if slices.Contains(plain, name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
			out = append(out, e)
		}
	}
	return out
}
