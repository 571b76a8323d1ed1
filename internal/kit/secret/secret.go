// Package secret holds text that must not be printed.
//
// In:    a password, key or token.
// Out:   a Text that shows as ••• in logs, JSON, YAML and %v; Reveal gives it back.
// Keeps: nothing. Says: nothing.
// Not here: encryption at rest (store); finding secrets in free text (observe).
package secret

import (
	"crypto/subtle"
	"log/slog"
)

// Mask is what a secret looks like wherever it is printed.
const Mask = "•••"

// Text is a secret string.
type Text struct{ value string }

// New wraps a secret.
func New(value string) Text { return Text{value} }

// Reveal gives the secret back; call it only where the secret is used.
func (t Text) Reveal() string { return t.value }

// Empty says whether there is no secret at all.
func (t Text) Empty() bool { return t.value == "" }

// Equal compares in constant time.
func (t Text) Equal(other string) bool {
	return subtle.ConstantTimeCompare([]byte(t.value), []byte(other)) == 1
}

// String hides the secret.
func (t Text) String() string {
	if t.value == "" {
		return ""
	}
	return Mask
}

// GoString hides the secret from %#v.
func (t Text) GoString() string { return "secret.Text(" + t.String() + ")" }

// LogValue hides the secret from slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(t.String()) }

// MarshalText hides the secret from JSON and YAML.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a secret from JSON, YAML or a flag.
func (t *Text) UnmarshalText(b []byte) error {
	t.value = string(b)
	return nil
}
