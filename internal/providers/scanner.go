package providers

import (
	"bytes"
	"io"
)

// maxScan bounds what a Scanner keeps of one line or one whole body.
const maxScan = 8 << 20

// Framing says how a raw answer is cut into JSON values.
type Framing uint8

// The framings.
const (
	FramingWhole Framing = iota // one JSON value
	FramingSSE                  // server-sent events
	FramingLines                // one JSON value a line
)

// Tally is what a Scanner learnt from an answer's bytes.
type Tally struct {
	Model    string
	Usage    Usage
	Stop     StopReason
	Finished bool  // the vendor said that the answer is complete; without it the end of the bytes is a break
	Events   int64 // values seen; close to the tokens streamed so far
	Bytes    int64
}

// Scanner reads usage out of bytes that pass by, without holding them. It is
// used by one goroutine: the one that reads the body.
type Scanner struct {
	framing Framing
	parse   func(data []byte, t *Tally)
	tally   Tally
	rest    []byte // an unfinished line, or the whole body
	full    bool   // rest outgrew maxScan; the value is skipped
}

// NewScanner makes a scanner. parse is given each value and should look for a
// cheap sign (bytes.Contains) before decoding anything.
func NewScanner(framing Framing, parse func(data []byte, t *Tally)) *Scanner {
	return &Scanner{framing: framing, parse: parse}
}

// Write takes the next bytes; it never fails.
func (s *Scanner) Write(p []byte) (int, error) {
	n := len(p)
	s.tally.Bytes += int64(n)
	if s.framing == FramingWhole {
		s.keep(p)
		return n, nil
	}
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.keep(p)
			return n, nil
		}
		line := p[:i]
		if len(s.rest) > 0 {
			s.keep(line)
			line = s.rest
		}
		if !s.full {
			s.line(line)
		}
		s.rest, s.full = s.rest[:0], false
		p = p[i+1:]
	}
}

// whole takes an answer that came in one piece, where it lies.
func (s *Scanner) whole(p []byte) bool {
	if s.framing != FramingWhole || s.tally.Bytes > 0 || len(p) == 0 {
		return false
	}
	s.tally.Bytes, s.tally.Events = int64(len(p)), 1
	s.parse(p, &s.tally)
	return true
}

// Tally is what is known so far; call it after the last Write.
func (s *Scanner) Tally() Tally {
	if len(s.rest) > 0 && !s.full {
		if s.framing == FramingWhole {
			s.tally.Events++
			s.parse(s.rest, &s.tally)
		} else {
			s.line(s.rest)
		}
		s.rest = nil
	}
	return s.tally
}

func (s *Scanner) keep(p []byte) {
	if s.full || len(s.rest)+len(p) > maxScan {
		s.rest, s.full = nil, true
		return
	}
	s.rest = append(s.rest, p...)
}

func (s *Scanner) line(line []byte) {
	line = bytes.TrimRight(line, "\r")
	if s.framing == FramingSSE {
		var ok bool
		if line, ok = bytes.CutPrefix(line, []byte("data:")); !ok {
			return
		}
		line = bytes.TrimPrefix(line, []byte(" "))
	}
	if len(line) == 0 {
		return
	}
	s.tally.Events++
	s.parse(line, &s.tally)
}

// Tee makes a body whose reading feeds the scanner.
func (s *Scanner) Tee(body io.ReadCloser) io.ReadCloser { return &teeBody{body, s} }

type teeBody struct {
	io.ReadCloser
	s *Scanner
}

func (t *teeBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if err == io.EOF && t.s.whole(p[:n]) {
		return n, err
	}
	if n > 0 {
		_, _ = t.s.Write(p[:n]) // never fails
	}
	return n, err
}
