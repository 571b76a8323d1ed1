package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// git runs Git in the sandbox.
type git struct{ box *sandbox.Sandbox }

// asking are the settings of commands that only look: nothing that a repository names is run.
var asking = []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external=", "-c", "core.pager=cat", "--no-optional-locks"}

func (g git) run(ctx context.Context, call tools.Call, readOnly bool, args ...string) (string, int, error) {
	if call.Folder == "" {
		_, err := openFolder(call)
		return "", 0, err
	}
	argv := []string{"git", "-c", "safe.directory=*", "-c", "color.ui=never", "-c", "core.quotePath=false", "-c", "gc.auto=0"}
	if readOnly {
		argv = append(argv, asking...)
	}
	out := newSpool()
	defer out.Close()
	exit, err := g.box.Run(ctx, sandbox.Job{
		Argv: append(argv, args...), Folder: call.Folder, ReadOnly: readOnly, Output: out,
		Env: []string{"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat", "GIT_CONFIG_NOSYSTEM=1", "GIT_ASKPASS=true"},
	})
	if err != nil {
		return "", 0, err
	}
	text, err := out.text()
	return text, exit.Code, err
}

// say runs Git and makes a result of what it says.
func (g git) say(ctx context.Context, call tools.Call, readOnly bool, empty string, args ...string) (tools.Result, error) {
	text, code, err := g.run(ctx, call, readOnly, args...)
	if err != nil {
		return tools.Result{}, err
	}
	if code != 0 {
		return tools.Result{}, gitFault(text, code)
	}
	if text = strings.TrimRight(text, "\n"); text == "" {
		text = empty
	}
	return tools.Says(text), nil
}

func gitFault(text string, code int) error {
	text = strings.TrimSpace(text)
	f := fault.New(fault.Conflict, "git_failed", "Git ended with %d: %s", code, cmp.Or(tools.Middle(text, 4000), "it said nothing."))
	if strings.Contains(text, "not a git repository") {
		return fault.New(fault.Conflict, "not_a_repository", "The project folder is not the root of a Git repository.").
			WithHint("Work without Git, or make one with run_command: git init.")
	}
	return f
}

// revision refuses what Git would read as an option.
func revision(text, param string) error {
	if strings.HasPrefix(text, "-") || strings.ContainsAny(text, " \t\n\x00") {
		return fault.New(fault.Invalid, "bad_revision", "%q is not a revision.", text).WithParam(param)
	}
	return nil
}

// literal makes paths mean themselves, below the project.
func literal(call tools.Call, paths []string) ([]string, error) {
	f, err := openFolder(call)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := []string{"--"}
	for _, p := range paths {
		rel, err := f.rel(p)
		if err != nil {
			return nil, err
		}
		out = append(out, ":(literal)"+rel)
	}
	return out, nil
}

func gitTools(box *sandbox.Sandbox) []tools.Tool {
	g := git{box}
	looks := func(name, title string) tools.Spec {
		return tools.Spec{Name: name, Title: title, Level: tools.Public, ReadOnly: true, Repeatable: true}
	}
	return []tools.Tool{
		define(looks("git_status", "Git status"), `{}`, nil, func(ctx context.Context, call tools.Call, _ none) (tools.Result, error) {
			return g.say(ctx, call, true, "", "status", "--short", "--branch", "--untracked-files=all")
		}),
		define(looks("git_diff", "Git diff"),
			`{"paths":{"type":"array","items":{"type":"string"}},"staged":{"type":"boolean"},"revision":{"type":"string","description":"compare with it, such as main or HEAD~3"},
			  "names_only":{"type":"boolean"}}`, nil, g.diff),
		define(looks("git_log", "Git log"),
			`{"limit":{"type":"integer","minimum":1,"maximum":200},"paths":{"type":"array","items":{"type":"string"}},"revision":{"type":"string"},
			  "patches":{"type":"boolean","description":"with what each commit changed"}}`, nil, g.log),
		define(tools.Spec{Name: "git_commit", Title: "Git commit", Level: tools.Restricted, Means: paths("paths")},
			`{"message":{"type":"string","minLength":1,"maxLength":20000},"paths":{"type":"array","items":{"type":"string"}},"all":{"type":"boolean"}}`,
			[]string{"message"}, g.commit),
		define(tools.Spec{Name: "git_branch", Title: "Git branch", Level: tools.Restricted},
			`{"action":{"enum":["list","create","switch"]},"name":{"type":"string","maxLength":200},"from":{"type":"string","description":"where a new branch begins; HEAD if not given"}}`,
			[]string{"action"}, g.branch),
	}
}

type diffArgs struct {
	Paths     []string `json:"paths"`
	Staged    bool     `json:"staged"`
	Revision  string   `json:"revision"`
	NamesOnly bool     `json:"names_only"`
}

func (g git) diff(ctx context.Context, call tools.Call, a diffArgs) (tools.Result, error) {
	args := []string{"diff", "--no-ext-diff", "--no-textconv"}
	if a.Staged {
		args = append(args, "--cached")
	}
	if a.NamesOnly {
		args = append(args, "--name-status")
	}
	if err := revision(a.Revision, "revision"); err != nil {
		return tools.Result{}, err
	}
	if a.Revision != "" {
		args = append(args, a.Revision)
	}
	paths, err := literal(call, a.Paths)
	if err != nil {
		return tools.Result{}, err
	}
	return g.say(ctx, call, true, "[No differences.]", append(args, paths...)...)
}

type logArgs struct {
	Limit    int      `json:"limit"`
	Paths    []string `json:"paths"`
	Revision string   `json:"revision"`
	Patches  bool     `json:"patches"`
}

func (g git) log(ctx context.Context, call tools.Call, a logArgs) (tools.Result, error) {
	args := []string{"log", "--no-ext-diff", "--no-textconv", "--date=iso-strict", "--format=%h %ad %an: %s%n%w(0,4,4)%b", "-n", strconv.Itoa(cmp.Or(a.Limit, 20))}
	if a.Patches {
		args = append(args, "--patch")
	}
	if err := revision(a.Revision, "revision"); err != nil {
		return tools.Result{}, err
	}
	if a.Revision != "" {
		args = append(args, a.Revision)
	}
	paths, err := literal(call, a.Paths)
	if err != nil {
		return tools.Result{}, err
	}
	return g.say(ctx, call, true, "[No commits.]", append(args, paths...)...)
}

type commitArgs struct {
	Message string   `json:"message"`
	Paths   []string `json:"paths"`
	All     bool     `json:"all"`
}

func (g git) commit(ctx context.Context, call tools.Call, a commitArgs) (tools.Result, error) {
	if len(a.Paths) > 0 {
		paths, err := literal(call, a.Paths)
		if err != nil {
			return tools.Result{}, err
		}
		if text, code, err := g.run(ctx, call, false, append([]string{"add"}, paths...)...); err != nil || code != 0 {
			return tools.Result{}, cmp.Or(err, gitFault(text, code))
		}
	}
	var args []string
	_, code, err := g.run(ctx, call, true, "config", "--get", "user.email")
	if err != nil {
		return tools.Result{}, err
	}
	if code != 0 { // the repository names nobody, and home folders cannot be seen
		args = append(args, "-c", "user.name="+cmp.Or(call.Agent, "fluxway"), "-c", "user.email="+cmp.Or(tools.Normalize(call.Agent), "agent")+"@fluxway.invalid")
	}
	args = append(args, "commit", "--no-gpg-sign", "--cleanup=strip", "-m", a.Message)
	if a.All {
		args = append(args, "--all")
	}
	return g.say(ctx, call, false, "Committed.", args...)
}

type branchArgs struct {
	Action string `json:"action"`
	Name   string `json:"name"`
	From   string `json:"from"`
}

func (g git) branch(ctx context.Context, call tools.Call, a branchArgs) (tools.Result, error) {
	if a.Action == "list" {
		return g.say(ctx, call, true, "[No branches yet.]", "branch", "--all", "--verbose")
	}
	if a.Name == "" {
		return tools.Result{}, fault.New(fault.Invalid, "invalid_arguments", "A branch needs a name.").WithParam("name")
	}
	if err := revision(a.Name, "name"); err != nil {
		return tools.Result{}, err
	}
	if err := revision(a.From, "from"); err != nil {
		return tools.Result{}, err
	}
	args := []string{"switch", a.Name}
	if a.Action == "create" {
		args = []string{"switch", "--create", a.Name}
		if a.From != "" {
			args = append(args, a.From)
		}
	}
	return g.say(ctx, call, false, fmt.Sprintf("On branch %s.", a.Name), args...)
}

// plainText makes output readable: valid text without what terminals act on.
func plainText(raw []byte) string {
	raw = escapes.ReplaceAll(raw, nil)
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	return strings.ToValidUTF8(string(bytes.ReplaceAll(raw, []byte{0}, nil)), "\uFFFD")
}
