package observe

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/term"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

// The log formats. Auto is Text on a terminal and JSON elsewhere.
const (
	FormatAuto = "auto"
	FormatText = "text"
	FormatJSON = "json"
)

// LogOptions say what log lines look like and where they go.
type LogOptions struct {
	Writer  io.Writer  // nil: standard error
	Level   slog.Level // changed later with SetLevel
	Format  string     // FormatAuto (or ""), FormatText, FormatJSON
	NoColor bool       // no colour even on a terminal; elsewhere there never is any
}

// newHandler stacks: trace id, formatting with keys hidden, secret values
// hidden in the formatted line, the writer. Every line goes to kept besides.
func newHandler(opts LogOptions, level slog.Leveler, kept io.Writer) (slog.Handler, error) {
	w := opts.Writer
	if w == nil {
		w = os.Stderr
	}
	terminal := isTerminal(w)
	format := opts.Format
	if format == "" || format == FormatAuto {
		format = FormatJSON
		if terminal {
			format = FormatText
		}
	}
	out := redactor{w}
	asJSON := &slog.HandlerOptions{Level: level, ReplaceAttr: hideKeys}
	switch format {
	case FormatJSON: // one formatting serves both
		return tracing{slog.NewJSONHandler(redactor{io.MultiWriter(kept, w)}, asJSON)}, nil
	case FormatText:
		return tracing{slog.NewMultiHandler(tint.NewTextHandler(out, &tint.Options{
			Level: level, ReplaceAttr: hideKeys, TimeFormat: time.TimeOnly, NoColor: opts.NoColor || !terminal,
		}), slog.NewJSONHandler(redactor{kept}, asJSON))}, nil
	}
	return nil, fmt.Errorf("observe: unknown log format %q", opts.Format)
}

// ParseLevel reads debug, info, warn or error.
func ParseLevel(s string) (slog.Level, error) {
	switch strings.ToLower(s) {
	case "debug":
		return slog.LevelDebug, nil
	case "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, fmt.Errorf("observe: unknown log level %q", s)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// hideKeys is a ReplaceAttr: it masks what stands under a key, or in a group,
// whose name says secret.
func hideKeys(groups []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindBool, slog.KindDuration, slog.KindTime:
		return a
	}
	if SecretKey(a.Key) {
		return slog.String(a.Key, secret.Mask)
	}
	for _, g := range groups {
		if SecretKey(g) {
			return slog.String(a.Key, secret.Mask)
		}
	}
	return a
}

// redactor hides secret-looking values in formatted lines, where nothing can
// slip past: messages, errors, structs and nested groups are all text by then.
type redactor struct{ w io.Writer }

// Write passes the line on; the handlers call it once per line.
func (r redactor) Write(line []byte) (int, error) {
	clean, changed := RedactBytes(line)
	if !changed {
		return r.w.Write(line)
	}
	if _, err := r.w.Write(clean); err != nil {
		return 0, err
	}
	return len(line), nil
}

// tracing adds the id of the trace a line belongs to.
type tracing struct{ slog.Handler }

// Handle writes the record, with trace when ctx carries one.
func (t tracing) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs keeps the wrapper around the handler with attributes.
func (t tracing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return tracing{t.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the wrapper around the handler with a group.
func (t tracing) WithGroup(name string) slog.Handler { return tracing{t.Handler.WithGroup(name)} }
