package command

import "strings"

// argument is one argument of a call in code.
type argument struct {
	text    string
	list    []word // of a list or tuple of texts
	unknown bool
	keyed   bool // name=value
}

func (a argument) word() word {
	if a.unknown {
		return unknownWord
	}
	return word{text: a.text, flags: flagsOf(a.text)}
}

func stringArgument(text string, holes bool) argument {
	if holes {
		return argument{unknown: true}
	}
	return argument{text: text}
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// parseArguments reads the arguments of a call at text[i]; it gives the index behind them.
func parseArguments(text string, i int, parens bool, lang string) (args []argument, end int) {
	if parens {
		i++
	}
	for i < len(text) && len(args) < 64 {
		i = skipSpace(text, i)
		if i >= len(text) {
			break
		}
		if text[i] == ')' && parens {
			return args, i + 1
		}
		var a argument
		a, i = parseArgument(text, i, lang)
		args = append(args, a)
		i = skipSpace(text, i)
		switch {
		case i >= len(text):
			return args, i
		case text[i] == ',':
			i++
		case text[i] == ')' && parens:
			return args, i + 1
		case !parens:
			return args, i
		default:
			i++
		}
	}
	return args, min(i, len(text))
}

func skipSpace(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n\\", text[i]) >= 0 {
		i++
	}
	return i
}

// parseArgument reads one argument: a text, texts side by side, a list of texts, or something unknown.
func parseArgument(text string, i int, lang string) (argument, int) {
	start := i
	if text[i] == '[' || text[i] == '(' && lang == "python" {
		if a, end, ok := parseList(text, i, lang); ok {
			return tail(text, a, end)
		}
	}
	a, j, ok := parseText(text, i, lang)
	if ok {
		for {
			k := skipSpace(text, j)
			if k < len(text) && (text[k] == '+' || text[k] == '.' && (lang == "perl" || lang == "php")) {
				k = skipSpace(text, k+1)
			} else if lang != "python" {
				break
			}
			more, end, ok := parseText(text, k, lang)
			if !ok {
				break
			}
			a.text, a.unknown, j = a.text+more.text, a.unknown || more.unknown, end
		}
		return tail(text, a, j)
	}
	end := argumentEnd(text, i)
	keyed := false
	if eq := strings.IndexByte(text[start:end], '='); eq > 0 && isNameStart(text[start]) && strings.Trim(text[start:start+eq], nameLetters) == "" {
		keyed = true
	}
	return argument{unknown: true, keyed: keyed}, max(end, start+1)
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ "

// tail makes an argument unknown when more than the literal belongs to it.
func tail(text string, a argument, end int) (argument, int) {
	k := skipSpace(text, end)
	if k < len(text) && strings.IndexByte(",)];}\n:", text[k]) < 0 && text[k] != '#' {
		rest := argumentEnd(text, k)
		if !isKeyword(text[k:rest]) {
			a.unknown = true
		}
		return a, rest
	}
	return a, end
}

// isKeyword: a condition behind a command call in Perl or Ruby.
func isKeyword(text string) bool {
	for _, k := range []string{"if ", "unless ", "or ", "and ", "||", "&&", "while ", "for "} {
		if strings.HasPrefix(text, k) {
			return true
		}
	}
	return false
}

func argumentEnd(text string, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"', '\'', '`':
			i = skipQuoted(text, i)
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ';':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(text)
}

func parseList(text string, i int, lang string) (argument, int, bool) {
	closer := byte(']')
	if text[i] == '(' {
		closer = ')'
	}
	list := []word{}
	for i++; i < len(text) && len(list) < 64; {
		i = skipSpace(text, i)
		if i >= len(text) {
			break
		}
		if text[i] == closer {
			return argument{list: list}, i + 1, true
		}
		a, end := parseArgument(text, i, lang)
		if end <= i {
			return argument{}, i, false
		}
		list = append(list, a.word())
		if i = skipSpace(text, end); i < len(text) && text[i] == ',' {
			i++
		}
	}
	return argument{}, i, false
}

// parseText reads one text in quotes, with its prefix.
func parseText(text string, i int, lang string) (argument, int, bool) {
	prefix := ""
	for i < len(text) && len(prefix) < 2 && strings.IndexByte("rRbBuUfF", text[i]) >= 0 && lang == "python" {
		prefix += string(text[i])
		i++
	}
	if i >= len(text) || strings.IndexByte("\"'`", text[i]) < 0 {
		return argument{}, i, false
	}
	q := text[i]
	end := skipString(text, i, lang)
	size := 1
	if lang == "python" && strings.HasPrefix(text[i:], strings.Repeat(string(q), 3)) {
		size = 3
	}
	if end-size < i+size {
		return argument{unknown: true}, end, true
	}
	body := text[i+size : end-size]
	raw := strings.ContainsAny(prefix, "rR") || q == '\'' && lang != "python" && lang != "node"
	if raw && prefix == "" && strings.IndexByte(body, '\\') >= 0 {
		body = strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(body)
	}
	if !raw && strings.IndexByte(body, '\\') >= 0 {
		body = string(ansiC(nil, body))
	}
	return argument{text: body, unknown: hasHoles(body, q, prefix, lang)}, end, true
}

// hasHoles reports whether a text holds parts that are put in when it runs.
func hasHoles(body string, q byte, prefix, lang string) bool {
	switch lang {
	case "python":
		return strings.ContainsAny(prefix, "fF") && strings.IndexByte(body, '{') >= 0 || strings.Contains(body, "%s")
	case "node":
		return q == '`' && strings.Contains(body, "${")
	case "ruby":
		return q == '"' && strings.Contains(body, "#{")
	case "perl", "php":
		return q == '"' && strings.ContainsAny(body, "$@")
	}
	return false
}

// skipString gives the index behind a text in quotes, also Python's long ones.
func skipString(text string, i int, lang string) int {
	q := text[i]
	if lang == "python" {
		long := strings.Repeat(string(q), 3)
		if strings.HasPrefix(text[i:], long) {
			if j := strings.Index(text[i+3:], long); j >= 0 {
				return i + j + 6
			}
			return len(text)
		}
	}
	return skipQuoted(text, i)
}
