package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxEvent is the longest line of an event stream.
const maxEvent = 16 << 20

// Event is one event of a stream.
type Event struct {
	ID   string // the cursor to go on behind; "" for events that are not kept
	Kind string
	Data json.RawMessage
}

// Events is a stream being read, by one goroutine.
type Events struct {
	body  io.Closer
	lines *bufio.Scanner
}

// Stream sends a request and follows the events of its answer. It ends with
// ctx, or when the caller closes it.
func (c *Client) Stream(ctx context.Context, method, path string, in any) (*Events, error) {
	patient := *c.http
	patient.Timeout = 0
	resp, err := c.send(ctx, &patient, "text/event-stream", method, path, in)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), maxEvent)
	return &Events{body: resp.Body, lines: lines}, nil
}

// Next waits for the next event. It answers io.EOF once the server has ended the
// stream, and an *Error when the server says why it does.
func (e *Events) Next() (Event, error) {
	var ev Event
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if len(line) == 0 {
			if ev.Kind == "" && ev.Data == nil {
				continue // a heartbeat
			}
			if ev.Kind == "error" {
				return ev, readProblem(ev.Data)
			}
			return ev, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			ev.Kind = string(value)
		case "id":
			ev.ID = string(value)
		case "data":
			if ev.Data != nil {
				ev.Data = append(ev.Data, '\n')
			}
			ev.Data = append(ev.Data, value...)
		}
	}
	if err := e.lines.Err(); err != nil {
		return ev, fmt.Errorf("reading events: %w", err)
	}
	return ev, io.EOF
}

// Close ends the stream.
func (e *Events) Close() error { return e.body.Close() }

func readProblem(text []byte) error {
	var shape struct {
		Error Error `json:"error"`
	}
	if err := json.Unmarshal(text, &shape); err != nil || shape.Error.Code == "" {
		return errors.New("the server ended the stream with an error it did not explain")
	}
	return &shape.Error
}
