// Package runs works on requests: from a message to its answer.
//
// In:    a message for an agent, in a new conversation or an old one; answers to what a run asks.
// Out:   the agent's answer, streamed as it comes and kept when it is whole; the log of how it came about.
// Keeps: runs_runs, runs_steps, runs_inbox, runs_cases, runs_trials; files of steps on their way there, where one process works alone.
// Says:  runs.queued, .routed, .started, .recalled, .turn_finished, .tool_started, .tool_finished, .helper_spawned,
// .helper_finished, .helper_failed, .waiting, .answered, .told, .steered, .compacted, .finished, .failed, .cancelled, .suggested; and,
// droppable, .text_delta, .reasoning_delta, .tool_progress, .helper_progress. A person's run says them on its conversation's
// channel, a helper on its own, so that nothing it says is taken for the answer.
// Not here: what an agent is and how its loop goes (agents), what was said (conversations), whether a call may
// run (guard), waiting in line and coming back after a crash (jobs).
//
// The message, the run and its job are one transaction, so an accepted request is worked on even if the process dies
// the moment after. A run does not depend on the connection that asked for it, nor on the process: every turn is kept
// once it is whole, every call before it is made and after, as steps. Whoever takes a run up reads its steps,
// repeats only what is safe to repeat, and asks a person about the rest. A run that waits for a person has no
// goroutine and no job.
//
// A run's row counts signals: what a person sent while it ran. A run ends or parks only if it has looked at all of
// them, in the same statement, so that no message and no answer falls between the checks.
package runs
