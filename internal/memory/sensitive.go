package memory

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/observe"
)

var (
	credential = onUse(`(?i)\b(?:pass(?:word|wd|phrase|code)|passwort|contraseña|mot de passe|pin(?: code| number)?|(?:client )?secret key|client secret|api[ _-]?key|access[ _-]?(?:key|token)|auth(?:entication|orization)?[ _-]?token|bearer|private key|recovery code|seed phrase|2fa code|otp|cvv|cvc)\b\s*(?:(?:for|of|to|on|at) [\w .@'’-]{1,40}?)?\s*(?:is|are|was|=|:|ist|es|est)\s*\S`)
	privateKey = onUse(`-----BEGIN [A-Z ]*PRIVATE KEY`)
	jwt        = onUse(`\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}`)
	identityNo = onUse(`(?i)\b(?:ssn|social security|passport|national id|tax id|driver'?s licen[cs]e)\b.{0,20}\d[\d -]{4,}`)
	dashedSSN  = onUse(`\b\d{3}-\d{2}-\d{4}\b`)
	digits     = onUse(`\b(?:\d[ -]?){13,19}\b`)
	iban       = onUse(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`)
)

// sensitive names what a text holds that must never be remembered; "" if nothing. Patterns are slow, so they are asked only
// where what every text that fits them holds is there.
func sensitive(text string) string {
	switch {
	case observe.Redact(text) != text, strings.Contains(text, "eyJ") && jwt().MatchString(text):
		return "a key or token"
	case strings.Contains(text, "-----BEGIN") && privateKey().MatchString(text):
		return "a private key"
	case mayName(text, credentialWords) && credential().MatchString(text):
		return "a password or key"
	case !strings.ContainsAny(text, "0123456789"): // what follows is numbers
		return ""
	case identityNo().MatchString(text), dashedSSN().MatchString(text):
		return "the number of an identity document"
	case hasCard(text):
		return "the number of a payment card"
	case iban().MatchString(text):
		return "the number of a bank account"
	}
	return ""
}

// credentialWords are in everything that the pattern credential fits.
var credentialWords = []string{"pass", "contrase", "pin", "secret", "key", "token", "bearer", "code", "phrase", "otp", "cvv", "cvc"}

// mayName says whether a text holds one of some words in any case. Letters beyond ASCII have more cases than two: there it may.
func mayName(text string, words []string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return true
		}
	}
	lower := strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
}

// hasCard finds numbers whose check digit is that of a payment card.
func hasCard(text string) bool {
	for _, found := range digits().FindAllString(text, -1) {
		number := strings.NewReplacer(" ", "", "-", "").Replace(found)
		if strings.Count(number, number[:1]) < len(number) && luhn(number) {
			return true
		}
	}
	return false
}

func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// sensitiveField says whether the name of a field of a profile stands for a secret.
func sensitiveField(name string) bool {
	if observe.SecretKey(name) {
		return true
	}
	lower := strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(name))
	for _, word := range []string{"password", "passwd", "secret", "token", "api_key", "apikey", "private_key", "credit_card", "card_number", "cvv", "ssn", "social_security", "passport", "pin_code"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
