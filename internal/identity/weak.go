package identity

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// The bounds of a password's length: short ones are guessed, endless ones cost us.
const (
	minPassword = 10   // characters
	maxPassword = 1024 // bytes
)

//go:embed common.txt
var commonText string

// common holds the words that most leaked passwords are made of.
var common = sync.OnceValue(func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(commonText) {
		words[word] = true
	}
	return words
})

// CheckPassword says why a password is too weak to use; about names things
// that a guesser knows of the user: login, name, workspace.
func CheckPassword(password string, about ...string) error {
	weak := func(code, message string) error {
		return fault.New(fault.Invalid, code, "%s", message).WithParam("password").
			WithHint("Three or four unrelated words make a good password that is easy to remember.")
	}
	switch {
	case !utf8.ValidString(password):
		return weak("weak_password", "The password is not valid text.")
	case len(password) > maxPassword:
		return weak("weak_password", "The password is longer than 1024 bytes.")
	case utf8.RuneCountInString(password) < minPassword:
		return weak("weak_password", "The password is shorter than 10 characters.")
	case fewDifferent(password):
		return weak("weak_password", "The password repeats a few characters.")
	case predictable(password):
		return weak("weak_password", "The password is among the first that guessers try.")
	}
	plain := strings.ToLower(password)
	for _, word := range about {
		word = strings.ToLower(word)
		if len(word) >= 4 && strings.Contains(plain, word) && len(strings.ReplaceAll(plain, word, "")) < 6 {
			return weak("weak_password", "The password is little more than your own name.")
		}
	}
	return nil
}

func fewDifferent(password string) bool {
	seen := make(map[rune]bool)
	for _, r := range password {
		seen[r] = true
	}
	return len(seen) < 5
}

// predictable undoes what people do to a common word: capitals, 3 for e, digits
// and signs around it, or the word twice; and finds runs of the keyboard.
func predictable(password string) bool {
	plain := strings.ToLower(password)
	if isRun(plain) || common()[plain] {
		return true
	}
	trimmed := strings.TrimFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, core := range []string{trimmed, unleet(plain), strings.TrimFunc(unleet(plain), func(r rune) bool { return !unicode.IsLetter(r) }), unleet(trimmed)} {
		rest := utf8.RuneCountInString(plain) - utf8.RuneCountInString(core)
		if half := len(core) / 2; half >= 3 && core[:half] == core[half:] {
			core = core[:half]
		}
		if common()[core] && rest < 8 {
			return true
		}
	}
	return false
}

var leet = strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

func unleet(s string) string { return leet.Replace(s) }

// isRun finds passwords that are one stretch, or a repeated one, of a keyboard
// row, the alphabet or the digits.
func isRun(plain string) bool {
	const rows = "01234567890123456789 abcdefghijklmnopqrstuvwxyz qwertyuiopasdfghjklzxcvbnm qwertzuiop 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc4rfv5tgb"
	chunk := func(s string) bool { return strings.Contains(rows, s) || strings.Contains(rows, reversed(s)) }
	if chunk(plain) {
		return true
	}
	for n := 3; n <= len(plain)/2; n++ {
		if chunk(plain[:n]) && strings.Repeat(plain[:n], len(plain)/n+1)[:len(plain)] == plain {
			return true
		}
	}
	return false
}

func reversed(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}
