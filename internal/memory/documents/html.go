package documents

import (
	"html"
	"strings"
)

// silent elements have nothing to read in them.
var silent = names("script style noscript svg template iframe canvas select nav footer head")

// begins is what a line in an element starts with; the element begins and ends a paragraph.
var begins = map[string]string{
	"p": "", "div": "", "section": "", "article": "", "main": "", "header": "", "aside": "", "ul": "", "ol": "", "table": "", "form": "", "blockquote": "> ",
	"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ", "pre": "", "li": "- ", "tr": "| ", "dt": "", "dd": "", "br": "", "hr": "",
	"figure": "", "body": "", "text:p": "", "text:h": "# ",
}

// page collects the text of HTML in one pass over its tags.
type page struct {
	out   strings.Builder
	mute  string // the silent element that is open
	depth int    // how many of the same name are open inside it
	pre   bool
	title strings.Builder
	named bool // inside the title
	fresh bool // nothing on this line yet
}

// htmlText gives the title and the text as a person would read it, with headings, lists and tables as in Markdown.
func htmlText(source string) (title, body string) {
	p := &page{fresh: true}
	for source != "" {
		at := strings.IndexByte(source, '<')
		if at < 0 {
			p.text(source)
			break
		}
		p.text(source[:at])
		source = p.tag(source[at:])
	}
	return strings.TrimSpace(p.title.String()), tidyLines(p.out.String())
}

func (p *page) tag(source string) string {
	if rest, ok := strings.CutPrefix(source, "<!--"); ok {
		_, after, _ := strings.Cut(rest, "-->")
		return after
	}
	if len(source) < 2 || !isLetter(source[1]) && strings.IndexByte("/!?", source[1]) < 0 {
		p.text("<")
		return source[1:]
	}
	end := tagEnd(source)
	tag := source[1:end]
	rest := source[min(end+1, len(source)):]
	closing := strings.HasPrefix(tag, "/")
	name, _, _ := strings.Cut(strings.Map(blank, strings.TrimPrefix(tag, "/")), " ")
	name = strings.ToLower(strings.TrimSuffix(name, "/"))
	if name == "script" || name == "style" { // their text is not markup
		if !closing {
			if i := strings.Index(strings.ToLower(rest), "</"+name); i >= 0 {
				return rest[i:]
			}
			return ""
		}
		return rest
	}
	p.element(name, closing, strings.HasSuffix(tag, "/"))
	return rest
}

func (p *page) element(name string, closing, empty bool) {
	if name == "title" {
		p.named = !closing
		return
	}
	if p.mute != "" {
		if name == p.mute && !empty {
			if p.depth++; closing {
				if p.depth -= 2; p.depth == 0 {
					p.mute = ""
				}
			}
		}
		return
	}
	if silent[name] && !closing && !empty {
		p.mute, p.depth = name, 1
		return
	}
	if name == "pre" {
		p.pre = !closing
	}
	switch start, block := begins[name]; {
	case block:
		p.line()
		if !closing {
			p.out.WriteString(start)
			p.fresh = start == ""
		} else if name != "li" && name != "tr" && name != "td" {
			p.out.WriteByte('\n')
		}
	case (name == "td" || name == "th") && closing:
		p.out.WriteString(" | ")
	}
}

func (p *page) line() {
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	p.fresh = true
}

func (p *page) text(text string) {
	if text == "" {
		return
	}
	if p.named {
		p.title.WriteString(html.UnescapeString(text))
		return
	}
	if p.mute != "" {
		return
	}
	text = html.UnescapeString(text)
	if p.pre {
		p.out.WriteString(text)
		return
	}
	words := strings.Join(strings.Fields(text), " ")
	if words == "" {
		if !p.fresh {
			p.out.WriteByte(' ')
		}
		return
	}
	if !p.fresh && strings.TrimLeft(text, " \t\r\n") != text {
		p.out.WriteByte(' ')
	}
	p.out.WriteString(words)
	if strings.TrimRight(text, " \t\r\n") != text {
		p.out.WriteByte(' ')
	}
	p.fresh = false
}

// tidyLines takes spaces off the ends of lines and leaves one empty line between paragraphs.
func tidyLines(text string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || line == "|" || line == "-" {
			empty++
			continue
		}
		if empty > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// tagEnd finds the > that ends a tag, past those inside quotes.
func tagEnd(source string) int {
	quote := byte(0)
	for i := 1; i < len(source); i++ {
		switch c := source[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && source[i-1] == '=':
			quote = c
		case c == '>':
			return i
		}
	}
	return len(source)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func blank(r rune) rune {
	if r == '\n' || r == '\t' || r == '\r' || r == '\f' {
		return ' '
	}
	return r
}
