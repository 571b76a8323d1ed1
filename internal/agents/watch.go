package agents

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

const (
	noteFailures = 3 // of the same call: the model is told
	stopFailures = 4
	noteSame     = 3 // turns that ask the same and get the same
	stopSame     = 5
)

// watch notices a run that goes round in circles.
type watch struct {
	failed map[[sha256.Size]byte]int // how often a call with these arguments failed
	last   [sha256.Size]byte         // what the last turn asked and got
	same   int                       // turns in a row like it
}

// see takes a turn whose calls are done. It gives a note for the model, or the reason to stop.
func (w *watch) see(t *Turn) (note string, stop error) {
	if len(t.Calls) == 0 {
		return "", nil
	}
	whole := sha256.New()
	for _, c := range t.Calls {
		n, s := w.count(c, whole)
		if s != nil {
			return "", s
		}
		note += n
	}
	var sum [sha256.Size]byte
	whole.Sum(sum[:0])
	if w.same++; sum != w.last {
		w.last, w.same = sum, 1
	}
	switch {
	case w.same >= stopSame:
		return "", fault.New(fault.Conflict, "no_progress", "The agent asked for the same %d times in a row and got the same answer.", w.same).
			WithHint("Say more precisely what you want, or try another model.")
	case w.same >= noteSame:
		note += fmt.Sprintf("[The last %d turns asked for the same and got the same. Do something else, or answer with what you know.]", w.same)
	}
	return note, nil
}

func (w *watch) count(c *Call, whole hash.Hash) (note string, stop error) {
	var key [sha256.Size]byte
	h := sha256.New()
	h.Write([]byte(c.Tool))
	h.Write([]byte{0})
	h.Write(c.Args)
	h.Sum(key[:0])
	whole.Write(key[:])
	if c.Result == nil {
		return "", nil
	}
	whole.Write([]byte(c.Result.Text()))
	if !c.Result.IsError {
		delete(w.failed, key)
		return "", nil
	}
	if w.failed == nil {
		w.failed = make(map[[sha256.Size]byte]int)
	}
	w.failed[key]++
	switch n := w.failed[key]; {
	case n >= stopFailures:
		return "", fault.New(fault.Conflict, "repeated_error", "The agent made the same call of %s %d times and it failed each time.", c.Tool, n).
			WithHint("Its last error: %s", opening(c.Result.Text()))
	case n >= noteFailures:
		return fmt.Sprintf("[This call of %s has failed %d times in the same way. Do not repeat it: change the arguments or go another way.]", c.Tool, n), nil
	}
	return "", nil
}

func opening(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > 300 {
		return strings.ToValidUTF8(line[:300], "") + "…"
	}
	return line
}
