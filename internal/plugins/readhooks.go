package plugins

import (
	"fmt"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/kit/yamlnode"
)

const maxServerTimeout = time.Hour

func eventNames() []string {
	var out []string
	for _, e := range Events() {
		out = append(out, string(e))
	}
	return out
}

func (r *manifestReader) hooks(n *node) {
	const key = "contributes.hooks"
	if !r.is(n, key, yamlnode.List) {
		return
	}
	if len(n.Items) > maxHooks {
		r.at(n, key, "", "has %d entries; the most is %d", len(n.Items), maxHooks)
		return
	}
	for i, item := range n.Items {
		if at := fmt.Sprintf("%s[%d]", key, i); r.is(item, at, yamlnode.Table) {
			r.hook(item, at)
		}
	}
}

func (r *manifestReader) hook(n *node, key string) {
	r.known(n, key, "event", "command", "tools", "agents", "timeout", "on_error", "network", "project", "env")
	h := Hook{Event: Event(r.choice(get(n, "event"), join(key, "event"), "", eventNames()...))}
	if h.Event == "" {
		if get(n, "event") == nil {
			r.at(n, join(key, "event"), "", "is missing")
		}
		return
	}
	preset, most, policy := defaultTimeout, maxTimeout, FailOpen
	if h.Event == BeforeTool {
		preset, most, policy = toolTimeout, maxToolTimeout, FailClosed
	}
	h.Tools, h.Agents = r.globs(get(n, "tools"), join(key, "tools")), r.globs(get(n, "agents"), join(key, "agents"))
	h.Timeout = r.duration(get(n, "timeout"), join(key, "timeout"), preset, most)
	h.OnError = Policy(r.choice(get(n, "on_error"), join(key, "on_error"), string(policy), string(FailOpen), string(FailClosed)))
	h.Network = r.flag(get(n, "network"), join(key, "network"))
	h.Project = Access(r.choice(get(n, "project"), join(key, "project"), string(NoAccess), string(NoAccess), string(ReadOnly), string(ReadWrite)))
	h.Env = r.table(get(n, "env"), join(key, "env"))
	r.variables(get(n, "env"), join(key, "env"), h.Env)
	h.Command = r.command(get(n, "command"), join(key, "command"))
	for _, text := range slices.Concat(h.Command, values(h.Env)) {
		r.refers(n, key, text)
	}
	for _, text := range h.Command {
		r.showsNoSecret(n, key, text)
	}
	if len(h.Tools) > 0 && !h.Event.ofTool() {
		r.at(get(n, "tools"), join(key, "tools"), "", "has a meaning only before and after a tool")
	}
	if h.OnError == FailClosed && !h.Event.asks() {
		r.at(get(n, "on_error"), join(key, "on_error"), "", "cannot be fail_closed: what is over cannot be refused")
	}
	if len(h.Command) == 0 {
		if get(n, "command") == nil {
			r.at(n, join(key, "command"), "", "is missing")
		}
		return
	}
	h.Name = string(h.Event)
	for i := 2; slices.ContainsFunc(r.m.Hooks, func(o Hook) bool { return o.Name == h.Name }); i++ {
		h.Name = fmt.Sprintf("%s-%d", h.Event, i)
	}
	r.m.Hooks = append(r.m.Hooks, h)
}

// command reads a program with its arguments, or a line for the shell.
func (r *manifestReader) command(n *node, key string) []string {
	if n != nil && n.Kind == yamlnode.Text && n.Text != "" {
		return []string{"/bin/sh", "-c", n.Text}
	}
	argv := r.texts(n, key, 100)
	if len(argv) > 0 {
		r.program(n, key, argv[0])
	}
	return argv
}
