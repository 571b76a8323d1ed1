// Package events is the log of facts, its bus and its replay.
//
// In:    Append of facts inside the caller's transaction; Publish of droppable deltas.
// Out:   subscriptions from any cursor, for a Sink (WebSocket) or a loop (SSE, CLI); List; pending acknowledgements.
// Keeps: events_events, events_heads, events_floors, events_consumers, events_acks.
// Says:  what other parts append; of its own only system.restored. Fanout carries it to other processes.
// Not here: HTTP, SSE and WebSocket framing of connections (api); what the facts mean (their parts).
//
// Every workspace has one gapless cursor, given out at commit, so that the
// order of cursors is the order of commits in all processes. A workspace with
// subscribers has one log of encoded frames in memory; a subscriber is an offset
// into it. What is older is read from the database in chunks of the same frames,
// so replay and live delivery are one code, and a subscriber that stops reading
// costs its offset.
package events
