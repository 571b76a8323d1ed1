package identity

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Credentials are what a request brought along; the key wins if both are there.
type Credentials struct {
	Session string     // the value of the session cookie
	Key     string     // fx_…
	IP      netip.Addr // of the client
	Agent   string     // the User-Agent header
}

// Authenticate says who sends the request. It is answered from memory when the
// same credentials came a moment ago.
func (d *Directory) Authenticate(ctx context.Context, c Credentials) (*Identity, error) {
	token := c.Session
	if c.Key != "" {
		token = c.Key
	}
	hash, now := digestOf(token), d.now()
	if e := d.cache.get(hash, now); e != nil && (e.identity.Via == ViaKey) == (c.Key != "") {
		return d.admit(e, c, now)
	}
	generation := d.cache.generation.Load()
	d.meters.loaded.Inc()
	var e *entry
	var err error
	switch {
	case c.Key != "" && !wellFormed(c.Key):
		return nil, badKey("The API key is not complete or has a typing error.")
	case c.Key != "":
		e, err = d.loadKey(ctx, hash, now)
	case len(token) != tokenLength:
		return nil, signedOut()
	default:
		e, err = d.loadSession(ctx, hash, now)
	}
	if err != nil {
		return nil, err
	}
	e.fresh = now.Add(d.opts.CacheTTL)
	d.cache.put(hash, e, generation, now)
	return d.admit(e, c, now)
}

// Forget empties the memory of recent credentials, so that a change made by
// another process counts at once.
func (d *Directory) Forget() { d.cache.clear() }

// forgetAfter empties the memory once the change is durable.
func (d *Directory) forgetAfter(tx *store.Tx) { tx.AfterCommit(d.cache.clear) }

// admit applies what depends on the request: the networks a key is good for.
func (d *Directory) admit(e *entry, c Credentials, now time.Time) (*Identity, error) {
	if len(e.allow) > 0 && !contains(e.allow, c.IP) {
		return nil, fault.New(fault.Forbidden, "address_not_allowed", "This API key may not be used from your address.").
			WithHint("Add the address to the key's allow list, or use another key.")
	}
	if last := e.touched.Load(); now.UnixNano()-last >= int64(time.Minute) && e.touched.CompareAndSwap(last, now.UnixNano()) {
		origin := Origin{IP: c.IP, Agent: c.Agent}
		d.touches.add(touch{session: e.identity.Session, key: e.identity.Key, at: now, ip: origin.ip(), agent: origin.agent()})
	}
	return e.identity, nil
}

func contains(networks []netip.Prefix, ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, n := range networks {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

type sessionRow struct {
	ID            ids.Session   `db:"id"`
	User          ids.User      `db:"user_id"`
	Workspace     ids.Workspace `db:"workspace_id"`
	Hash          string        `db:"hash"`
	PreviousHash  string        `db:"previous_hash"`
	PreviousUntil time.Time     `db:"previous_until"`
	CreatedAt     time.Time     `db:"created_at"`
	RotatedAt     time.Time     `db:"rotated_at"`
	SeenAt        time.Time     `db:"seen_at"`
	ExpiresAt     time.Time     `db:"expires_at"`
	Login         string        `db:"login"`
	Name          string        `db:"name"`
	WorkspaceName string        `db:"workspace_name"`
	Role          Role          `db:"role"`
}

// How long the old token of a session stays good once the new one was seen, and
// how long we wait for it to be seen before another is made.
const (
	sessionOverlap = time.Minute
	rotateRetry    = time.Minute
)

func (d *Directory) loadSession(ctx context.Context, hash digest, now time.Time) (*entry, error) {
	text := hash.String()
	row, err := store.One[sessionRow](ctx, d.db.Read(), selectSessionByToken, text, text)
	if errors.Is(err, store.ErrNoRows) {
		return nil, signedOut()
	}
	if err != nil {
		return nil, fmt.Errorf("loading a session: %w", err)
	}
	ends := row.ExpiresAt
	if longest := row.CreatedAt.Add(d.opts.SessionLongest); longest.Before(ends) {
		ends = longest
	}
	rotateAt := row.RotatedAt.Add(d.opts.SessionRotate)
	switch {
	case sameHash(row.Hash, hash):
		if row.PreviousHash != "" && row.PreviousUntil.IsZero() {
			if err := d.confirm(ctx, row, now); err != nil {
				return nil, err
			}
		}
	case sameHash(row.PreviousHash, hash) && row.PreviousUntil.IsZero():
		rotateAt = row.RotatedAt.Add(rotateRetry)
	case sameHash(row.PreviousHash, hash):
		rotateAt = time.Time{}
		if row.PreviousUntil.Before(ends) {
			ends = row.PreviousUntil
		}
	default:
		return nil, signedOut()
	}
	if !now.Before(ends) {
		return nil, signedOut()
	}
	e := &entry{ends: ends, identity: &Identity{
		User: row.User, Login: row.Login, Name: row.Name, Workspace: row.Workspace, WorkspaceName: row.WorkspaceName,
		Role: row.Role, Permissions: row.Role.Permissions(), Via: ViaSession, Session: row.ID, rotateAt: rotateAt,
	}}
	e.touched.Store(row.SeenAt.UnixNano())
	return e, nil
}

// confirm notes that the new token has arrived: the old one is good for a short
// while more, for requests that are under way.
func (d *Directory) confirm(ctx context.Context, row sessionRow, now time.Time) error {
	until := now.Add(sessionOverlap)
	err := d.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, confirmSession, until, row.ID, row.Hash)
		tx.AfterCommit(func() { d.cache.drop(row.PreviousHash) })
		return err
	})
	if err != nil {
		return fmt.Errorf("confirming a session's new token: %w", err)
	}
	return nil
}

func (d *Directory) loadKey(ctx context.Context, hash digest, now time.Time) (*entry, error) {
	text := hash.String()
	row, err := store.One[keyAuth](ctx, d.db.Read(), selectKeyByToken, text, text)
	if errors.Is(err, store.ErrNoRows) {
		return nil, badKey("The API key is not known.")
	}
	if err != nil {
		return nil, fmt.Errorf("loading an API key: %w", err)
	}
	ends := now.Add(day)
	if !row.ExpiresAt.IsZero() {
		ends = row.ExpiresAt
	}
	switch {
	case sameHash(row.Hash, hash):
	case sameHash(row.PreviousHash, hash):
		if row.OverlapUntil.Before(ends) {
			ends = row.OverlapUntil
		}
	default:
		return nil, badKey("The API key is not known.")
	}
	switch {
	case !row.RevokedAt.IsZero():
		return nil, badKey("The API key was revoked.")
	case !now.Before(ends):
		return nil, badKey("The API key has expired.")
	}
	allow, err := parseNetworks(row.Allow)
	if err != nil {
		return nil, fmt.Errorf("reading the allow list of %s: %w", row.ID, err)
	}
	e := &entry{ends: ends, allow: allow, identity: &Identity{
		User: row.User, Login: row.Login, Name: row.UserName, Workspace: row.Workspace, WorkspaceName: row.WorkspaceName,
		Role: row.Role, Permissions: keyPermissions(row.Role, matching(row.Scopes)), Via: ViaKey, Key: row.ID, KeyName: row.Name,
	}}
	if !row.UsedAt.IsZero() {
		e.touched.Store(row.UsedAt.UnixNano())
	}
	return e, nil
}

func sameHash(stored string, hash digest) bool {
	var raw digest
	if n, err := hex.Decode(raw[:], []byte(stored)); err != nil || n != len(raw) {
		return false
	}
	return subtle.ConstantTimeCompare(raw[:], hash[:]) == 1
}

func badKey(message string) error {
	return fault.New(fault.Unauthenticated, "bad_key", "%s", message).
		WithHint("Check the key, or make a new one with fluxway keys create --name NAME.")
}

func signedOut() error {
	return fault.New(fault.Unauthenticated, "signed_out", "You are not signed in, or your session has ended.").WithHint("Sign in again.")
}

// maxCached bounds the memory of recent credentials.
const maxCached = 10_000

// cache remembers recent credentials for a moment.
type cache struct {
	generation atomic.Int64 // rises when a change made the entries doubtful

	mu      sync.RWMutex // guards entries
	entries map[digest]*entry
}

type entry struct {
	identity *Identity
	allow    []netip.Prefix
	ends     time.Time // when the credentials themselves end
	fresh    time.Time // when to look again
	touched  atomic.Int64
}

func newCache() *cache { return &cache{entries: make(map[digest]*entry)} }

func (c *cache) get(hash digest, now time.Time) *entry {
	c.mu.RLock()
	e := c.entries[hash]
	c.mu.RUnlock()
	if e == nil || !now.Before(e.fresh) || !now.Before(e.ends) {
		return nil
	}
	return e
}

// put keeps an entry unless something changed since it was read.
func (c *cache) put(hash digest, e *entry, generation int64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation.Load() != generation {
		return
	}
	if len(c.entries) >= maxCached {
		for h, old := range c.entries {
			if !now.Before(old.fresh) {
				delete(c.entries, h)
			}
		}
		if len(c.entries) >= maxCached {
			clear(c.entries)
		}
	}
	if old := c.entries[hash]; old != nil {
		e.touched.Store(max(e.touched.Load(), old.touched.Load()))
	}
	c.entries[hash] = e
}

// drop forgets one token by its stored hash.
func (c *cache) drop(stored string) {
	var hash digest
	if n, err := hex.Decode(hash[:], []byte(stored)); err != nil || n != len(hash) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation.Add(1)
	delete(c.entries, hash)
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation.Add(1)
	clear(c.entries)
}
