package gte

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes is the longest word that is cut into pieces; a longer one is unknown.
const maxWordRunes = 100

// tokenizer cuts text into the word pieces of the uncased BERT vocabulary.
type tokenizer struct {
	ids                  map[string]int32
	unknown, start, stop int32
}

func newTokenizer(vocabulary []string) (*tokenizer, error) {
	t := &tokenizer{ids: make(map[string]int32, len(vocabulary))}
	for i, piece := range vocabulary {
		t.ids[piece] = int32(i)
	}
	for piece, id := range map[string]*int32{"[UNK]": &t.unknown, "[CLS]": &t.start, "[SEP]": &t.stop} {
		var ok bool
		if *id, ok = t.ids[piece]; !ok {
			return nil, fmt.Errorf("the vocabulary has no %s", piece)
		}
	}
	return t, nil
}

// encode answers the ids of a text between the marks of its start and end, at
// most limit of them. A long text is read only as far as needed.
func (t *tokenizer) encode(text string, limit int) []int32 {
	out := append(make([]int32, 0, min(limit, len(text)/4+8)), t.start)
	for word := range words(text) {
		if out = t.pieces(out, word); len(out) >= limit-1 {
			out = out[:limit-1]
			break
		}
	}
	return append(out, t.stop)
}

// pieces cuts a word into the longest pieces there are, from the left.
func (t *tokenizer) pieces(out []int32, word string) []int32 {
	if id, ok := t.ids[word]; ok {
		return append(out, id)
	}
	if len(word) > maxWordRunes && utf8.RuneCountInString(word) > maxWordRunes {
		return append(out, t.unknown)
	}
	before := len(out)
	var buf [2 + maxWordRunes*utf8.UTFMax]byte
	copy(buf[:], "##")
	for from := 0; from < len(word); {
		id, to := t.longest(word, from, buf[:])
		if to == from {
			return append(out[:before], t.unknown)
		}
		out = append(out, id)
		from = to
	}
	return out
}

// longest finds the longest piece that starts at from, and where it ends. buf
// starts with the mark of a piece inside a word.
func (t *tokenizer) longest(word string, from int, buf []byte) (id int32, to int) {
	n := 2 + copy(buf[2:], word[from:])
	for to := len(word); to > from; to-- {
		if to < len(word) && !utf8.RuneStart(word[to]) {
			continue
		}
		key := buf[:n-(len(word)-to)]
		if from == 0 {
			key = key[2:]
		}
		if id, ok := t.ids[string(key)]; ok {
			return id, to
		}
	}
	return 0, from
}

// words yields the words of a text in lower case without accents; punctuation
// and Chinese characters are words of their own.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var word strings.Builder
		flush := func() bool {
			if word.Len() == 0 {
				return true
			}
			w := word.String()
			word.Reset()
			return yield(w)
		}
		for r := range plainRunes(text) {
			switch kindOf(r) {
			case dropped:
			case space:
				if !flush() {
					return
				}
			case alone:
				if !flush() || !yield(string(unicode.ToLower(r))) {
					return
				}
			default:
				word.WriteRune(unicode.ToLower(r))
			}
		}
		flush()
	}
}

// plainRunes yields the runes of a text with accents split off, a stretch at a time.
func plainRunes(text string) func(yield func(rune) bool) {
	return func(yield func(rune) bool) {
		var it norm.Iter
		for len(text) > 0 {
			n := 0
			for n < len(text) && text[n] < utf8.RuneSelf {
				n++
			}
			// The last plain letter may carry an accent of the runes that follow.
			if n > 0 && n < len(text) {
				n--
			}
			for i := range n {
				if !yield(rune(text[i])) {
					return
				}
			}
			if text = text[n:]; text == "" {
				return
			}
			end := foreign(text)
			it.InitString(norm.NFD, text[:end])
			for !it.Done() {
				for _, r := range string(it.Next()) {
					if !yield(r) {
						return
					}
				}
			}
			text = text[end:]
		}
	}
}

// foreign is the length of a stretch up to the second plain letter in a row,
// where it is safe to normalise apart.
func foreign(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] < utf8.RuneSelf && text[i-1] < utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// runeKind is what a rune does to a word.
type runeKind int

const (
	letter  runeKind = iota // part of a word
	space                   // ends a word
	alone                   // a word of its own
	dropped                 // as if it were not there
)

func kindOf(r rune) runeKind {
	if r < utf8.RuneSelf {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			return space
		case r < ' ' || r == 0x7f:
			return dropped
		case '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return letter
		}
		return alone
	}
	switch {
	case r == utf8.RuneError, unicode.Is(unicode.Mn, r), unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return dropped
	case unicode.IsSpace(r), unicode.Is(unicode.Zs, r):
		return space
	case unicode.IsPunct(r), chinese(r):
		return alone
	}
	return letter
}

// chinese says whether a rune is of the blocks that BERT cuts between every two.
func chinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
