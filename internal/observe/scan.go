package observe

// text is what can be scanned without copying.
type text interface{ ~string | ~[]byte }

// maybe marks the bytes at which a secret, or the sign before one, can start;
// all others are passed over with one look.
var maybe = [256]bool{
	'f': true, 's': true, 'g': true, 'A': true, 'e': true, 'x': true,
	'B': true, 'b': true, ':': true, '=': true,
}

// second is, for the first byte of a token, what can come behind it, as bits of letters.
var second = [256]uint32{
	'f': bits("x"), 's': bits("k"), 'g': bits("ihl"), 'A': bits("IKS"), 'e': bits("y"), 'x': bits("o"), 'B': bits("ea"), 'b': bits("ea"),
}

// bits has a bit for each letter of a word, whatever its case; other bytes share those bits.
func bits[T text](word T) (all uint32) {
	for i := range len(word) {
		all |= 1 << (word[i] & 31)
	}
	return all
}

// nextSecret finds the next secret at or behind i: the bytes to hide.
func nextSecret[T text](s T, i int) (from, to int, ok bool) {
	for ; i < len(s); i++ {
		if !maybe[s[i]] {
			continue
		}
		switch s[i] {
		case ':':
			if i+1 < len(s) && s[i+1] == '/' {
				from, to, ok = urlPassword(s, i)
			} else if i > 0 && s[i-1] == '"' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == ' ' || s[i+1] == '\\') {
				from, to, ok = jsonValue(s, i)
			}
		case '=':
			from, to, ok = assigned(s, i)
		default:
			if i+1 == len(s) || second[s[i]]&(1<<(s[i+1]&31)) == 0 || i > 0 && isWord(s[i-1]) {
				continue
			}
			from, to, ok = token(s, i)
		}
		if ok {
			return from, to, true
		}
	}
	return 0, 0, false
}

// shape is a kind of token that is known by its beginning.
type shape struct {
	prefix string
	least  int // bytes behind the prefix
	in     func(byte) bool
}

var shapes = [...]shape{
	{"fx_", 16, isToken}, {"sk-", 16, isToken}, {"sk_", 16, isToken}, {"github_pat_", 20, isToken},
	{"ghp_", 20, isToken}, {"gho_", 20, isToken}, {"ghs_", 20, isToken}, {"ghu_", 20, isToken}, {"ghr_", 20, isToken},
	{"glpat-", 16, isToken}, {"xoxb-", 16, isToken}, {"xoxp-", 16, isToken},
	{"AIza", 30, isToken}, {"AKIA", 16, isToken}, {"ASIA", 16, isToken},
}

func token[T text](s T, i int) (from, to int, ok bool) {
	for _, sh := range shapes {
		if sh.prefix[0] != s[i] || !hasPrefix(s, i, sh.prefix) {
			continue
		}
		end := run(s, i+len(sh.prefix), sh.in)
		if end-i-len(sh.prefix) >= sh.least {
			return i, end, true
		}
	}
	switch {
	case hasPrefix(s, i, "eyJ"):
		return jwt(s, i)
	case hasFold(s, i, "bearer "):
		return credentials(s, i+len("bearer "), 20)
	case hasFold(s, i, "basic "):
		return credentials(s, i+len("basic "), 1<<20)
	}
	return 0, 0, false
}

// jwt is three runs of base64url with dots between them.
func jwt[T text](s T, i int) (from, to int, ok bool) {
	end := i
	for part := range 3 {
		if part > 0 {
			if end >= len(s) || s[end] != '.' {
				return 0, 0, false
			}
			end++
		}
		next := run(s, end, isToken)
		if next-end < 5 {
			return 0, 0, false
		}
		end = next
	}
	return i, end, true
}

// credentials are what follows the scheme of an Authorization header. "Bearer
// authentication" is a phrase: a token has a digit, a capital or great length.
func credentials[T text](s T, i, sure int) (from, to int, ok bool) {
	end := run(s, i, isCredential)
	if end-i < 8 {
		return 0, 0, false
	}
	if end-i >= sure {
		return i, end, true
	}
	for j := i; j < end; j++ {
		if c := s[j]; (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '=' {
			return i, end, true
		}
	}
	return 0, 0, false
}

// urlPassword is the password in scheme://user:password@host; i is at the first colon.
func urlPassword[T text](s T, i int) (from, to int, ok bool) {
	if !hasPrefix(s, i, "://") {
		return 0, 0, false
	}
	colon, at := -1, -1
	for j := i + 3; j < len(s) && !endsAuthority(s[j]); j++ {
		switch {
		case s[j] == ':' && colon < 0:
			colon = j
		case s[j] == '@' && colon > 0:
			at = j
		}
	}
	if at < 0 || at == colon+1 || isMask(s, colon+1) {
		return 0, 0, false
	}
	return colon + 1, at, true
}

// jsonValue is the string in "password":"…", also inside a string, where the
// quotes carry a backslash; i is at the colon.
func jsonValue[T text](s T, i int) (from, to int, ok bool) {
	if i < 3 || s[i-1] != '"' {
		return 0, 0, false
	}
	end, open := i-1, `"`
	if s[end-1] == '\\' {
		end, open = end-1, `\"`
	}
	from = i + 1
	for from < len(s) && s[from] == ' ' {
		from++
	}
	if !hasPrefix(s, from, open) {
		return 0, 0, false
	}
	start, letters := end, uint32(0)
	for start > 0 && tokens[s[start-1]] {
		start--
		letters |= 1 << (s[start] & 31)
	}
	if start == end || start == 0 || s[start-1] != '"' || !maybeSecret(letters) || !secretName(s[start:end]) {
		return 0, 0, false
	}
	from += len(open)
	to = closing(s, from, len(open) > 1)
	if to == from || isMask(s, from) {
		return 0, 0, false
	}
	return from, to, true
}

// closing is where the quoted text that starts at i ends.
func closing[T text](s T, i int, escaped bool) int {
	for ; i < len(s); i++ {
		switch {
		case escaped && hasPrefix(s, i, `\"`):
			return i
		case escaped && hasPrefix(s, i, `\\`):
			i += min(3, len(s)-i-1)
		case !escaped && s[i] == '"':
			return i
		case !escaped && s[i] == '\\':
			i++
		}
	}
	return len(s)
}

// assigned is the value in password=…, as in query strings and key=value text;
// i is at the equals sign.
func assigned[T text](s T, i int) (from, to int, ok bool) {
	start := i
	for start > 0 && isToken(s[start-1]) {
		start--
	}
	if start == i || !secretName(s[start:i]) {
		return 0, 0, false
	}
	from = i + 1
	if from < len(s) && (s[from] == '"' || s[from] == '\'') {
		from++
	}
	to = from
	for to < len(s) && !endsValue(s[to]) {
		to++
	}
	value := s[from:to]
	if len(value) == 0 || isMask(s, from) || string(value) == "true" || string(value) == "false" {
		return 0, 0, false
	}
	return from, to, true
}

func run[T text](s T, i int, in func(byte) bool) int {
	for i < len(s) && in(s[i]) {
		i++
	}
	return i
}

func hasPrefix[T text](s T, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && string(s[i:i+len(prefix)]) == prefix
}

func hasFold[T text](s T, i int, lower string) bool {
	if len(s)-i < len(lower) {
		return false
	}
	for j := range len(lower) {
		c := s[i+j]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[j] {
			return false
		}
	}
	return true
}

func isMask[T text](s T, i int) bool { return hasPrefix(s, i, "•") || hasPrefix(s, i, "\x1b") }

func isWord(c byte) bool { return words[c] }

// words marks the bytes of words.
var words = func() (all [256]bool) {
	for c := range 256 {
		all[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	return all
}()

func isToken(c byte) bool { return tokens[c] }

// tokens marks the bytes of words and a dash.
var tokens = func() (all [256]bool) {
	all = words
	all['-'] = true
	return all
}()

func isCredential(c byte) bool {
	return isToken(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='
}

func endsAuthority(c byte) bool {
	return c <= ' ' || c == '/' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '?' || c == '#' || c == '\\'
}

func endsValue(c byte) bool {
	return c <= ' ' || c == '&' || c == '"' || c == '\'' || c == ';' || c == ',' || c == ')' || c == '\\'
}
