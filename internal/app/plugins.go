package app

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/plugins"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/tools/mcp"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// Plugins is the folder that plugins are installed in.
func (d Data) Plugins() string { return filepath.Join(d.Dir, "plugins") }

// openPlugins makes what holds the plugins. It is asked before every call, so it is there before the toolbox; what
// plugins give is handed to parts that are built later.
func (a *App) openPlugins(context.Context) (err error) {
	a.plugins, err = plugins.New(plugins.Options{
		DB: a.db, Hub: a.hub, Box: a.box, Folder: a.data.Plugins(), Extra: a.cfg.Plugins.Folders, Checks: pluginChecks(), Run: a.runHook,
		Servers: a.pluginServers,
		Agents: func(ctx context.Context, ws ids.Workspace, plugin string, list []agents.Agent) ([]string, error) {
			return a.agents.Contribute(ctx, ws, plugin, list)
		},
		Lookup: lookupIn(a.opts.Sources.Env), Shared: !a.alone(), Log: a.log, Version: a.opts.Version,
	})
	return err
}

// loadPlugins takes over what plugins give, once there is somebody to give it to.
func (a *App) loadPlugins(ctx context.Context) error { return a.plugins.Load(ctx) }

func pluginChecks() plugins.Checks {
	return plugins.Checks{Server: func(s plugins.Server) error {
		def := serverOf(plugins.ReadyServer{Server: s})
		return def.Check()
	}}
}

// ReadPlugin reads the plugin in a folder and says what is wrong with it, without a server.
func ReadPlugin(folder string) (*plugins.Manifest, []plugins.Problem) {
	return plugins.Read(folder, pluginChecks())
}

func (a *App) pluginServers(ctx context.Context, ws ids.Workspace, plugin string, list []plugins.ReadyServer) map[string]error {
	defs := make([]mcp.Definition, 0, len(list))
	for _, s := range list {
		defs = append(defs, serverOf(s))
	}
	return a.mcp.Contribute(ctx, ws, plugin, defs)
}

func serverOf(s plugins.ReadyServer) mcp.Definition {
	return mcp.Definition{
		Name: s.Name, Transport: mcp.Transport(s.Transport), Command: s.Command, Args: s.Args, Env: s.Env, Folder: s.Folder, URL: s.URL, Headers: s.Headers,
		SignIn: s.SignIn, Allow: s.Allow, Deny: s.Deny, Level: s.Level, ReadOnly: s.ReadOnly, Timeout: s.Timeout, Secrets: s.Secrets, Ready: s.Ready,
	}
}

// The bounds of a hook, beside its time.
const (
	hookMemory    = 512 << 20
	hookProcesses = 64
)

// runHook runs a hook in the sandbox.
func (a *App) runHook(ctx context.Context, job plugins.Job) (int, error) {
	exit, err := a.sandbox.Run(ctx, sandbox.Job{
		Argv: job.Argv, Dir: job.Dir, Folder: job.Folder, ReadOnly: job.ReadOnly, Readable: job.Readable, Env: job.Env, Network: job.Network,
		Limits: sandbox.Limits{Memory: hookMemory, Processes: hookProcesses}, Stdin: job.Stdin, Output: job.Output, Errors: job.Errors,
	})
	if err == nil && exit.Limit != "" {
		err = errors.New("it used up its " + exit.Limit)
	}
	return exit.Code, err
}

// runHooks gives a run the hooks of its workspace; nil: it has none.
func (a *App) runHooks(run runs.Run, folder string) runs.Hooks {
	if !a.plugins.Hooks(run.Workspace, plugins.BeforeRun, plugins.AfterRun, plugins.BeforeTurn, plugins.AfterTurn) {
		return nil
	}
	return hooked{a.plugins, plugins.Message{
		Workspace: run.Workspace, User: run.User, Agent: run.Agent, Run: run.ID, Parent: run.Parent, Conversation: run.Conversation, Door: run.Door, Folder: folder,
		Model: run.Model,
	}}
}

// hooked is the hooks of plugins as a run asks them.
type hooked struct {
	plugins *plugins.Manager
	about   plugins.Message
}

func (h hooked) ask(ctx context.Context, msg plugins.Message) error {
	v := h.plugins.Ask(ctx, msg)
	if v == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil { // whoever stopped the run says why
		return cause
	}
	return v.Fault()
}

// BeforeRun asks whether a run may begin.
func (h hooked) BeforeRun(ctx context.Context, asked string) error {
	msg := h.about
	msg.Event, msg.Asked = plugins.BeforeRun, asked
	return h.ask(ctx, msg)
}

// BeforeTurn asks whether the model may be asked.
func (h hooked) BeforeTurn(ctx context.Context, turn int) error {
	msg := h.about
	msg.Event, msg.Turn = plugins.BeforeTurn, turn
	return h.ask(ctx, msg)
}

// AfterTurn tells what the model said.
func (h hooked) AfterTurn(ctx context.Context, t *agents.Turn) {
	msg := h.about
	said := providers.Message{Parts: t.Parts}
	msg.Event, msg.Turn, msg.Text = plugins.AfterTurn, t.Number, said.Text()
	for _, c := range t.Calls {
		msg.Calls = append(msg.Calls, c.Tool)
	}
	h.plugins.Tell(ctx, msg)
}

// AfterRun tells how the run ended.
func (h hooked) AfterRun(ctx context.Context, end runs.State, answer string, trouble *runs.Trouble) {
	msg := h.about
	msg.Event, msg.State, msg.Answer = plugins.AfterRun, string(end), answer
	if trouble != nil {
		msg.Error = trouble.Message
	}
	h.plugins.Tell(ctx, msg)
}
