package config

import (
	"fmt"
	"strings"
)

// expand puts variables into a text: ${NAME}, ${NAME:-text if NAME is not set};
// $${ stands for ${ itself. It says which variables are missing.
func expand(s string, lookup func(name string) (string, bool)) (string, error) {
	if !strings.Contains(s, "${") {
		return s, nil
	}
	var b strings.Builder
	var missing []string
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			break
		}
		if i > 0 && s[i-1] == '$' {
			b.WriteString(s[:i-1] + "${")
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		inner, rest, closed := strings.Cut(s[i+2:], "}")
		if !closed {
			return "", fmt.Errorf("has ${ without a closing }; write $${ for the two characters themselves")
		}
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		if !isVariable(name) {
			return "", fmt.Errorf("has ${%s}, which does not name a variable", inner)
		}
		value, ok := lookup(name)
		switch {
		case hasFallback && value == "":
			b.WriteString(fallback)
		case ok:
			b.WriteString(value)
		default:
			missing = append(missing, name)
		}
		s = rest
	}
	if len(missing) > 0 {
		return "", &missingVariable{missing}
	}
	return b.String(), nil
}

// missingVariable names variables that a value needs and nobody set.
type missingVariable struct{ names []string }

// Error names them.
func (m *missingVariable) Error() string {
	if len(m.names) == 1 {
		return "needs the variable " + m.names[0] + ", which is not set"
	}
	return "needs the variables " + strings.Join(m.names, " and ") + ", which are not set"
}

func isVariable(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || (c|0x20 >= 'a' && c|0x20 <= 'z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
