package events

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// A chunk is this many cursors, or less when they are large. The few that were
// used last are kept, since subscribers tend to come back together.
const (
	chunkEvents = 512
	chunkBytes  = 1 << 20
	keptBytes   = 4 << 20
)

// chunk is a segment read back from the database: the facts in (from, upto].
type chunk struct {
	segment
	from, upto int64
	floors     []floor // as they were after the rows were read
}

// history reads what is no longer in memory.
type history struct {
	flight singleflight.Group

	mu     sync.Mutex // guards the fields below
	names  names
	chunks []*chunk // the last used last
	bytes  int64
}

// load gives the chunk with the facts behind a cursor that is not in memory.
func (y *history) load(ctx context.Context, st *stream, cursor int64) (*chunk, error) {
	if c := y.cached(cursor); c != nil {
		return c, nil
	}
	from := cursor - cursor%chunkEvents
	c, err := y.shared(ctx, st, from)
	if err == nil && c.upto <= cursor { // its facts are large
		c, err = y.shared(ctx, st, cursor)
	}
	return c, err
}

func (y *history) cached(cursor int64) *chunk {
	y.mu.Lock()
	defer y.mu.Unlock()
	i := slices.IndexFunc(y.chunks, func(c *chunk) bool { return c.from <= cursor && cursor < c.upto })
	if i < 0 {
		return nil
	}
	c := y.chunks[i]
	y.chunks = append(slices.Delete(y.chunks, i, i+1), c)
	c.touched = time.Now()
	return c
}

// shared lets everyone who needs the same chunk wait for one read.
func (y *history) shared(ctx context.Context, st *stream, from int64) (*chunk, error) {
	// One caller that goes away must not fail the others.
	read := context.WithoutCancel(ctx)
	c, err, _ := y.flight.Do(strconv.FormatInt(from, 10), func() (any, error) { return y.read(read, st, from) })
	if err != nil {
		return nil, fmt.Errorf("reading events after %d: %w", from, err)
	}
	return c.(*chunk), nil
}

func (y *history) read(ctx context.Context, st *stream, from int64) (*chunk, error) {
	st.mu.RLock()
	upto := min(st.evicted, from-from%chunkEvents+chunkEvents)
	st.mu.RUnlock()
	c := &chunk{from: from, upto: upto}
	var ms []message
	size := 0
	for r, err := range records(ctx, st.hub.db.Read(), span{from, upto, ""}, selectRange, st.ws, from, reach(upto), chunkEvents) {
		if err != nil {
			return nil, err
		}
		m := r.message()
		ms = append(ms, m)
		if size += envelopeRoom(&m) + maxHeader + 20; size > chunkBytes {
			c.upto = m.cursor
			break
		}
	}
	var err error
	if c.floors, err = st.hub.floors(ctx, st); err != nil {
		return nil, err
	}
	st.hub.meters.chunks.Inc()
	y.keep(c, ms, size)
	return c, nil
}

// keep encodes the facts and remembers the chunk for others.
func (y *history) keep(c *chunk, ms []message, size int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	c.data, c.index, c.touched = make([]byte, 0, size), make([]entry, 0, len(ms)), time.Now()
	for i := range ms {
		c.add(&y.names, &ms[i], 0)
	}
	y.chunks = append(y.chunks, c)
	y.bytes += c.bytes()
	for len(y.chunks) > 1 && y.bytes > keptBytes {
		y.dropOldest()
	}
}

func (y *history) dropOldest() {
	c := y.chunks[0]
	y.chunks = slices.Delete(y.chunks, 0, 1)
	y.bytes -= c.bytes()
	y.names.release(&c.segment)
}

// expire drops chunks that nobody needs any more.
func (y *history) expire(now time.Time) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for len(y.chunks) > 0 && now.Sub(y.chunks[0].touched) > 10*time.Second {
		y.dropOldest()
	}
}

// fill reads facts that this process has heard of but not received.
type fill stream

// fillEvents is how many facts one statement reads; a gap of several times as
// many is left to history.
const fillEvents = 512

func (f *fill) do(ctx context.Context, w *worker) {
	st := (*stream)(f)
	for {
		st.mu.Lock()
		if st.heard-st.tail > 16*fillEvents {
			st.skip(st.heard)
			st.publish()
		}
		tail, target := st.tail, st.heard
		if tail >= target {
			st.filling = false
			st.mu.Unlock()
			return
		}
		st.mu.Unlock()
		ms, all, err := st.missing(ctx, tail)
		if err != nil {
			if ctx.Err() == nil {
				w.hub.log.WarnContext(ctx, "missing events not read; trying again shortly", "part", "events", "workspace", st.ws, "err", err)
			}
			st.mu.Lock()
			st.filling = false // the next head check starts again
			st.mu.Unlock()
			return
		}
		w.hub.meters.fills.Inc()
		st.filled(ms, target, all)
	}
}

// missing reads facts behind the tail, and says whether those were all.
func (st *stream) missing(ctx context.Context, tail int64) (ms []message, all bool, err error) {
	size := 0
	for r, err := range records(ctx, st.hub.db.Read(), behind(tail), selectRange, st.ws, tail, int64(math.MaxInt64), fillEvents) {
		if err != nil {
			return nil, false, err
		}
		ms = append(ms, r.message())
		if size += len(r.Data); size > chunkBytes {
			return ms, false, nil
		}
	}
	return ms, len(ms) < fillEvents, nil
}

// filled appends rows read from the database. A row that is not there was
// deleted, so those who still need it are sent through history, which tells them.
func (st *stream) filled(ms []message, target int64, all bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for i := range ms {
		m := &ms[i]
		if m.cursor <= st.tail {
			continue
		}
		if m.cursor != st.tail+1 {
			st.skip(m.cursor - 1)
		}
		st.add(m)
	}
	if all && st.tail < target {
		st.skip(target)
	}
	st.heard = max(st.heard, st.tail)
	st.publish()
}

// skip empties the log up to a cursor and has everyone look, since what they
// need may be in the database only. The caller holds mu.
func (st *stream) skip(cursor int64) {
	seq, before := st.next, st.tail
	st.reset(cursor)
	st.touch(&st.wide, seq, before)
	for _, a := range st.exact {
		st.touch(a, seq, before)
	}
}

// checkCursor refuses a cursor that cannot be continued from without a gap.
func (h *Hub) checkCursor(ctx context.Context, st *stream, patterns []Pattern, cursor int64) error {
	if cursor < 0 {
		return fault.New(fault.Invalid, "bad_cursor", "A cursor is not negative.").WithParam("after").
			WithHint("Use the cursor of the last event you have seen, or 0 for all that are kept.")
	}
	st.mu.RLock()
	tail, evicted := st.tail, st.evicted
	st.mu.RUnlock()
	if cursor > tail {
		head, err := h.Head(ctx, st.ws)
		if err != nil {
			return err
		}
		if cursor > head {
			return cursorExpired(head, "The cursor %d is ahead of the log, which ends at %d.", cursor, head)
		}
	}
	if cursor >= evicted {
		return nil
	}
	floors, err := h.floors(ctx, st)
	if err != nil {
		return err
	}
	rules := make([]rule, len(patterns))
	for i, p := range patterns {
		rules[i].pattern = p
	}
	return h.expired(st, rules, floors, cursor)
}

// cursorExpired carries the head, from which a client can go on after it has
// fetched a snapshot.
func cursorExpired(head int64, format string, args ...any) *fault.Fault {
	return fault.New(fault.Gone, "cursor_expired", format, args...).WithParam("after").WithDetail("head", head).
		WithHint("Fetch what you show again, then follow after cursor %d.", head)
}
