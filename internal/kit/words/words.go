// Package words cuts text into what a full-text index looks for.
//
// In:    text in any script, or what someone typed into a search field.
// Out:   the same text with scripts that have no spaces cut into overlapping pairs; the terms of a query.
// Keeps: nothing. Says: nothing.
// Not here: the index itself (the parts that search).
package words

import (
	"strings"
	"unicode"
)

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Index prepares a text for an index that splits at spaces and signs: runs of
// scripts without spaces become pairs, so that any part of a run can be found.
func Index(text string) string {
	if !strings.ContainsFunc(text, inUnspaced) {
		return text
	}
	var b strings.Builder
	b.Grow(2 * len(text))
	var before rune
	pairs := 0
	for _, r := range text {
		if !inUnspaced(r) {
			lone(&b, before, pairs)
			b.WriteRune(r)
			before, pairs = 0, 0
			continue
		}
		if before != 0 {
			b.WriteByte(' ')
			b.WriteRune(before)
			b.WriteRune(r)
			pairs++
		} else {
			b.WriteByte(' ')
		}
		before = r
	}
	lone(&b, before, pairs)
	return b.String()
}

// lone writes a character that had no neighbour to pair with.
func lone(b *strings.Builder, r rune, pairs int) {
	if r == 0 {
		return
	}
	if pairs == 0 {
		b.WriteRune(r)
	}
	b.WriteByte(' ')
}

// Terms are the words of a query, prepared as Index prepares a text; only letters and digits are left.
func Terms(query string, most int) []string {
	terms := strings.FieldsFunc(Index(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if len(terms) > most {
		terms = terms[:most]
	}
	return terms
}

func inUnspaced(r rune) bool {
	return r >= 0x0e00 && (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, unspaced...)
}
