// Package guard decides whether a tool call may run, and keeps what was decided.
//
// In:    a call of a tool: by whom, from which door, in which folder, with which arguments.
// Out:   a ruling: allow, ask a person, or refuse, with the rule that decided; approvals and their answers; the journal of calls.
// Keeps: guard_policies, guard_approvals, guard_allowed, guard_calls.
// Says:  guard.asked, guard.answered, guard.expired, guard.withdrawn on approvals; guard.refused, guard.allowed, guard.disallowed, guard.policy_changed on guard.
// Not here: running the call (tools); who may answer (identity); how a command is understood (guard/command);
// what a call is about to change and how it is undone (projects).
//
// A call passes one chain, whatever door it came through: the workspace's
// policy for the tool and the agent, rates, paths, addresses, secrets that would
// leave, spending, and what the command would do. The strictest finding wins. A
// finding that a person may lift is compared with earlier answers: the list of
// what is allowed, and the approval that the call names.
package guard
