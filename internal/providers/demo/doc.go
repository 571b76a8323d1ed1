// Package demo is a model without a vendor: a table of plain rules, so that everything can be tried offline and without a key.
//
// In:    a request; the last thing the user said is held against the rules, in order.
// Out:   a streamed answer, or calls of the tools the request offers; "help" prints the table.
// Keeps: nothing. Says: nothing.
// Not here: scripts (scripted), whose player this package uses.
package demo
