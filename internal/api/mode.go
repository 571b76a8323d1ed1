package api

import (
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Mode says whether new work is taken.
type Mode string

// The modes. Maintenance and Draining answer new work with 503; Draining also
// sends long streams away.
const (
	Normal      Mode = "normal"
	Maintenance Mode = "maintenance"
	Draining    Mode = "draining"
)

type modeState struct {
	mode  Mode
	since time.Time
}

func (m *modeState) public() ModeState { return ModeState{m.mode, m.since} }

// Mode is the current mode and since when it holds.
func (s *Server) Mode() (Mode, time.Time) {
	m := s.mode.Load()
	return m.mode, m.since
}

// SetMode changes the mode at once; one that holds already goes on.
func (s *Server) SetMode(m Mode) { s.changeMode(m) }

func (s *Server) changeMode(m Mode) (before, now *modeState) {
	for now = (&modeState{m, time.Now().UTC()}); ; {
		before = s.mode.Load()
		if before.mode == m {
			return before, before
		}
		if s.mode.CompareAndSwap(before, now) {
			break
		}
	}
	if m == Draining {
		s.streams.drain()
	}
	return before, now
}

// down is why new work is not taken now, or nil.
func (s *Server) down() error {
	switch s.mode.Load().mode {
	case Maintenance:
		return fault.New(fault.Unavailable, "maintenance", "Fluxway is being maintained and takes no new work.").
			WithHint("Try again in a while; an administrator ends it with POST /api/v1/system/mode.").RetryIn(30 * time.Second)
	case Draining:
		return fault.New(fault.Unavailable, "draining", "This server is about to stop and takes no new work.").
			WithHint("Try again in a moment; another instance or the restarted one will answer.").RetryIn(5 * time.Second)
	}
	return nil
}
