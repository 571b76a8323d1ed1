// Package documents reads files of many formats into text that can be cited.
//
// What a file is is decided by its first bytes; the name only tells kinds of
// text apart. Every reader is bounded in what it takes into memory, and says
// in a fault why it could not read: too large, locked, broken, empty, not text.
package documents
