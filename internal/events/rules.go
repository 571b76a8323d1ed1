package events

import (
	"slices"
	"strings"
)

func compareText(a, b string) int { return strings.Compare(a, b) }

// begin starts a run from the queue.
func (s *Subscription) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != waiting {
		return false
	}
	s.enter()
	return true
}

// beginNews starts a run because frames from seq on concern the subscriber's
// audience; cursor is that of the fact before them.
func (s *Subscription) beginNews(seq, cursor int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case ended:
		return false
	case running, again:
		s.news, s.state = true, again
		return false
	}
	// Without news it has seen all that concerns it, however old its position is.
	if !s.news && s.pos < seq {
		s.pos, s.cursor = seq, cursor
	}
	s.news = true
	if s.state != idle {
		return false
	}
	if s.sink == nil {
		s.state = waiting
		s.nudge()
		return false
	}
	s.enter()
	return true
}

// enter hands the subscriber to the caller, who runs it. The caller holds mu.
func (s *Subscription) enter() {
	s.state, s.ready = running, false
	s.working, s.news = s.news, false
	if s.forget {
		s.verdicts.clear()
		s.forget = false
	}
	for _, c := range s.changes {
		s.apply(c)
	}
	s.changes = nil
}

// apply changes the rules. Channels that are added from an earlier cursor on
// rewind the position; the older rules then start where they were.
func (s *Subscription) apply(c change) {
	s.verdicts.clear()
	s.rules = slices.DeleteFunc(s.rules, func(r rule) bool { return slices.Contains(c.remove, r.pattern) })
	if len(c.add) == 0 {
		return
	}
	if c.redo != nil {
		s.redo = append(s.redo, *c.redo)
	}
	after, from := c.tail, c.seq
	if c.after != nil {
		after, from = *c.after, 0
	}
	if c.tell != nil && s.sink != nil {
		s.confirms = append(s.confirms, confirm{c.tell, after})
	}
	switch {
	case len(s.rules) == 0:
		s.cursor, s.pos = after, byCursor
		if c.after == nil {
			s.pos = c.seq
		}
	case after < s.cursor:
		for i := range s.rules {
			s.rules[i].after = max(s.rules[i].after, s.cursor)
			s.rules[i].from = max(s.rules[i].from, s.pos)
		}
		s.cursor, s.pos = after, byCursor
	}
	for _, p := range c.add {
		s.rules = append(s.rules, rule{p, after, from})
	}
	s.mixed = true
	s.settle()
}

// settle notes when the position has passed the start of every rule.
func (s *Subscription) settle() {
	for _, r := range s.rules {
		if s.cursor < r.after || s.pos < r.from {
			return
		}
	}
	s.mixed = false
}

// passes says whether a rule for the channel has started at this entry.
func (s *Subscription) passes(channel string, e *entry, seq int64) bool {
	for _, r := range s.rules {
		started := e.cursor > r.after
		if e.delta {
			started = seq >= r.from
		}
		if started && r.pattern.Match(channel) {
			return true
		}
	}
	return false
}

// wants says whether the subscriber follows the channel and may. Allow may take
// a moment, so it is asked only by a worker that has one; else known is false.
func (s *Subscription) wants(ch *channel, patient bool) (verdict, known bool) {
	if verdict, known := s.verdicts.get(ch.id); known {
		return verdict, true
	}
	verdict = s.follows(ch.name)
	if verdict && s.allow != nil {
		if !patient {
			return false, false
		}
		verdict = s.allow(ch.name)
	}
	s.verdicts.put(ch.id, verdict)
	return verdict, true
}

func (s *Subscription) follows(channel string) bool {
	for _, r := range s.rules {
		if r.pattern.Match(channel) {
			return true
		}
	}
	return false
}

// verdicts remembers which channels a subscriber gets, in a small open hash
// table that starts over when it is full: it never grows past maxVerdicts.
type verdicts struct {
	slots []uint64 // id<<1 | verdict; 0 is free
	used  int
}

const (
	firstVerdicts = 8
	maxVerdicts   = 1024
)

func (v *verdicts) get(id uint64) (verdict, known bool) {
	if v.used == 0 {
		return false, false
	}
	mask := uint64(len(v.slots) - 1)
	for i := id & mask; ; i = (i + 1) & mask {
		switch slot := v.slots[i]; {
		case slot == 0:
			return false, false
		case slot>>1 == id:
			return slot&1 == 1, true
		}
	}
}

func (v *verdicts) put(id uint64, verdict bool) {
	if 2*(v.used+1) > len(v.slots) {
		v.grow()
	}
	slot := id << 1
	if verdict {
		slot |= 1
	}
	v.insert(slot)
}

func (v *verdicts) insert(slot uint64) {
	mask := uint64(len(v.slots) - 1)
	i := slot >> 1 & mask
	for v.slots[i] != 0 {
		i = (i + 1) & mask
	}
	v.slots[i] = slot
	v.used++
}

func (v *verdicts) grow() {
	if len(v.slots) >= maxVerdicts {
		v.clear()
		return
	}
	old := v.slots
	v.slots, v.used = make([]uint64, max(firstVerdicts, 2*len(old))), 0
	for _, slot := range old {
		if slot != 0 {
			v.insert(slot)
		}
	}
}

func (v *verdicts) clear() {
	clear(v.slots)
	v.used = 0
}
