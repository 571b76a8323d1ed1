package arch

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// namesOf: every exported name has a sentence.
func (c *checker) namesOf(f *file) {
	if part(f.dir()) == "" || strings.HasSuffix(f.path, "_test.go") {
		return
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && onExported(d) && !c.serves(d) {
				c.add(c.place(d.Pos()), "%s is exported: say in a sentence what it promises", d.Name.Name)
			}
		case *ast.GenDecl:
			c.specsOf(d)
		}
	}
}

// wellKnown are methods of the standard library's interfaces, whose promises are written there.
var wellKnown = map[string]bool{
	"String": true, "Error": true, "Unwrap": true, "Is": true, "As": true, "Len": true, "Less": true, "Swap": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true, "LogValue": true, "Format": true,
	"GoString": true, "Scan": true, "Value": true, "Close": true, "Read": true, "Write": true, "ServeHTTP": true,
}

// serves reports whether a method keeps a promise that is written at an interface.
func (c *checker) serves(d *ast.FuncDecl) bool {
	return d.Recv != nil && (wellKnown[d.Name.Name] || c.ports[d.Name.Name])
}

// portsOf collects the methods of every interface of ours.
func portsOf(t *tree) map[string]bool {
	found := map[string]bool{}
	for _, f := range t.files {
		ast.Inspect(f.File, func(n ast.Node) bool {
			i, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, m := range i.Methods.List {
				for _, name := range m.Names {
					found[name.Name] = true
				}
			}
			return true
		})
	}
	return found
}

// onExported reports whether a function is not a method of a type that nobody outside can name.
func onExported(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// specsOf looks at types, constants and variables; a comment on a group speaks for its constants and variables.
func (c *checker) specsOf(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Lparen.IsValid()) {
				c.add(c.place(s.Pos()), "%s is exported: say in a sentence what it is", s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
					c.add(c.place(name.Pos()), "%s is exported: say in a sentence what it is", name.Name)
				}
			}
		}
	}
}

// table finds the tables that SQL names.
var table = regexp.MustCompile(`(?:\bFROM|\bINTO|\bUPDATE|\bJOIN|\bTABLE(?: IF (?:NOT )?EXISTS)?)\s+([a-z]+)_[a-z_]+`)

// tablesOf: a part sends statements about its own tables only. The store handles all of them, by name, for backups.
func (c *checker) tablesOf(f *file) {
	p := part(f.dir())
	if p == "" || p == "store" || p == "arch" || f.isTest() {
		return
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		for _, m := range table.FindAllStringSubmatch(lit.Value, -1) {
			if owner := m[1]; owner != p && step(owner) >= 0 {
				c.add(c.place(lit.Pos()), "%q is about a table of %s: ask that part", m[0], owner)
			}
		}
		return true
	})
}

// migration is <time>_<part>_<what>.sql, with the engine before .sql where it is for one only.
var migration = regexp.MustCompile(`^\d{14}_([a-z]+)_[a-z_]+(\.(sqlite|postgres))?\.sql$`)

// checkMigrations: a migration names its part, and makes tables of that part only.
func checkMigrations(root fs.FS) ([]Violation, error) {
	c := &checker{}
	files, err := fs.Glob(root, "internal/store/migrations/*.sql")
	if err != nil {
		return nil, err
	}
	made := regexp.MustCompile(`(?i)\bCREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?([a-z]+)_`)
	for _, name := range files {
		m := migration.FindStringSubmatch(path.Base(name))
		if m == nil || step(m[1]) < 0 {
			c.add(name, "name it <yyyymmddhhmmss>_<part>_<what>.sql, after a part on the ladder")
			continue
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		for _, t := range made.FindAllStringSubmatch(string(text), -1) {
			if step(t[1]) < 0 {
				c.add(name, "the table %s_… starts with no part's name", t[1])
			}
		}
		if strings.Contains(string(text), "-- +goose Down") {
			c.add(name, "we do not migrate down: a backup is taken before")
		}
	}
	return c.found, nil
}
