package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the length in bytes a word is cut at: nobody looks for more.
const longest = 64

// Cut lists the words of a text in their order, repeated as often as they occur.
func Cut(text string) []string {
	c := cutter{out: make([]string, 0, len(text)/6+1), buf: make([]byte, 0, longest)}
	c.cut(text)
	return c.out
}

// Join is Cut as one text with single spaces, which is how words are kept.
func Join(text string) string {
	c := cutter{buf: make([]byte, 0, len(text)), joined: true}
	c.cut(text)
	return string(c.buf)
}

// cutter collects words.
type cutter struct {
	joined bool
	buf    []byte   // the words so far, if they are joined
	out    []string // else
}

// cut walks over runs of one sort of letters.
func (c *cutter) cut(text string) {
	for i := 0; i < len(text); {
		r, size := letterAt(text, i)
		sort := sortOf(r)
		if sort == apart {
			i += size
			continue
		}
		start := i
		for i += size; i < len(text); i += size {
			r, size = letterAt(text, i)
			if next := sortOf(r); next != sort && !joins(text, i, size, r, sort) {
				break
			}
		}
		c.run(text[start:i], sort)
	}
}

func letterAt(text string, i int) (r rune, size int) {
	if c := text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text[i:])
}

// joins says whether a sign belongs inside a word: an apostrophe between letters.
func joins(text string, i, size int, r rune, s sort) bool {
	if s != spaced || r != '\'' && r != '’' || i+size >= len(text) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[i+size:])
	return sortOf(next) == spaced
}

func (c *cutter) run(run string, s sort) {
	switch s {
	case pairs:
		c.grams(run, 2)
	case triples:
		c.grams(run, 3)
	case spaced:
		c.word(run)
	}
}

// grams cuts a run into overlapping pieces of n letters; a shorter one is kept whole.
func (c *cutter) grams(run string, n int) {
	letters := []rune(run)
	if len(letters) <= n {
		c.put(run)
		return
	}
	for i := 0; i+n <= len(letters); i++ {
		c.put(string(letters[i : i+n]))
	}
}

// put adds a word as it is.
func (c *cutter) put(word string) {
	start := c.begin()
	c.buf = append(c.buf, word...)
	c.end(start)
}

// begin says where in buf the next word goes.
func (c *cutter) begin() int {
	if c.joined && len(c.buf) > 0 {
		c.buf = append(c.buf, ' ')
	}
	return len(c.buf)
}

// end takes the word that stands in buf from start on.
func (c *cutter) end(start int) {
	if !c.joined {
		c.out = append(c.out, string(c.buf[start:]))
		c.buf = c.buf[:start]
	}
}

var apostrophes = strings.NewReplacer("'s", "", "’s", "", "'", "", "’", "")

// word adds one word, and the parts of a name that is written in camelCase.
func (c *cutter) word(word string) {
	if strings.IndexByte(word, '\'') >= 0 || strings.Contains(word, "’") {
		word = apostrophes.Replace(word)
	}
	if word == "" {
		return
	}
	if parts := humps(word); len(parts) > 1 {
		for _, p := range parts {
			c.add(p)
		}
	}
	c.add(word)
}

func (c *cutter) add(word string) {
	start := c.begin()
	if c.lower(word); len(c.buf) == start { // nothing but accents
		c.buf = c.buf[:max(start-1, 0)]
		return
	}
	c.buf = c.buf[:start+len(stem(c.buf[start:]))]
	c.end(start)
}

// lower adds a word to buf, in lower case, without accents and not too long.
func (c *cutter) lower(word string) {
	start := len(c.buf)
	for i := range len(word) {
		b := word[i]
		if b >= utf8.RuneSelf {
			word = fold(word)
			c.buf = append(c.buf[:start], word[:cutAt(word)]...)
			return
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		c.buf = append(c.buf, b)
	}
	c.buf = c.buf[:min(len(c.buf), start+longest)]
}

// cutAt is how much of a word is kept.
func cutAt(word string) int {
	n := min(len(word), longest)
	for !utf8.ValidString(word[:n]) {
		n--
	}
	return n
}

// humps splits a name where a capital begins a part: parseURLTwice → parse, URL, Twice.
func humps(word string) []string {
	if !hasHump(word) {
		return nil
	}
	letters := []rune(word)
	var parts []string
	start := 0
	for i := 1; i < len(letters); i++ {
		up, before := unicode.IsUpper(letters[i]), unicode.IsUpper(letters[i-1])
		next := i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if up && (!before || next) && unicode.IsLetter(letters[i-1]) {
			parts = append(parts, string(letters[start:i]))
			start = i
		}
	}
	if start == 0 {
		return nil
	}
	return append(parts, string(letters[start:]))
}

// hasHump says whether a word may have a capital behind its first letter.
func hasHump(word string) bool {
	for i := 1; i < len(word); i++ {
		if c := word[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return true
		}
	}
	return false
}

// sort is how a letter's script writes words.
type sort uint8

const (
	apart   sort = iota // no letter
	spaced              // words with spaces between them
	pairs               // no spaces: found by pairs
	triples             // no spaces, small letters: found by triples
)

func sortOf(r rune) sort {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return spaced
		}
		return apart
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー':
		return pairs
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return triples
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return spaced
	}
	return apart
}
