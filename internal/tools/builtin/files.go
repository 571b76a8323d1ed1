package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/tools"
)

const (
	maxText  = 10 << 20 // of a file that is read or edited
	maxImage = 5 << 20
	maxLine  = 2000 // bytes of one line that are shown
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func readFile() tools.Tool {
	return define(tools.Spec{Name: "read_file", Title: "Read a file", Level: tools.Public, ReadOnly: true, Repeatable: true, MaxOutput: 128 << 10, Means: paths("path")},
		`{"path":{"type":"string","minLength":1},"offset":{"type":"integer","minimum":1,"description":"first line"},
		  "limit":{"type":"integer","minimum":1,"maximum":10000,"description":"lines; 2000 if not given"}}`, []string{"path"},
		func(_ context.Context, call tools.Call, a readArgs) (tools.Result, error) {
			f, err := openFolder(call)
			if err != nil {
				return tools.Result{}, err
			}
			defer f.Close()
			rel, err := f.rel(a.Path)
			if err != nil {
				return tools.Result{}, err
			}
			return f.read(rel, a)
		})
}

func (f *folder) read(rel string, a readArgs) (tools.Result, error) {
	file, info, err := f.open(rel)
	if err != nil {
		return tools.Result{}, err
	}
	defer file.Close()
	head := make([]byte, 8192)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return tools.Result{}, explain(err, rel)
	}
	head = head[:n]
	if binary(head) {
		kind := http.DetectContentType(head)
		switch kind {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			if info.Size() <= maxImage {
				rest, err := io.ReadAll(io.LimitReader(file, maxImage))
				if err != nil {
					return tools.Result{}, explain(err, rel)
				}
				return tools.Result{Parts: []tools.Part{{Kind: tools.PartImage, MediaType: kind, Path: rel, Data: append(head, rest...)}}}, nil
			}
		}
		return tools.Result{Parts: []tools.Part{
			{Kind: tools.PartText, Text: fmt.Sprintf("%s is a binary file (%s, %d bytes).", rel, kind, info.Size())},
			{Kind: tools.PartFile, Path: rel, MediaType: kind},
		}}, nil
	}
	rest, err := io.ReadAll(io.LimitReader(file, maxText))
	if err != nil {
		return tools.Result{}, explain(err, rel)
	}
	text := append(head, rest...)
	r := tools.Says(numbered(text, max(1, a.Offset), a.Limit, info.Size() > int64(len(text))))
	r.Meta = map[string]any{"path": rel, "size": info.Size()}
	return r, nil
}

// binary reports whether the beginning of a file is not text.
func binary(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && size == 1 {
			return utf8.FullRune(head[i:]) // a character cut off by the end of the head is none
		}
		i += size
	}
	return false
}

// numbered shows lines from offset on, as many as limit, with what to do for more.
func numbered(text []byte, offset, limit int, cut bool) string {
	if limit == 0 {
		limit = 2000
	}
	lines := strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return "[The file is empty.]"
	}
	if offset > len(lines) {
		return fmt.Sprintf("[The file has %d lines; there is no line %d.]", len(lines), offset)
	}
	last := min(len(lines), offset-1+limit)
	var b strings.Builder
	for i := offset - 1; i < last; i++ {
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, clip(strings.TrimSuffix(lines[i], "\r"), maxLine))
	}
	switch {
	case last < len(lines):
		fmt.Fprintf(&b, "[Lines %d to %d of %d; read on with offset %d.]", offset, last, len(lines), last+1)
	case cut:
		fmt.Fprintf(&b, "[The file goes on; only its first %d bytes can be read here.]", len(text))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clip cuts a line at a whole character.
func clip(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	end := limit
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + fmt.Sprintf("… [%d bytes more]", len(line)-end)
}

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeFile() tools.Tool {
	return define(tools.Spec{Name: "write_file", Title: "Write a file", Level: tools.Restricted, Repeatable: true, Means: paths("path")},
		`{"path":{"type":"string","minLength":1},"content":{"type":"string"}}`, []string{"path", "content"},
		func(_ context.Context, call tools.Call, a writeArgs) (tools.Result, error) {
			f, err := openFolder(call)
			if err != nil {
				return tools.Result{}, err
			}
			defer f.Close()
			rel, err := f.writable(a.Path)
			if err != nil {
				return tools.Result{}, err
			}
			before, _, unread := f.readAll(rel, maxCompared)
			if err := f.replace(rel, []byte(a.Content)); err != nil {
				return tools.Result{}, err
			}
			r := tools.Says(fmt.Sprintf("Wrote %s (%d bytes, %d lines).", rel, len(a.Content), lineCount(a.Content)))
			r.Meta = map[string]any{"path": rel, "size": len(a.Content)}
			if unread == nil && utf8.Valid(before) {
				r.Meta["diff"] = diff(rel, string(before), a.Content)
			}
			return r, nil
		})
}

func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
