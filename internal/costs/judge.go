package costs

import (
	"time"
)

// Verdict is a budget's answer to a call.
type Verdict uint8

// The verdicts, from the mildest.
const (
	Allow  Verdict = iota
	Wait           // others in flight hold what is left, or calls are slowed down
	Ask            // the limit is reached and a person may allow more
	Refuse         // the limit is reached
)

// Standing is where a budget is in one period, in its own unit.
type Standing struct {
	Limit    int64 // with what was carried over and granted
	Spent    int64
	Reserved int64 // held for calls in flight
}

// Left is what is neither spent nor held; never negative.
func (s Standing) Left() int64 { return max(0, s.Limit-s.Spent-s.Reserved) }

// Judge decides whether a call that may cost next fits. A call that fits beside
// what is held goes ahead. One that does not fit goes ahead only alone, so that
// a budget can be overshot by one call and never by several at once.
func (a AtLimit) Judge(s Standing, next int64) Verdict {
	switch {
	case a == Alert || next == 0 || s.Spent+s.Reserved+next <= s.Limit:
		return Allow
	case s.Spent < s.Limit && s.Reserved == 0:
		return Allow
	case s.Spent < s.Limit, a == Throttle:
		return Wait
	case a == AskPerson:
		return Ask
	}
	return Refuse
}

// Throttled decides for a budget that slows calls down once its limit is
// reached: one at a time, each a pause after the one before.
func Throttled(s Standing, last, now time.Time, pause time.Duration) (Verdict, time.Time) {
	if next := last.Add(pause); now.Before(next) {
		return Wait, next
	}
	if s.Reserved > 0 {
		return Wait, time.Time{}
	}
	return Allow, time.Time{}
}

// crossed is the highest threshold, in percent, that spent has reached; 0: none.
// Reaching the limit itself is 100.
func crossed(thresholds []int, s Standing) int {
	reached := 0
	for _, t := range append([]int{100}, thresholds...) {
		// Amounts are bounded by maxAmount, so the products fit.
		if s.Spent > 0 && s.Spent*100 >= s.Limit*int64(t) {
			reached = max(reached, t)
		}
	}
	return reached
}
