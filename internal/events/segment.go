package events

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// Segments grow from small to large, so that a quiet workspace stays small.
const (
	firstSegment = 4 << 10
	largeSegment = 256 << 10
)

// entry describes one frame of a segment.
type entry struct {
	cursor  int64  // of the fact; for a delta, of the fact before it
	off     uint32 // where the frame starts
	size    uint32 // of the frame, header included
	channel uint32 // index in segment.channels
	kind    uint16 // index in segment.kinds
	header  uint8  // bytes before the JSON
	delta   bool
}

// entryBytes is what an entry costs besides its frame.
const entryBytes = 24

// channel is a name that occurs in a log. Its id is never used again, so that
// what a subscriber remembers about it stays true.
type channel struct {
	id    uint64
	name  string
	refs  int      // segments that use it
	in    *segment // the segment local belongs to
	local uint32
}

// segment is a run of frames that lie one behind the other. Only the last
// segment of a log grows; it never moves, so readers need no lock for the part
// they have seen.
type segment struct {
	first    int64 // sequence of the first entry
	base     int64 // bytes of the log before this segment
	data     []byte
	index    []entry
	channels []*channel
	kinds    []string
	touched  time.Time
}

// names interns the channels of some segments for as long as one uses them.
type names struct {
	byName map[string]*channel
	ids    *atomic.Uint64 // shared by all names of a workspace
}

// fits says whether a frame of the message can be added without moving data.
func (g *segment) fits(m *message) bool {
	return cap(g.data)-len(g.data) >= envelopeRoom(m)+maxHeader+20 && len(g.kinds) < 1<<15
}

// add encodes the message as the next frame. before is the cursor of the fact
// before a delta.
func (g *segment) add(n *names, m *message, before int64) {
	// The header's length depends on the text's, so the text is written behind
	// the longest one and moved if a shorter one does.
	off := len(g.data)
	text := appendEnvelope(g.data[off+maxHeader:off+maxHeader], m, false)
	frame := appendHeader(g.data[off:off], len(text))
	header := len(frame)
	frame = append(frame, text...)
	g.data = g.data[:off+len(frame)]
	e := entry{cursor: m.cursor, off: uint32(off), size: uint32(len(frame)), header: uint8(header), channel: n.local(g, m.channel), kind: g.kind(m.kind)}
	if m.cursor == 0 {
		e.cursor, e.delta = before, true
	}
	g.index = append(g.index, e)
}

func (g *segment) kind(name string) uint16 {
	if i := slices.Index(g.kinds, name); i >= 0 {
		return uint16(i)
	}
	g.kinds = append(g.kinds, name)
	return uint16(len(g.kinds) - 1)
}

// bytes is what the segment costs.
func (g *segment) bytes() int64 { return int64(cap(g.data)) + int64(cap(g.index))*entryBytes }

// next is the sequence behind the last entry.
func (g *segment) next() int64 { return g.first + int64(len(g.index)) }

// after is the position of the first entry with a greater cursor.
func after(index []entry, cursor int64) int {
	i, _ := slices.BinarySearchFunc(index, cursor, func(e entry, c int64) int {
		if e.cursor <= c {
			return -1
		}
		return cmp.Compare(e.cursor, c)
	})
	return i
}

// local is the index of a channel in g, which is added where it is new.
func (n *names) local(g *segment, name string) uint32 {
	ch := n.byName[name]
	if ch == nil {
		if n.byName == nil {
			n.byName = make(map[string]*channel)
		}
		ch = &channel{id: n.ids.Add(1), name: name}
		n.byName[name] = ch
	}
	if ch.in != g {
		ch.in, ch.local = g, uint32(len(g.channels))
		ch.refs++
		g.channels = append(g.channels, ch)
	}
	return ch.local
}

// release forgets the channels that only g used.
func (n *names) release(g *segment) {
	for _, ch := range g.channels {
		if ch.refs--; ch.refs == 0 {
			delete(n.byName, ch.name)
		}
		if ch.in == g {
			ch.in = nil
		}
	}
}
