package documents

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Style is how a section is written, and so how it may be cut.
type Style string

// The styles of sections.
const (
	Prose Style = "prose" // paragraphs, with headings and lists as in Markdown
	Code  Style = "code"
	Table Style = "table" // a first line with names, then one line per row
)

// Section is a part of a document with one place to cite it by.
type Section struct {
	Style   Style
	Text    string
	Page    int    // from 1; 0: the format has no pages
	Line    int    // of the file where the text begins, from 1; 0: lines do not say where it is
	Heading string // the chapter, sheet or slide
}

// Document is a file that was read.
type Document struct {
	Format   string // "markdown", "pdf", …
	Title    string
	Sections []Section
}

// Limits bound what reading takes. The zero value has the usual limits.
type Limits struct {
	File     int64         // bytes of a file; 0: 64 MiB
	Unpacked int64         // bytes an archive may unpack to; 0: 256 MiB
	Text     int64         // bytes of text of one document; 0: 32 MiB
	Entries  int           // files in an archive; 0: 10000
	Pages    int           // of a scan that are read by OCR; 0: 50
	OCR      time.Duration // for one page; 0: 30 s
}

func (l Limits) withDefaults() Limits {
	l.File = cmp.Or(l.File, 64<<20)
	l.Unpacked = cmp.Or(l.Unpacked, 256<<20)
	l.Text = cmp.Or(l.Text, 32<<20)
	l.Entries = cmp.Or(l.Entries, 10_000)
	l.Pages = cmp.Or(l.Pages, 50)
	l.OCR = cmp.Or(l.OCR, 30*time.Second)
	return l
}

// Input is a file to read.
type Input struct {
	Name string // its ending tells kinds of text apart
	Data io.ReaderAt
	Size int64
}

// Read reads a document.
func Read(ctx context.Context, in Input, limits Limits) (doc Document, err error) {
	limits = limits.withDefaults()
	if in.Size == 0 {
		return doc, fault.New(fault.Invalid, "file_empty", "The file is empty.")
	}
	if in.Size > limits.File {
		return doc, fault.New(fault.TooLarge, "file_too_large", "The file has %d MB; at most %d MB are read.", in.Size>>20, limits.File>>20).
			WithHint("Split it, or leave it out.")
	}
	defer func() { // parsers of foreign formats may stumble over what they did not expect
		if p := recover(); p != nil {
			err = broken(doc.Format, fmt.Errorf("%v", p))
		}
	}()
	head := make([]byte, min(in.Size, 4096))
	if _, err := in.Data.ReadAt(head, 0); err != nil && err != io.EOF {
		return doc, err
	}
	doc, err = read(ctx, in, head, limits)
	if err != nil {
		return doc, err
	}
	for _, s := range doc.Sections {
		if strings.TrimSpace(s.Text) != "" {
			doc.Title = cmp.Or(strings.TrimSpace(doc.Title), filepath.Base(in.Name))
			return doc, nil
		}
	}
	return doc, fault.New(fault.Invalid, "no_text", "There is no text in the file.")
}

func read(ctx context.Context, in Input, head []byte, limits Limits) (Document, error) {
	switch {
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return readPDF(ctx, in, limits)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return readZip(in, limits)
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0")):
		return Document{Format: "office"}, fault.New(fault.Unsupported, "office_locked_or_old", "This is an Office file with a password, or one from before 2007.").
			WithHint("Save it without a password, in the current format.")
	case isImage(head):
		return readImage(ctx, in, limits)
	}
	return readText(in, limits)
}

func isImage(head []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n", "\xFF\xD8\xFF", "GIF8", "BM", "II*\x00", "MM\x00*"} {
		if bytes.HasPrefix(head, []byte(magic)) && (magic != "BM" || len(head) > 14 && head[6] == 0 && head[7] == 0 && head[8] == 0 && head[9] == 0) {
			return true
		}
	}
	return len(head) > 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

func broken(format string, err error) error {
	return fault.New(fault.Invalid, "file_broken", "The file cannot be read as %s; it is damaged or incomplete.", cmp.Or(format, "what it seems to be")).Because(err)
}

// readText reads what has no other format.
func readText(in Input, limits Limits) (Document, error) {
	data, err := io.ReadAll(io.NewSectionReader(in.Data, 0, in.Size))
	if err != nil {
		return Document{}, err
	}
	text, err := decode(data)
	if err != nil {
		return Document{Format: "binary"}, err
	}
	if int64(len(text)) > limits.Text {
		return Document{}, fault.New(fault.TooLarge, "text_too_long", "The file has %d MB of text; at most %d MB are read.", len(text)>>20, limits.Text>>20).WithHint("Split it.")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	ending := strings.ToLower(filepath.Ext(in.Name))
	switch {
	case ending == ".html" || ending == ".htm" || ending == ".xhtml" || looksHTML(text):
		title, body := htmlText(text)
		return Document{Format: "html", Title: title, Sections: []Section{{Style: Prose, Text: body}}}, nil
	case ending == ".csv" || ending == ".tsv":
		return readCSV(text, ending == ".tsv")
	case ending == ".json" || ending == ".jsonl" || ending == ".ndjson":
		return readJSON(text), nil
	case codeEndings[ending] || codeNames[filepath.Base(in.Name)]:
		return Document{Format: "code", Sections: []Section{{Style: Code, Text: text, Line: 1}}}, nil
	}
	format := "text"
	if ending == ".md" || ending == ".markdown" || ending == ".mdx" {
		format = "markdown"
	}
	return Document{Format: format, Title: firstHeading(text), Sections: []Section{{Style: Prose, Text: text, Line: 1}}}, nil
}

func firstHeading(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			return rest
		}
		if line != "" {
			return ""
		}
	}
	return ""
}

func looksHTML(text string) bool {
	start := strings.ToLower(strings.TrimSpace(text[:min(len(text), 256)]))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

func names(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

var (
	codeEndings = names(`.go .py .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .c .h .cc .cpp .hpp .cs .rs .rb .php .swift .m .mm .sh .bash .zsh .fish .ps1 .bat
		.sql .lua .pl .pm .r .jl .dart .ex .exs .erl .hs .ml .clj .vue .svelte .css .scss .less .yaml .yml .toml .ini .cfg .conf .xml .proto .graphql .tf .gradle .zig .nim .s .asm`)
	codeNames = names(`Makefile Dockerfile Jenkinsfile Rakefile Gemfile go.mod CMakeLists.txt`)
)

// decode makes valid text of bytes: UTF-8, UTF-16 with its mark, or else the letters of Windows.
func decode(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		return utf16Text(data), nil
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", notText()
	}
	if utf8.Valid(data) {
		return string(data), nil
	}
	odd := 0
	for _, b := range data[:min(len(data), 8192)] {
		if b < 0x20 && b != '\n' && b != '\r' && b != '\t' && b != '\f' {
			odd++
		}
	}
	if odd*50 > min(len(data), 8192) {
		return "", notText()
	}
	return mended(data), nil
}

func notText() error {
	return fault.New(fault.Unsupported, "not_text", "This is not text, nor a format that can be read.").
		WithHint("Text, Markdown, HTML, code, CSV, JSON, PDF, DOCX, XLSX, PPTX, ODT, EPUB and images can be.")
}

// mended keeps what is UTF-8 and reads the other bytes as Windows-1252, the usual reason for them.
func mended(data []byte) string {
	var b strings.Builder
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			r = windows(data[0])
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String()
}

var high = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

func windows(b byte) rune {
	if 0x80 <= b && b <= 0x9F {
		return high[b-0x80]
	}
	return rune(b)
}

func utf16Text(data []byte) string {
	big := data[0] == 0xFE
	var b strings.Builder
	var lead rune
	for i := 2; i+1 < len(data); i += 2 {
		u := rune(data[i]) | rune(data[i+1])<<8
		if big {
			u = rune(data[i])<<8 | rune(data[i+1])
		}
		switch {
		case 0xD800 <= u && u < 0xDC00:
			lead = u
		case 0xDC00 <= u && u < 0xE000 && lead != 0:
			b.WriteRune((lead-0xD800)<<10 + (u - 0xDC00) + 0x10000)
			lead = 0
		default:
			b.WriteRune(u)
		}
	}
	return b.String()
}
