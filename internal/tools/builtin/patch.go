package builtin

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// hunk is one change of a unified patch: lines that must be there, and what comes instead.
type hunk struct {
	line     int // of the old file, from 1; 0: not said
	old, new []string
}

var hunkHead = regexp.MustCompile(`^@@(?: -(\d{1,9})(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@.*| .*@@.*|)$`)

// applyPatch applies a unified patch of one file. The counts in the heads of hunks are not believed, since models
// cannot count; the lines are. A hunk fits where its old lines stand, nearest to where it says.
func applyPatch(text, patch string) (string, error) {
	hunks, ended, err := parsePatch(patch)
	if err != nil {
		return "", err
	}
	ending := "\n"
	if strings.Contains(text, "\r\n") {
		ending = "\r\n"
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	lines := strings.Split(text, "\n")
	newline := text == "" || strings.HasSuffix(text, "\n")
	if newline {
		lines = lines[:len(lines)-1]
	}
	shift, from := 0, 0
	for i, h := range hunks {
		at, ok := place(lines, h, h.line-1+shift, from)
		if !ok {
			return "", fault.New(fault.Conflict, "patch_does_not_fit", "Hunk %d of the patch does not fit: its old lines do not stand in the file%s.", i+1, after(from)).
				WithParam("patch").WithHint("Read that part of the file and copy the lines exactly; lines that stay begin with a space. Nothing was changed.")
		}
		lines = slices.Replace(lines, at, at+len(h.old), h.new...)
		shift += len(h.new) - len(h.old)
		from = at + len(h.new)
	}
	if ended != nil {
		newline = *ended
	}
	out := strings.Join(lines, ending)
	if newline && len(lines) > 0 {
		out += ending
	}
	return out, nil
}

func after(from int) string {
	if from == 0 {
		return ""
	}
	return fmt.Sprintf(" below line %d, where the hunk before ended", from)
}

// place finds where the old lines of a hunk stand at or after from, nearest to want.
func place(lines []string, h hunk, want, from int) (int, bool) {
	last := len(lines) - len(h.old)
	if len(h.old) == 0 { // lines that are only added stand where the head says, after the line it names
		at := want + 1
		if h.line == 0 {
			at = from
		}
		return at, at >= from && at <= len(lines)
	}
	fits := func(at int) bool { return at >= from && at <= last && slices.Equal(lines[at:at+len(h.old)], h.old) }
	if h.line == 0 {
		want = from
	}
	want = max(from, min(want, last))
	for d := 0; d <= len(lines); d++ {
		if fits(want - d) {
			return want - d, true
		}
		if fits(want + d) {
			return want + d, true
		}
	}
	return 0, false
}

// parsePatch reads the hunks; ended is whether the new file ends with a newline, if the patch says so.
func parsePatch(patch string) (hunks []hunk, ended *bool, err error) {
	patch = strings.ReplaceAll(patch, "\r\n", "\n")
	lines := strings.Split(strings.TrimSuffix(patch, "\n"), "\n")
	var last byte
	for n, line := range lines {
		if m := hunkHead.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1])
			hunks = append(hunks, hunk{line: at})
			last = 0
			continue
		}
		if len(hunks) == 0 {
			continue // names of files, and whatever else stands before the first hunk
		}
		h := &hunks[len(hunks)-1]
		switch {
		case line == "": // an empty line that stays, its space lost on the way
			h.old, h.new, last = append(h.old, ""), append(h.new, ""), ' '
		case line[0] == ' ':
			h.old, h.new, last = append(h.old, line[1:]), append(h.new, line[1:]), ' '
		case line[0] == '-':
			h.old, last = append(h.old, line[1:]), '-'
		case line[0] == '+':
			h.new, last = append(h.new, line[1:]), '+'
		case line[0] == '\\':
			none, yes := false, true
			if last == '-' {
				ended = &yes
			} else {
				ended = &none
			}
		default:
			return nil, nil, fault.New(fault.Invalid, "bad_patch", "Line %d of the patch begins with neither a space, + nor -.", n+1).WithParam("patch").
				WithHint("A patch is made of hunks: a line @@ -a,b +c,d @@, then lines that begin with a space (stays), - (goes) or + (comes).")
		}
	}
	if len(hunks) == 0 {
		return nil, nil, fault.New(fault.Invalid, "bad_patch", "The patch has no hunk.").WithParam("patch").
			WithHint("A hunk begins with a line such as @@ -10,3 +10,4 @@.")
	}
	return hunks, ended, nil
}
