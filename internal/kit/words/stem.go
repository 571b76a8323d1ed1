package words

import "strings"

// Stem takes English endings off a lower-case word, after M. F. Porter, "An
// algorithm for suffix stripping" (1980). Words with other letters than a to z
// are left as they are.
func Stem(word string) string { return string(stem([]byte(word))) }

// stem shortens a word where it stands.
func stem(word []byte) []byte {
	if len(word) < 3 {
		return word
	}
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return word
		}
	}
	s := stemmer(word)
	s.plurals()
	s.pastAndGerund()
	s.finalY()
	s.replace(&longEndings)
	s.replace(&middleEndings)
	s.dropEnding()
	s.finalE()
	return s
}

// stemmer is a word that is being shortened.
type stemmer []byte

// consonant says whether the letter at i is one; a y behind a consonant is not.
func (s stemmer) consonant(i int) bool {
	switch s[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !s.consonant(i-1)
	}
	return true
}

// measure counts how often a vowel is followed by a consonant in the first n letters.
func (s stemmer) measure(n int) int {
	m, vowel := 0, false
	for i := range n {
		c := s.consonant(i)
		if c && vowel {
			m++
		}
		vowel = !c
	}
	return m
}

func (s stemmer) hasVowel(n int) bool {
	for i := range n {
		if !s.consonant(i) {
			return true
		}
	}
	return false
}

func (s stemmer) doubled() bool {
	n := len(s)
	return n >= 2 && s[n-1] == s[n-2] && s.consonant(n-1)
}

// short says whether the first n letters end like "hop": consonant, vowel, consonant that is no w, x or y.
func (s stemmer) short(n int) bool {
	return n >= 3 && s.consonant(n-1) && !s.consonant(n-2) && s.consonant(n-3) && strings.IndexByte("wxy", s[n-1]) < 0
}

func (s stemmer) ends(with string) bool {
	at := len(s) - len(with)
	return at > 0 && s[len(s)-1] == with[len(with)-1] && string(s[at:]) == with
}

func (s *stemmer) cut(n int, add string) { *s = append((*s)[:len(*s)-n], add...) }

func (s *stemmer) plurals() {
	switch {
	case s.ends("sses"), s.ends("ies"):
		s.cut(2, "")
	case s.ends("ss"):
	case s.ends("s"):
		s.cut(1, "")
	}
}

func (s *stemmer) pastAndGerund() {
	switch {
	case s.ends("eed"):
		if s.measure(len(*s)-3) > 0 {
			s.cut(1, "")
		}
		return
	case s.ends("ed") && s.hasVowel(len(*s)-2):
		s.cut(2, "")
	case s.ends("ing") && s.hasVowel(len(*s)-3):
		s.cut(3, "")
	default:
		return
	}
	switch {
	case s.ends("at"), s.ends("bl"), s.ends("iz"):
		s.cut(0, "e")
	case s.doubled() && strings.IndexByte("lsz", (*s)[len(*s)-1]) < 0:
		s.cut(1, "")
	case s.measure(len(*s)) == 1 && s.short(len(*s)):
		s.cut(0, "e")
	}
}

func (s *stemmer) finalY() {
	if s.ends("y") && s.hasVowel(len(*s)-1) {
		s.cut(1, "i")
	}
}

// ending is a suffix and what takes its place.
type ending struct{ from, to string }

// endings are looked through in their order.
type endings struct {
	list []ending
	last [26]bool // the letters that one of them ends with: most words end with none
}

func listed(list ...ending) endings {
	e := endings{list: list}
	for _, one := range list {
		e.last[one.from[len(one.from)-1]-'a'] = true
	}
	return e
}

var (
	longEndings = listed([]ending{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"}, {"alli", "al"}, {"entli", "ent"},
		{"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"},
		{"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}, {"logi", "log"},
	}...)
	middleEndings = listed([]ending{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}...)
	lastEndings   = listed([]ending{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""}, {"ement", ""}, {"ment", ""}, {"ent", ""},
		{"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""},
	}...)
)

// fitting is the first of the endings that the word has.
func (s stemmer) fitting(of *endings) (ending, bool) {
	if of.last[s[len(s)-1]-'a'] {
		for _, e := range of.list {
			if s.ends(e.from) {
				return e, true
			}
		}
	}
	return ending{}, false
}

// replace swaps the first ending that fits if what stays is long enough.
func (s *stemmer) replace(of *endings) {
	if e, ok := s.fitting(of); ok && s.measure(len(*s)-len(e.from)) > 0 {
		s.cut(len(e.from), e.to)
	}
}

func (s *stemmer) dropEnding() {
	e, ok := s.fitting(&lastEndings)
	if !ok {
		return
	}
	stem := len(*s) - len(e.from)
	if e.from == "ion" && strings.IndexByte("st", (*s)[stem-1]) < 0 {
		return
	}
	if s.measure(stem) > 1 {
		s.cut(len(e.from), "")
	}
}

func (s *stemmer) finalE() {
	if s.ends("e") {
		m := s.measure(len(*s) - 1)
		if m > 1 || m == 1 && !s.short(len(*s)-1) {
			s.cut(1, "")
		}
	}
	if s.measure(len(*s)) > 1 && s.doubled() && s.ends("l") {
		s.cut(1, "")
	}
}
