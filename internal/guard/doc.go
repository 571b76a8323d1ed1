// Package guard decides whether a tool call may run.
//
// In:    a command somebody wants to run, and where.
// Out:   a ruling: allow, warn, ask a person, or refuse, and the rule that decided.
// Keeps: nothing.
// Says:  nothing.
// Not here: running the call (tools); who may answer (identity); how a command is understood (guard/command).
package guard
