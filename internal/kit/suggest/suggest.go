// Package suggest finds the word someone probably meant.
//
// In:    a misspelt word and the words that exist.
// Out:   the closest one, or nothing when none is close.
// Keeps: nothing. Says: nothing.
// Not here: ranking of search results.
package suggest

import "strings"

// Closest is the candidate with the fewest edits from word, if it is close
// enough to be worth offering: at most a third of the word, and at least one.
func Closest(word string, candidates []string) (string, bool) {
	best, distance := "", max(1, len([]rune(word))/3)+1
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best, best != ""
}

// edits counts insertions, deletions, replacements and swaps of neighbours.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = above, row, before
	}
	return rows[1][len(y)]
}
