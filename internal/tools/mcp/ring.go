package mcp

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

// Bounds of a server's log.
const (
	maxLines = 500
	maxLine  = 2000
)

// Line is one line of a server's log.
type Line struct {
	At   time.Time `json:"at"`
	From string    `json:"from" enum:"stderr,stdout,server,fluxway" doc:"stdout: what was no message; server: what it logged through the protocol."`
	Text string    `json:"text"`
}

// ring keeps the last lines of a server.
type ring struct {
	mu    sync.Mutex // guards the fields below
	lines []Line
	next  int
	total int64
}

func (r *ring) add(from, text string) {
	text = strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "�")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + " […]"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	line := Line{time.Now().UTC(), from, text}
	if len(r.lines) < maxLines {
		r.lines = append(r.lines, line)
		return
	}
	r.lines[r.next] = line
	r.next = (r.next + 1) % maxLines
}

// tail gives the last n lines, oldest first, and how many there were in all.
func (r *ring) tail(n int) ([]Line, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := append(append([]Line{}, r.lines[r.next:]...), r.lines[:r.next]...)
	if n > 0 && len(all) > n {
		all = all[len(all)-n:]
	}
	return all, r.total
}

// into is a writer that cuts what it gets into lines of the log; it holds at most one line.
type into struct {
	ring *ring
	from string
	part []byte
	skip bool // the rest of a line that is too long
}

// Write never fails, so that a program that floods its stderr is never blocked by us.
func (w *into) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		if !w.skip {
			w.part = append(w.part, piece[:min(len(piece), maxLine+1-min(len(w.part), maxLine+1))]...)
			w.skip = len(w.part) > maxLine
		}
		if end < 0 {
			return n, nil
		}
		if len(w.part) > 0 {
			w.ring.add(w.from, string(w.part))
		}
		w.part, w.skip = w.part[:0], false
		p = p[end+1:]
	}
	return n, nil
}
