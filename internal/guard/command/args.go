package command

import "strings"

// arguments are the words of a call, taken apart the way its program does.
type arguments struct {
	flags    []word // as written, with = values; only those before --
	values   []word // of flags that take one
	operands []word
	dashed   int  // operands behind --
	may      bool // an unknown word may be a flag
}

// split takes a call's words apart. Tools say which of their flags take a value.
func (r *run) split(t *tool, words []word) (a arguments) {
	a.operands = r.words(len(words))
	only := false // after --
	for i := 1; i < len(words); i++ {
		w := words[i]
		text := w.text
		if w.mayFlag() && !only {
			a.may = true
		}
		if only || len(text) < 2 || text[0] != '-' || isNumber(text[1:]) && t.numbers {
			a.operands = append(a.operands, w)
			if only {
				a.dashed++
			}
			continue
		}
		if text == "--" {
			only = true
			continue
		}
		if a.flags == nil {
			a.flags = r.words(len(words) - i)
		}
		a.flags = append(a.flags, w)
		if i+1 < len(words) && t.takesNext(text) {
			i++
			if a.values == nil {
				a.values = r.words(len(words) - i)
			}
			a.values = append(a.values, words[i])
		}
		if t.firstOperand && len(a.operands) > 0 {
			only = true
		}
	}
	return a
}

// takesNext reports whether a flag's value is the next word.
func (t *tool) takesNext(flag string) bool {
	if len(t.values) == 0 {
		return false
	}
	if t.values[flag] {
		return true
	}
	if t.long || strings.HasPrefix(flag, "--") {
		return t.long && strings.HasPrefix(flag, "--") && t.values[flag[1:]]
	}
	for i := 1; i < len(flag); i++ { // -xdf: the last letter may take the next word
		if t.letter(flag[i]) {
			return i == len(flag)-1
		}
	}
	return false
}

// letter reports whether a flag of one letter takes a value.
func (t *tool) letter(c byte) bool { return c < 128 && t.letters[c] }

// hasFlag reports whether a flag is among those of a call: -f also inside
// -xdf, --force also as --force=x and abbreviated.
func (t *tool) hasFlag(flags []word, want string) bool {
	for _, w := range flags {
		if t.isFlag(w.text, want) {
			return true
		}
	}
	return false
}

func (t *tool) isFlag(have, want string) bool {
	if have == want {
		return true
	}
	if t.long {
		have, want = strings.TrimPrefix(have, "-"), strings.TrimPrefix(want, "-")
		have, want = strings.TrimPrefix(have, "-"), strings.TrimPrefix(want, "-")
		return have == want || strings.HasPrefix(have, want) && len(have) > len(want) && have[len(want)] == '=' && !strings.HasSuffix(have, "=false")
	}
	if strings.HasPrefix(want, "--") {
		if strings.HasPrefix(have, want) && have[len(want)] == '=' {
			return !strings.HasSuffix(have, "=false")
		}
		if strings.IndexByte(want, '=') > 0 {
			return false
		}
		name, _, _ := strings.Cut(have, "=")
		return len(name) >= 5 && strings.HasPrefix(have, "--") && strings.HasPrefix(want, name)
	}
	if len(want) != 2 || len(have) < 2 || have[0] != '-' || have[1] == '-' {
		return false
	}
	for i := 1; i < len(have); i++ {
		if have[i] == want[1] {
			return true
		}
		if t.letter(have[i]) { // the rest is its value
			return false
		}
	}
	return false
}
