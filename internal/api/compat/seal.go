package compat

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/fluxway/fluxway/internal/providers"
)

// seal is a vendor's signature on its way through a foreign dialect. On the
// wire it is base64, because Gemini's clients decode what they are given.
type seal struct {
	Vendor string `json:"v"`
	Model  string `json:"m,omitempty"`
	Text   string `json:"s"`
	Call   bool   `json:"c,omitempty"` // it belongs to the call that follows
	Hidden bool   `json:"h,omitempty"` // reasoning that the vendor keeps to itself
}

const sealMark = "fx1"

// wrap makes a seal that a client carries without understanding it.
func (s seal) wrap() string {
	text, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return ""
	}
	return base64.StdEncoding.EncodeToString(append([]byte(sealMark), text...))
}

// unwrap finds a wrapped seal.
func unwrap(text string) (seal, bool) {
	// "fx1{" is three whole bytes and a bit: its base64 always starts so.
	if !strings.HasPrefix(text, "ZngxeyJ2Ijoi") {
		return seal{}, false
	}
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return seal{}, false
	}
	var s seal
	if json.Unmarshal(decoded[len(sealMark):], &s) != nil || s.Vendor == "" {
		return seal{}, false
	}
	return s, true
}

// toWire is a signature as the door of own shows it. Only Gemini's dialect has a
// place for the seal of a call.
func toWire(own string, s seal) string {
	if s.Vendor == own && (!s.Call || own == "gemini") {
		return s.Text
	}
	return s.wrap()
}

// fromWire sets a part's signature from what a client gave back.
func fromWire(p *providers.Part, own, text string) {
	if s, ok := unwrap(text); ok {
		p.Signature, p.Vendor, p.Model, p.Redacted = s.Text, s.Vendor, s.Model, s.Hidden
		return
	}
	p.Signature, p.Vendor = text, own
}

// thoughts collects a piece of reasoning until its seal is complete: seals come
// in pieces, and a client must be given them whole, with what they seal.
type thoughts struct {
	text, signature strings.Builder
}

// add takes a chunk. Once a sealed piece of reasoning is over it answers the
// piece and its seal, before the chunk itself is looked at.
func (t *thoughts) add(c *providers.Chunk) (text, signature string) {
	if c.Kind == providers.ChunkSignature {
		t.signature.WriteString(c.Text)
		return "", ""
	}
	if t.signature.Len() > 0 && c.Kind != providers.ChunkUsage {
		text, signature = t.text.String(), t.signature.String()
		t.text.Reset()
		t.signature.Reset()
	}
	if c.Kind == providers.ChunkReasoning {
		t.text.WriteString(c.Text)
	}
	return text, signature
}
