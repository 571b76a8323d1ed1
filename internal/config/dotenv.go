package config

import (
	"strings"
)

// variable is one line of a .env file.
type variable struct {
	value string
	line  int
}

// parseDotEnv reads NAME=value lines: comments, export, single quotes (as is) and
// double quotes (with \n, \" and \\). A later line wins over an earlier one.
func parseDotEnv(name string, src []byte) (map[string]variable, Problems) {
	vars := map[string]variable{}
	var problems Problems
	report := func(line int, message string) {
		problems = append(problems, Problem{Where: at(name, position{line, 1}), File: name, Line: line, Column: 1, Message: message})
	}
	if len(src) > maxFile {
		report(1, "is larger than 1 MB")
		return vars, problems
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "export "))
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if !ok || !isVariable(key) {
			report(i+1, "is not a line such as NAME=value")
			continue
		}
		value, problem := dotEnvValue(strings.TrimSpace(value))
		if problem != "" {
			report(i+1, problem)
			continue
		}
		vars[key] = variable{value, i + 1}
	}
	return vars, problems
}

func dotEnvValue(s string) (value, problem string) {
	switch {
	case strings.HasPrefix(s, "'"):
		value, rest, ok := strings.Cut(s[1:], "'")
		return value, behindQuote(rest, ok)
	case strings.HasPrefix(s, `"`):
		return doubleQuoted(s[1:])
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return s, ""
}

func doubleQuoted(s string) (value, problem string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), behindQuote(s[i+1:], true)
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", behindQuote("", false)
}

func behindQuote(rest string, closed bool) string {
	rest = strings.TrimSpace(rest)
	switch {
	case !closed:
		return "has a quote that is not closed on its line"
	case rest != "" && rest[0] != '#':
		return "has something behind the closing quote"
	}
	return ""
}
