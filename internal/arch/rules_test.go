package arch

import (
	"strings"
	"testing"
	"testing/fstest"
)

// answers is a package comment that answers the five questions.
const answers = "// Package x is for tests.\n//\n// In: a.\n// Out: b.\n// Keeps: c.\n// Says: d.\n// Not here: e.\n"

func TestRules(t *testing.T) {
	t.Parallel()
	own := func(p string) string { return `import _ "` + module + "/" + p + "\"\n" }
	tests := map[string]struct {
		path, code string // code follows the package clause
		bare       bool   // without the package comment
		want       string // "": no violation
	}{
		"a part on the ladder": {path: "internal/costs/costs.go"},
		"a folder that is not on the ladder": {
			path: "internal/billing/billing.go", want: "not on the ladder"},
		"a file in internal itself": {
			path: "internal/x.go", want: "folders only"},
		"a folder named after nothing": {
			path: "internal/costs/utils/x.go", want: "says nothing"},

		"an import that goes down": {
			path: "internal/runs/runs.go", code: own("internal/costs")},
		"an import that goes up": {
			path: "internal/costs/costs.go", code: own("internal/runs"), want: "costs may not import runs"},
		"an import that goes sideways": {
			path: "internal/costs/costs.go", code: own("internal/guard"), want: "costs may not import guard"},
		"a test goes down too": {
			path: "internal/costs/costs_test.go", code: own("internal/runs"), want: "costs may not import runs"},
		"jobs stands just above events": {
			path: "internal/jobs/jobs.go", code: own("internal/events")},
		"events does not know jobs": {
			path: "internal/events/events.go", code: own("internal/jobs"), want: "events may not import jobs"},
		"kit packages may use each other": {
			path: "internal/kit/page/page.go", code: own("internal/kit/fault")},
		"nothing imports arch": {
			path: "internal/cli/cli.go", code: own("internal/arch"), want: "cli may not import arch"},

		"a look inside another part": {
			path: "internal/api/api.go", code: own("internal/store/sqlite"), want: "inside store"},
		"app builds adapters": {
			path: "internal/app/app.go", code: own("internal/store/sqlite")},
		"a test may build what app would build": {
			path: "internal/api/api_test.go", code: own("internal/store/sqlite")},
		"an adapter uses its own part": {
			path: "internal/store/sqlite/sqlite.go", code: own("internal/store")},
		"a test helper in the product": {
			path: "internal/costs/costs.go", code: own("internal/store/storetest"), want: "for tests only"},
		"a test helper in a test": {
			path: "internal/costs/costs_test.go", code: own("internal/store/storetest")},
		"a test helper in a test helper": {
			path: "internal/costs/coststest/fake.go", code: own("internal/store/storetest")},

		"main calls cli": {
			path: "cmd/fluxway/main.go", code: own("internal/cli")},
		"main calls nothing else": {
			path: "cmd/fluxway/main.go", code: own("internal/app"), want: "cmd may not import"},
		"the public client does not pull the product in": {
			path: "client/client.go", code: own("internal/api"), want: "client may not import"},
		"a script does not either": {
			path: "scripts/x/main.go", code: own("internal/kit/fault"), want: "scripts may not import"},
		"nobody imports e2e": {
			path: "internal/cli/cli.go", code: own("e2e/bench"), want: "a program, not a library"},

		"a library at home": {
			path: "internal/store/postgres/pg.go", code: "import _ \"example.com/pg/stdlib\"\n"},
		"a library away from home": {
			path: "internal/costs/costs.go", code: "import _ \"example.com/pg/stdlib\"\n", want: "example.com/pg lives in store"},
		"a library away from home in a test": {
			path: "internal/costs/costs_test.go", code: "import _ \"example.com/pg\"\n", want: "example.com/pg lives in store"},
		"a library without a home": {
			path: "internal/costs/costs.go", code: "import _ \"example.com/new\"\n", want: "has no home"},
		"a name that only starts like a library": {
			path: "internal/store/store.go", code: "import _ \"example.com/pgx\"\n", want: "has no home"},
		"a library for tests in a test": {
			path: "internal/costs/costs_test.go", code: "import _ \"example.com/cmp\"\n"},
		"a library for tests in the product": {
			path: "internal/costs/costs.go", code: "import _ \"example.com/cmp\"\n", want: "for tests only"},
		"cgo": {
			path: "internal/store/store.go", code: "import \"C\"\n", want: "without cgo"},

		"an init function": {
			path: "internal/costs/costs.go", code: "func init() {}\n", want: "no init"},
		"a method called init": {
			path: "internal/costs/costs.go", code: "type t int\nfunc (t) init() {}\n"},

		"reading the environment": {
			path: "internal/costs/costs.go", code: "import \"os\"\nvar x = os.Getenv(\"X\")\n", want: "only config reads"},
		"reading the environment under another name": {
			path: "internal/costs/costs.go", code: "import sys \"os\"\nvar x, _ = sys.LookupEnv(\"X\")\n", want: "only config reads"},
		"config reads the environment": {
			path: "internal/config/config.go", code: "import \"os\"\nvar x = os.Environ()\n"},
		"a test may read the environment": {
			path: "internal/costs/costs_test.go", code: "import \"os\"\nvar x = os.Getenv(\"X\")\n"},
		"a method that is called Getenv": {
			path: "internal/costs/costs.go", code: "import \"os\"\nvar _ = os.Args\nfunc f(env interface{ Getenv() }) { env.Getenv() }\n"},

		"a bare go statement": {
			path: "internal/costs/costs.go", code: "func f() { go f() }\n", want: "no bare go"},
		"a bare go statement in main": {
			path: "cmd/fluxway/main.go", code: "func f() { go f() }\n", want: "no bare go"},
		"WaitGroup.Go": {
			path: "internal/costs/costs.go", code: "import \"sync\"\nfunc f() { var wg sync.WaitGroup; wg.Go(f); wg.Wait() }\n"},
		"lifecycle starts goroutines": {
			path: "internal/kit/lifecycle/lifecycle.go", code: "func f() { go f() }\n"},

		"a test that sleeps": {
			path: "internal/costs/costs_test.go", code: "import \"time\"\nfunc f() { time.Sleep(1) }\n", want: "no sleeping"},
		"a test helper that sleeps": {
			path: "internal/costs/coststest/x.go", code: "import \"time\"\nfunc f() { time.Sleep(1) }\n", want: "no sleeping"},
		"a whole-program test that sleeps": {
			path: "e2e/kill_test.go", code: "import \"time\"\nfunc f() { time.Sleep(1) }\n", want: "no sleeping"},
		"a benchmark that sleeps": {
			path: "e2e/bench/start.go", code: "import \"time\"\nfunc f() { time.Sleep(1) }\n"},
		"sleeping where time is not real": {
			path: "internal/costs/costs_test.go",
			code: "import (\n\"testing\"\n\"testing/synctest\"\n\"time\"\n)\nfunc TestX(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1) }) }\n"},

		"an exported function without a sentence": {
			path: "internal/costs/costs.go", code: "func Spend() {}\n", want: "Spend is exported"},
		"an exported method without a sentence": {
			path: "internal/costs/costs.go", code: "// L is.\ntype L[T any] int\nfunc (*L[T]) Spend() {}\n", want: "Spend is exported"},
		"a method that serves a port": {
			path: "internal/costs/costs.go", code: "type spender interface{ Spend() }\n// L is.\ntype L int\nfunc (L) Spend() {}\n"},
		"a method of a type that has no name outside": {
			path: "internal/costs/costs.go", code: "type l int\nfunc (l) Spend() {}\n"},
		"an exported type without a sentence": {
			path: "internal/costs/costs.go", code: "// Types.\ntype (\nLedger int\n)\n", want: "Ledger is exported"},
		"an exported constant without a sentence": {
			path: "internal/costs/costs.go", code: "const Most = 1\n", want: "Most is exported"},
		"a group of constants with one sentence": {
			path: "internal/costs/costs.go", code: "// Bounds.\nconst (\nLeast = 0\nMost = 1\n)\n"},

		"a statement about its own table": {
			path: "internal/costs/sql.go", code: "const q = `SELECT x FROM costs_usage JOIN costs_budgets`\n"},
		"a statement about another part's table": {
			path: "internal/costs/sql.go", code: "const q = `SELECT x FROM costs_usage\nJOIN runs_runs ON true`\n", want: "a table of runs"},
		"a sentence that is not SQL": {
			path: "internal/costs/sql.go", code: "const q = \"from runs_runs\"\n"},

		"a package without a comment": {
			path: "internal/costs/costs.go", bare: true, want: "no comment"},
		"an adapter without a comment": {
			path: "internal/store/sqlite/x.go", bare: true, want: "no comment"},
	}
	rows := []home{
		{"example.com/pg", []string{"store"}, false, "rows"},
		{"example.com/cmp", nil, true, "differences"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := answers
			if tt.bare {
				doc = ""
			}
			source, err := load(fstest.MapFS{tt.path: {Data: []byte(doc + "package x\n" + tt.code)}})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, check(source, rows, allowed), tt.want)
		})
	}
}

func TestAnExceptionLiftsOneRuleForOnePlace(t *testing.T) {
	t.Parallel()
	code := "package x\nfunc f() { go f() }\n"
	source, err := load(fstest.MapFS{
		"internal/costs/costs.go": {Data: []byte(answers + code)},
		"internal/guard/guard.go": {Data: []byte(answers + code)},
	})
	if err != nil {
		t.Fatal(err)
	}
	lift := []allowance{{path: "internal/costs/costs.go", reason: "a test"}}
	expect(t, check(source, nil, Allowances{Go: lift}), "internal/guard/guard.go:")
	if got := check(source, nil, Allowances{Sleep: lift, Getenv: lift}); len(got) != 2 {
		t.Errorf("violations = %v; an exception from another rule must not count", got)
	}
}

func TestEveryQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	for _, q := range questions {
		comment := strings.Replace(answers, q, "", 1)
		source, err := load(fstest.MapFS{
			"internal/costs/costs.go":         {Data: []byte(comment + "package costs\n")},
			"internal/store/sqlite/sqlite.go": {Data: []byte("// Package sqlite is an adapter.\npackage sqlite\n")},
		})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, check(source, nil, Allowances{}), "does not answer \""+q)
	}
}

func TestLoadSaysWhatItCannotParse(t *testing.T) {
	t.Parallel()
	_, err := load(fstest.MapFS{"internal/costs/costs.go": {Data: []byte("package")}})
	if err == nil || !strings.Contains(err.Error(), "internal/costs/costs.go") {
		t.Errorf("load = %v, want an error that names the file", err)
	}
}

func TestMigrationRules(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ name, text, want string }{
		"as it should be":   {"20261115000100_events_log.sql", "-- +goose Up\nCREATE TABLE events_log (x TEXT);", ""},
		"for one engine":    {"20261115000100_events_log.sqlite.sql", "-- +goose Up", ""},
		"without a time":    {"events_log.sql", "-- +goose Up", "name it"},
		"of no part":        {"20261115000100_billing_rows.sql", "-- +goose Up", "name it"},
		"a table of nobody": {"20261115000100_events_log.sql", "CREATE TABLE IF NOT EXISTS log_rows (x TEXT);", "starts with no part's name"},
		"a way back down":   {"20261115000100_events_log.sql", "-- +goose Up\n-- +goose Down\n", "do not migrate down"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := checkMigrations(fstest.MapFS{"internal/store/migrations/" + tt.name: {Data: []byte(tt.text)}})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, found, tt.want)
		})
	}
}

func TestLinkRule(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"a page beside it":     {"[x](other.md)", ""},
		"a heading of it":      {"[x](other.md#part)", ""},
		"a page above":         {"![x](../README.md)", ""},
		"an address":           {"[x](https://example.com/x)", ""},
		"nothing":              {"[x](missing.md)", "missing.md leads nowhere"},
		"a heading of nothing": {"[x](missing.md#y)", "leads nowhere"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := checkLinks(fstest.MapFS{
				"README.md": {}, "docs/other.md": {}, "docs/page.md": {Data: []byte(tt.text)},
			})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, found, tt.want)
		})
	}
}

// expect wants exactly one violation that contains want, or none.
func expect(t *testing.T, got []Violation, want string) {
	t.Helper()
	switch {
	case want == "" && len(got) > 0:
		t.Errorf("violations = %v, want none", got)
	case want != "" && (len(got) != 1 || !strings.Contains(got[0].String(), want)):
		t.Errorf("violations = %v, want one with %q", got, want)
	}
}
