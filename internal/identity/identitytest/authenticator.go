package identitytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"
)

// Authenticator is a device that holds passkeys, and the browser around it. It does what it is told, right or wrong.
type Authenticator struct {
	Origin  string // of the page, as the browser says
	Counter uint32 // of signatures; it rises with each, unless Stuck
	Stuck   bool
	// Unverified: the device did not check who holds it.
	Unverified bool

	t    testing.TB
	keys []*heldKey
}

type heldKey struct {
	id      []byte
	rp      string
	user    []byte
	private *ecdsa.PrivateKey
}

// NewAuthenticator makes one without passkeys.
func NewAuthenticator(t testing.TB, origin string) *Authenticator {
	return &Authenticator{t: t, Origin: origin}
}

const (
	userPresent  = 0x01
	userVerified = 0x04
	attested     = 0x40
)

// Create answers navigator.credentials.create.
func (a *Authenticator) Create(options json.RawMessage) []byte {
	a.t.Helper()
	var in struct {
		Challenge string `json:"challenge"`
		RP        struct {
			ID string `json:"id"`
		} `json:"rp"`
		User struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	a.read(options, &in)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	key := &heldKey{id: make([]byte, 32), rp: in.RP.ID, user: a.bytes(in.User.ID), private: private}
	if _, err := rand.Read(key.id); err != nil {
		a.t.Fatal(err)
	}
	a.keys = append(a.keys, key)
	data := a.data(key.rp, attested)
	data = append(data, make([]byte, 16)...) // no model
	data = binary.BigEndian.AppendUint16(data, uint16(len(key.id)))
	data = append(append(data, key.id...), cose(a.t, &private.PublicKey)...)
	object := []byte{0xa3} // a map of three
	object = append(append(object, text("fmt")...), text("none")...)
	object = append(append(object, text("attStmt")...), 0xa0)
	object = append(append(object, text("authData")...), blob(data)...)
	return a.answer(key, map[string]any{
		"clientDataJSON": encode(a.client("webauthn.create", in.Challenge)), "attestationObject": encode(object), "transports": []string{"internal"},
	})
}

// Get answers navigator.credentials.get with the newest passkey it has for the site.
func (a *Authenticator) Get(options json.RawMessage) []byte {
	a.t.Helper()
	var in struct {
		Challenge string `json:"challenge"`
		RP        string `json:"rpId"`
	}
	a.read(options, &in)
	for i := len(a.keys) - 1; i >= 0; i-- {
		if a.keys[i].rp == in.RP {
			return a.sign(a.keys[i], in.RP, in.Challenge)
		}
	}
	a.t.Fatalf("there is no passkey for %s", in.RP)
	return nil
}

func (a *Authenticator) sign(key *heldKey, rp, challenge string) []byte {
	if !a.Stuck {
		a.Counter++
	}
	data, client := a.data(rp, 0), a.client("webauthn.get", challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, key.private, digest[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.answer(key, map[string]any{
		"clientDataJSON": encode(client), "authenticatorData": encode(data), "signature": encode(signature), "userHandle": encode(key.user),
	})
}

// Impersonate makes the newest passkey say that it is another user's.
func (a *Authenticator) Impersonate(user string) { a.keys[len(a.keys)-1].user = []byte(user) }

func (a *Authenticator) data(rp string, flags byte) []byte {
	hash := sha256.Sum256([]byte(rp))
	flags |= userPresent
	if !a.Unverified {
		flags |= userVerified
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.Counter)
}

func (a *Authenticator) client(kind, challenge string) []byte {
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": false})
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

func (a *Authenticator) answer(key *heldKey, response map[string]any) []byte {
	text, err := json.Marshal(map[string]any{
		"id": encode(key.id), "rawId": encode(key.id), "type": "public-key", "authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{}, "response": response,
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

func (a *Authenticator) read(options json.RawMessage, into any) {
	a.t.Helper()
	if err := json.Unmarshal(options, into); err != nil {
		a.t.Fatal(err)
	}
}

func (a *Authenticator) bytes(text string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// cose is a public key as authenticators write it: EC2, ES256, P-256.
func cose(t testing.TB, key *ecdsa.PublicKey) []byte {
	point, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	out := []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21}
	out = append(append(out, blob(point[1:33])...), 0x22)
	return append(out, blob(point[33:])...)
}

// text and blob are CBOR's short strings.
func text(s string) []byte { return append([]byte{0x60 | byte(len(s))}, s...) }

func blob(b []byte) []byte {
	if len(b) < 256 {
		return append([]byte{0x58, byte(len(b))}, b...)
	}
	return append([]byte{0x59, byte(len(b) >> 8), byte(len(b))}, b...)
}
