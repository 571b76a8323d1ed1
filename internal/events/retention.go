package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Class is how long the facts of some channels are kept. The first class that
// matches a channel decides; Publish makes the class that is not kept at all.
type Class struct {
	Name     string
	Channels []string      // patterns
	Keep     time.Duration // 0: for ever
}

// DefaultClasses keep output for a day, facts for three months and what people
// must be able to look up for a good year.
func DefaultClasses() []Class {
	const day = 24 * time.Hour
	return []Class{
		{Name: "output", Channels: []string{"runs/*/output", "fleet/*/output", "system/metrics", "system/health"}, Keep: day},
		{Name: "durable", Channels: []string{"identity/**", "approvals/**", "mail/**", "notifications/**", "guard/**", "costs/**"}, Keep: 400 * day},
		{Name: "facts", Channels: []string{"**"}, Keep: 90 * day},
	}
}

type class struct {
	Class
	patterns []Pattern
}

func compile(classes []Class) ([]class, error) {
	compiled := make([]class, 0, len(classes))
	for _, c := range classes {
		patterns, err := ParsePatterns(c.Channels...)
		if err != nil || c.Name == "" || c.Keep < 0 {
			return nil, errors.Join(fmt.Errorf("events: Options.Classes: class %q is not valid", c.Name), err)
		}
		compiled = append(compiled, class{c, patterns})
	}
	return compiled, nil
}

// classOf names the class of a channel; "" is kept for ever.
func (h *Hub) classOf(channel string) string {
	for i := range h.classes {
		for _, p := range h.classes[i].patterns {
			if p.Match(channel) {
				return h.classes[i].Name
			}
		}
	}
	return ""
}

// floor is how far retention has gone in one class.
type floor struct {
	Class    string `db:"class"`
	Deleted  int64  `db:"deleted"`
	Examined int64  `db:"examined"`
}

func (h *Hub) floors(ctx context.Context, st *stream) ([]floor, error) {
	return store.All[floor](ctx, h.db.Read(), selectFloors, st.ws)
}

// expired says, as a fault, that a fact behind the cursor that a rule wants has
// been deleted.
func (h *Hub) expired(st *stream, rules []rule, floors []floor, cursor int64) error {
	for _, f := range floors {
		if f.Deleted <= cursor {
			continue
		}
		for _, r := range rules {
			if h.touches(f.Class, r.pattern) && f.Deleted > r.after {
				st.mu.RLock()
				defer st.mu.RUnlock()
				return cursorExpired(st.tail, "Some events after %d are no longer kept.", cursor).WithDetail("oldest", f.Deleted)
			}
		}
	}
	return nil
}

// touches says whether a class can hold facts of the pattern's channels. A class
// that is no longer configured may hold any.
func (h *Hub) touches(name string, p Pattern) bool {
	known := false
	for i := range h.classes {
		c := &h.classes[i]
		known = known || c.Name == name
		covered := false
		for _, q := range c.patterns {
			if c.Name == name && q.overlaps(p) {
				return true
			}
			covered = covered || q.covers(p)
		}
		if covered {
			return !known && !h.configured(name)
		}
	}
	return !known
}

func (h *Hub) configured(name string) bool {
	for i := range h.classes {
		if h.classes[i].Name == name {
			return true
		}
	}
	return false
}

// gone is what a transaction deletes. A row goes with the last of its facts.
type gone struct {
	Last  int64 `db:"last"`
	Facts int64 `db:"facts"`
}

// pruneSpan is how many cursors one transaction looks at.
const pruneSpan = 2000

// Prune deletes the facts whose time is over and says how many those were. It
// works in small transactions, so that writers do not wait.
func (h *Hub) Prune(ctx context.Context) (int64, error) {
	heads, err := store.All[head](ctx, h.db.Read(), selectHeads)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, hd := range heads {
		for i := range h.classes {
			n, err := h.pruneClass(ctx, hd.Workspace, hd.Last, &h.classes[i])
			sum += n
			if err != nil {
				return sum, fmt.Errorf("pruning events of %s: %w", hd.Workspace, err)
			}
		}
	}
	return sum, h.pruneAcks(ctx)
}

func (h *Hub) pruneClass(ctx context.Context, ws ids.Workspace, last int64, c *class) (int64, error) {
	if c.Keep == 0 {
		return 0, nil
	}
	f := floor{Class: c.Name}
	floors, err := store.All[floor](ctx, h.db.Read(), selectFloors, ws)
	if err != nil {
		return 0, err
	}
	for _, known := range floors {
		if known.Class == c.Name {
			f = known
		}
	}
	end, err := h.cutoff(ctx, ws, f.Examined, last, now().Add(-c.Keep))
	if err != nil {
		return 0, err
	}
	var sum int64
	for f.Examined < end {
		from, to := f.Examined, min(f.Examined+pruneSpan, end)
		err := h.db.InTx(ctx, func(tx *store.Tx) error {
			gone, err := store.One[gone](ctx, tx, selectLastOfClass, ws, c.Name, from, to)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, deleteRange, ws, c.Name, from, to); err != nil {
				return err
			}
			next := floor{Class: c.Name, Deleted: max(f.Deleted, gone.Last), Examined: to}
			if _, err := tx.Exec(ctx, saveFloor, ws, next.Class, next.Deleted, next.Examined); err != nil {
				return err
			}
			tx.AfterCommit(func() { f, sum = next, sum+gone.Facts })
			return nil
		})
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// cutoff is the last cursor whose fact is older than before. Facts lie in the
// order of their time, so it is found by halving.
func (h *Hub) cutoff(ctx context.Context, ws ids.Workspace, low, high int64, before time.Time) (int64, error) {
	type moment struct {
		Cursor int64     `db:"cursor"`
		At     time.Time `db:"at"`
	}
	for low < high {
		middle := low + (high-low)/2 + 1
		m, err := store.One[moment](ctx, h.db.Read(), selectNextAt, ws, middle)
		switch {
		case errors.Is(err, store.ErrNoRows), err == nil && m.Cursor > high:
			high = middle - 1 // nothing is kept from here on
		case err != nil:
			return 0, err
		case m.At.Before(before):
			low = m.Cursor
		default:
			high = middle - 1
		}
	}
	return low, nil
}
