package builtin

import (
	"fmt"
	"strings"
)

const (
	diffContext = 3         // lines shown around a change
	maxDiff     = 8 << 10   // bytes; a longer difference is not shown
	maxCompared = 256 << 10 // bytes of a file that is written anew and compared with what it was
	maxDiffWork = 1 << 20   // pairs of lines that are compared for the shortest way; beyond, a block replaces a block
)

// diff is what changed from one text to another, for people, in the unified form; "" when nothing did or it is too long.
func diff(path, before, after string) string {
	a, b := splitLines(before), splitLines(after)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", path, path)
	empty := out.Len()
	marks := compare(a, b)
	for from := 0; from < len(marks); {
		for from < len(marks) && marks[from].sign == ' ' {
			from++
		}
		if from == len(marks) {
			break
		}
		to := hunkEnd(marks, from)
		writeHunk(&out, marks[max(from-diffContext, 0):to])
		if out.Len() > maxDiff {
			return ""
		}
		from = to
	}
	if out.Len() == empty {
		return ""
	}
	return out.String()
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// mark is one line of a difference: kept, taken away or added, with how many lines each text had before it.
type mark struct {
	sign   byte // ' ', '-', '+'
	line   string
	na, nb int
}

// compare lists all lines of both texts, each marked.
func compare(a, b []string) []mark {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	marks := make([]mark, 0, max(len(a), len(b)))
	na, nb := 0, 0
	add := func(sign byte, line string) {
		marks = append(marks, mark{sign, line, na, nb})
		if sign != '+' {
			na++
		}
		if sign != '-' {
			nb++
		}
	}
	for _, line := range a[:head] {
		add(' ', line)
	}
	middle(a[head:len(a)-tail], b[head:len(b)-tail], add)
	for _, line := range a[len(a)-tail:] {
		add(' ', line)
	}
	return marks
}

// middle marks the lines between the first and the last change by their longest common subsequence.
func middle(a, b []string, add func(sign byte, line string)) {
	if len(a)*len(b) > maxDiffWork {
		for _, line := range a {
			add('-', line)
		}
		for _, line := range b {
			add('+', line)
		}
		return
	}
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width) // of the rest of both
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add(' ', a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[(i+1)*width+j] >= common[i*width+j+1]):
			add('-', a[i])
			i++
		default:
			add('+', b[j])
			j++
		}
	}
}

// hunkEnd is where the changes that begin at from are followed by enough lines that stayed.
func hunkEnd(marks []mark, from int) int {
	last := from
	for i := from; i < len(marks) && i-last <= 2*diffContext; i++ {
		if marks[i].sign != ' ' {
			last = i
		}
	}
	return min(last+1+diffContext, len(marks))
}

func writeHunk(out *strings.Builder, hunk []mark) {
	var na, nb int
	for _, m := range hunk {
		if m.sign != '+' {
			na++
		}
		if m.sign != '-' {
			nb++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(hunk[0].na, na), span(hunk[0].nb, nb))
	for _, m := range hunk {
		out.WriteByte(m.sign)
		out.WriteString(m.line)
		out.WriteByte('\n')
	}
}

// span is where lines stand, counted from 1; of none, the line before them.
func span(before, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}
