package conversations

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// written is a message as JSON: as the fact that it was added, and, of that, what its row has.
type written struct {
	fact                json.RawMessage
	parts, usage, notes json.RawMessage // nil: there is none
}

// write makes the JSON of a message once, for its row and for its fact: an answer holds all turns of its run.
func (m *Message) write() (w written, err error) {
	if w.fact, err = (MessageAdded{m.ID, m}).append(make([]byte, 0, 512+160*len(m.Parts)), &w); err != nil {
		return w, fmt.Errorf("writing a message: %w", err)
	}
	return w, nil
}

// AppendJSON writes the fact as json.Marshal would: an answer holds all turns of its run, and this costs a fraction.
func (f MessageAdded) AppendJSON(to []byte) ([]byte, error) { return f.append(to, &written{}) }

func (f MessageAdded) append(to []byte, w *written) (_ []byte, err error) {
	to = rawjson.AppendString(append(to, `{"id":`...), f.ID)
	if f.Message != nil {
		to, err = f.Message.append(rawjson.AppendKey(to, "message"), w)
	}
	return append(to, '}'), err
}

// head begins the fact, up to its notes.
func (f *Annotated) head(to []byte) []byte {
	return rawjson.AppendKey(rawjson.AppendString(append(to, `{"id":`...), f.ID), "notes")
}

// AppendJSON writes the fact as json.Marshal would.
func (f Annotated) AppendJSON(to []byte) ([]byte, error) {
	to, err := f.Notes.append(f.head(to))
	return append(to, '}'), err
}

// notesIn finds the notes in the fact's JSON.
func (f *Annotated) notesIn(fact []byte) json.RawMessage {
	return fact[len(f.head(make([]byte, 0, 64))) : len(fact)-1]
}

// append adds the message; in w is where its row's columns are in what was added.
func (m *Message) append(to []byte, w *written) (_ []byte, err error) {
	to = rawjson.AppendString(append(to, `{"id":`...), m.ID)
	to = rawjson.AppendString(rawjson.AppendKey(to, "conversation"), m.Conversation)
	to = rawjson.AppendText(to, "parent", m.Parent)
	to = rawjson.AppendText(to, "run", m.Run)
	to = rawjson.AppendString(rawjson.AppendKey(to, "role"), m.Role)
	to = rawjson.AppendString(rawjson.AppendKey(to, "author"), m.Author)
	to = rawjson.AppendString(rawjson.AppendKey(to, "state"), m.State)
	to = rawjson.AppendText(to, "model", m.Model)
	to = rawjson.AppendKey(to, "parts")
	begun := len(to)
	if to, err = providers.AppendParts(to, m.Parts); err != nil {
		return to, err
	}
	w.parts = to[begun:len(to):len(to)]
	if m.Usage != nil {
		to = rawjson.AppendKey(to, "usage")
		begun = len(to)
		to = m.Usage.AppendJSON(to)
		w.usage = to[begun:len(to):len(to)]
	}
	if m.Notes != nil {
		to = rawjson.AppendKey(to, "notes")
		begun = len(to)
		if to, err = m.Notes.append(to); err != nil {
			return to, err
		}
		w.notes = to[begun:len(to):len(to)]
	}
	if to, err = appendTime(rawjson.AppendKey(to, "created_at"), m.CreatedAt); err != nil {
		return to, err
	}
	return append(rawjson.AppendNumber(to, "versions", int64(m.Versions)), '}'), nil
}

func (n *Notes) append(to []byte) ([]byte, error) {
	if len(n.Recalled) > 0 {
		text, err := json.Marshal(n)
		return append(to, text...), err
	}
	to = append(to, '{')
	for i, text := range n.Suggestions {
		if i == 0 {
			to = append(rawjson.AppendKey(to, "suggestions"), '[')
		} else {
			to = append(to, ',')
		}
		to = rawjson.AppendString(to, text)
	}
	if len(n.Suggestions) > 0 {
		to = append(to, ']')
	}
	if n.Cost != nil {
		to = strconv.AppendInt(rawjson.AppendKey(to, "cost_micros"), *n.Cost, 10)
	}
	for i := range n.Calls {
		if i == 0 {
			to = append(rawjson.AppendKey(to, "calls"), '[')
		} else {
			to = append(to, ',')
		}
		var err error
		if to, err = n.Calls[i].append(to); err != nil {
			return to, err
		}
	}
	if len(n.Calls) > 0 {
		to = append(to, ']')
	}
	return append(to, '}'), nil
}

func (c *CallNote) append(to []byte) (_ []byte, err error) {
	to = rawjson.AppendString(append(to, `{"call":`...), c.Call)
	to = rawjson.AppendText(to, "title", c.Title)
	to = rawjson.AppendText(to, "code", c.Code)
	if !c.StartedAt.IsZero() {
		if to, err = appendTime(rawjson.AppendKey(to, "started_at"), c.StartedAt); err != nil {
			return to, err
		}
	}
	to = strconv.AppendInt(rawjson.AppendKey(to, "took_ms"), c.TookMs, 10)
	if len(c.Meta) > 0 {
		to, err = rawjson.AppendRaw(rawjson.AppendKey(to, "meta"), c.Meta)
	}
	return append(to, '}'), err
}

func appendTime(to []byte, t time.Time) ([]byte, error) {
	to, err := t.AppendText(append(to, '"'))
	return append(to, '"'), err
}
