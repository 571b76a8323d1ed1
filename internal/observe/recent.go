package observe

import (
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// keptLines is how many log lines are kept in memory for people to read.
const keptLines = 400

// Line is one log line.
type Line struct {
	At     time.Time
	Level  string // debug, info, warn, error
	Text   string
	Fields map[string]any // secrets hidden
}

// Recent are the last log lines, the oldest first.
func (o *Observe) Recent() []Line {
	if o == nil {
		return nil
	}
	return o.recent.lines()
}

// recent keeps the last lines as they were formatted; they are read rarely.
type recent struct {
	mu   sync.Mutex // guards the fields below
	kept [][]byte   // a ring once it is full
	next int        // where the oldest stands in a full ring
}

// Write keeps one formatted line.
func (r *recent) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) < keptLines {
		r.kept = append(r.kept, slices.Clone(line))
		return len(line), nil
	}
	r.kept[r.next] = append(r.kept[r.next][:0], line...)
	r.next = (r.next + 1) % keptLines
	return len(line), nil
}

func (r *recent) lines() []Line {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Line, 0, len(r.kept))
	for i := range r.kept {
		raw := r.kept[(r.next+i)%len(r.kept)]
		var fields map[string]any
		if json.Unmarshal(raw, &fields) != nil {
			continue // hiding a secret may have broken the line
		}
		out = append(out, lineOf(fields))
	}
	return out
}

func lineOf(fields map[string]any) Line {
	take := func(key string) string {
		value, _ := fields[key].(string)
		delete(fields, key)
		return value
	}
	at, _ := time.Parse(time.RFC3339Nano, take(slog.TimeKey)) // a zero time is shown as none
	level := take(slog.LevelKey)
	return Line{At: at.UTC(), Level: levelWord(level), Text: take(slog.MessageKey), Fields: fields}
}

// levelWord is the level as settings write it; those between count as the one below.
func levelWord(s string) string {
	var level slog.Level
	if level.UnmarshalText([]byte(s)) != nil {
		return "info"
	}
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warn"
	case level >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}
