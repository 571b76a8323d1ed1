package events

import (
	"sync/atomic"

	"github.com/fluxway/fluxway/internal/observe"
)

// meters count what the hub does.
type meters struct {
	facts, deltas, dropped, throttled, closed observe.Count
	writes, bytes, chunks, fills, unsent      observe.Count

	logBytes *atomic.Int64
	blocked  *atomic.Int64
}

func newMeters(o *observe.Observe, h *Hub) meters {
	count := func(name, help string) observe.Count { return o.Counter(name, help).With() }
	m := meters{
		facts:     count("events_facts_total", "Facts committed by this process."),
		deltas:    count("events_deltas_total", "Deltas published by this process."),
		dropped:   count("events_deltas_dropped_total", "Deltas that slow subscribers did not get."),
		throttled: count("events_throttled_total", "Times a subscriber was told that it reads too slowly."),
		closed:    count("events_slow_closed_total", "Subscribers closed because they did not read."),
		writes:    count("events_writes_total", "Writes to sinks."),
		bytes:     count("events_sent_bytes_total", "Bytes taken by sinks."),
		chunks:    count("events_chunks_total", "Chunks read back from the database."),
		fills:     count("events_fills_total", "Reads of facts that other processes committed."),
		unsent:    count("events_unsent_total", "Messages that did not reach the fanout."),
		logBytes:  new(atomic.Int64),
		blocked:   new(atomic.Int64),
	}
	o.GaugeFunc("events_subscribers", "Subscribers of this process.", func() float64 { return float64(h.Stats().Subscribers) })
	o.GaugeFunc("events_blocked_subscribers", "Subscribers whose sink is full.", func() float64 { return float64(m.blocked.Load()) })
	o.GaugeFunc("events_log_bytes", "Memory of all logs.", func() float64 { return float64(m.logBytes.Load()) })
	return m
}

// Stats is the hub at one moment.
type Stats struct {
	Subscribers int   `json:"subscribers"`
	Blocked     int64 `json:"blocked"`
	Workspaces  int   `json:"workspaces"` // with a log in memory
	LogBytes    int64 `json:"log_bytes"`
}

// Stats says how the hub is doing.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Stats{Subscribers: h.subs, Blocked: h.meters.blocked.Load(), Workspaces: len(h.streams), LogBytes: h.meters.logBytes.Load()}
}
