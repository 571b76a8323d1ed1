package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxMessage bounds one message of the browser: a large screenshot.
const maxMessage = 64 << 20

// message is what both sides send each other.
type message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *protocolError  `json:"error,omitempty"`
}

// protocolError is the browser's answer to a command it could not do.
type protocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

// Error says what the browser said.
func (e *protocolError) Error() string {
	if e.Data != "" {
		return e.Message + ": " + e.Data
	}
	return e.Message
}

// wire is the DevTools protocol over two pipes: each message is JSON and ends with a zero byte.
type wire struct {
	out  io.Writer
	hear func(message) // of events; must not block

	writing sync.Mutex // guards writes to out

	mu      sync.Mutex // guards the fields below
	next    int64
	waiting map[int64]pending
	ended   error // why there will be no more answers
}

// pending is a command without an answer yet.
type pending struct {
	session string
	answer  chan outcome
}

type outcome struct {
	result json.RawMessage
	err    error
}

func newWire(out io.Writer, hear func(message)) *wire {
	return &wire{out: out, hear: hear, waiting: make(map[int64]pending)}
}

// listen reads until the browser is gone.
func (w *wire) listen(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	var text []byte
	for {
		piece, err := r.ReadSlice(0)
		text = append(text, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(text) <= maxMessage:
			continue
		case err != nil:
			w.end(fmt.Errorf("reading from the browser: %w", err))
			return
		}
		w.take(text[:len(text)-1])
		if text = text[:0]; cap(text) > 1<<20 {
			text = nil
		}
	}
}

func (w *wire) take(text []byte) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return // not a message; whoever waits for one has a deadline
	}
	if m.ID == 0 {
		w.hear(m)
		return
	}
	w.mu.Lock()
	p, ok := w.waiting[m.ID]
	delete(w.waiting, m.ID)
	w.mu.Unlock()
	if !ok {
		return
	}
	if m.Error != nil {
		p.answer <- outcome{err: m.Error}
		return
	}
	p.answer <- outcome{result: m.Result}
}

// end fails everything that waits, now and later.
func (w *wire) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = err
	}
	for id, p := range w.waiting {
		p.answer <- outcome{err: w.ended}
		delete(w.waiting, id)
	}
}

// drop fails what waits for one session.
func (w *wire) drop(session string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, p := range w.waiting {
		if p.session == session {
			p.answer <- outcome{err: err}
			delete(w.waiting, id)
		}
	}
}

// send makes a command without waiting for its answer.
func (w *wire) send(session, method string, params any) (int64, pending, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return 0, pending{}, err
	}
	p := pending{session: session, answer: make(chan outcome, 1)}
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		return 0, p, w.ended
	}
	w.next++
	id := w.next
	w.waiting[id] = p
	w.mu.Unlock()
	text, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: raw})
	if err != nil {
		return 0, p, err
	}
	w.writing.Lock()
	_, err = w.out.Write(append(text, 0))
	w.writing.Unlock()
	if err != nil {
		w.end(fmt.Errorf("writing to the browser: %w", err))
	}
	return id, p, nil
}

// call makes a command and reads its answer into result, unless that is nil.
func (w *wire) call(ctx context.Context, session, method string, params, result any) error {
	id, p, err := w.send(session, method, params)
	if err != nil {
		return err
	}
	select {
	case o := <-p.answer:
		if o.err != nil {
			return fmt.Errorf("%s: %w", method, o.err)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(o.result, result)
	case <-ctx.Done():
		w.mu.Lock()
		delete(w.waiting, id)
		w.mu.Unlock()
		return context.Cause(ctx)
	}
}
