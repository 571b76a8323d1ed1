// Package runs works on requests: from a message to its answer.
//
// In:    a message for an agent, in a new conversation or an old one.
// Out:   the agent's answer, streamed as it comes and kept when it is whole.
// Keeps: runs_runs.
// Says:  runs.queued, runs.started, runs.text_delta (droppable), runs.finished,
// runs.failed, runs.cancelled; all on the conversation's channel.
// Not here: what an agent is (agents), what was said (conversations), waiting in
// line and coming back after a crash (jobs).
//
// The message, the run and its job are one transaction, so an accepted request
// is worked on even if the process dies the moment after. A run does not depend
// on the connection that asked for it.
package runs
