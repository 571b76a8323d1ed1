package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A tree is the Go source to be checked.
type tree struct {
	fset  *token.FileSet
	files []*file
}

type file struct {
	*ast.File
	path string // from the root, with slashes
}

// load parses every Go file below root.
func load(root fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() {
			hidden := base != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"))
			if hidden || slices.Contains([]string{"node_modules", "testdata", "dist", "bin"}, base) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasPrefix(base, ".") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parsing %s: %w", name, err)
		}
		t.files = append(t.files, &file{File: parsed, path: name})
		return nil
	})
	return t, err
}

// dir is the folder of the file.
func (f *file) dir() string { return path.Dir(f.path) }

// part is the part a folder belongs to; "": it is outside internal.
func part(dir string) string {
	rest, ok := strings.CutPrefix(dir, "internal/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// isTest reports whether the file is compiled into tests only: a _test.go file,
// or one of a package that exists to help tests.
func (f *file) isTest() bool {
	return strings.HasSuffix(f.path, "_test.go") || isTestPackage(f.dir()) || within(f.dir(), "e2e")
}

// isTestPackage recognises <part>test and adapters' own, such as costs/coststest.
func isTestPackage(dir string) bool {
	base := path.Base(dir)
	return strings.HasPrefix(dir, "internal/") && strings.HasSuffix(base, "test") && base != "test"
}

// imports lists the import paths of a file with their places.
func (f *file) imports(yield func(target string, at token.Pos) bool) {
	for _, spec := range f.Imports {
		if !yield(strings.Trim(spec.Path.Value, `"`+"`"), spec.Pos()) {
			return
		}
	}
}

// importName is how a file refers to a package; "": it does not import it.
func (f *file) importName(target string) string {
	for _, spec := range f.Imports {
		if strings.Trim(spec.Path.Value, `"`+"`") != target {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(target)
	}
	return ""
}

// uses reports whether a node is the selector pkg.name, where pkg is how the
// file calls the package with that import path.
func (f *file) uses(n ast.Node, target string, names ...string) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || !slices.Contains(names, sel.Sel.Name) {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == f.importName(target)
}
