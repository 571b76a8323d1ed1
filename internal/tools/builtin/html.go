package builtin

import (
	"html"
	"net/url"
	"regexp"
	"strings"
)

// silent elements have nothing to read in them.
var silent = map[string]bool{"script": true, "style": true, "noscript": true, "svg": true, "template": true, "iframe": true, "canvas": true, "select": true, "nav": true, "footer": true}

// raw elements hold text in which a < is just that.
var rawElements = map[string]bool{"script": true, "style": true, "textarea": true, "title": true}

// breaks are elements that begin and end a paragraph, with what a line in them starts with.
var breaks = map[string]string{
	"p": "", "div": "", "section": "", "article": "", "main": "", "header": "", "aside": "", "ul": "", "ol": "", "table": "", "form": "", "blockquote": "> ",
	"h1": "# ", "h2": "## ", "h3": "### ", "h4": "#### ", "h5": "##### ", "h6": "###### ", "pre": "", "li": "- ", "tr": "", "dt": "", "dd": "", "br": "", "hr": "", "figure": "", "title": "# ",
}

var (
	attribute = regexp.MustCompile(`(?is)\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))`)
	blankRun  = regexp.MustCompile(`\n{3,}`)
	spaceRun  = regexp.MustCompile(`[ \t\r\n\f]+`)
)

// page turns HTML into text as a person would read it, in one pass over the tags.
type page struct {
	base   *url.URL
	out    strings.Builder
	mute   []string // open silent elements
	pre    int
	link   string // target of the open link
	linkAt int    // where its text begins
	fresh  bool   // at the beginning of a line
}

// htmlText makes text of a page: headings, lists and links as in Markdown, no scripts, styles or navigation.
func htmlText(source, address string) string {
	p := &page{fresh: true}
	p.base, _ = url.Parse(address)
	for source != "" {
		start := strings.IndexByte(source, '<')
		if start < 0 {
			p.text(source)
			break
		}
		p.text(source[:start])
		source = p.markup(source[start:])
	}
	lines := strings.Split(p.out.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.TrimSpace(blankRun.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
}

// markup handles what begins with < and gives back the rest.
func (p *page) markup(source string) string {
	if rest, ok := strings.CutPrefix(source, "<!--"); ok {
		_, after, _ := strings.Cut(rest, "-->")
		return after
	}
	if len(source) < 2 || !isLetter(source[1]) && strings.IndexByte("/!?", source[1]) < 0 {
		p.text("<")
		return source[1:]
	}
	end := tagEnd(source)
	tag, rest := source[1:end], source[min(end+1, len(source)):]
	closing := strings.HasPrefix(tag, "/")
	name := strings.TrimPrefix(tag, "/")
	if i := strings.IndexFunc(name, func(r rune) bool { return !isName(r) }); i >= 0 {
		name = name[:i]
	}
	name = strings.ToLower(name)
	if name == "" {
		return rest
	}
	if closing {
		p.close(name)
		return rest
	}
	if !strings.HasSuffix(tag, "/") || breaks[name] != "" {
		p.open(name, tag)
	} else if _, ok := breaks[name]; ok {
		p.newLine(breaks[name])
	}
	if rawElements[name] {
		at := indexFold(rest, "</"+name)
		if at < 0 {
			at = len(rest)
		}
		p.text(rest[:at])
		return rest[at:]
	}
	return rest
}

// tagEnd finds the > of a tag, not one inside quotes.
func tagEnd(source string) int {
	var quote byte
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

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-'
}

// indexFold finds an ASCII word whatever its case, without copying the page.
func indexFold(text, word string) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i] == '<' && strings.EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

func (p *page) open(name, tag string) {
	if silent[name] {
		p.mute = append(p.mute, name)
		return
	}
	if len(p.mute) > 0 {
		return
	}
	if prefix, ok := breaks[name]; ok {
		if name == "br" || name == "tr" || name == "li" {
			p.newLine(prefix)
		} else {
			p.paragraph(prefix)
		}
	}
	switch name {
	case "pre":
		p.pre++
	case "td", "th":
		if !p.fresh {
			p.out.WriteString(" | ")
		}
	case "a":
		p.link, p.linkAt = p.target(tag), p.out.Len()
	}
}

func (p *page) close(name string) {
	for i := len(p.mute) - 1; i >= 0; i-- {
		if p.mute[i] == name {
			p.mute = p.mute[:i]
			return
		}
	}
	if len(p.mute) > 0 {
		return
	}
	switch name {
	case "pre":
		p.pre = max(0, p.pre-1)
	case "a":
		if said := strings.TrimSpace(p.out.String()[p.linkAt:]); p.link != "" && said != "" && said != p.link {
			p.out.WriteString(" (" + p.link + ")")
		}
		p.link = ""
	}
	if _, ok := breaks[name]; ok && name != "li" && name != "tr" {
		p.paragraph("")
	}
}

// target is where a link leads, if that is a page.
func (p *page) target(tag string) string {
	m := attribute.FindStringSubmatch(tag)
	if m == nil {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(html.UnescapeString(m[1] + m[2] + m[3])))
	if err != nil || u.Host == "" && u.Path == "" && u.RawQuery == "" {
		return ""
	}
	if p.base != nil {
		u = p.base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

func (p *page) newLine(prefix string) {
	if !p.fresh {
		p.out.WriteByte('\n')
	}
	p.out.WriteString(prefix)
	p.fresh = true
}

func (p *page) paragraph(prefix string) {
	if !p.fresh {
		p.out.WriteString("\n\n")
	}
	p.out.WriteString(prefix)
	p.fresh = true
}

func (p *page) text(source string) {
	if len(p.mute) > 0 || source == "" {
		return
	}
	text := html.UnescapeString(source)
	if p.pre == 0 {
		text = spaceRun.ReplaceAllString(text, " ")
		if p.fresh {
			text = strings.TrimLeft(text, " ")
		}
	}
	if text == "" {
		return
	}
	p.out.WriteString(text)
	p.fresh = strings.HasSuffix(text, "\n")
}
