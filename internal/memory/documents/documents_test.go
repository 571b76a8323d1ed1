package documents

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func input(name string, data []byte) Input {
	return Input{Name: name, Data: bytes.NewReader(data), Size: int64(len(data))}
}

func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// smallPDF makes a PDF with one line of text per page.
func smallPDF(extra string, pages ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(text string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), text)
	}
	b.WriteString("%PDF-1.4\n")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(pages)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, text := range pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i))
		stream := fmt.Sprintf("BT /F1 12 Tf 50 700 Td (%s) Tj ET", text)
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream))
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, extra, xref)
	return b.Bytes()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data   []byte
		format string
		want   []Section
	}{
		"a.md":   {[]byte("# Hello\r\n\r\nThere"), "markdown", []Section{{Style: Prose, Text: "# Hello\n\nThere", Line: 1}}},
		"a.go":   {[]byte("package a\n"), "code", []Section{{Style: Code, Text: "package a\n", Line: 1}}},
		"a.csv":  {[]byte("name;age\n\"Anna\nMaria\";30\n"), "csv", []Section{{Style: Table, Text: "name | age\nAnna Maria | 30\n", Line: 1}}},
		"a.json": {[]byte(`{"a":[1,2]}`), "json", []Section{{Style: Code, Text: "{\n  \"a\": [\n    1,\n    2\n  ]\n}"}}},
		"a.html": {[]byte("<html><head><title>T &amp; U</title><style>x{}</style></head><body><h2>Big</h2><p>One <b>two</b>.</p><script>if (a<b) {}</script><ul><li>x<li>y</ul><table><tr><td>1</td><td>2</td></tr></table></body>"),
			"html", []Section{{Style: Prose, Text: "## Big\n\nOne two.\n\n- x\n- y\n\n| 1 | 2 |"}}},
		"latin.txt": {[]byte("caf\xe9 \x93quoted\x94"), "text", []Section{{Style: Prose, Text: "café “quoted”", Line: 1}}},
		"utf16.txt": {[]byte("\xff\xfeH\x00i\x00"), "text", []Section{{Style: Prose, Text: "Hi", Line: 1}}},
		"a.docx": {zipped(t, "word/document.xml", `<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p><w:p><w:r><w:t>We go</w:t></w:r><w:r><w:t xml:space="preserve"> home.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`),
			"docx", []Section{{Style: Prose, Text: "# Plan\n\nWe go home.\n\n| A | B | \n\n"}}},
		"a.xlsx": {zipped(t, "xl/workbook.xml", `<workbook><sheets><sheet name="Staff"/></sheets></workbook>`, "xl/sharedStrings.xml", `<sst><si><t>name</t></si><si><r><t>An</t></r><r><t>na</t></r></si></sst>`,
			"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
			"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>since</t></is></c></row><row><c r="A2" t="s"><v>1</v></c><c r="C2" s="1"><v>45000</v></c></row></sheetData></worksheet>`),
			"xlsx", []Section{{Style: Table, Text: "name |  | since\nAnna |  | 2023-03-15\n", Page: 1, Heading: "Staff"}}},
		"a.pptx": {zipped(t, "ppt/presentation.xml", "<p/>", "ppt/slides/slide2.xml", `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Second</a:t></a:r></a:p></p:sld>`, "ppt/slides/slide1.xml", `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>First</a:t></a:r></a:p></p:sld>`),
			"pptx", []Section{{Style: Prose, Text: "First\n\n", Page: 1, Heading: "First"}, {Style: Prose, Text: "Second\n\n", Page: 2, Heading: "Second"}}},
		"a.epub": {zipped(t, "mimetype", "application/epub+zip", "META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/c.opf"/></rootfiles></container>`,
			"OEBPS/c.opf", `<package><metadata><title>Book</title></metadata><manifest><item id="b" href="two.html"/><item id="a" href="one.html"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
			"OEBPS/one.html", "<html><head><title>I</title></head><body><p>Call me</p></body></html>", "OEBPS/two.html", "<html><body><p>Ishmael</p></body></html>"),
			"epub", []Section{{Style: Prose, Text: "Call me", Page: 1, Heading: "I"}, {Style: Prose, Text: "Ishmael", Page: 2}}},
		"a.odt": {zipped(t, "content.xml", `<office><text:h xmlns:text="t" text:outline-level="2">Head</text:h><text:p xmlns:text="t">Body</text:p></office>`), "odt", []Section{{Style: Prose, Text: "## Head\n\nBody\n\n"}}},
		"wrong.txt": {smallPDF("", "The lighthouse keeper", "Second page here"), "pdf",
			[]Section{{Style: Prose, Text: "The lighthouse keeper\n", Page: 1}, {Style: Prose, Text: "Second page here\n", Page: 2}}},
	} {
		doc, err := Read(t.Context(), input(name, c.data), Limits{})
		if err != nil {
			t.Errorf("Read(%s): %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, doc.Sections); doc.Format != c.format || diff != "" {
			t.Errorf("Read(%s) = %s:\n%s", name, doc.Format, diff)
		}
	}
}

// bomb is a zip file of a few kilobytes that unpacks to size bytes of zeros.
func bomb(t testing.TB, name string, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	zeros := bytes.Repeat([]byte(" "), 1<<20)
	for range size >> 20 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// huge is a file of zeros that takes no memory.
type huge struct{}

func (huge) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

func TestBadFiles(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		want string
	}{
		"empty.md":    {input("empty.md", nil), "file_empty"},
		"blank.md":    {input("blank.md", []byte(" \n\t\n")), "no_text"},
		"huge.txt":    {Input{"huge.txt", huge{}, 500 << 20}, "file_too_large"},
		"binary.txt":  {input("binary.txt", []byte("a\x00b\x01")), "not_text"},
		"noise.txt":   {input("noise.txt", bytes.Repeat([]byte{1, 2, 0xff, 0x80}, 100)), "not_text"},
		"bomb.docx":   {input("bomb.docx", bomb(t, "word/document.xml", 100<<20)), "archive_too_large"},
		"bomb.xlsx":   {input("bomb.xlsx", bomb(t, "xl/workbook.xml", 100<<20)), "archive_too_large"},
		"locked.pdf":  {input("locked.pdf", smallPDF("/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O (12345678901234567890123456789012) /U (12345678901234567890123456789012) >> /ID [(1234567890123456) (1234567890123456)]", "secret")), "pdf_locked"},
		"torn.pdf":    {input("torn.pdf", smallPDF("", "x")[:200]), "file_broken"},
		"torn.docx":   {input("torn.docx", zipped(t, "word/document.xml", "<w:p>")[:60]), "file_broken"},
		"old.doc":     {input("old.doc", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more")), "office_locked_or_old"},
		"things.zip":  {input("things.zip", zipped(t, "a.txt", "x")), "archive"},
		"missing.png": {input("missing.png", []byte("\x89PNG\r\n\x1a\n broken")), "ocr"},
	} {
		_, err := Read(t.Context(), c.in, Limits{})
		got := ""
		if err != nil {
			got = fault.From(err).Code
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("Read(%s) = %q (%v), want %s", name, got, err, c.want)
		}
	}
}

func TestABombTakesNoMemory(t *testing.T) {
	data := bomb(t, "word/document.xml", 100<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(t.Context(), input("b.docx", data), Limits{}); err == nil {
		t.Error("a bomb was read")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 128<<20 {
		t.Errorf("reading a bomb of %d KB allocated %d MB", len(data)>>10, used>>20)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.html", []byte("<p>x<b"))
	f.Add("a.pdf", smallPDF("", "x"))
	f.Add("a.docx", zipped(f, "word/document.xml", "<w:p><w:t>x"))
	f.Add("a.csv", []byte("a,\"b\nc"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		doc, err := Read(t.Context(), input(name, data), Limits{File: 1 << 20, Unpacked: 1 << 20})
		if err == nil && len(doc.Sections) == 0 {
			t.Errorf("nothing read and no reason given")
		}
	})
}
