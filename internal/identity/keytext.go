package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"math/big"
	"strings"
)

// A key is fx_, 37 random characters and 6 that check them, so that a mistyped
// or cut key is told from a revoked one without asking the database, and so
// that scanners find leaked keys without false alarms.
const (
	keyPrefix   = "fx_"
	keyRandom   = 37 // 220 bits
	keyChecksum = 6
	keyLength   = len(keyPrefix) + keyRandom + keyChecksum
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

func newKeyText() (string, error) {
	body := make([]byte, keyRandom)
	for i := range body {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			return "", err
		}
		body[i] = base62[n.Int64()]
	}
	return keyPrefix + string(body) + checksum(string(body)), nil
}

// wellFormed says whether text can be a key of ours.
func wellFormed(text string) bool {
	if len(text) != keyLength || !strings.HasPrefix(text, keyPrefix) {
		return false
	}
	body, sum := text[len(keyPrefix):keyLength-keyChecksum], text[keyLength-keyChecksum:]
	for i := range len(body) {
		if !alphanumeric(body[i]) {
			return false
		}
	}
	return checksum(body) == sum
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	var out [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

// digest is how tokens are stored. They are long and random, so a plain hash
// is as hard to turn around as a slow one.
type digest [sha256.Size]byte

func digestOf(token string) digest {
	var room [64]byte // a conversion would allocate on every request
	return sha256.Sum256(append(room[:0], token...))
}

func (d digest) String() string { return hex.EncodeToString(d[:]) }

const tokenLength = 43 // 32 bytes

// newToken makes an opaque token for a cookie.
func newToken() (string, error) {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

// words of codes that people copy by hand: no letter that looks like another.
const codeLetters = "ABCDEFGHJKMNPQRSTVWXYZ23456789"

// newCode makes a code of groups of four letters joined by dashes.
func newCode(groups int) (string, error) {
	var out strings.Builder
	for i := range groups * 4 {
		if i > 0 && i%4 == 0 {
			out.WriteByte('-')
		}
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(codeLetters))))
		if err != nil {
			return "", err
		}
		out.WriteByte(codeLetters[n.Int64()])
	}
	return out.String(), nil
}

// plainCode is a code as it is hashed: however it was typed.
func plainCode(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, typed)
}
