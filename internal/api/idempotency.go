package api

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	keyLife      = 24 * time.Hour
	maxKeyLength = 255
	leaseGrace   = 10 * time.Second
)

// flights are the keys being worked on by this process, so that a duplicate
// waits for the first instead of being sent away.
type flights struct {
	mu  sync.Mutex // guards the field below
	now map[string]chan struct{}
}

// enter says whether the caller is the first; otherwise it waits for done.
func (f *flights) enter(id string) (done chan struct{}, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if done, busy := f.now[id]; busy {
		return done, false
	}
	if f.now == nil {
		f.now = make(map[string]chan struct{})
	}
	done = make(chan struct{})
	f.now[id] = done
	return done, true
}

func (f *flights) leave(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.now[id])
	delete(f.now, id)
}

type storedAnswer struct {
	Fingerprint string    `db:"fingerprint"`
	Status      int       `db:"status"`
	Answer      []byte    `db:"answer"`
	Lease       time.Time `db:"lease_until"`
}

// once runs the function the first time a key is seen and repeats its answer
// afterwards. Failures are not kept: trying again is what the key is for.
func (c *call) once(key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	seal := newSealer(actor(c.caller), c.e.name, key)
	for {
		done, first := c.s.flights.enter(seal.id)
		if first {
			defer c.s.flights.leave(seal.id)
			return c.onceFirst(seal)
		}
		select {
		case <-done:
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
	}
}

func checkKey(key string) error {
	ok := key != "" && len(key) <= maxKeyLength
	for i := range len(key) {
		ok = ok && key[i] > ' ' && key[i] < 0x7f
	}
	if ok {
		return nil
	}
	return fault.New(fault.Invalid, "bad_idempotency_key", "The Idempotency-Key is empty, too long or has odd characters.").
		WithParam("Idempotency-Key").WithHint("Send a fresh random text of 1 to %d visible ASCII characters, such as a UUID.", maxKeyLength)
}

// actor is whom a key belongs to.
func actor(id *identity.Identity) string {
	if id.Key != "" {
		return string(id.Workspace) + "/" + string(id.Key)
	}
	return string(id.Workspace) + "/" + string(id.User)
}

func (c *call) onceFirst(seal sealer) error {
	ctx := context.WithoutCancel(c.ctx)
	print := c.fingerprint()
	now := time.Now().UTC().Truncate(time.Microsecond)
	claimed := false
	err := c.s.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, claimKey, seal.id, c.caller.Workspace, print, now, now.Add(c.e.timeout+leaseGrace), now.Add(-keyLife))
		claimed = n == 1
		return err
	})
	if err != nil {
		return fmt.Errorf("claiming the idempotency key: %w", err)
	}
	if !claimed {
		return c.repeat(seal, print, now)
	}
	// The claim is given back unless an answer was kept, also after a panic.
	kept := false
	defer func() {
		if !kept {
			c.giveBack(ctx, seal.id, now)
		}
	}()
	w := c.w
	held := &heldWriter{ResponseWriter: w}
	c.w = held
	err = c.invoke()
	c.w = w
	if err != nil {
		return err
	}
	answer, err := seal.seal(c.encoded)
	if err == nil {
		err = c.s.db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, finishKey, held.code, answer, seal.id, now)
			return err
		})
	}
	if err != nil { // the work is done: the caller must hear of it all the same
		c.s.log.ErrorContext(ctx, "answer not kept for its idempotency key", "route", c.e.name, "err", err)
	}
	kept = true
	held.release()
	return nil
}

func (c *call) giveBack(ctx context.Context, id string, claimedAt time.Time) {
	err := c.s.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, dropKey, id, claimedAt)
		return err
	})
	if err != nil {
		c.s.log.ErrorContext(ctx, "idempotency key not given back", "route", c.e.name, "err", err)
	}
}

// repeat answers a key that was seen before.
func (c *call) repeat(seal sealer, print string, now time.Time) error {
	row, err := store.One[storedAnswer](c.ctx, c.s.db.Read(), selectKey, seal.id)
	if err != nil {
		return fmt.Errorf("reading the idempotency key: %w", err)
	}
	refuse := func(code, message, hint string) *fault.Fault {
		return fault.New(fault.Conflict, code, "%s", message).WithParam("Idempotency-Key").WithHint("%s", hint)
	}
	switch {
	case row.Fingerprint != print:
		return refuse("idempotency_mismatch", "This Idempotency-Key was used for another request.", "Use a fresh key for each new request; repeat a key only with the same body.")
	case row.Status == 0 && now.Before(row.Lease):
		return refuse("idempotency_in_progress", "A request with this Idempotency-Key is still being worked on.", "Send it again in a moment.").RetryIn(time.Second)
	case row.Status == 0:
		return refuse("idempotency_unknown", "An earlier request with this Idempotency-Key was cut off; whether it took effect is not known.", "Look whether it did, then send it with a fresh key if needed.")
	}
	body, err := seal.open(row.Answer)
	if err != nil {
		return fmt.Errorf("opening the kept answer: %w", err)
	}
	c.w.Header().Set("Idempotency-Replayed", "true")
	if len(body) == 0 {
		c.writeEmpty(row.Status)
		return nil
	}
	c.writeJSON(row.Status, body)
	return nil
}

// fingerprint tells whether two requests ask for the same.
func (c *call) fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", c.r.Method, c.r.URL.Path, c.r.URL.RawQuery)
	h.Write(c.body)
	return hex.EncodeToString(h.Sum(nil))
}

// heldWriter keeps the answer back until it is stored.
type heldWriter struct {
	http.ResponseWriter
	code int
	body []byte
}

// WriteHeader keeps the status back.
func (h *heldWriter) WriteHeader(code int) { h.code = code }

// Write keeps the body back; it stays valid during the call.
func (h *heldWriter) Write(b []byte) (int, error) {
	h.body = b
	return len(b), nil
}

func (h *heldWriter) release() {
	h.ResponseWriter.WriteHeader(h.code)
	if len(h.body) > 0 {
		_, _ = h.ResponseWriter.Write(h.body) // the caller is gone: the answer waits under its key
	}
}

// sealer keeps answers readable only for those who know the key.
type sealer struct {
	id     string
	secret [sha256.Size]byte
}

func newSealer(actor, route, key string) sealer {
	text := actor + "\n" + route + "\n" + key
	id := sha256.Sum256([]byte("fluxway idempotency id\n" + text))
	return sealer{id: hex.EncodeToString(id[:]), secret: sha256.Sum256([]byte("fluxway idempotency seal\n" + text))}
}

func (s sealer) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.secret[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (s sealer) seal(plain []byte) ([]byte, error) {
	aead, err := s.aead()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails, by contract
	return aead.Seal(nonce, nonce, plain, []byte(s.id)), nil
}

func (s sealer) open(sealed []byte) ([]byte, error) {
	aead, err := s.aead()
	if err != nil {
		return nil, err
	}
	if len(sealed) < aead.NonceSize() {
		return nil, fmt.Errorf("the kept answer has %d bytes", len(sealed))
	}
	return aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], []byte(s.id))
}

// sweepKeys forgets keys that are a day old.
func (s *Server) sweepKeys(ctx context.Context) error {
	return s.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, dropOldKeys, time.Now().Add(-keyLife))
		return err
	})
}
