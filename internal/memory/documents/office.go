package documents

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// paragraphs collects the text of a word processor, with headings and tables as in Markdown.
type paragraphs struct {
	out   strings.Builder
	line  strings.Builder
	level int // of the heading the paragraph is; 0: none
	cell  int // how deep in tables
	in    bool
}

func (p *paragraphs) end() {
	text := strings.Join(strings.Fields(p.line.String()), " ")
	p.line.Reset()
	switch {
	case p.cell > 0:
		p.out.WriteString(text + " ")
	case text != "" && p.level > 0:
		p.out.WriteString(strings.Repeat("#", min(p.level, 6)) + " " + text + "\n\n")
	case text != "":
		p.out.WriteString(text + "\n\n")
	}
	p.level = 0
}

func headingLevel(style string) int {
	lower := strings.ToLower(style)
	if lower == "title" {
		return 1
	}
	for _, word := range []string{"heading", "berschrift", "titre", "titolo", "encabezado"} {
		if i := strings.Index(lower, word); i >= 0 {
			if n, err := strconv.Atoi(strings.TrimFunc(lower[i+len(word):], func(r rune) bool { return !unicode.IsDigit(r) })); err == nil {
				return n
			}
		}
	}
	return 0
}

func (a *archive) docx() (Document, error) {
	p := &paragraphs{}
	err := a.walk("word/document.xml", func(name string, start bool, attrs []xml.Attr, text string) error {
		switch {
		case name == "" && p.in:
			p.line.WriteString(text)
		case name == "t":
			p.in = start
		case name == "pStyle" && start:
			p.level = headingLevel(attr(attrs, "val"))
		case (name == "tab" || name == "br") && start:
			p.line.WriteByte(' ')
		case name == "p" && !start:
			p.end()
		case name == "tbl":
			if start {
				p.cell++
			} else if p.cell--; p.cell == 0 {
				p.out.WriteByte('\n')
			}
		case name == "tc" && !start:
			p.out.WriteString("| ")
		case name == "tr":
			if start {
				p.out.WriteString("| ")
			} else {
				p.out.WriteByte('\n')
			}
		}
		return nil
	})
	return Document{Format: "docx", Title: a.coreTitle(), Sections: []Section{{Style: Prose, Text: p.out.String()}}}, err
}

// coreTitle is the title an Office document gives itself.
func (a *archive) coreTitle() string {
	if !a.has("docProps/core.xml") {
		return ""
	}
	title, in := "", false
	err := a.walk("docProps/core.xml", func(name string, start bool, _ []xml.Attr, text string) error {
		switch {
		case name == "title":
			in = start
		case name == "" && in:
			title += text
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return title
}

func (a *archive) odt() (Document, error) {
	p := &paragraphs{}
	err := a.walk("content.xml", func(name string, start bool, attrs []xml.Attr, text string) error {
		switch {
		case name == "":
			p.line.WriteString(text)
		case (name == "p" || name == "h") && !start:
			p.end()
		case name == "h" && start:
			p.level = 1
			if n, err := strconv.Atoi(attr(attrs, "outline-level")); err == nil {
				p.level = n
			}
		case (name == "tab" || name == "line-break" || name == "s") && start:
			p.line.WriteByte(' ')
		case name == "table-row" && !start:
			p.out.WriteByte('\n')
		case name == "table-cell" && !start:
			p.out.WriteString("| ")
		case name == "table":
			if start {
				p.cell++
			} else {
				p.cell--
			}
		}
		return nil
	})
	return Document{Format: "odt", Sections: []Section{{Style: Prose, Text: p.out.String()}}}, err
}

func (a *archive) pptx() (Document, error) {
	doc := Document{Format: "pptx", Title: a.coreTitle()}
	for n, name := range a.names("ppt/slides", ".xml") {
		p := &paragraphs{}
		err := a.walk(name, func(name string, start bool, _ []xml.Attr, text string) error {
			switch {
			case name == "" && p.in:
				p.line.WriteString(text)
			case name == "t":
				p.in = start
			case name == "p" && !start:
				p.end()
			}
			return nil
		})
		if err != nil {
			return doc, err
		}
		heading, _, _ := strings.Cut(strings.TrimSpace(p.out.String()), "\n")
		doc.Sections = append(doc.Sections, Section{Style: Prose, Text: p.out.String(), Page: n + 1, Heading: heading})
	}
	return doc, nil
}

// xlsx reads the values of all sheets, one line per row.
func (a *archive) xlsx(limits Limits) (Document, error) {
	doc := Document{Format: "xlsx", Title: a.coreTitle()}
	shared, err := a.sharedStrings()
	if err != nil {
		return doc, err
	}
	dates, err := a.dateStyles()
	if err != nil {
		return doc, err
	}
	var titles []string
	err = a.walk("xl/workbook.xml", func(name string, start bool, attrs []xml.Attr, _ string) error {
		if name == "sheet" && start {
			titles = append(titles, attr(attrs, "name"))
		}
		return nil
	})
	if err != nil {
		return doc, err
	}
	for n, name := range a.names("xl/worksheets", ".xml") {
		s := &sheet{shared: shared, dates: dates, most: limits.Text}
		if err := a.walk(name, s.visit); err != nil {
			return doc, err
		}
		section := Section{Style: Table, Text: s.out.String(), Page: n + 1}
		if n < len(titles) {
			section.Heading = titles[n]
		}
		doc.Sections = append(doc.Sections, section)
	}
	return doc, nil
}

func (a *archive) sharedStrings() ([]string, error) {
	if !a.has("xl/sharedStrings.xml") {
		return nil, nil
	}
	var list []string
	var b strings.Builder
	in := false
	err := a.walk("xl/sharedStrings.xml", func(name string, start bool, _ []xml.Attr, text string) error {
		switch {
		case name == "" && in:
			b.WriteString(text)
		case name == "t":
			in = start
		case name == "si" && !start:
			list = append(list, b.String())
			b.Reset()
		}
		return nil
	})
	return list, err
}

// dateStyles says which styles of cells show a number as a date.
func (a *archive) dateStyles() (map[string]bool, error) {
	dates := map[string]bool{}
	if !a.has("xl/styles.xml") {
		return dates, nil
	}
	own, inside, n := map[string]bool{}, false, 0
	err := a.walk("xl/styles.xml", func(name string, start bool, attrs []xml.Attr, _ string) error {
		switch {
		case name == "numFmt" && start:
			code := strings.ToLower(attr(attrs, "formatCode"))
			own[attr(attrs, "numFmtId")] = strings.Contains(code, "yy") || strings.Contains(code, "dd") || strings.Contains(code, "hh")
		case name == "cellXfs":
			inside = start
		case name == "xf" && start && inside:
			id := attr(attrs, "numFmtId")
			number, err := strconv.Atoi(id)
			if own[id] || err == nil && (14 <= number && number <= 22 || 45 <= number && number <= 47) {
				dates[strconv.Itoa(n)] = true
			}
			n++
		}
		return nil
	})
	return dates, err
}

// sheet collects the rows of one.
type sheet struct {
	shared []string
	dates  map[string]bool
	most   int64
	out    strings.Builder

	row   []string
	kind  string // of the cell
	style string
	at    int // its column
	value strings.Builder
	in    bool
}

func (s *sheet) visit(name string, start bool, attrs []xml.Attr, text string) error {
	switch {
	case name == "" && s.in:
		s.value.WriteString(text)
	case name == "c" && start:
		s.kind, s.style, s.at = attr(attrs, "t"), attr(attrs, "s"), column(attr(attrs, "r"))
	case name == "v" || name == "t":
		s.in = start
	case name == "c":
		s.cell()
	case name == "row" && !start:
		if strings.TrimSpace(strings.Join(s.row, "")) != "" {
			writeRow(&s.out, s.row)
		}
		s.row = s.row[:0]
		if int64(s.out.Len()) > s.most {
			return errBomb
		}
	}
	return nil
}

// mostColumns bounds the width of a row, whatever a cell says where it is.
const mostColumns = 1000

func (s *sheet) cell() {
	text := s.value.String()
	s.value.Reset()
	switch s.kind {
	case "s":
		if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(s.shared) {
			text = s.shared[i]
		}
	case "b":
		text = map[string]string{"1": "TRUE", "0": "FALSE"}[text]
	case "", "n":
		if days, err := strconv.ParseFloat(text, 64); err == nil && s.dates[s.style] {
			text = dateOf(days)
		}
	}
	if s.at < 0 {
		s.at = len(s.row)
	}
	if s.at >= mostColumns {
		return
	}
	for len(s.row) <= s.at {
		s.row = append(s.row, "")
	}
	s.row[s.at] = text
}

// column reads the letters of a cell's name: A1 is 0; -1 if there are none.
func column(name string) int {
	n := 0
	for _, r := range name {
		if r < 'A' || r > 'Z' || n > mostColumns {
			break
		}
		n = n*26 + int(r-'A') + 1
	}
	return n - 1
}

// dateOf reads days since the end of 1899, as spreadsheets count.
func dateOf(days float64) string {
	at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(days * float64(24*time.Hour))).Round(time.Second)
	if at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 {
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05")
}

// epub reads the chapters in the order of the book.
func (a *archive) epub() (Document, error) {
	doc := Document{Format: "epub"}
	root := ""
	err := a.walk("META-INF/container.xml", func(name string, start bool, attrs []xml.Attr, _ string) error {
		if name == "rootfile" && start && root == "" {
			root = attr(attrs, "full-path")
		}
		return nil
	})
	if err != nil {
		return doc, err
	}
	hrefs, order, inTitle := map[string]string{}, []string{}, false
	err = a.walk(root, func(name string, start bool, attrs []xml.Attr, text string) error {
		switch {
		case name == "item" && start:
			hrefs[attr(attrs, "id")] = attr(attrs, "href")
		case name == "itemref" && start:
			order = append(order, attr(attrs, "idref"))
		case name == "title":
			inTitle = start
		case name == "" && inTitle:
			doc.Title += text
		}
		return nil
	})
	if err != nil {
		return doc, err
	}
	for n, id := range order {
		href, err := url.PathUnescape(hrefs[id])
		if err != nil || href == "" {
			continue
		}
		text, err := a.text(path.Join(path.Dir(root), href))
		if err != nil {
			return doc, fmt.Errorf("chapter %d: %w", n+1, err)
		}
		heading, body := htmlText(text)
		doc.Sections = append(doc.Sections, Section{Style: Prose, Text: body, Page: n + 1, Heading: heading})
	}
	return doc, nil
}
