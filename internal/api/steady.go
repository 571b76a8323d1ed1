package api

import (
	"net/http"
	"time"
)

// stallLimit is how long one write of a stream may wait for its reader.
const stallLimit = 30 * time.Second

// steady writes a stream of any length: each write gets its own time.
type steady struct{ c *call }

// Write sends b within the limit, or fails.
func (s steady) Write(b []byte) (int, error) {
	rc := http.NewResponseController(s.c.w)
	_ = rc.SetWriteDeadline(time.Now().Add(stallLimit)) // a writer without deadlines cannot stall either: it is in memory
	return s.c.w.Write(b)
}

// late gives an answer that was long in coming its own time to be sent; the
// server's limits, which count from the request, are far longer than a second.
func (c *call) late() {
	if now := time.Now(); now.Sub(c.started) > time.Second {
		rc := http.NewResponseController(c.w)
		_ = rc.SetReadDeadline(time.Time{})              // a writer without deadlines
		_ = rc.SetWriteDeadline(now.Add(2 * stallLimit)) // cannot stall either
	}
}

// endless lifts the server's own time limits from a stream.
func (s steady) endless() {
	rc := http.NewResponseController(s.c.w)
	_ = rc.SetReadDeadline(time.Time{})
	_ = rc.SetWriteDeadline(time.Time{})
}
