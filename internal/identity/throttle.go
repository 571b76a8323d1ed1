package identity

import (
	"net/netip"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// How many failures are free before waiting begins, and how long it can get.
// Names are tried from one address; a shared address has many people behind it.
const (
	freeByName    = 5
	freeByAddress = 25
	longestWait   = 15 * time.Minute
	forgetAfter   = time.Hour
	maxAttempts   = 20_000 // remembered names and addresses
)

// waitAfter is how long to wait after so many failures in a row.
func waitAfter(failures, free int) time.Duration {
	if failures < free {
		return 0
	}
	return min(longestWait, time.Second<<min(failures-free, 20))
}

// throttle slows guessing down. What it counts is kept per address, so that
// nobody can lock another out.
type throttle struct {
	now func() time.Time

	mu    sync.Mutex // guards the fields below
	tries map[attempt]*tries
}

// attempt is what failures are counted by: an address, or a name tried from one.
type attempt struct {
	network netip.Prefix
	name    string // "" for the address itself
}

type tries struct {
	failures int
	until    time.Time // no try before
	last     time.Time
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, tries: make(map[attempt]*tries)}
}

// network is the address as far as one customer has it: IPv6 by /64.
func network(ip netip.Addr) netip.Prefix {
	ip = ip.Unmap().WithZone("")
	size := 32
	if ip.Is6() {
		size = 64
	}
	p, err := ip.Prefix(size)
	if err != nil { // no address: work of our own
		return netip.Prefix{}
	}
	return p
}

// outcome is how a try ended.
type outcome int

const (
	failed    outcome = iota
	succeeded         // the name starts afresh
	neutral           // as if it had not been tried
)

// begin counts a try before its outcome is known, so that many at once do not
// slip through, or says how long to wait. Without an address nothing is
// counted: that is work of our own.
func (t *throttle) begin(ip netip.Addr, name string) (done func(outcome), err error) {
	if !ip.IsValid() {
		return func(outcome) {}, nil
	}
	address := attempt{network: network(ip)}
	return t.count([]attempt{address, {network: address.network, name: name}}, []int{freeByAddress, freeByName})
}

// beginFactor counts tries of a user's second factor from anywhere: only those
// who know the password get here, so nobody else is locked out.
func (t *throttle) beginFactor(user string) (done func(outcome), err error) {
	return t.count([]attempt{{name: user}}, []int{freeByName})
}

func (t *throttle) count(keys []attempt, free []int) (func(outcome), error) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.makeRoom(now)
	counted := make([]*tries, len(keys))
	wait := time.Duration(0)
	for i, key := range keys {
		counted[i] = t.get(key, now)
		wait = max(wait, counted[i].until.Sub(now))
	}
	if wait > 0 {
		return nil, tooMany(wait)
	}
	for i, c := range counted {
		c.count(now, free[i])
	}
	return func(o outcome) {
		if o == failed {
			return
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, c := range counted {
			c.failures--
			c.until = time.Time{} // it was in the past when this try was let in
		}
		if o == succeeded {
			delete(t.tries, keys[len(keys)-1])
		}
	}, nil
}

func (t *throttle) get(key attempt, now time.Time) *tries {
	known := t.tries[key]
	if known == nil || now.Sub(known.last) > forgetAfter {
		known = &tries{}
		t.tries[key] = known
	}
	return known
}

func (c *tries) count(now time.Time, free int) {
	c.failures++
	c.last = now
	c.until = now.Add(waitAfter(c.failures, free))
}

// makeRoom forgets what is old, then the least guilty, when memory is used up.
func (t *throttle) makeRoom(now time.Time) {
	if len(t.tries) < maxAttempts {
		return
	}
	for key, c := range t.tries {
		if now.Sub(c.last) > forgetAfter {
			delete(t.tries, key)
		}
	}
	for key, c := range t.tries {
		if len(t.tries) < maxAttempts*9/10 {
			return
		}
		if !c.until.After(now) {
			delete(t.tries, key)
		}
	}
	for key := range t.tries { // all are waiting: any of them
		if len(t.tries) < maxAttempts*9/10 {
			return
		}
		delete(t.tries, key)
	}
}

func tooMany(wait time.Duration) error {
	wait = wait.Round(time.Second) + time.Second
	return fault.New(fault.Exhausted, "too_many_attempts", "There were too many failed attempts from your address.").
		WithHint("Wait %s, then try again.", wait).RetryIn(wait)
}
