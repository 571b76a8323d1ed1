package guard

import (
	"fmt"
	"path"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
)

const maxWindows = 10_000

// rateKey is who is counted, by which rule.
type rateKey struct {
	workspace ids.Workspace
	rule      Rate
	who       string
}

// rates counts calls in sliding windows, in this process.
type rates struct {
	mu      sync.Mutex // guards the field below
	windows map[rateKey]*window
}

func newRates() *rates { return &rates{windows: make(map[rateKey]*window)} }

// window holds the moments of the last calls, as many as are allowed.
type window struct {
	times []int64 // a ring once it is full
	next  int
}

// take notes a call at now if fewer than limit were made since now-every; else it says how long to wait.
func (w *window) take(now time.Time, limit int, every time.Duration) time.Duration {
	if len(w.times) < limit {
		w.times = append(w.times, now.UnixNano())
		return 0
	}
	oldest := time.Unix(0, w.times[w.next])
	if wait := oldest.Add(every).Sub(now); wait > 0 {
		return wait
	}
	w.times[w.next] = now.UnixNano()
	w.next = (w.next + 1) % len(w.times)
	return 0
}

func (w *window) newest() int64 {
	if len(w.times) == 0 {
		return 0
	}
	return w.times[(w.next+len(w.times)-1)%len(w.times)]
}

// take counts a call for a rule.
func (r *rates) take(key rateKey, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.windows[key]
	if w == nil {
		if len(r.windows) >= maxWindows {
			r.forget(now)
		}
		w = &window{}
		r.windows[key] = w
	}
	return w.take(now, key.rule.Limit, key.rule.Every.Std())
}

// forget drops windows that nothing is left in; all of them if that frees nothing.
func (r *rates) forget(now time.Time) {
	for key, w := range r.windows {
		if now.UnixNano()-w.newest() > int64(key.rule.Every.Std()) {
			delete(r.windows, key)
		}
	}
	if len(r.windows) >= maxWindows {
		clear(r.windows)
	}
}

// judgeRates counts the call by every rule that is about it.
func (g *Guard) judgeRates(j *judging) finding {
	for _, rule := range j.policy.Rates {
		if rule.Tool != "" {
			if ok, err := path.Match(rule.Tool, j.spec.Name); !ok || err != nil {
				continue
			}
		}
		key := rateKey{workspace: j.call.Workspace, rule: rule}
		switch rule.Per {
		case PerAgent:
			key.who = j.call.Agent
		case PerTool:
			key.who = j.call.Agent + "\x00" + j.spec.Name
		case PerWorkspace:
		}
		if wait := g.rates.take(key, g.now()); wait > 0 {
			return final("guard.rate", fmt.Sprintf("More than %d calls in %s per %s.", rule.Limit, rule.Every.Std(), rule.Per),
				fmt.Sprintf("Wait %s before the next call.", wait.Round(time.Second)+time.Second))
		}
	}
	return finding{}
}
