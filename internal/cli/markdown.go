package cli

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown shows Markdown on a terminal while it is being written: what cannot be
// decided yet is held back, everything else is shown at once. What a model writes
// must not steer the terminal, so control characters are left out.
type markdown struct {
	out  io.Writer
	held string

	begun   bool // the line's kind is known
	fence   bool // inside a block of code
	heading bool
	bold    bool
	italic  bool
	code    bool
	styled  bool // the terminal is not in its plain style
	newline bool // the last thing shown was the end of a line
}

func newMarkdown(out io.Writer) *markdown { return &markdown{out: out, newline: true} }

// write takes the next piece.
func (m *markdown) write(text string) {
	m.held += harmless(text)
	for m.step() {
	}
}

// end shows what is held back and begins a new line.
func (m *markdown) end() {
	if m.held != "" || !m.newline {
		m.write("\n")
	}
	m.plain()
	m.begun, m.fence, m.heading, m.bold, m.italic, m.code = false, false, false, false, false, false
}

// step shows some of what is held; false: there is nothing that can be decided.
func (m *markdown) step() bool {
	if m.held == "" {
		return false
	}
	if !m.begun {
		return m.beginLine()
	}
	i := strings.IndexAny(m.held, "\n`*")
	if m.fence {
		i = strings.IndexByte(m.held, '\n')
	}
	switch {
	case i < 0:
		m.show(m.held)
		m.held = ""
		return false
	case i > 0:
		m.show(m.held[:i])
		m.held = m.held[i:]
		return true
	case m.held[0] == '\n':
		m.held = m.held[1:]
		m.heading, m.bold, m.italic, m.code, m.begun = false, false, false, false, false
		m.plain()
		m.raw("\n")
		return true
	}
	return m.mark()
}

// mark reads a ` or * that may change the style.
func (m *markdown) mark() bool {
	if m.held[0] == '`' {
		m.held, m.code = m.held[1:], !m.code
		m.restyle()
		return true
	}
	if m.code {
		m.show("*")
		m.held = m.held[1:]
		return true
	}
	if len(m.held) < 2 {
		return false
	}
	if m.held[1] == '*' {
		m.held, m.bold = m.held[2:], !m.bold
		m.restyle()
		return true
	}
	next, _ := utf8.DecodeRuneInString(m.held[1:])
	m.held = m.held[1:]
	if !m.italic && unicode.IsSpace(next) { // a product, not a style
		m.show("*")
		return true
	}
	m.italic = !m.italic
	m.restyle()
	return true
}

// beginLine finds out what kind of line it is.
func (m *markdown) beginLine() bool {
	line, _, whole := strings.Cut(m.held, "\n")
	text := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(text)]
	undecided := !whole && (text == "" || strings.HasPrefix("```", text) || len(text) < 2 && strings.Contains("-*+>", text) || strings.Trim(text, "#") == "")
	switch {
	case undecided:
		return false
	case strings.HasPrefix(text, "```"):
		if !whole {
			return false
		}
		m.fence = !m.fence
		m.raw("\x1b[2m" + line + "\x1b[0m")
		m.held = m.held[len(line):]
	case m.fence:
		m.restyle()
	case strings.HasPrefix(text, "#"):
		if rest := strings.TrimLeft(text, "#"); strings.HasPrefix(rest, " ") && len(text)-len(rest) <= 6 {
			m.heading = true
			m.restyle()
			m.held = m.held[len(indent)+len(text)-len(rest)+1:]
		}
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "+ "):
		m.show(indent + "• ")
		m.held = m.held[len(indent)+2:]
	case strings.HasPrefix(text, "> "):
		m.raw("\x1b[2m" + indent + "│ \x1b[0m")
		m.held = m.held[len(indent)+2:]
	}
	m.begun = true
	return true
}

func (m *markdown) show(text string) {
	if text == "" {
		return
	}
	m.raw(text)
}

func (m *markdown) raw(text string) {
	m.newline = strings.HasSuffix(text, "\n")
	_, _ = io.WriteString(m.out, text) // a terminal that is gone ends the program by itself
}

func (m *markdown) plain() {
	if m.styled {
		m.raw("\x1b[0m")
		m.styled = false
	}
}

func (m *markdown) restyle() {
	codes := ""
	for _, s := range []struct {
		on   bool
		code string
	}{{m.bold || m.heading, ";1"}, {m.italic, ";3"}, {m.code || m.fence, ";36"}, {m.heading, ";4"}} {
		if s.on {
			codes += s.code
		}
	}
	_, _ = io.WriteString(m.out, "\x1b[0"+codes+"m")
	m.styled = codes != ""
}

// harmless leaves out what could steer a terminal.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}
