package documents

import (
	"context"
	"errors"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// readPDF reads page by page. Pages without text are scans and read by OCR where that is installed.
func readPDF(ctx context.Context, in Input, limits Limits) (doc Document, err error) {
	doc.Format = "pdf"
	defer func() {
		if p := recover(); p != nil {
			err = broken("PDF", errors.New("the parser stumbled"))
		}
	}()
	r, err := pdf.NewReader(in.Data, in.Size)
	if errors.Is(err, pdf.ErrInvalidPassword) || err != nil && strings.Contains(err.Error(), "encrypt") {
		return doc, fault.New(fault.Unsupported, "pdf_locked", "The PDF is protected by a password.").WithHint("Save a copy without a password.")
	}
	if err != nil {
		return doc, broken("PDF", err)
	}
	doc.Title = strings.TrimSpace(r.Trailer().Key("Info").Key("Title").Text())
	var sum int64
	fonts := map[string]*pdf.Font{}
	for n := 1; n <= r.NumPage(); n++ {
		if err := context.Cause(ctx); err != nil {
			return doc, err
		}
		text := pageText(r.Page(n), fonts)
		if sum += int64(len(text)); sum > limits.Text {
			return doc, fault.New(fault.TooLarge, "text_too_long", "The PDF has more than %d MB of text.", limits.Text>>20).WithHint("Split it.")
		}
		doc.Sections = append(doc.Sections, Section{Style: Prose, Text: text, Page: n})
	}
	if len(strings.TrimSpace(joined(doc.Sections))) < 16*min(1, len(doc.Sections)) {
		return scan(ctx, in, doc, limits)
	}
	return doc, nil
}

// pageText gives a page's text by rows, or as it comes where rows cannot be told.
func pageText(p pdf.Page, fonts map[string]*pdf.Font) (text string) {
	if p.V.IsNull() {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	for _, name := range p.Fonts() {
		if _, known := fonts[name]; !known {
			f := p.Font(name)
			fonts[name] = &f
		}
	}
	rows, err := p.GetTextByRow()
	if err != nil || len(rows) == 0 {
		plain, err := p.GetPlainText(fonts)
		if err != nil {
			return ""
		}
		return plain
	}
	var b strings.Builder
	for _, row := range rows {
		end := 0.0
		for i, piece := range row.Content {
			if i > 0 && piece.X-end > piece.FontSize*0.2 && !strings.HasPrefix(piece.S, " ") {
				b.WriteByte(' ')
			}
			b.WriteString(piece.S)
			end = piece.X + piece.W
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func joined(list []Section) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString(s.Text)
		if b.Len() > 4096 {
			break
		}
	}
	return b.String()
}
