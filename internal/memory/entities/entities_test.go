package entities_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/memory/entities"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Maria works at Northwind Bank.":                         "Maria/unknown Northwind Bank/organisation; Maria works for Northwind Bank",
		"Yesterday I met Dr. Weber in Lisbon":                    "Weber/person Lisbon/unknown; Weber is mentioned with Lisbon",
		"Paul is Anna's brother":                                 "Paul/unknown Anna/unknown; Paul is brother of Anna",
		"Paul is the manager of Atlas":                           "Paul/unknown Atlas/unknown; Paul is manager of Atlas",
		"We met Anna's sister Clara there":                       "Anna/unknown Clara/unknown; Clara is sister of Anna",
		"Ludwig van Beethoven lived in Bonn":                     "Ludwig van Beethoven/unknown Bonn/unknown; Ludwig van Beethoven lives in Bonn",
		"Write to anna@example.org about OPS-412":                "anna@example.org/email OPS-412/issue; anna@example.org is mentioned with OPS-412",
		"parseHeader is in internal/wire/read.go":                "parseHeader/identifier internal/wire/read.go/path; parseHeader is mentioned with internal/wire/read.go",
		"The docs are at https://example.org/docs.":              "https://example.org/docs/url",
		"What is the weather today?":                             "",
		"Apples are nice. I eat apples every day.":               "",
		"PLEASE READ THIS NOW":                                   "",
		"```\nMaria knows Paul\n```\n> Maria knows Paul\nthanks": "",
		`write "Buy milk" to the file notes/list.txt`:            "notes/list.txt/path",
		"Remember that Atlas depends on Borealis":                "Atlas/unknown Borealis/unknown; Atlas depends on Borealis",
	} {
		var got []string
		for _, s := range entities.Find(text) {
			var names, links []string
			for _, e := range s.Entities {
				names = append(names, e.Name+"/"+e.Type)
			}
			for _, r := range s.Relations {
				links = append(links, r.From+" "+r.Type+" "+r.To)
			}
			got = append(got, strings.Join(append([]string{strings.Join(names, " ")}, links...), "; "))
		}
		if diff := cmp.Diff(want, strings.Join(got, " | ")); diff != "" {
			t.Errorf("Find(%q):\n%s", text, diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Dr. Weber's sister Clara van der Berg works at Foo_Bar, OPS-12 a/b.c x@y.z http://q")
	f.Add("A. B. C.\n- É É-& ß")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range entities.Find(text) {
			for _, e := range s.Entities {
				if e.Name == "" || !strings.Contains(s.Text, e.Name) {
					t.Errorf("%q is not in %q", e.Name, s.Text)
				}
			}
		}
	})
}
