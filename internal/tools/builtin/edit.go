package builtin

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

type editArgs struct {
	Path  string `json:"path"`
	Edits []edit `json:"edits"`
	Patch string `json:"patch"`
}

// edit replaces an exact text.
type edit struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all"`
}

func editFile() tools.Tool {
	return define(tools.Spec{Name: "edit_file", Title: "Edit a file", Level: tools.Restricted, Means: paths("path")},
		`{"path":{"type":"string","minLength":1},
		  "edits":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","additionalProperties":false,"required":["old","new"],
		    "properties":{"old":{"type":"string","minLength":1},"new":{"type":"string"},"all":{"type":"boolean","description":"replace every occurrence"}}}},
		  "patch":{"type":"string","minLength":1,"description":"hunks in unified format"}}`, []string{"path"},
		func(_ context.Context, call tools.Call, a editArgs) (tools.Result, error) {
			if (len(a.Edits) == 0) == (a.Patch == "") {
				return tools.Result{}, fault.New(fault.Invalid, "invalid_arguments", "Give either edits or a patch.").WithParam("edits")
			}
			f, err := openFolder(call)
			if err != nil {
				return tools.Result{}, err
			}
			defer f.Close()
			rel, err := f.writable(a.Path)
			if err != nil {
				return tools.Result{}, err
			}
			return f.edit(rel, a)
		})
}

func (f *folder) edit(rel string, a editArgs) (tools.Result, error) {
	before, _, err := f.readAll(rel, maxText)
	if err != nil {
		return tools.Result{}, err
	}
	if !utf8.Valid(before) {
		return tools.Result{}, fault.New(fault.Invalid, "not_text", "%s is not text in UTF-8.", rel).WithParam("path")
	}
	var after string
	if a.Patch != "" {
		after, err = applyPatch(string(before), a.Patch)
	} else {
		after, err = applyEdits(string(before), a.Edits)
	}
	if err != nil {
		return tools.Result{}, err
	}
	if after == string(before) {
		return tools.Result{}, fault.New(fault.Invalid, "no_change", "The edit changes nothing in %s.", rel).
			WithHint("Read the file again; it may already be as you want it.")
	}
	if err := f.replace(rel, []byte(after)); err != nil {
		return tools.Result{}, err
	}
	r := tools.Says(fmt.Sprintf("Edited %s; it has %d lines now (had %d).", rel, lineCount(after), lineCount(string(before))))
	r.Meta = map[string]any{"path": rel, "diff": diff(rel, string(before), after)}
	return r, nil
}

// applyEdits makes all replacements one after the other, or none.
func applyEdits(text string, edits []edit) (string, error) {
	for i, e := range edits {
		param := fmt.Sprintf("edits[%d].old", i)
		// A model writes \n where the file may have \r\n.
		if !strings.Contains(text, e.Old) && strings.Contains(text, "\r\n") && !strings.Contains(e.Old, "\r") {
			e.Old, e.New = strings.ReplaceAll(e.Old, "\n", "\r\n"), strings.ReplaceAll(strings.ReplaceAll(e.New, "\r\n", "\n"), "\n", "\r\n")
		}
		n := strings.Count(text, e.Old)
		switch {
		case n == 0:
			return "", fault.New(fault.Conflict, "text_not_found", "The text to replace does not occur in the file%s.", nearMiss(text, e.Old)).WithParam(param).
				WithHint("Read that part of the file and copy the text exactly, with its indentation. Nothing was changed.")
		case n > 1 && !e.All:
			return "", fault.New(fault.Conflict, "text_not_unique", "The text to replace occurs %d times, first in line %d.", n, lineOf(text, e.Old)).WithParam(param).
				WithHint("Add the lines around the one you mean, or set all. Nothing was changed.")
		}
		text = strings.ReplaceAll(text, e.Old, e.New)
		if len(text) > maxText {
			return "", fault.New(fault.TooLarge, "file_too_large", "The file would be larger than %d bytes.", maxText)
		}
	}
	return text, nil
}

func lineOf(text, part string) int {
	return strings.Count(text[:strings.Index(text, part)], "\n") + 1
}

// nearMiss says where the text occurs but for its white space.
func nearMiss(text, old string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(old), "\n")
	first = strings.Join(strings.Fields(first), " ")
	if len(first) < 8 {
		return ""
	}
	line := 0
	for l := range strings.Lines(text) {
		line++
		if strings.Contains(strings.Join(strings.Fields(l), " "), first) {
			return fmt.Sprintf(" (line %d begins like it, with other white space or another continuation)", line)
		}
	}
	return ""
}
