package api

import (
	"hash/maphash"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Rate is how many requests someone may make in a minute; all of them may come
// at once, and they come back evenly over time.
type Rate struct {
	PerMinute int // 0: the default; negative: no limit
}

const (
	limitShards = 32
	maxPerShard = 4096 // so that strangers cannot grow our memory
)

// limiter keeps one number per key: when its allowance will be whole again.
type limiter[K comparable] struct {
	per    time.Duration // time in which one request comes back
	burst  int
	limit  []string // the header RateLimit-Limit
	seed   maphash.Seed
	shards [limitShards]struct {
		mu   sync.Mutex // guards the field below
		full map[K]int64
		_    [40]byte // a cache line of its own
	}
}

// newLimiter makes a limiter; nil for a negative rate lets everything pass.
func newLimiter[K comparable](rate Rate, fallback int) *limiter[K] {
	n := rate.PerMinute
	if n == 0 {
		n = fallback
	}
	if n < 0 {
		return nil
	}
	l := &limiter[K]{per: time.Minute / time.Duration(n), burst: n, limit: []string{strconv.Itoa(n)}, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].full = make(map[K]int64)
	}
	return l
}

// allowance is what is left after one more request.
type allowance struct {
	ok    bool
	left  int
	whole time.Duration // until all of it is back
	wait  time.Duration // until one more is allowed, when not ok
}

// take counts one request of key at the time now.
func (l *limiter[K]) take(key K, now int64) allowance {
	shard := &l.shards[maphash.Comparable(l.seed, key)%limitShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	full, known := shard.full[key]
	full = max(full, now)
	used := full - now
	limit := int64(l.per) * int64(l.burst)
	if used+int64(l.per) > limit {
		return allowance{wait: time.Duration(used + int64(l.per) - limit), whole: time.Duration(used)}
	}
	if !known && len(shard.full) >= maxPerShard {
		makeRoom(shard.full, now)
	}
	shard.full[key] = full + int64(l.per)
	return allowance{ok: true, left: int((limit - used - int64(l.per)) / int64(l.per)), whole: time.Duration(used + int64(l.per))}
}

// makeRoom forgets those whose allowance is whole; if too many are busy, some at
// random, so that the next newcomers need no room made.
func makeRoom[K comparable](full map[K]int64, now int64) {
	for key, at := range full {
		if at <= now {
			delete(full, key)
		}
	}
	for key := range full {
		if len(full) <= maxPerShard*7/8 {
			return
		}
		delete(full, key)
	}
}

// tell puts the allowance into the headers of an answer.
func (a allowance) tell(h http.Header, limit []string) {
	h["Ratelimit-Limit"] = limit
	values := []string{strconv.Itoa(a.left), strconv.Itoa(int(math.Ceil(a.whole.Seconds())))}
	h["Ratelimit-Remaining"], h["Ratelimit-Reset"] = values[:1:1], values[1:]
}

func tooManyRequests(wait time.Duration) error {
	wait = max(wait, time.Second)
	return fault.New(fault.Exhausted, "rate_limited", "That were too many requests in a short time.").
		WithHint("Wait %s, then go on more slowly; the RateLimit headers say how much is left.", wait.Round(time.Second)).RetryIn(wait)
}
