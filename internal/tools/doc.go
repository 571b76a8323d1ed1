// Package tools is everything an agent can use, behind one toolbox.
//
// In:    a Call: which tool, by whom, in which folder, with which arguments.
// Out:   a Result: what the model reads, cut to a bounded size, or why there is none.
// Keeps: tools_todos, tools_scratch; long outputs as bodies in the store.
// Says:  nothing; an Auditor hears of every call.
// Not here: whether a call may run (the Gate, which guard implements); the loop that asks for it (agents);
// what a model is told about it (providers).
//
// A call takes one road: found, allowed to this agent, arguments repaired and
// checked, judged by the Gate, journalled, run within its limits, cut, journalled
// again. Whatever goes wrong on it for reasons the model can do something about is a Result
// that says so; an error means the caller was cancelled or the journal is broken.
package tools
