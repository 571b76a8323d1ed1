package observe

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

// Redact hides what looks like a secret in free text: keys of ours and of the
// usual vendors, JWTs, credentials in headers and URLs, and values written
// behind a name such as password. Text without any comes back as it is, without
// allocating.
func Redact(s string) string {
	from, to, ok := nextSecret(s, 0)
	if !ok {
		return s
	}
	out, done := make([]byte, 0, len(s)), 0
	for ok {
		out = append(append(out, s[done:from]...), secret.Mask...)
		done = to
		from, to, ok = nextSecret(s, to)
	}
	return string(append(out, s[done:]...))
}

// RedactBytes is Redact for bytes; those without a secret come back as they are.
func RedactBytes(line []byte) (clean []byte, changed bool) {
	from, to, ok := nextSecret(line, 0)
	if !ok {
		return line, false
	}
	out, done := make([]byte, 0, len(line)), 0
	for ok {
		out = append(append(out, line[done:from]...), secret.Mask...)
		done = to
		from, to, ok = nextSecret(line, to)
	}
	return append(out, line[done:]...), true
}

// hideAttributes masks span attributes by key and by value; it copies only when it must.
func hideAttributes(attrs []attribute.KeyValue) []attribute.KeyValue {
	var out []attribute.KeyValue
	for i, a := range attrs {
		clean, changed := hideAttribute(a)
		if !changed {
			continue
		}
		if out == nil {
			out = append([]attribute.KeyValue(nil), attrs...)
		}
		out[i] = clean
	}
	if out == nil {
		return attrs
	}
	return out
}

func hideAttribute(a attribute.KeyValue) (clean attribute.KeyValue, changed bool) {
	switch a.Value.Type() {
	case attribute.BOOL:
		return a, false
	case attribute.STRING:
		text := a.Value.AsString()
		if SecretKey(string(a.Key)) {
			return a.Key.String(secret.Mask), text != secret.Mask
		}
		safe := Redact(text)
		return a.Key.String(safe), safe != text
	}
	if SecretKey(string(a.Key)) {
		return a.Key.String(secret.Mask), true
	}
	switch a.Value.Type() {
	case attribute.STRINGSLICE:
	case attribute.SLICE, attribute.MAP:
		text := a.Value.String()
		safe := Redact(text)
		return a.Key.String(safe), safe != text
	default:
		return a, false
	}
	list := a.Value.AsStringSlice()
	for i, text := range list {
		list[i] = Redact(text)
		changed = changed || list[i] != text
	}
	return a.Key.StringSlice(list), changed
}

// SecretKey says whether a name such as client_secret, apiKey or X-Auth-Token
// names a secret. Names that only count or describe one (token_count,
// max_tokens, password_file) do not.
func SecretKey(name string) bool { return secretName(name) }

func secretName[T text](name T) bool {
	if !maybeSecret(bits(name)) {
		return false
	}
	var word, before [16]byte
	m, found := 0, false
	for i := 0; i < len(name); {
		if !isWord(name[i]) || name[i] == '_' {
			i++
			continue
		}
		start := i
		for i++; i < len(name) && isWord(name[i]) && name[i] != '_' && !startsWord(name, i); {
			i++
		}
		n := lower(&word, name[start:i])
		switch {
		case n < 2: // no word of interest is that short
		case secretWord(string(word[:n]), string(before[:m])):
			found = true
		case describingWord(string(word[:n])):
			found = false
		}
		before, m = word, n
	}
	return found
}

// tellingLetters are those of words that name a secret: one with all letters of none of them is no such name.
var tellingLetters = [...]uint32{
	bits("pwd"), bits("passphrase"), bits("secret"), bits("token"), bits("authorization"), bits("cookie"), bits("credential"), bits("key"),
	bits("otp"), bits("code"),
}

func maybeSecret(letters uint32) bool {
	for _, telling := range &tellingLetters {
		if letters&telling == telling {
			return true
		}
	}
	return false
}

// startsWord says whether the byte at i, inside a name, begins a word by its
// case: apiKey is api and Key, APIKey is API and Key.
func startsWord[T text](name T, i int) bool {
	return isUpper(name[i]) && (!isUpper(name[i-1]) || (i+1 < len(name) && isLower(name[i+1])))
}

// lower copies a word in lower case; one that is too long to be of interest gives 0.
func lower[T text](to *[16]byte, word T) int {
	if len(word) > len(to) {
		return 0
	}
	for i := range len(word) {
		to[i] = word[i]
		if isUpper(word[i]) {
			to[i] += 'a' - 'A'
		}
	}
	return len(word)
}

func secretWord(word, before string) bool {
	switch word {
	case "password", "passwd", "passphrase", "pwd", "secret", "secrets", "token", "authorization", "cookie", "cookies",
		"credential", "credentials", "apikey", "otp", "totp":
		return true
	case "key", "keys":
		switch before {
		case "api", "private", "access", "signing", "encryption", "master", "session":
			return true
		}
	case "codes", "code":
		return before == "recovery" || before == "setup"
	}
	return false
}

func describingWord(word string) bool {
	switch word {
	case "count", "limit", "budget", "usage", "type", "id", "name", "ttl", "expiry", "expires", "days", "length", "at",
		"kind", "file", "required", "rate", "size":
		return true
	}
	return false
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
