// Package entities finds the things a text names, by rules alone.
//
// In:    something a person wrote.
// Out:   names, addresses, paths, identifiers and the like with what they are, and how pairs of them relate.
// Keeps: nothing. Says: nothing.
// Not here: the graph they are put into (memory).
//
// Names are runs of capitalised words. A word that begins a sentence is one only if the text does not also write it
// in small letters; particles join names, and titles before them are left out.
package entities

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Entity is something a text names.
type Entity struct {
	Name       string
	Type       string // Unknown, person, organisation, place, email, url, path, identifier, issue
	start, end int    // bytes of the sentence
}

// Unknown is the type of a name that says nothing about what it names.
const Unknown = "unknown"

// Relation is how one entity relates to another, as a sentence has it.
type Relation struct{ From, To, Type string }

// Sentence is what was found in one of a text.
type Sentence struct {
	Text      string
	Entities  []Entity
	Relations []Relation
}

const (
	longestText  = 16 << 10
	longestName  = 80
	mostEntities = 12 // of one sentence: more is a list, which relates nothing
)

var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		{"url", regexp.MustCompile(`https?://[^\s<>"')\]]+[^\s<>"')\].,;:!?]`)},
		{"email", regexp.MustCompile(`[\w.+-]+@[\w-]+\.[\w.-]*\w`)},
		{"path", regexp.MustCompile(`(?:~|\.{1,2})?/(?:[\w.@-]+/)+[\w.@-]*\w|\b[\w-]+(?:/[\w.-]+)+\.\w{1,5}\b`)},
		{"issue", regexp.MustCompile(`\b[A-Z]{2,10}-\d+\b`)},
		{"identifier", regexp.MustCompile(`\b(?:[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z0-9]+(?:_[A-Z0-9]+)+)\b`)},
	}
})

type pattern struct {
	kind string
	expr *regexp.Regexp
}

// Find looks for entities, sentence by sentence; those without any are left out.
func Find(text string) []Sentence {
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "")
	}
	list := Split(text)
	seen := lowered(list)
	var out []Sentence
	for _, s := range list {
		found := patterned(s)
		found = append(found, names(s, found, seen)...)
		if len(found) == 0 || len(found) > mostEntities {
			continue
		}
		slices.SortFunc(found, func(a, b Entity) int { return a.start - b.start })
		out = append(out, Sentence{s, found, relations(s, found)})
	}
	return out
}

var ends = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?。！？]+["')\]]*(?:\s+|$)|\n+`) })

// Split cuts a text into sentences, leaving out questions, code and quotations.
func Split(text string) []string {
	var list []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || line == "" || strings.HasPrefix(line, ">") {
			continue
		}
		last := 0
		for _, at := range ends().FindAllStringIndex(line, -1) {
			if abbreviated(line[last:at[0]]) {
				continue
			}
			if !strings.ContainsAny(line[at[0]:at[1]], "?？") { // a question says nothing about what it names
				list = append(list, strings.TrimSpace(line[last:at[0]]))
			}
			last = at[1]
		}
		list = append(list, strings.TrimSpace(line[last:]))
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// abbreviated says whether the point after a text ends no sentence: "Dr." or an initial.
func abbreviated(text string) bool {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	return titles[strings.ToLower(word)] || len(word) == 1 && unicode.IsUpper(rune(word[0]))
}

func patterned(sentence string) []Entity {
	var found []Entity
	for _, p := range patterns() {
		for _, at := range p.expr.FindAllStringIndex(sentence, -1) {
			if at[1]-at[0] <= longestName*2 && !covered(found, at[0], at[1]) {
				found = append(found, Entity{sentence[at[0]:at[1]], p.kind, at[0], at[1]})
			}
		}
	}
	return found
}

func covered(found []Entity, start, end int) bool {
	return slices.ContainsFunc(found, func(e Entity) bool { return start < e.end && e.start < end })
}

// token is a word of a sentence.
type token struct {
	text       string
	start, end int
}

func tokens(sentence string) []token {
	var list []token
	start := -1
	for i, r := range sentence + " " {
		part := unicode.IsLetter(r) || unicode.IsNumber(r) || (r == '-' || r == '&') && start >= 0
		if part && start < 0 {
			start = i
		}
		if !part && start >= 0 {
			list = append(list, token{strings.TrimRight(sentence[start:i], "-&"), start, i})
			start = -1
		}
	}
	return list
}

// lowered are the words a text writes in small letters somewhere.
func lowered(sentences []string) map[string]bool {
	seen := map[string]bool{}
	for _, s := range sentences {
		for _, t := range tokens(s) {
			if r, _ := utf8.DecodeRuneInString(t.text); unicode.IsLower(r) {
				seen[t.text] = true
			}
		}
	}
	return seen
}

// names finds runs of capitalised words.
func names(sentence string, known []Entity, lower map[string]bool) []Entity {
	list := tokens(sentence)
	if shouted(list) {
		return nil
	}
	var found []Entity
	for i := 0; i < len(list); {
		if !begins(sentence, list, i, lower) || covered(known, list[i].start, list[i].end) {
			i++
			continue
		}
		j := i + 1
		for j < len(list) && adjacent(sentence, list[j-1], list[j]) && !covered(known, list[j].start, list[j].end) {
			if capital(list[j].text) && !common[strings.ToLower(list[j].text)] {
				j++
			} else if particles[list[j].text] && j+1 < len(list) && capital(list[j+1].text) && adjacent(sentence, list[j], list[j+1]) {
				j += 2
			} else {
				break
			}
		}
		kind := Unknown
		if titles[strings.ToLower(list[i].text)] {
			kind = "person"
			i++
		}
		if i < j && list[j-1].end-list[i].start <= longestName {
			name := sentence[list[i].start:list[j-1].end]
			if kind == Unknown {
				kind = typeOf(name)
			}
			found = append(found, Entity{strings.TrimRight(name, "-&"), kind, list[i].start, list[j-1].end})
		}
		i = max(j, i+1)
	}
	return found
}

// begins says whether a name begins at a word. The first of a sentence or a quotation is in capitals anyway.
func begins(sentence string, list []token, i int, lower map[string]bool) bool {
	word := strings.ToLower(list[i].text)
	if !capital(list[i].text) {
		return false
	}
	if titles[word] {
		return i+1 < len(list) && capital(list[i+1].text)
	}
	if common[word] {
		return false
	}
	if before, _ := utf8.DecodeLastRuneInString(sentence[:list[i].start]); i > 0 && !strings.ContainsRune(`"'“‘«„`, before) {
		return true
	}
	next := len(list) > i+1 && capital(list[i+1].text) && !common[strings.ToLower(list[i+1].text)]
	return next || !lower[word] && utf8.RuneCountInString(word) > 3
}

// capital says whether a word is written like a name. One letter is none.
func capital(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && len(word) > size
}

// shouted says whether a sentence is in capitals, where nothing can be told by them.
func shouted(list []token) bool {
	n := 0
	for _, t := range list {
		if strings.ToUpper(t.text) == t.text && strings.ToLower(t.text) != t.text {
			n++
		}
	}
	return n > 1 && n*2 > len(list)
}

// adjacent says whether only a space stands between two words, or the point of an initial or title.
func adjacent(sentence string, a, b token) bool {
	between := sentence[a.end:b.start]
	return between == " " || between == ". " && (len(a.text) == 1 || titles[strings.ToLower(a.text)])
}

func typeOf(name string) string {
	last := strings.ToLower(name[strings.LastIndexByte(name, ' ')+1:])
	switch {
	case organisations[last]:
		return "organisation"
	case places[last]:
		return "place"
	}
	return Unknown
}
