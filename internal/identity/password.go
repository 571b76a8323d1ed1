package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/scrypt"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// PasswordCost is how hard passwords are to guess from a stolen database.
type PasswordCost struct {
	MemoryKiB uint32 // 0: 65536 (64 MB)
	Time      uint32 // 0: 3 passes
	Threads   uint8  // 0: 2
	Parallel  int    // passwords checked at once, which bounds memory; 0: 2
}

func (c PasswordCost) filled() PasswordCost {
	if c.MemoryKiB == 0 {
		c.MemoryKiB = 64 * 1024
	}
	if c.Time == 0 {
		c.Time = 3
	}
	if c.Threads == 0 {
		c.Threads = 2
	}
	if c.Parallel <= 0 {
		c.Parallel = 2
	}
	return c
}

const (
	saltSize = 16
	hashSize = 32
	// maxQueue is how many may wait for their turn before we say we are busy.
	maxQueue = 64
)

// hasher makes and checks password hashes, a few at a time.
type hasher struct {
	cost  PasswordCost
	turns chan struct{} // a slot per password being checked
	queue chan struct{} // a slot per caller inside or waiting
	dummy string        // what unknown users are checked against
}

func newHasher(cost PasswordCost) (*hasher, error) {
	cost = cost.filled()
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return nil, err
	}
	// No password has this hash: its bytes are random, not computed.
	sum := make([]byte, hashSize)
	if _, err := rand.Read(sum); err != nil {
		return nil, err
	}
	return &hasher{
		cost: cost, turns: make(chan struct{}, cost.Parallel), queue: make(chan struct{}, cost.Parallel+maxQueue),
		dummy: argonText(cost, salt, sum),
	}, nil
}

// enter waits for a turn; the returned function ends it.
func (h *hasher) enter(ctx context.Context) (func(), error) {
	select {
	case h.queue <- struct{}{}:
	default:
		return nil, fault.New(fault.Unavailable, "sign_in_busy", "Too many people are signing in at this moment.").
			WithHint("Try again in a few seconds.")
	}
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns; <-h.queue }, nil
	case <-ctx.Done():
		<-h.queue
		return nil, context.Cause(ctx)
	}
}

// hash makes the PHC string of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	sum := argon2.IDKey([]byte(password), salt, h.cost.Time, h.cost.MemoryKiB, h.cost.Threads, hashSize)
	return argonText(h.cost, salt, sum), nil
}

// verify compares in constant time. An empty stored hash costs as much as a
// real one and never matches, so that time tells nobody which users exist.
// stale says that the hash should be made anew from this password.
func (h *hasher) verify(ctx context.Context, stored, password string) (ok, stale bool, err error) {
	none := stored == ""
	if none {
		stored = h.dummy
	}
	parsed, err := parseHash(stored)
	if err != nil {
		return false, false, err
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return false, false, err
	}
	defer leave()
	ok, err = parsed.matches(password)
	return ok && !none, parsed.weaker(h.cost), err
}

// storedHash is a parsed password hash.
type storedHash struct {
	kind  string   // "argon2id", "scrypt", or "node": hex salt:hash as Node's scryptSync makes it
	cost  [3]int   // argon2id: memory, time, threads; scrypt: log2 N, r, p
	salts [][]byte // node: the salt's text, then its bytes, because both are in use
	sum   []byte
}

func parseHash(text string) (storedHash, error) {
	parts := strings.Split(text, "$")
	switch {
	case len(parts) == 6 && parts[0] == "" && parts[1] == "argon2id" && parts[2] == "v=19":
		return parsePHC(parts[1], parts[3], "m=%d,t=%d,p=%d", parts[4], parts[5])
	case len(parts) == 5 && parts[0] == "" && parts[1] == "scrypt":
		return parsePHC(parts[1], parts[2], "ln=%d,r=%d,p=%d", parts[3], parts[4])
	}
	salt, sum, ok := strings.Cut(text, ":")
	rawSalt, err1 := hex.DecodeString(salt)
	rawSum, err2 := hex.DecodeString(sum)
	if !ok || err1 != nil || err2 != nil || len(rawSalt) < 8 || len(rawSum) < 16 || len(rawSum) > 128 {
		return storedHash{}, badHash()
	}
	return storedHash{kind: "node", cost: [3]int{14, 8, 1}, salts: [][]byte{[]byte(salt), rawSalt}, sum: rawSum}, nil
}

func parsePHC(kind, cost, layout, salt, sum string) (storedHash, error) {
	h := storedHash{kind: kind}
	_, err := fmt.Sscanf(cost, layout, &h.cost[0], &h.cost[1], &h.cost[2])
	rawSalt, err1 := base64.RawStdEncoding.DecodeString(salt)
	rawSum, err2 := base64.RawStdEncoding.DecodeString(sum)
	if err != nil || err1 != nil || err2 != nil || len(rawSalt) < 8 || len(rawSum) < 16 || len(rawSum) > 128 || !h.bounded() {
		return storedHash{}, badHash()
	}
	h.salts, h.sum = [][]byte{rawSalt}, rawSum
	return h, nil
}

// bounded keeps an imported hash from costing us more than a login may.
func (h storedHash) bounded() bool {
	a, b, c := h.cost[0], h.cost[1], h.cost[2]
	if h.kind == "argon2id" {
		return a >= 8 && a <= 1<<20 && b >= 1 && b <= 16 && c >= 1 && c <= 16
	}
	return a >= 10 && a <= 18 && b >= 1 && b <= 16 && c >= 1 && c <= 8
}

func (h storedHash) matches(password string) (bool, error) {
	found := 0
	for _, salt := range h.salts {
		sum, err := h.compute(password, salt)
		if err != nil {
			return false, err
		}
		found |= subtle.ConstantTimeCompare(sum, h.sum)
	}
	return found == 1, nil
}

func (h storedHash) compute(password string, salt []byte) ([]byte, error) {
	if h.kind == "argon2id" {
		return argon2.IDKey([]byte(password), salt, uint32(h.cost[1]), uint32(h.cost[0]), uint8(h.cost[2]), uint32(len(h.sum))), nil
	}
	return scrypt.Key([]byte(password), salt, 1<<h.cost[0], h.cost[1], h.cost[2], len(h.sum))
}

func (h storedHash) weaker(than PasswordCost) bool {
	return h.kind != "argon2id" || h.cost[0] < int(than.MemoryKiB) || h.cost[1] < int(than.Time)
}

func argonText(c PasswordCost, salt, sum []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", c.MemoryKiB, c.Time, c.Threads, b64(salt), b64(sum))
}

func badHash() error {
	return fault.New(fault.Invalid, "bad_password_hash", "The password hash cannot be read.").WithParam("password_hash").
		WithHint("Give a PHC string ($argon2id$… or $scrypt$…) or hex salt:hash made with scrypt.")
}
