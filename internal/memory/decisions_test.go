package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefuse(t *testing.T) {
	t.Parallel()
	m := &Mind{rules: Rules{Deny: []string{"Project Falcon"}}}
	for text, want := range map[string]string{
		"The deploy branch is main":                           "",
		"The user is allergic to peanuts":                     "",
		"Anna's birthday is on 3 May 1990":                    "",
		"The office's phone number is +49 30 1234567":         "",
		"我喜欢北京烤鸭":                                             "",
		"":                                                    "fact_empty",
		"hello there!":                                        "fact_junk",
		"Thanks a lot!":                                       "fact_junk",
		"ok, sounds good":                                     "fact_junk",
		"exit code 0":                                         "fact_junk",
		`{"ok":true,"rows":[1,2,3]}`:                          "fact_junk",
		"2026-11-15T06:31:01 INFO started":                    "fact_junk",
		"The build is running right now":                      "fact_junk",
		"I'm on a call":                                       "fact_junk",
		"!!":                                                  "fact_junk",
		"The API key is sk-abcdefghijklmnopqrstuvwx":          "fact_sensitive",
		"my password is hunter2":                              "fact_sensitive",
		"The password for the wiki: correct horse":            "fact_sensitive",
		"My card is 4111 1111 1111 1111":                      "fact_sensitive",
		"My SSN is 078-05-1120":                               "fact_sensitive",
		"My IBAN is DE89 3704 0044 0532 0130 00":              "fact_sensitive",
		"-----BEGIN RSA PRIVATE KEY----- abc":                 "fact_sensitive",
		"We start project Falcon in May":                      "fact_denied",
		"The password policy asks for twelve characters":      "",
		"The user keeps a falcon":                             "",
		"Passwords are rotated every 90 days by the ops team": "",
	} {
		if got := codeOf(m.refuse(text, FromAPI)); got != want {
			t.Errorf("refuse(%q) = %q, want %q", text, got, want)
		}
	}
	if got := codeOf(m.refuse("What is my name?", FromTool)); got != "fact_junk" {
		t.Errorf("a question is %q, want fact_junk", got)
	}
}

func TestParseClaim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ one, two string }{
		{"My name is Anna", "The user's name is Anne."},
		{"I live in Berlin", "The user lives in Munich now"},
		{"The user works for Acme", "I work at Initech"},
		{"The deploy branch is main", "the deploy branch is now develop"},
		{"My favourite colour is green", "My favorite color is red"},
		{"I like olives", "I don't like olives"},
		{"Anna's manager is Bob", "Anna's manager is Eve"},
		{"Call me Al", "call me Alan"},
	} {
		a, b := parseClaim(c.one), parseClaim(c.two)
		if a.subject == "" || a.subject != b.subject || a.value == b.value {
			t.Errorf("parseClaim(%q) = %q, parseClaim(%q) = %q; want one subject and two values", c.one, a, c.two, b)
		}
	}
	for _, c := range []struct{ one, two string }{
		{"I like olives", "I like tea"},
		{"My friend is Bob", "My friend is Eve"},
		{"Anna's manager is Bob", "Eve's manager is Bob"},
		{"The deploy branch is main", "The release branch is main"},
		{"It rained", "It snowed"},
	} {
		if a, b := parseClaim(c.one), parseClaim(c.two); a.subject != "" && a.subject == b.subject {
			t.Errorf("%q and %q share the subject %q", c.one, c.two, a.subject)
		}
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	for a, b := range map[string]string{
		"The user likes tea.":         "the user like tea",
		"My favourite colour is red":  "My favorite color is red!",
		"The deploy branch is main":   "Deploy branch: main",
		"Backups run at 3:00 nightly": "backups run at 3:00 nightly",
	} {
		if fingerprint(a) != fingerprint(b) {
			t.Errorf("%q and %q differ: %q, %q", a, b, fingerprint(a), fingerprint(b))
		}
	}
	for a, b := range map[string]string{
		"Anna manages Bob":            "Bob manages Anna",
		"Backups run at 3:00 nightly": "Backups run at 4:00 nightly",
		"The user likes tea":          "The user doesn't like tea",
		"Deploy to staging first":     "Deploy to production first",
	} {
		if fingerprint(a) == fingerprint(b) {
			t.Errorf("%q and %q are taken for the same", a, b)
		}
	}
}

func TestExtract(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"Hi! My name is Anna. What can you do?":                           {"The user's name is Anna"},
		"I prefer tabs over spaces":                                       {"The user prefers tabs over spaces"},
		"Please remember that the deploy key rotates on Tuesdays.":        {"The deploy key rotates on Tuesdays"},
		"Remember: I am allergic to nuts":                                 {"The user is allergic to nuts"},
		"btw I live in Oslo and I work at Acme.":                          {"The user lives in Oslo and the user works at Acme"},
		"I'm a nurse. I've been tired lately.":                            {"The user is a nurse"},
		"Can you fix this bug?":                                           nil,
		"thanks, that works":                                              nil,
		"```\nmy name is Root\n```\nrun it":                               nil,
		"> My name is Quoted\nplease answer":                              nil,
		"Ich heiße Jürgen.":                                               {"Ich heiße Jürgen"},
		"我叫小明":                                                            {"我叫小明"},
		"Our staging server is called marlin.":                            {"Our staging server is called marlin"},
		"I have two dogs. Write a poem about them!":                       {"The user has two dogs"},
		"My dog's name is Rex":                                            {"The user's dog's name is Rex"},
		"I like turtles! Do you like turtles? My favourite fruit is figs": {"The user likes turtles", "The user's favourite fruit is figs"},
	} {
		var got []string
		for _, g := range extractByRules(said) {
			got = append(got, g.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("extractByRules(%q):\n%s", said, diff)
		}
	}
}

func TestWhatIsFoundIsRecalledWhenItTellsSomething(t *testing.T) {
	t.Parallel()
	by := func(author string) Place { return Place{Author: author} }
	for name, c := range map[string]struct {
		found Found
		want  bool
	}{
		"a fact that hardly fits":         {Found{Kind: KindFact, Fit: 0.3, Score: 0.1}, true},
		"a passage that fits":             {Found{Kind: KindKnowledge, Fit: 0.5}, true},
		"a passage that hardly fits":      {Found{Kind: KindKnowledge, Fit: 0.4, Score: 1}, false},
		"what a person said":              {Found{Kind: KindTurn, Text: "The roof leaks.", Source: by("user"), Fit: 0.8, Score: 1}, true},
		"a wish with the same first word": {Found{Kind: KindTurn, Text: "Show me the code", Source: by("user"), Fit: 0.5, Score: 1}, false},
		"a question asked before":         {Found{Kind: KindTurn, Text: "Where does it leak?", Source: by("user"), Fit: 1, Score: 1}, false},
		"the answer beside it":            {Found{Kind: KindTurn, Text: "In the corner.", Source: by("agent"), Fit: 0.3, Score: 0.6}, true},
		"an answer far from it":           {Found{Kind: KindTurn, Text: "In the corner.", Source: by("agent"), Fit: 0.3, Score: 0.2}, false},
	} {
		if got := c.found.tells(); got != c.want {
			t.Errorf("%s: tells() = %t, want %t", name, got, c.want)
		}
	}
}
