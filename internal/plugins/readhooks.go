package plugins

import (
	"fmt"
	"slices"
	"time"
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
	if !r.is(n, key, list) {
		return
	}
	if len(n.items) > maxHooks {
		r.at(n, key, "", "has %d entries; the most is %d", len(n.items), maxHooks)
		return
	}
	for i, item := range n.items {
		if at := fmt.Sprintf("%s[%d]", key, i); r.is(item, at, table) {
			r.hook(item, at)
		}
	}
}

func (r *manifestReader) hook(n *node, key string) {
	r.known(n, key, "event", "command", "tools", "agents", "timeout", "on_error", "network", "project", "env")
	h := Hook{Event: Event(r.choice(n.get("event"), join(key, "event"), "", eventNames()...))}
	if h.Event == "" {
		if n.get("event") == nil {
			r.at(n, join(key, "event"), "", "is missing")
		}
		return
	}
	preset, most, policy := defaultTimeout, maxTimeout, FailOpen
	if h.Event == BeforeTool {
		preset, most, policy = toolTimeout, maxToolTimeout, FailClosed
	}
	h.Tools, h.Agents = r.globs(n.get("tools"), join(key, "tools")), r.globs(n.get("agents"), join(key, "agents"))
	h.Timeout = r.duration(n.get("timeout"), join(key, "timeout"), preset, most)
	h.OnError = Policy(r.choice(n.get("on_error"), join(key, "on_error"), string(policy), string(FailOpen), string(FailClosed)))
	h.Network = r.flag(n.get("network"), join(key, "network"))
	h.Project = Access(r.choice(n.get("project"), join(key, "project"), string(NoAccess), string(NoAccess), string(ReadOnly), string(ReadWrite)))
	h.Env = r.table(n.get("env"), join(key, "env"))
	r.variables(n.get("env"), join(key, "env"), h.Env)
	h.Command = r.command(n.get("command"), join(key, "command"))
	for _, text := range slices.Concat(h.Command, values(h.Env)) {
		r.refers(n, key, text)
	}
	for _, text := range h.Command {
		r.showsNoSecret(n, key, text)
	}
	if len(h.Tools) > 0 && !h.Event.ofTool() {
		r.at(n.get("tools"), join(key, "tools"), "", "has a meaning only before and after a tool")
	}
	if h.OnError == FailClosed && !h.Event.asks() {
		r.at(n.get("on_error"), join(key, "on_error"), "", "cannot be fail_closed: what is over cannot be refused")
	}
	if len(h.Command) == 0 {
		if n.get("command") == nil {
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
	if n != nil && n.kind == text && n.text != "" {
		return []string{"/bin/sh", "-c", n.text}
	}
	argv := r.texts(n, key, 100)
	if len(argv) > 0 {
		r.program(n, key, argv[0])
	}
	return argv
}
