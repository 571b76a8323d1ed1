package api

import (
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

const (
	sightTimeout = 2 * time.Second
	sightPause   = 100 * time.Millisecond // before a question that had no answer is asked again
	sightLife    = 20 * time.Second       // how long a change made by another process may go unnoticed
	maxSights    = 20_000
)

// sight is one person looking at one conversation.
type sight struct {
	user         ids.User
	workspace    ids.Workspace
	conversation string
}

// sights remembers who may see what for a moment: many subscribers ask the same.
type sights struct {
	mu    sync.Mutex // guards the field below
	known map[sight]verdict
}

type verdict struct {
	yes   bool
	until time.Time
}

// ask gives the remembered verdict, or that of look. A no is not remembered: a
// conversation that is just being opened must not stay hidden.
func (v *sights) ask(of sight, look func() bool) bool {
	now := time.Now()
	v.mu.Lock()
	known, ok := v.known[of]
	v.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.yes
	}
	yes := look()
	v.mu.Lock()
	defer v.mu.Unlock()
	if !yes {
		delete(v.known, of)
		return false
	}
	if v.known == nil || len(v.known) >= maxSights {
		v.known = make(map[sight]verdict)
	}
	v.known[of] = verdict{yes, now.Add(sightLife)}
	return true
}

func (v *sights) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known = nil
}

// reauthorise has every subscriber of a workspace judged anew.
func (s *Server) reauthorise(ws ids.Workspace) {
	s.visible.forget()
	for _, k := range s.streams.all() {
		if k.caller.Load().Workspace == ws {
			k.sub.Reauthorise()
		}
	}
}
