package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Streams are where a command reads and writes.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// printer writes for people or, with --json, for programs.
type printer struct {
	out    io.Writer
	json   bool
	colour bool
}

// value prints v as JSON, or calls people to print it for a person.
func (p printer) value(v any, people func()) error {
	if !p.json {
		people()
		return nil
	}
	enc := json.NewEncoder(p.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (p printer) line(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// table prints rows under a head.
func (p printer) table(head []string, rows [][]string) {
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for i, h := range head {
		head[i] = strings.ToUpper(h)
	}
	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	t.Flush()
}

// The few colours; each has a word or a sign beside it, so none is needed.
const (
	plain  = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

func (p printer) paint(colour, text string) string {
	if !p.colour || colour == plain {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// onTerminal says whether a stream is a terminal.
func onTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// report prints an error: what happened, what to do, an id to look for.
func report(p printer, w io.Writer, err error) {
	shape := errorShape(err)
	if p.json {
		text, _ := json.MarshalIndent(map[string]any{"error": shape}, "", "  ")
		fmt.Fprintln(w, string(text))
		return
	}
	var problems config.Problems
	if errors.As(err, &problems) {
		fmt.Fprintln(w, problems.Error())
		return
	}
	fmt.Fprintln(w, p.paint(red, "error:")+" "+shape.Message)
	if shape.Hint != "" {
		fmt.Fprintln(w, p.paint(dim, " hint:")+" "+shape.Hint)
	}
	if shape.RequestID != "" {
		fmt.Fprintln(w, p.paint(dim, "   id:")+" "+shape.RequestID)
	}
}

func errorShape(err error) client.Error {
	var answered *client.Error
	if errors.As(err, &answered) {
		return *answered
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return client.Error{Code: f.Code, Message: f.Message, Hint: f.Hint, Param: f.Param, Details: f.Details, Retryable: f.Retryable}
	}
	var run runError
	if errors.As(err, &run) {
		return run.shape()
	}
	var usage usageError
	if errors.As(err, &usage) {
		return client.Error{Code: "usage", Message: err.Error()}
	}
	return client.Error{Code: "failed", Message: err.Error()}
}

// download writes an answer to a file that must not be there yet, or to standard output.
func (e *env) download(ctx context.Context, c *client.Client, path, to string) error {
	resp, err := c.Open(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if to == "" {
		_, err = io.Copy(e.streams.Out, resp.Body)
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return usageError{err}
	}
	_, err = io.Copy(f, resp.Body)
	return errors.Join(err, f.Close())
}
