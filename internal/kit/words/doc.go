// Package words turns text into the words it is found by.
//
// In:    a text, or a question.
// Out:   its words, as both databases shall find them; its language, as a guess.
// Keeps: nothing. Says: nothing.
// Not here: the indexes (the parts that search).
//
// The same cut serves both engines, so that a text is found the same way on
// either: words are lower case without accents, English endings are taken off,
// names in code are found by their parts, and scripts that write without
// spaces are cut into overlapping pairs (Han, kana, hangul) or triples (Thai,
// Lao, Khmer, Burmese).
package words
