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

// endless lifts the server's own time limits from a stream.
func (s steady) endless() {
	rc := http.NewResponseController(s.c.w)
	_ = rc.SetReadDeadline(time.Time{})
	_ = rc.SetWriteDeadline(time.Time{})
}
