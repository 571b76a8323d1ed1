package builtin

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	maxPackage = 64 << 20 // unpacked, of which only types are kept
	maxTypes   = 48 << 10 // given of one package
	npmTimeout = time.Minute
)

// npm runs the npm of this machine, with its settings: it knows the registry, its certificate and who we are there.
func (o Options) npm(ctx context.Context, dir string, args ...string) ([]byte, error) {
	program, err := lookIn(o.Environ, "npm")
	if err != nil {
		return nil, fault.New(fault.Unavailable, "node_missing", "There is no npm on this machine.").
			WithHint("Whoever runs this server can install Node.js with npm (Debian and Ubuntu: apt install nodejs npm).").Because(err)
	}
	if dir == "" {
		dir = os.TempDir() // not a project's, whose settings are not ours
	}
	var out, trouble bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, append(slices.Clip(o.Environ), "npm_config_update_notifier=false", "npm_config_fund=false", "npm_config_audit=false"), &out, &trouble, 2*time.Second
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return out.Bytes(), fmt.Errorf("npm %s: %w: %s", args[0], err, strings.TrimSpace(tools.Middle(trouble.String(), 1000)))
	}
	return out.Bytes(), nil
}

// lookIn finds a program in the PATH of an environment.
func lookIn(environ []string, name string) (string, error) {
	for _, e := range environ {
		list, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(program) {
				return program, nil
			}
		}
	}
	return "", errNoNPM
}

type packagesArgs struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

// found is a package as npm lists it.
type found struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description,omitempty"`
	Date        string   `json:"date,omitempty"`
	License     string   `json:"license,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
}

func searchPackages(opts Options) tools.Tool {
	return define(tools.Spec{Name: "search_npm_packages", Title: "Search npm packages", Level: tools.Public, ReadOnly: true, Repeatable: true, Network: true, Timeout: npmTimeout},
		`{"query":{"type":"string","minLength":1,"maxLength":200},"limit":{"type":"integer","minimum":1,"maximum":50,"description":"10 if not given"}}`, []string{"query"},
		func(ctx context.Context, _ tools.Call, a packagesArgs) (tools.Result, error) {
			if a.Limit == 0 {
				a.Limit = 10
			}
			out, err := opts.npm(ctx, "", append([]string{"search", "--json", "--searchlimit=" + strconv.Itoa(a.Limit), "--"}, strings.Fields(a.Query)...)...)
			if err != nil {
				return tools.Result{}, registryFault(ctx, err)
			}
			var list []found
			if err := json.Unmarshal(out, &list); err != nil {
				return tools.Result{}, registryFault(ctx, fmt.Errorf("reading the list: %w", err))
			}
			if len(list) == 0 {
				return tools.Says(fmt.Sprintf("No package fits %q.", a.Query)), nil
			}
			return tools.Gives(list)
		})
}

// registryFault keeps faults and words the rest.
func registryFault(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.Upstream, "registry_failed", "The registry of packages did not answer as it should: %s", tools.Middle(err.Error(), 500)).
		WithHint("Check the name. npm's own settings say which registry is asked.").Because(err)
}

type typesArgs struct {
	Dependencies []string `json:"dependencies"`
}

func dependencyTypes(opts Options) tools.Tool {
	return define(tools.Spec{Name: "get_dependency_types", Title: "Types of npm packages", Level: tools.Public, ReadOnly: true, Repeatable: true, Network: true, Timeout: 2 * npmTimeout, MaxOutput: 2 * maxTypes},
		`{"dependencies":`+strings.Replace(packagesProperty, `"maxItems":20`, `"minItems":1,"maxItems":5`, 1)+`}`, []string{"dependencies"},
		func(ctx context.Context, _ tools.Call, a typesArgs) (tools.Result, error) {
			if err := checkPackages(a.Dependencies); err != nil {
				return tools.Result{}, err
			}
			var parts []string
			for _, spec := range a.Dependencies {
				text, err := opts.typesOf(ctx, spec)
				if err != nil {
					return tools.Result{}, registryFault(ctx, fmt.Errorf("%s: %w", spec, err))
				}
				parts = append(parts, text)
			}
			return tools.Says(strings.Join(parts, "\n\n")), nil
		})
}

// typesOf gives the declarations of a package: its own, or those that others wrote for it.
func (o Options) typesOf(ctx context.Context, spec string) (string, error) {
	p, err := o.unpack(ctx, spec)
	if err != nil {
		return "", err
	}
	if entry := p.entry(); entry != "" {
		return p.declarations(entry), nil
	}
	name := strings.TrimPrefix(strings.Replace(p.Name, "/", "__", 1), "@")
	typed, err := o.unpack(ctx, "@types/"+name)
	if err == nil && typed.entry() != "" {
		return typed.declarations(typed.entry()), nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	return fmt.Sprintf("// %s %s: it comes without types, and there are none under @types.", p.Name, p.Version), nil
}

// unpacked is what matters of a package.
type unpacked struct {
	Name    string          `json:"name"`
	Version string          `json:"version"`
	Types   string          `json:"types"`
	Typings string          `json:"typings"`
	Main    string          `json:"main"`
	Exports json.RawMessage `json:"exports"`

	files map[string]string // declarations, by path
}

// unpack fetches a package and reads it; none of it is run or written where others see it.
func (o Options) unpack(ctx context.Context, spec string) (*unpacked, error) {
	dir, err := os.MkdirTemp("", "fluxway-npm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := o.npm(ctx, dir, "pack", "--ignore-scripts", "--json", "--pack-destination", dir, "--", spec); err != nil {
		return nil, err
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("npm packed %d archives: %w", len(archives), err)
	}
	f, err := os.Open(archives[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readPackage(f)
}

func readPackage(r io.Reader) (*unpacked, error) {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("reading the package: %w", err)
	}
	limited := &io.LimitedReader{R: packed, N: maxPackage}
	archive := tar.NewReader(limited)
	p := &unpacked{files: map[string]string{}}
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if limited.N == 0 {
			return nil, fmt.Errorf("the package is larger than %d bytes", maxPackage)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the package: %w", err)
		}
		_, name, _ := strings.Cut(path.Clean(h.Name), "/") // the first folder is called anything
		if h.Typeflag != tar.TypeReg || name != "package.json" && !declares(name) {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(archive, 4<<20))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		if name != "package.json" {
			p.files[name] = string(text)
			continue
		}
		if err := json.Unmarshal(text, p); err != nil {
			return nil, fmt.Errorf("reading its package.json: %w", err)
		}
	}
	return p, nil
}

func declares(name string) bool {
	return strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts") || strings.HasSuffix(name, ".d.cts")
}

// entry is the file that a program that imports the package is checked with; "": there is none.
func (p *unpacked) entry() string {
	candidates := []string{p.Types, p.Typings}
	var exports any
	if json.Unmarshal(p.Exports, &exports) == nil {
		candidates = append(candidates, typesIn(exports)...)
	}
	if p.Main != "" {
		candidates = append(candidates, strings.TrimSuffix(p.Main, path.Ext(p.Main))+".d.ts")
	}
	for _, c := range append(candidates, "index.d.ts", "index.d.mts") {
		if c == "" {
			continue
		}
		if name, ok := p.resolve("", c); ok {
			return name
		}
	}
	return ""
}

// typesIn finds "types" in what a package exports as its root.
func typesIn(exports any) []string {
	object, ok := exports.(map[string]any)
	if !ok {
		return nil
	}
	if root, ok := object["."]; ok {
		return typesIn(root)
	}
	if types, ok := object["types"].(string); ok {
		return []string{types}
	}
	var out []string
	for _, key := range []string{"types", "import", "require", "node", "default"} {
		out = append(out, typesIn(object[key])...)
	}
	return out
}

// resolve finds a declaration that another names.
func (p *unpacked) resolve(from, name string) (string, bool) {
	base := path.Join(path.Dir(from), name)
	plain := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(base, ".js"), ".mjs"), ".cjs")
	for _, c := range []string{base, plain + ".d.ts", plain + ".d.mts", plain + ".d.cts", base + ".d.ts", base + "/index.d.ts"} {
		if _, ok := p.files[c]; ok {
			return c, true
		}
	}
	return "", false
}

var imported = regexp.MustCompile(`(?:from|import|require)\s*\(?\s*["'](\.[^"']*)["']|<reference path="([^"]+)"`)

// declarations are those of the entry, then those it names, as far as they fit; the rest is listed.
func (p *unpacked) declarations(entry string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s %s", p.Name, p.Version)
	queue, known, size := []string{entry}, map[string]bool{entry: true}, 0
	var left []string
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		text := p.files[name]
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			if next, ok := p.resolve(name, m[1]+m[2]); ok && !known[next] {
				known[next] = true
				queue = append(queue, next)
			}
		}
		if size += len(text); size > maxTypes && name != entry {
			left = append(left, name)
			continue
		}
		fmt.Fprintf(&b, "\n\n// %s\n%s", name, tools.Middle(strings.TrimSpace(text), maxTypes))
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "\n\n// Left out: %s", strings.Join(left[:min(len(left), 50)], ", "))
	}
	return b.String()
}
