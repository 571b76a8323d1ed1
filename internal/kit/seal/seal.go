// Package seal encrypts small secrets that are kept in a database.
//
// In:    a secret, and words that say where it is kept (table, row, column).
// Out:   an envelope that only the same key opens, and only in the same place.
// Keeps: nothing; OpenFile keeps the key in a file that only its owner reads.
// Says:  nothing.
// Not here: text that must not be printed (secret); hashing of passwords (identity).
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// An envelope is: version, id of the key, the wrapped data key, the sealed
// secret. Each secret has its own data key, so that a new master key means
// wrapping 32 bytes again and never touching the secret.
const (
	version     = 1
	keyIDSize   = 4
	wrappedSize = 12 + KeySize + 16 // nonce, data key, tag
	headerSize  = 1 + keyIDSize + wrappedSize
)

// Box seals with its first key and opens with any of its keys.
type Box struct {
	first keyID
	keys  map[keyID]cipher.AEAD
}

type keyID [keyIDSize]byte

// New makes a box. older keys still open what they sealed.
func New(key []byte, older ...[]byte) (*Box, error) {
	b := &Box{keys: make(map[keyID]cipher.AEAD)}
	for i, k := range append([][]byte{key}, older...) {
		if len(k) != KeySize {
			return nil, fmt.Errorf("seal: key %d has %d bytes, want %d", i+1, len(k), KeySize)
		}
		a, err := aead(k)
		if err != nil {
			return nil, err
		}
		id := idOf(k)
		if i == 0 {
			b.first = id
		}
		b.keys[id] = a
	}
	return b, nil
}

// ParseKey reads a key written in base64, as the key file holds it.
func ParseKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != KeySize {
		return nil, fault.New(fault.Invalid, "bad_sealing_key", "The sealing key is not %d bytes in base64.", KeySize).
			WithHint("Make one with: head -c 32 /dev/urandom | base64")
	}
	return key, nil
}

// Place joins the words that bind an envelope to where it is kept. No two
// lists of words give the same place.
func Place(words ...string) []byte {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprintf(&b, "%d:%s,", len(w), w)
	}
	return b.Bytes()
}

// Seal encrypts secret for one place.
func (b *Box) Seal(secret, place []byte) ([]byte, error) {
	dataKey := make([]byte, KeySize)
	if _, err := rand.Read(dataKey); err != nil {
		return nil, err
	}
	inner, err := aead(dataKey)
	if err != nil {
		return nil, err
	}
	out := b.wrap(dataKey, place)
	return inner.Seal(out, nil, secret, place), nil
}

// Open gives the secret back, or ErrUnreadable.
func (b *Box) Open(envelope, place []byte) ([]byte, error) {
	dataKey, err := b.unwrap(envelope, place)
	if err != nil {
		return nil, err
	}
	inner, err := aead(dataKey)
	if err != nil {
		return nil, err
	}
	secret, err := inner.Open(nil, nil, envelope[headerSize:], place)
	if err != nil {
		return nil, unreadable(err)
	}
	return secret, nil
}

// Stale says whether an envelope was sealed with a key that is not the first.
func (b *Box) Stale(envelope []byte) bool {
	return len(envelope) < headerSize || keyID(envelope[1:1+keyIDSize]) != b.first
}

// Rewrap moves an envelope to the first key.
func (b *Box) Rewrap(envelope, place []byte) ([]byte, error) {
	dataKey, err := b.unwrap(envelope, place)
	if err != nil {
		return nil, err
	}
	return append(b.wrap(dataKey, place), envelope[headerSize:]...), nil
}

func (b *Box) wrap(dataKey, place []byte) []byte {
	out := make([]byte, 0, headerSize+64)
	out = append(out, version)
	out = append(out, b.first[:]...)
	return b.keys[b.first].Seal(out, nil, dataKey, place)
}

func (b *Box) unwrap(envelope, place []byte) ([]byte, error) {
	if len(envelope) < headerSize || envelope[0] != version {
		return nil, unreadable(errors.New("not an envelope"))
	}
	a, ok := b.keys[keyID(envelope[1:1+keyIDSize])]
	if !ok {
		return nil, unreadable(errors.New("sealed with a key that is not here"))
	}
	dataKey, err := a.Open(nil, nil, envelope[1+keyIDSize:headerSize], place)
	if err != nil {
		return nil, unreadable(err)
	}
	return dataKey, nil
}

// ErrUnreadable is what Open answers for an envelope that was changed, moved to
// another place, or sealed with a key that is not here.
var ErrUnreadable = fault.New(fault.Unavailable, "secret_unreadable", "A stored secret cannot be read with this key.").
	WithHint("Put back the key file that belongs to this database, or enter the secret again.")

func unreadable(err error) error { return ErrUnreadable.Because(err) }

func aead(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// idOf names a key without giving anything of it away.
func idOf(key []byte) keyID {
	sum := sha256.Sum256(append([]byte("fluxway sealing key\n"), key...))
	return keyID(sum[:keyIDSize])
}
