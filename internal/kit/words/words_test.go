package words_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/words"
)

func TestTerms(t *testing.T) {
	for query, want := range map[string][]string{
		"":                         nil,
		"  -- ' \" ":               nil,
		"Budget resets":            {"Budget", "resets"},
		"can't stop":               {"can", "t", "stop"},
		"日本語":                      {"日本", "本語"},
		"東":                        {"東"},
		"go で書く":                   {"go", "で書", "書く"},
		"ภาษา":                     {"ภา", "าษ", "ษา"},
		"naïve café":               {"naïve", "café"},
		`" OR body MATCH "x* NEAR`: {"OR", "body", "MATCH", "x", "NEAR"},
	} {
		if got := words.Terms(query, 16); !slices.Equal(got, want) {
			t.Errorf("Terms(%q) = %q, want %q", query, got, want)
		}
	}
	if got := words.Terms(strings.Repeat("a ", 100), 5); len(got) != 5 {
		t.Errorf("%d terms, want 5", len(got))
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("hello 日本語 world", "本語")
	f.Fuzz(func(t *testing.T, text, query string) {
		prepared := words.Index(text)
		if len(prepared) > 8*len(text)+8 {
			t.Errorf("%d bytes became %d", len(text), len(prepared))
		}
		for _, term := range words.Terms(query, 8) {
			if term == "" || strings.ContainsAny(term, ` "*:()&|!'`) {
				t.Errorf("term %q would mean something to an index", term)
			}
		}
	})
}
