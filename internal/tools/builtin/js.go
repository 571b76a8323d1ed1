package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// packageSpec is a package of the registry with a version or a range: nothing that could name a file, an address or an option.
var packageSpec = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._~-]*/)?[a-zA-Z0-9][a-zA-Z0-9._~-]*(@[a-zA-Z0-9^~<>=*.][a-zA-Z0-9^~<>=*.+-]*)?$`)

func checkPackages(list []string) error {
	for i, spec := range list {
		if !packageSpec.MatchString(spec) || len(spec) > 214 {
			return fault.New(fault.Invalid, "bad_package", "%q is not a package of the registry.", spec).WithParam(fmt.Sprintf("dependencies[%d]", i)).
				WithHint("Write it as name, name@1.2.3 or @scope/name@^1.")
		}
	}
	return nil
}

const packagesProperty = `{"type":"array","maxItems":20,"items":{"type":"string","minLength":1,"maxLength":214},"description":"packages of npm, such as zod or @types/node@20"}`

// prelude gives modules the one thing of older programs that most examples use.
const prelude = `data:text/javascript,import{createRequire}from"node:module";globalThis.require=createRequire(process.cwd()+"/");`

type jsArgs struct {
	Code         string   `json:"code"`
	Sandbox      string   `json:"sandbox"`
	Dependencies []string `json:"dependencies"`
	Timeout      int      `json:"timeout_seconds"`
	Network      bool     `json:"network"`
}

func runJS(opts Options, r *Rooms) tools.Tool {
	return define(tools.Spec{Name: "run_js", Title: "Run JavaScript", Sandboxed: true, Level: tools.Dangerous, Network: opts.CommandNetwork, Timeout: roomsTimeout,
		Means: tools.Arguments{Code: "code", Speaks: "javascript", Network: "network"}},
		`{"code":{"type":"string","minLength":1,"maxLength":1000000,"description":"a module for Node; print what you want to know"},`+sandboxProperty[:len(sandboxProperty)-2]+`; a fresh and empty one if not given"},
		  "dependencies":`+packagesProperty+`,"timeout_seconds":{"type":"integer","minimum":1,"maximum":1800,"description":"120 if not given"}`+networkProperty(opts)+`}`, []string{"code"},
		func(ctx context.Context, call tools.Call, a jsArgs) (tools.Result, error) {
			if err := checkPackages(a.Dependencies); err != nil {
				return tools.Result{}, err
			}
			if len(a.Dependencies) > 0 && !a.Network && a.Sandbox == "" {
				return tools.Result{}, noNetwork(opts)
			}
			if a.Sandbox != "" {
				return r.jsInRoom(ctx, call, opts, a)
			}
			return r.jsAlone(ctx, call, opts, a)
		})
}

func noNetwork(opts Options) error {
	f := fault.New(fault.Forbidden, "no_network", "Packages are fetched over the network, which the code was not given.")
	if opts.CommandNetwork {
		return f.WithHint("Set network.")
	}
	return f.WithHint("Do without packages. Whoever runs this server can let commands use the network with tools.command_network.")
}

// jsAlone runs code in a folder of its own that is gone afterwards.
func (r *Rooms) jsAlone(ctx context.Context, call tools.Call, opts Options, a jsArgs) (tools.Result, error) {
	folder, err := r.scratch("js-")
	if err != nil {
		return tools.Result{}, err
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "main.mjs"), []byte(a.Code), 0o600); err != nil {
		return tools.Result{}, fmt.Errorf("writing the code: %w", err)
	}
	res, err := finish(ctx, r.opts.Sandbox, call, seconds(a.Timeout), func(ctx context.Context, out *spool) (sandbox.Exit, error) {
		job := sandbox.Job{Folder: folder, Network: a.Network, Output: out}
		if len(a.Dependencies) > 0 {
			job.Argv, job.Env = append(install(), a.Dependencies...), opts.registry(ctx)
			if exit, err := r.opts.Sandbox.Run(ctx, job); err != nil || exit.Code != 0 {
				return exit, err
			}
		}
		job.Argv = []string{"node", "--import", prelude, "main.mjs"}
		return r.opts.Sandbox.Run(ctx, job)
	})
	return res, nodeMissing(err)
}

// jsInRoom runs code in a sandbox that lasts, in a file of its own among those that are there.
func (r *Rooms) jsInRoom(ctx context.Context, call tools.Call, opts Options, a jsArgs) (tools.Result, error) {
	one, done, err := r.use(ownerOf(call), a.Sandbox)
	if err != nil {
		return tools.Result{}, err
	}
	defer done()
	root, err := os.OpenRoot(one.folder)
	if err != nil {
		return tools.Result{}, fmt.Errorf("opening the sandbox's folder: %w", err)
	}
	defer root.Close()
	name := "run-" + strings.ToLower(tools.Normalize(call.ID)) + ".mjs"
	if err := root.WriteFile(name, []byte(a.Code), 0o600); err != nil {
		return tools.Result{}, explain(err, name)
	}
	defer func() { _ = root.Remove(name) }() // it goes with the folder at the latest
	var script strings.Builder
	if len(a.Dependencies) > 0 {
		for _, variable := range opts.registry(ctx) {
			key, value, _ := strings.Cut(variable, "=")
			fmt.Fprintf(&script, "export %s=%s\n", key, quote(value))
		}
		for _, word := range append(install(), a.Dependencies...) {
			script.WriteString(quote(word) + " ")
		}
		script.WriteString("|| exit\n")
	}
	fmt.Fprintf(&script, "command -v node >/dev/null || exit 127\nexec node --import %s %s", quote(prelude), quote(name))
	return finish(ctx, r.opts.Sandbox, call, seconds(a.Timeout), func(ctx context.Context, out *spool) (sandbox.Exit, error) {
		exit, err := one.Exec(ctx, script.String(), out)
		if err == nil && exit.Code == 127 && out.size == 0 {
			err = nodeMissing(fault.New(fault.NotFound, "command_not_found", "node"))
		}
		return exit, err
	})
}

// install fetches packages and runs none of their scripts.
func install() []string {
	return []string{"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--"}
}

// quote makes one word of the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// nodeMissing says what to install where a sandbox has no Node.
func nodeMissing(err error) error {
	if !fault.HasCode(err, "command_not_found") {
		return err
	}
	return fault.New(fault.Unavailable, "node_missing", "There is no Node.js on this machine, or the sandbox cannot see it.").
		WithHint("Whoever runs this server can install Node.js 20 or newer where all users have it, such as /usr/bin or /usr/local/bin (Debian and Ubuntu: apt install nodejs npm). Until then use run_code with python or shell.").Because(err)
}

// registry is how npm inside a sandbox, which sees nobody's settings, finds the registry that npm outside uses.
func (o Options) registry(ctx context.Context) []string {
	url, err := o.npm(ctx, "", "config", "get", "registry")
	if err != nil {
		return nil // then npm has its own
	}
	return []string{"npm_config_registry=" + strings.TrimSpace(string(url)), "npm_config_cache=" + path.Join("/tmp", "npm")}
}

var errNoNPM = errors.New("npm is not there")
