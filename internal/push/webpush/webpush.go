// Package webpush speaks to the push services of browsers: it encrypts a message for one browser (RFC 8291, RFC 8188) and
// signs who sends it (RFC 8292).
//
// In:    what a browser gave when it subscribed; a text.
// Out:   the body and the headers of a request to its push service.
// Keeps: nothing.
// Says:  nothing.
// Not here: sending, trying again, who gets what (push).
package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

const (
	// KeySize is how long the public key of a browser is.
	KeySize = 65
	// AuthSize is how long the secret is that it shares.
	AuthSize = 16
	// MaxText is the longest text that every push service takes, once it is encrypted (RFC 8030, section 7.2).
	MaxText = 4096 - headerSize - tagSize - 1

	saltSize   = 16
	tagSize    = 16
	recordSize = 4096
	headerSize = saltSize + 4 + 1 + KeySize
)

// Target is the browser a message is for.
type Target struct {
	Key  []byte // its public key: p256dh
	Auth []byte // the secret shared with it
}

// Check says whether a browser could have made this.
func (t Target) Check() error {
	if len(t.Auth) != AuthSize {
		return fmt.Errorf("webpush: the secret has %d bytes, want %d", len(t.Auth), AuthSize)
	}
	_, err := ecdh.P256().NewPublicKey(t.Key)
	return err
}

// Encrypt makes the body of a request: one record of the encoding aes128gcm.
func Encrypt(to Target, text []byte) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return nil, err
	}
	return encrypt(to, text, own, salt)
}

func encrypt(to Target, text []byte, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("webpush: the text has %d bytes, at most %d fit", len(text), MaxText)
	}
	if err := to.Check(); err != nil {
		return nil, err
	}
	theirs, err := ecdh.P256().NewPublicKey(to.Key)
	if err != nil {
		return nil, err
	}
	shared, err := own.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	public := own.PublicKey().Bytes()
	seal, nonce, err := keys(shared, to.Auth, salt, to.Key, public)
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, headerSize+len(text)+1+tagSize)
	body = append(body, salt...)
	body = binary.BigEndian.AppendUint32(body, recordSize)
	body = append(body, KeySize)
	body = append(body, public...)
	last := append(append(make([]byte, 0, len(text)+1), text...), 2) // 2: no record follows
	return seal.Seal(body, nonce, last, nil), nil
}

// Decrypt is what the browser does with a body; private belongs to to.Key.
func Decrypt(to Target, private *ecdh.PrivateKey, body []byte) ([]byte, error) {
	if len(body) < headerSize+tagSize+1 || body[saltSize+4] != KeySize {
		return nil, errors.New("webpush: the body is no record of aes128gcm")
	}
	salt, public := body[:saltSize], body[saltSize+5:headerSize]
	theirs, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	shared, err := private.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	seal, nonce, err := keys(shared, to.Auth, salt, to.Key, public)
	if err != nil {
		return nil, err
	}
	text, err := seal.Open(nil, nonce, body[headerSize:], nil)
	if err != nil {
		return nil, err
	}
	for i := len(text) - 1; i >= 0; i-- { // zeros may pad it
		if text[i] == 2 {
			return text[:i], nil
		}
		if text[i] != 0 {
			break
		}
	}
	return nil, errors.New("webpush: the record is not the last one")
}

// keys derives what a record is sealed with.
func keys(shared, auth, salt, theirs, ours []byte) (cipher.AEAD, []byte, error) {
	first, err := hkdf.Extract(sha256.New, shared, auth)
	if err != nil {
		return nil, nil, err
	}
	info := "WebPush: info\x00" + string(theirs) + string(ours)
	input, err := hkdf.Expand(sha256.New, first, info, 32)
	if err != nil {
		return nil, nil, err
	}
	second, err := hkdf.Extract(sha256.New, input, salt)
	if err != nil {
		return nil, nil, err
	}
	key, err := hkdf.Expand(sha256.New, second, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, err
	}
	nonce, err := hkdf.Expand(sha256.New, second, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	seal, err := cipher.NewGCM(block)
	return seal, nonce, err
}

// Key is what a server shows to push services: browsers subscribe to its holder alone.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey makes one.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Key{private}, nil
}

// ParseKey reads what Marshal wrote.
func ParseKey(text []byte) (*Key, error) {
	private, err := x509.ParseECPrivateKey(text)
	if err != nil {
		return nil, err
	}
	return &Key{private}, nil
}

// Marshal is the key to be kept, which is a secret.
func (k *Key) Marshal() ([]byte, error) { return x509.MarshalECPrivateKey(k.private) }

// Public is what browsers subscribe with.
func (k *Key) Public() (string, error) {
	public, err := k.private.PublicKey.ECDH()
	if err != nil {
		return "", err
	}
	return encode(public.Bytes()), nil
}

// Authorize makes the Authorization header of a request to a push service: who sends, reachable at contact, and until when
// that is worth something.
func (k *Key) Authorize(endpoint, contact string, until time.Time) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{u.Scheme + "://" + u.Host, until.Unix(), contact})
	if err != nil {
		return "", err
	}
	token := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	public, err := k.Public()
	if err != nil {
		return "", err
	}
	return "vapid t=" + token + "." + encode(signature) + ", k=" + public, nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
