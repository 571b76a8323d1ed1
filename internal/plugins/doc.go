// Package plugins adds what a folder brings: MCP servers, agents, skills and hooks.
//
// In:    folders with a plugin.yaml; a person's consent to one, its settings; what runs and calls are about to do.
// Out:   what enabled plugins give a workspace; a veto of a run, a turn or a call, with the plugin's name.
// Keeps: plugins_plugins, plugins_failures; the folders below Options.Folder, and removed ones in its bin.
// Says:  plugins.installed, plugins.enabled, plugins.disabled, plugins.configured, plugins.changed, plugins.removed,
// plugins.restored, plugins.vetoed, plugins.failed.
// Not here: running MCP servers (tools), the agents themselves (agents), the sandbox hooks run in (tools), who may
// manage plugins (identity).
//
// A folder gives nothing until a person of the workspace has agreed to exactly its files. When a file is another
// than was agreed to, the plugin gives nothing again, and those of its hooks that must not fail refuse, until a
// person has looked. What is wrong with one plugin is kept with it and does not reach the others.
//
// Without plugins nothing is read but the name of the folder, and asking for hooks is one look at a pointer.
package plugins
