package arch

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestRepository applies every rule to this checkout.
func TestRepository(t *testing.T) {
	t.Parallel()
	source, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(source.files) < 20 {
		t.Fatalf("found %d Go files; is ../.. still the root of the checkout?", len(source.files))
	}
	for _, v := range check(source, homes, allowed) {
		t.Error(v)
	}
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	found, err := checkMigrations(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	found, err := checkLinks(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// TestTheMapShowsTheLadder keeps docs/ARCHITECTURE.md from missing a part.
func TestTheMapShowsTheLadder(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range ladder[:len(ladder)-2] { // kit is many folders, arch is no part of the program
		for _, p := range parts {
			if !strings.Contains(string(text), "`"+p+"`") {
				t.Errorf("docs/ARCHITECTURE.md does not show `%s`", p)
			}
		}
	}
}

// TestEveryRequirementHasAHome compares go.mod with the table of homes.
func TestEveryRequirementHasAHome(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range requirements(string(text)) {
		h, ok := homeOf(homes, m)
		if !ok || h.module != m {
			t.Errorf("go.mod requires %s, which has no row in internal/arch/modules.go", m)
		}
	}
	for _, h := range homes {
		if h.reason == "" {
			t.Errorf("%s has no reason", h.module)
		}
		if len(h.parts) == 0 && !h.tests {
			t.Errorf("%s may be imported nowhere", h.module)
		}
		for _, p := range h.parts {
			if name := part("internal/" + p); p != everywhere && step(name) < 0 {
				t.Errorf("%s lives in %q, which is not on the ladder", h.module, p)
			}
		}
		if !strings.Contains(string(text), "\t"+h.module+" v") {
			t.Errorf("%s is not in go.mod; delete its row", h.module)
		}
	}
}

// TestAllowancesAreUsed keeps the list of exceptions from outliving their reasons.
func TestAllowancesAreUsed(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	source, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]struct {
		list    []allowance
		without Allowances
	}{
		"Go":     {allowed.Go, Allowances{Sleep: allowed.Sleep, Getenv: allowed.Getenv}},
		"Sleep":  {allowed.Sleep, Allowances{Go: allowed.Go, Getenv: allowed.Getenv}},
		"Getenv": {allowed.Getenv, Allowances{Go: allowed.Go, Sleep: allowed.Sleep}},
	}
	for name, l := range lists {
		found := check(source, homes, l.without)
		for _, a := range l.list {
			if _, err := fs.Stat(root, a.path); err != nil || a.reason == "" {
				t.Errorf("%s: %s needs a reason and must exist (%v)", name, a.path, err)
			}
			used := false
			for _, v := range found {
				at, _, _ := strings.Cut(v.At, ":")
				used = used || within(at, a.path)
			}
			if !used {
				t.Errorf("%s: %s needs no exception any more; delete it", name, a.path)
			}
		}
	}
}

// requirements lists the modules a go.mod file asks for directly.
func requirements(text string) []string {
	var found []string
	block := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "require (":
			block = true
		case line == ")":
			block = false
		case strings.HasSuffix(line, "// indirect"):
		case block && line != "":
			found = append(found, strings.Fields(line)[0])
		case strings.HasPrefix(line, "require "):
			found = append(found, strings.Fields(line)[1])
		}
	}
	return found
}
