package documents

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// readCSV gives one line per row; a field with a line break in it is put on one.
func readCSV(text string, tabs bool) (Document, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case tabs:
		r.Comma = '\t'
	case strings.Count(first, ";") > strings.Count(first, ","):
		r.Comma = ';'
	}
	var b strings.Builder
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Document{Format: "csv"}, broken("CSV", err)
		}
		writeRow(&b, row)
	}
	return Document{Format: "csv", Sections: []Section{{Style: Table, Text: b.String(), Line: 1}}}, nil
}

func writeRow(b *strings.Builder, row []string) {
	for i, field := range row {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(strings.Join(strings.Fields(field), " "))
	}
	b.WriteByte('\n')
}

// readJSON keeps text that is written in lines; one long line is laid out.
func readJSON(text string) Document {
	s := Section{Style: Code, Text: text, Line: 1}
	if strings.Count(strings.TrimSpace(text), "\n") < 2 {
		var b bytes.Buffer
		if json.Indent(&b, []byte(text), "", "  ") == nil {
			s.Text, s.Line = b.String(), 0
		}
	}
	return Document{Format: "json", Sections: []Section{s}}
}
