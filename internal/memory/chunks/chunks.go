// Package chunks cuts documents into pieces that are found and cited on their own.
//
// A piece is as long as a sentence model reads at once and knows the headings
// it stands under. Paragraphs are cut between sentences, code between
// declarations, tables between rows with their first row repeated; a fenced
// block or a table that fits is never cut.
package chunks

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/memory/documents"
)

// How long pieces are, in estimated tokens.
const (
	target  = 220
	longest = 380
)

// Chunk is one piece.
type Chunk struct {
	Text    string
	Heading string // the headings it stands under, or the declaration it begins with
	Page    int
	Line    int // of the file, from 1; 0: not known
	EndLine int
	Style   documents.Style
}

// Cut cuts a document.
func Cut(doc documents.Document) []Chunk {
	var all []Chunk
	for _, s := range doc.Sections {
		var blocks []block
		switch s.Style {
		case documents.Code:
			blocks = codeBlocks(s.Text)
		case documents.Table:
			blocks = tableBlocks(s.Text)
		default:
			blocks = proseBlocks(s.Text)
		}
		all = append(all, gather(s, blocks)...)
	}
	return all
}

// block is what is kept together if it fits.
type block struct {
	text       string
	start, end int // lines of the section, from 1
	path       string
	kind       kind
}

type kind uint8

const (
	paragraph kind = iota
	heading
	fenced
	rows
	code
)

// gather joins blocks to pieces of the wished length. A heading begins a new one unless the piece has just begun.
func gather(s documents.Section, blocks []block) []Chunk {
	var out []Chunk
	var now []block
	size := 0
	flush := func() {
		if worth(now) {
			out = append(out, chunkOf(s, now))
		}
		now, size = nil, 0
	}
	for _, whole := range blocks {
		for _, b := range split(whole) {
			n := Tokens(b.text)
			if size > 0 && (b.kind == heading && size > target/3 || size+n > longest || size >= target || b.kind == rows && now[0].kind == rows) {
				flush()
			}
			now = append(now, b)
			size += n
		}
	}
	flush()
	return out
}

// worth says whether there is more than headings.
func worth(list []block) bool {
	for _, b := range list {
		if b.kind != heading && strings.TrimSpace(b.text) != "" {
			return true
		}
	}
	return false
}

func chunkOf(s documents.Section, list []block) Chunk {
	texts := make([]string, len(list))
	for i, b := range list {
		texts[i] = b.text
	}
	first, last := list[0], list[len(list)-1]
	c := Chunk{Text: strings.Join(texts, "\n\n"), Heading: headingOf(s.Heading, last.path), Page: s.Page, Style: s.Style}
	if last.kind == code {
		c.Heading = headingOf(s.Heading, first.path)
	}
	if s.Line > 0 {
		c.Line, c.EndLine = s.Line+first.start-1, s.Line+last.end-1
	}
	return c
}

func headingOf(section, path string) string {
	switch {
	case path == "":
		return section
	case section == "", strings.HasPrefix(path, section):
		return path
	}
	return section + " > " + path
}

var atx = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)

// proseBlocks cuts text at empty lines, headings, fences and tables.
func proseBlocks(text string) []block {
	lines := strings.Split(text, "\n")
	var out []block
	var crumbs [7]string
	for i := 0; i < len(lines); {
		trimmed := strings.TrimSpace(lines[i])
		if trimmed == "" {
			i++
			continue
		}
		if m := atx.FindStringSubmatch(lines[i]); m != nil {
			depth := len(m[1])
			crumbs[depth] = m[2]
			clear(crumbs[depth+1:])
			out = append(out, block{lines[i], i + 1, i + 1, path(crumbs), heading})
			i++
			continue
		}
		end, k := proseEnd(lines, i, trimmed)
		out = append(out, block{strings.Join(lines[i:end], "\n"), i + 1, end, path(crumbs), k})
		i = end
	}
	return out
}

// proseEnd finds the line behind the block that begins at i.
func proseEnd(lines []string, i int, trimmed string) (int, kind) {
	j := i + 1
	switch {
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		for j < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[j]), trimmed[:3]) {
			j++
		}
		return min(j+1, len(lines)), fenced
	case strings.HasPrefix(trimmed, "|"):
		for j < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[j]), "|") {
			j++
		}
		return j, rows
	}
	for j < len(lines) {
		next := strings.TrimSpace(lines[j])
		if next == "" || strings.HasPrefix(next, "```") || strings.HasPrefix(next, "~~~") || strings.HasPrefix(next, "|") || atx.MatchString(lines[j]) {
			break
		}
		j++
	}
	return j, paragraph
}

func path(crumbs [7]string) string {
	var list []string
	for _, c := range crumbs {
		if c != "" {
			list = append(list, c)
		}
	}
	return strings.Join(list, " > ")
}

var declaration = regexp.MustCompile(`^(?:export |public |private |protected |internal |static |async |abstract |final |default |pub(?:\([a-z]+\))? |open |override )*(?:func|function|class|interface|struct|enum|trait|impl|type|def|module|namespace|const|var|let|val|fun|fn|package|sub|object|record|(?i:create\s+(?:or replace )?(?:table|view|function|index)))\b[^\n]*`)

// codeBlocks cuts before what begins at the left edge behind an empty line: a declaration with its comment.
func codeBlocks(text string) []block {
	lines := strings.Split(text, "\n")
	var out []block
	start := 0
	flush := func(end int) {
		from, to := start, end
		for from < to && strings.TrimSpace(lines[from]) == "" {
			from++
		}
		for to > from && strings.TrimSpace(lines[to-1]) == "" {
			to--
		}
		if to > from {
			out = append(out, block{strings.Join(lines[from:to], "\n"), from + 1, to, declared(lines[from:to]), code})
		}
		start = end
	}
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		if line == "" || strings.ContainsRune(" \t)}]", rune(line[0])) || strings.TrimSpace(lines[i-1]) != "" {
			continue
		}
		flush(i)
	}
	flush(len(lines))
	return out
}

func declared(lines []string) string {
	for _, line := range lines {
		if declaration.MatchString(line) {
			line = strings.TrimRight(strings.TrimSpace(line), " {:(")
			if len(line) > 100 {
				line = strings.ToValidUTF8(line[:100], "")
			}
			return line
		}
	}
	return ""
}

// tableBlocks is the whole table, which split cuts between rows.
func tableBlocks(text string) []block {
	text = strings.TrimRight(text, "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []block{{text, 1, strings.Count(text, "\n") + 1, "", rows}}
}

var sentence = regexp.MustCompile(`[.!?。！？]["')\]]*(?:\s+|$)|[。！？]`)

// split cuts a block that is too long: between sentences, lines, words, or anywhere at last.
func split(b block) []block {
	if Tokens(b.text) <= longest {
		return []block{b}
	}
	units := strings.SplitAfter(b.text, "\n")
	header := ""
	switch {
	case b.kind == rows && len(units) > 2:
		header, units = units[0], units[1:]
	case b.kind == paragraph:
		units = sentences(b.text)
	}
	var fit []string
	for _, u := range units {
		fit = append(fit, shorten(u)...)
	}
	return packed(b, header, fit)
}

// packed joins units to blocks that are not too long, each with the header.
func packed(b block, header string, units []string) []block {
	var out []block
	var now strings.Builder
	size, start, line := 0, b.start, b.start+strings.Count(header, "\n")
	base := Tokens(header)
	flush := func(end int) {
		if strings.TrimSpace(now.String()) == "" {
			return
		}
		out = append(out, block{header + strings.TrimRight(now.String(), "\n"), start, max(start, end), b.path, b.kind})
		now.Reset()
		size = 0
	}
	for _, u := range units {
		n := Tokens(u)
		if size > 0 && base+size+n > target+(longest-target)/2 {
			end := line
			if strings.HasSuffix(now.String(), "\n") { // line is the one behind
				end--
			}
			flush(end)
			start = line
		}
		now.WriteString(u)
		size += n
		line += strings.Count(u, "\n")
	}
	flush(b.end)
	return out
}

func sentences(text string) []string {
	var out []string
	last := 0
	for _, at := range sentence.FindAllStringIndex(text, -1) {
		out = append(out, text[last:at[1]])
		last = at[1]
	}
	if last < len(text) {
		out = append(out, text[last:])
	}
	return out
}

// shorten cuts a unit without any end of a sentence or line: between words, then between letters.
func shorten(unit string) []string {
	if Tokens(unit) <= longest {
		return []string{unit}
	}
	var out []string
	var now strings.Builder
	size := 0
	for _, word := range strings.SplitAfter(unit, " ") {
		for len(word) > 400 { // no word: something encoded, or a script without spaces
			at := 400
			for !utf8.RuneStart(word[at]) && at > 397 {
				at--
			}
			out, word = append(out, now.String()+word[:at]), word[at:]
			now.Reset()
			size = 0
		}
		n := Tokens(word)
		if size+n > target {
			out = append(out, now.String())
			now.Reset()
			size = 0
		}
		now.WriteString(word)
		size += n
	}
	if now.Len() > 0 {
		out = append(out, now.String())
	}
	return out
}

// Tokens estimates how many tokens a text is, well enough to size pieces.
func Tokens(text string) int {
	sum, run := 0.0, 0
	for _, r := range text {
		if r < 0x250 && unicode.IsLetter(r) {
			run++
			continue
		}
		sum += word(run)
		run = 0
		switch {
		case unicode.Is(unicode.Han, r):
			sum += 0.84
		case unicode.IsLetter(r):
			sum += 0.38
		case unicode.IsDigit(r):
			sum += 0.45
		case r == '\n':
			sum++
		case r == ' ', r == '\t':
		default:
			sum += 0.3
		}
	}
	return int(sum + word(run) + 0.5)
}

func word(letters int) float64 {
	switch {
	case letters == 0:
		return 0
	case letters > 7:
		return 1.05 + 0.5*float64(letters-7)
	}
	return 1.05
}
