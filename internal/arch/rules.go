package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A Violation is one place that breaks a rule.
type Violation struct {
	At   string // file:line, or a folder
	Says string // what is wrong and what to do
}

func (v Violation) String() string { return v.At + ": " + v.Says }

// A checker walks a tree with the rules of this repository, or of a test.
type checker struct {
	tree    *tree
	homes   []home
	allowed Allowances
	ports   map[string]bool // methods of the interfaces in the tree
	found   []Violation
}

// check applies every rule and returns what breaks one, in the order of the files.
func check(t *tree, homes []home, allowed Allowances) []Violation {
	c := &checker{tree: t, homes: homes, allowed: allowed}
	c.ports = portsOf(t)
	c.folders()
	c.docs()
	for _, f := range t.files {
		c.importsOf(f)
		c.statementsOf(f)
		c.namesOf(f)
		c.tablesOf(f)
	}
	return c.found
}

func (c *checker) add(at, format string, args ...any) {
	c.found = append(c.found, Violation{At: at, Says: fmt.Sprintf(format, args...)})
}

func (c *checker) place(pos token.Pos) string {
	p := c.tree.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// folders: every folder below internal is a part on the ladder, and is named after what it holds.
func (c *checker) folders() {
	seen := map[string]bool{}
	for _, f := range c.tree.files {
		p := part(f.dir())
		if p == "" && within(f.dir(), "internal") {
			c.add(f.path, "internal holds folders only; put the file into a part")
		}
		if p != "" && step(p) < 0 && !seen[p] {
			c.add("internal/"+p, "the folder is not on the ladder (internal/arch/ladder.go)")
		}
		seen[p] = true
		if p != "" && slices.Contains(emptyNames, path.Base(f.dir())) && !seen[f.dir()] {
			c.add(f.dir(), "%q says nothing about what is inside; name the folder after its noun", path.Base(f.dir()))
			seen[f.dir()] = true
		}
	}
}

// questions are what the comment of a part's package answers before any code is read.
var questions = []string{"In:", "Out:", "Keeps:", "Says:", "Not here:"}

// docs: every package has a comment; that of a part answers the five questions.
func (c *checker) docs() {
	comments := map[string]string{}
	var dirs []string
	for _, f := range c.tree.files {
		if strings.HasSuffix(f.path, "_test.go") || part(f.dir()) == "" {
			continue
		}
		if _, ok := comments[f.dir()]; !ok {
			dirs = append(dirs, f.dir())
		}
		comments[f.dir()] += f.Doc.Text()
	}
	for _, dir := range dirs {
		comment := comments[dir]
		if comment == "" {
			c.add(dir, "the package has no comment; say what it is for in doc.go")
			continue
		}
		if !isPart(dir) {
			continue
		}
		for _, q := range questions {
			if !strings.Contains(comment, q) {
				c.add(dir, "the package comment does not answer %q (In, Out, Keeps, Says, Not here)", q)
			}
		}
	}
}

// isPart reports whether a folder is the root of a part or a package of kit.
func isPart(dir string) bool {
	return path.Dir(dir) == "internal" || path.Dir(dir) == "internal/kit"
}

// importsOf: imports go down, nobody looks inside another part, every library has a home.
func (c *checker) importsOf(f *file) {
	for target, pos := range f.imports {
		switch {
		case within(target, module+"/internal"):
			c.ownImport(f, strings.TrimPrefix(target, module+"/"), c.place(pos))
		case within(target, module+"/e2e"), within(target, module+"/cmd"), within(target, module+"/scripts"):
			if strings.SplitN(f.path, "/", 2)[0] != strings.SplitN(strings.TrimPrefix(target, module+"/"), "/", 2)[0] {
				c.add(c.place(pos), "%s is a program, not a library", target)
			}
		case within(target, module):
			// client and web stand beside the ladder and import none of it.
		case target == "C":
			c.add(c.place(pos), "the binary is built without cgo")
		case strings.Contains(strings.SplitN(target, "/", 2)[0], "."):
			c.libraryImport(f, target, c.place(pos))
		}
	}
}

func (c *checker) ownImport(f *file, target, at string) {
	from, to := part(f.dir()), part(target)
	if from == "" {
		top, _, _ := strings.Cut(f.path, "/")
		if may := outside[top]; may == nil || !may(to) {
			c.add(at, "%s may not import %s", top, target)
		}
		return
	}
	if from == to {
		return
	}
	if step(from) < 0 || step(to) < 0 {
		return // the folder itself was reported
	}
	if to == "arch" || step(to) <= step(from) {
		c.add(at, "%s may not import %s: imports go down the ladder only; let the lower part say it as an event, or ask for an interface", from, to)
		return
	}
	if target == "internal/"+to || to == "kit" {
		return
	}
	switch {
	case isTestPackage(target):
		if !f.isTest() {
			c.add(at, "%s is for tests only", target)
		}
	case from != "app" && !f.isTest():
		c.add(at, "%s is inside %s: only app builds adapters; use what %s itself exports", target, to, to)
	}
}

func (c *checker) libraryImport(f *file, target, at string) {
	h, ok := homeOf(c.homes, target)
	switch {
	case !ok:
		c.add(at, "%s has no home: add it to internal/arch/modules.go with a reason", target)
	case h.lives(f.dir()), h.tests && f.isTest():
	case within(f.dir(), "e2e"):
		// Measuring and testing the whole may take any library the product has.
	case h.tests && len(h.parts) == 0:
		c.add(at, "%s is for tests only (%s)", h.module, h.reason)
	default:
		c.add(at, "%s lives in %s (%s); ask that part, or give the library a second home in internal/arch/modules.go", h.module, strings.Join(h.parts, ", "), h.reason)
	}
}

// statementsOf: no init, no environment outside config, no bare go, no sleeping tests.
func (c *checker) statementsOf(f *file) {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			c.add(c.place(fn.Pos()), "no init functions: do it in New, or in app")
		}
	}
	ours := part(f.dir()) != "" || within(f.path, "client") || within(f.path, "cmd")
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f.uses(n.Fun, "testing/synctest", "Test") {
				return false // time inside is not real, so sleeping is how it passes
			}
		case *ast.GoStmt:
			if ours && !f.isTest() && !within(f.path, startsGoroutines) && !permits(c.allowed.Go, f.path) {
				c.add(c.place(n.Pos()), "no bare go: add the work to a lifecycle.Group, or use WaitGroup.Go and wait")
			}
		case *ast.SelectorExpr:
			c.selector(f, n, ours)
		}
		return true
	})
}

func (c *checker) selector(f *file, n *ast.SelectorExpr, ours bool) {
	if f.isTest() {
		measures := within(f.dir(), "e2e/bench") // a benchmark waits for its slice of time to pass
		if f.uses(n, "time", "Sleep") && !measures && !permits(c.allowed.Sleep, f.path) {
			c.add(c.place(n.Pos()), "no sleeping in tests: wait for a channel, or use testing/synctest")
		}
		return
	}
	reads := f.uses(n, "os", "Getenv", "LookupEnv", "Environ", "ExpandEnv") || f.uses(n, "syscall", "Getenv", "Environ")
	if ours && reads && !within(f.path, readsEnvironment) && !permits(c.allowed.Getenv, f.path) {
		c.add(c.place(n.Pos()), "only config reads the environment: take the value in Options")
	}
}

func permits(list []allowance, file string) bool {
	return slices.ContainsFunc(list, func(a allowance) bool { return within(file, a.path) })
}
