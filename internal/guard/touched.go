package guard

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/tools"
)

// snapshot has what a call may change kept. A failure costs the undo, not the call: it is said in the log and
// the call simply has no snapshot.
func (g *Guard) snapshot(ctx context.Context, e *tools.Entry) {
	if g.opts.Snapshots == nil || e.Call.Folder == "" {
		return
	}
	t, ok := g.touched(ctx, e)
	if !ok {
		return
	}
	if err := g.opts.Snapshots.Before(ctx, t); err != nil {
		g.log.WarnContext(ctx, "a call cannot be undone: what it changes was not kept", "part", "guard", "tool", e.Spec.Name, "run", e.Call.Run, "err", err)
		return
	}
	g.mu.Lock()
	g.touching[e.ID] = struct{}{}
	g.mu.Unlock()
}

func (g *Guard) snapped(ctx context.Context, e *tools.Entry) {
	if g.opts.Snapshots == nil {
		return
	}
	g.mu.Lock()
	_, ok := g.touching[e.ID]
	delete(g.touching, e.ID)
	g.mu.Unlock()
	if !ok {
		return
	}
	if err := g.opts.Snapshots.After(ctx, e.Call.Workspace, e.ID); err != nil {
		g.log.WarnContext(ctx, "what a call changed was not noted", "part", "guard", "tool", e.Spec.Name, "run", e.Call.Run, "err", err)
	}
}

// touched is what a call may change; false: nothing that could be kept.
func (g *Guard) touched(ctx context.Context, e *tools.Entry) (Touched, bool) {
	m, err := understand(&e.Spec, &e.Call)
	if err != nil {
		return Touched{}, false
	}
	t := Touched{
		Workspace: e.Call.Workspace, Call: e.ID, Run: e.Call.Run, Turn: e.Call.Turn, Conversation: e.Call.Conversation, Agent: e.Call.Agent,
		Tool: e.Spec.Name, Folder: e.Call.Folder, Paths: m.paths,
	}
	if m.runs {
		r, err := g.Check(ctx, Command{Text: m.command, Dir: m.dir, Shell: "sh"})
		if err == nil && looksOnly(r) {
			return t, false
		}
		t.Paths, t.Anything = append(t.Paths, changes(r, m.dir)...), true
	}
	return t, t.Anything || len(t.Paths) > 0
}

// lookers are programs that change nothing, whatever their arguments.
var lookers = []string{
	"ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "pwd", "echo", "printf", "true", "false", "test", "[", "which", "type", "file", "stat",
	"du", "df", "date", "whoami", "id", "uname", "hostname", "basename", "dirname", "realpath", "readlink", "diff", "cmp", "cut", "tr", "nl", "od", "sha256sum", "md5sum", "tree", "jq", "cd", "sleep", "seq", "printenv",
}

// gitLookers are the subcommands of Git that leave files as they are.
var gitLookers = []string{"status", "log", "diff", "show", "rev-parse", "ls-files", "blame", "describe", "grep", "shortlog", "cat-file", "remote"}

// looksOnly reports whether nothing in a command can change a file.
func looksOnly(r CommandRuling) bool {
	if r.Verdict != Allow || len(r.Commands) == 0 {
		return false
	}
	for _, c := range r.Commands {
		if len(c.Argv) == 0 {
			return false
		}
		name := filepath.Base(c.Argv[0])
		switch {
		case slices.Contains(lookers, name):
		case name == "git" && len(c.Argv) > 1 && slices.Contains(gitLookers, c.Argv[1]) && !slices.ContainsFunc(c.Argv, func(a string) bool { return strings.HasPrefix(a, "--output") }):
		default:
			return false
		}
	}
	return true
}

// changers are programs whose operands are what they delete or write over.
var changers = []string{"rm", "rmdir", "unlink", "mv", "cp", "ln", "install", "tee", "truncate", "shred", "touch", "chmod", "chown", "chgrp", "sed", "patch", ">", ">>"}

// changes are the paths that a command names as what it deletes or writes over, globs opened. They
// are kept even where the rest of the project is too large to be.
func changes(r CommandRuling, dir string) []string {
	var out []string
	for _, c := range r.Commands {
		if len(c.Argv) < 2 || !slices.Contains(changers, filepath.Base(c.Argv[0])) {
			continue
		}
		for _, arg := range c.Argv[1:] {
			if strings.HasPrefix(arg, "-") || strings.Contains(arg, "…") {
				continue
			}
			abs := absolute(dir, arg)
			if abs == "" {
				continue
			}
			if strings.ContainsAny(arg, "*?[") {
				if found, err := filepath.Glob(abs); err == nil {
					out = append(out, found...)
				}
				continue
			}
			out = append(out, abs)
		}
	}
	return out
}
