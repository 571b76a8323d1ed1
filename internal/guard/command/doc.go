// Package command judges a shell command before it runs.
//
// In:    the text of a command, the folder it would run in, variables known.
// Out:   a Ruling: allow, warn, ask or refuse, with the rule, the part of the
// text that matched, what would happen, and a safer way.
// Keeps: nothing. Files named on the line are read through Options.FS.
// Says:  nothing.
// Not here: asking people, recording, undoing (guard); running it (tools).
//
// The text is parsed, walked as a shell would run it, and flattened to simple
// commands; each is matched with the rules of the packs (../packs). What is not
// understood is asked, never allowed: text that does not parse, a program no
// pack knows, a word whose value cannot be told where the value matters, and a
// command that needs more steps than the budget.
package command
