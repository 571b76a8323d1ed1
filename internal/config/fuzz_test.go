package config

import (
	"errors"
	"testing"
	"time"
)

// FuzzLoad checks that no text makes the loader panic, hang or give an error
// that is not a list of problems, and that an edit either keeps every other
// value or is refused.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"", commented, "a: [", "a: &a [*a]", "a: &a {<<: *a}", "log: {level: ${X}}", "? a\n: b", "- - - -", "a: |\n  x", "listen: !!str :1", "{\"log\":{\"level\":1}}",
		"backup: {schedule: 'TZ=x'}", "jobs: {concurrency: {a: 1e9}}", "\ufeff#", "a: \"\\u0000\"", "limits: {body: 9999999999999999TB}", "log:\r\n  level: warn\r\n",
		manyProviders, "providers: {a: {a: {a: a}}}", "providers: {? [a] : {}}", "models: {routes: {a: {targets: [a, b]}, b: {targets: [b, a]}}}", "models: {known: {a/b.c: {input: 1e9}}}",
	} {
		f.Add(s)
	}
	src := Sources{Env: []string{"HOME=/home/x"}}
	f.Fuzz(func(t *testing.T, s string) {
		start := time.Now()
		for _, name := range []string{"fluxway.yaml", "fluxway.json"} {
			_, err := Check(src, name, []byte(s))
			var problems Problems
			if err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
				t.Fatalf("Check(%q) = %v, want problems", s, err)
			}
			value := &node{kind: text, text: "warn"}
			out, err := applyEdits(name, []byte(s), []edit{{[]string{"log", "level"}, value}, {[]string{"listen"}, nil}})
			if err != nil {
				continue
			}
			n, bad := parse(name, out)
			if bad != nil {
				t.Fatalf("an edit of %q gave %q, which cannot be read: %v", s, out, bad)
			}
			level, ok := lookupNode(n, []string{"log", "level"})
			if _, still := n.get("listen"); !ok || level.text != "warn" || still {
				t.Fatalf("an edit of %q gave %q", s, out)
			}
		}
		parseDotEnv(".env", []byte(s))
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("%d bytes took %s", len(s), took)
		}
	})
}
