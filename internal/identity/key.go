package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// Key is an API key, without its text.
type Key struct {
	ID           ids.Key       `json:"id" db:"id"`
	Workspace    ids.Workspace `json:"workspace" db:"workspace_id"`
	User         ids.User      `json:"user" db:"user_id"` // who made it; it is good for what they may do
	Name         string        `json:"name" db:"name"`
	Hint         string        `json:"hint" db:"hint"`          // its first characters
	Scopes       []string      `json:"scopes" db:"scopes,json"` // permission globs
	Allow        []string      `json:"allow" db:"allow,json"`   // networks; empty: anywhere
	CreatedAt    time.Time     `json:"created_at" db:"created_at"`
	ExpiresAt    time.Time     `json:"expires_at,omitzero" db:"expires_at"`
	RotatedAt    time.Time     `json:"rotated_at,omitzero" db:"rotated_at"`
	OverlapUntil time.Time     `json:"overlap_until,omitzero" db:"previous_until"` // until when the text before still works
	UsedAt       time.Time     `json:"used_at,omitzero" db:"used_at"`
	UsedIP       string        `json:"used_ip,omitempty" db:"used_ip"`
	RevokedAt    time.Time     `json:"revoked_at,omitzero" db:"revoked_at"`
}

// keyAuth is a key with what Authenticate needs.
type keyAuth struct {
	Key
	Hash          string `db:"hash"`
	PreviousHash  string `db:"previous_hash"`
	Login         string `db:"login"`
	UserName      string `db:"user_name"`
	WorkspaceName string `db:"workspace_name"`
	Role          Role   `db:"role"`
}

// NewKey describes an API key to make in the caller's workspace.
type NewKey struct {
	Name    string
	Scopes  []string  // permission globs; nil: all that the caller may do
	Allow   []string  // addresses or networks such as 10.0.0.0/8; nil: anywhere
	Expires time.Time // zero: never
}

// The bounds of what a key may carry.
const (
	maxScopes   = 64
	maxNetworks = 64
	// MaxOverlap is how long the old text of a rotated key may stay good.
	MaxOverlap = 30 * day
)

// Keys lists the workspace's keys, newest first: all for those who may manage
// them, else the caller's own.
func (d *Directory) Keys(ctx context.Context, q page.Query) (page.Page[Key], error) {
	id, err := caller(ctx)
	if err != nil {
		return page.Page[Key]{}, err
	}
	after, _, err := page.Decode[string](q.Cursor)
	if err != nil {
		return page.Page[Key]{}, err
	}
	owner := id.User
	if id.May("keys:manage") {
		owner = ""
	}
	rows, err := store.All[Key](ctx, d.db.Read(), selectKeys, id.Workspace, owner, owner, after, after, q.Size()+1)
	if err != nil {
		return page.Page[Key]{}, fmt.Errorf("listing the keys of %s: %w", id.Workspace, err)
	}
	return page.Of(q, rows, func(k Key) string { return string(k.ID) }), nil
}

// Key finds a key that the caller may see.
func (d *Directory) Key(ctx context.Context, key ids.Key) (Key, error) {
	return d.keyOf(ctx, d.db.Read(), key)
}

func (d *Directory) keyOf(ctx context.Context, q store.Querier, key ids.Key) (Key, error) {
	id, err := caller(ctx)
	if err != nil {
		return Key{}, err
	}
	k, err := store.One[Key](ctx, q, selectKey, id.Workspace, key)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return Key{}, fmt.Errorf("loading key %s: %w", key, err)
	}
	if err != nil || (k.User != id.User && !id.May("keys:manage")) {
		return Key{}, fault.New(fault.NotFound, "key_not_found", "There is no key %s here.", tidy(string(key), 64)).WithHint("List your keys.")
	}
	return k, nil
}

// CreateKey makes a key that can do no more than the caller. Its text is given
// here and never again.
func (d *Directory) CreateKey(ctx context.Context, in NewKey) (Key, secret.Text, error) {
	id, err := caller(ctx)
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	if err := id.Must("keys:write"); err != nil {
		return Key{}, secret.Text{}, err
	}
	k, err := d.newKey(id, in)
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	text, err := newKeyText()
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	k.Hint = hintOf(text)
	scopes, allow, err := lists(k)
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertKey, k.ID, k.Workspace, k.User, k.Name, k.Hint, digestOf(text).String(), scopes, allow, k.CreatedAt, k.ExpiresAt)
		if err != nil {
			return fmt.Errorf("creating key %s: %w", k.Name, err)
		}
		if err := d.say(ctx, tx, k.Workspace, KeyCreated{Key: k.ID, User: k.User, Name: k.Name}); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "key.create", Resource: "keys/" + string(k.ID), After: facts(k)})
	})
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	return k, secret.New(text), nil
}

func (d *Directory) newKey(id *Identity, in NewKey) (Key, error) {
	k := Key{
		ID: ids.New[ids.Key](), Workspace: id.Workspace, User: id.User, Name: tidy(in.Name, 80), Scopes: in.Scopes, Allow: []string{},
		CreatedAt: d.stamp(), ExpiresAt: in.Expires.UTC().Truncate(time.Microsecond),
	}
	if in.Expires.IsZero() {
		k.ExpiresAt = time.Time{}
	}
	switch {
	case k.Name == "":
		return k, fault.New(fault.Invalid, "bad_name", "A key needs a name.").WithParam("name").WithHint("Name it after what will use it.")
	case len(in.Scopes) > maxScopes:
		return k, fault.New(fault.Invalid, "too_many_scopes", "A key has at most %d scopes.", maxScopes).WithParam("scopes")
	case len(in.Allow) > maxNetworks:
		return k, fault.New(fault.Invalid, "too_many_networks", "A key has at most %d networks.", maxNetworks).WithParam("allow")
	case !k.ExpiresAt.IsZero() && !k.ExpiresAt.After(k.CreatedAt):
		return k, fault.New(fault.Invalid, "already_expired", "The key would expire before it is made.").WithParam("expires_at")
	}
	if len(k.Scopes) == 0 {
		k.Scopes = defaultScopes(id)
	}
	if err := mayGrant(id, k.Scopes); err != nil {
		return k, err
	}
	networks, err := parseNetworks(in.Allow)
	if err != nil {
		return k, err
	}
	for _, n := range networks {
		k.Allow = append(k.Allow, n.String())
	}
	return k, nil
}

// defaultScopes is everything, or for a key that makes keys: what it has itself.
func defaultScopes(id *Identity) []string {
	if id.Via == ViaKey {
		return id.Permissions.List()
	}
	return []string{"*"}
}

// mayGrant refuses scopes beyond what the caller has: a permission named in
// full that is missing, a glob of which nothing is left, and any way for a
// narrow key to make a wider one.
func mayGrant(id *Identity, scopes []string) error {
	for _, scope := range scopes {
		set, err := ParseScopes([]string{scope})
		if err != nil {
			return err
		}
		wanted := keyPermissions(id.Role, set)
		if wanted.Len() == 0 || wanted.And(id.Permissions) != wanted {
			return fault.New(fault.Forbidden, "scope_beyond_yours", "The scope %s goes beyond what you may do.", scope).
				WithParam("scopes").WithHint("Choose among your own permissions, or ask an administrator to make the key.")
		}
	}
	return nil
}

// keyPermissions is what a key can do: its scopes, within its maker's role.
// No key may touch its maker's password, second factor or sessions.
func keyPermissions(role Role, scopes Permissions) Permissions {
	set := role.Permissions().And(scopes)
	own := positions["account:write"]
	set[own/64] &^= 1 << (own % 64)
	return set
}

// RotateKey gives a key a new text. The old one stays good for overlap.
func (d *Directory) RotateKey(ctx context.Context, key ids.Key, overlap time.Duration) (Key, secret.Text, error) {
	if overlap < 0 || overlap > MaxOverlap {
		return Key{}, secret.Text{}, fault.New(fault.Invalid, "bad_overlap", "The overlap is between 0 and 30 days.").
			WithParam("overlap").WithHint("For example 24h.")
	}
	text, err := newKeyText()
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	var k Key
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		before, err := d.keyOf(ctx, tx, key)
		if err != nil {
			return err
		}
		if err := From(ctx).Must("keys:write"); err != nil {
			return err
		}
		if err := d.usable(ctx, before); err != nil {
			return err
		}
		k = before
		k.RotatedAt, k.Hint = d.stamp(), hintOf(text)
		k.OverlapUntil = k.RotatedAt.Add(overlap)
		n, err := tx.Exec(ctx, rotateKey, k.OverlapUntil, digestOf(text).String(), k.Hint, k.RotatedAt, key)
		if err != nil {
			return fmt.Errorf("rotating key %s: %w", key, err)
		}
		if n == 0 {
			return keyRevoked()
		}
		d.forgetAfter(tx)
		if err := d.say(ctx, tx, k.Workspace, KeyRotated{Key: key}); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "key.rotate", Resource: "keys/" + string(key), Before: facts(before), After: facts(k)})
	})
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	return k, secret.New(text), nil
}

// usable refuses to rotate a key that is over, or that can do more than the
// caller: its new text would be a way up.
func (d *Directory) usable(ctx context.Context, k Key) error {
	switch {
	case !k.RevokedAt.IsZero():
		return keyRevoked()
	case !k.ExpiresAt.IsZero() && !d.now().Before(k.ExpiresAt):
		return fault.New(fault.Conflict, "key_expired", "The key has expired.").WithHint("Make a new key.")
	}
	return mayGrant(From(ctx), k.Scopes)
}

// RevokeKey ends a key at once, with the text before it.
func (d *Directory) RevokeKey(ctx context.Context, key ids.Key) error {
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		k, err := d.keyOf(ctx, tx, key)
		if err != nil {
			return err
		}
		if err := From(ctx).Must("keys:write"); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, revokeKey, d.stamp(), key)
		if err != nil {
			return fmt.Errorf("revoking key %s: %w", key, err)
		}
		if n == 0 {
			return nil // it was revoked already
		}
		d.forgetAfter(tx)
		if err := d.say(ctx, tx, k.Workspace, KeyRevoked{Key: key}); err != nil {
			return err
		}
		return d.Audit(ctx, tx, Entry{Action: "key.revoke", Resource: "keys/" + string(key), Before: facts(k)})
	})
}

func keyRevoked() error {
	return fault.New(fault.Conflict, "key_revoked", "The key was revoked.").WithHint("Make a new key.")
}

// keyFacts is a key as the audit keeps it; the field names do not look like secrets.
type keyFacts struct {
	Name    string    `json:"name"`
	User    ids.User  `json:"user"`
	Hint    string    `json:"hint"`
	Scopes  []string  `json:"scopes"`
	Allow   []string  `json:"allow"`
	Expires time.Time `json:"expires_at,omitzero"`
	Overlap time.Time `json:"overlap_until,omitzero"`
}

func facts(k Key) keyFacts {
	return keyFacts{Name: k.Name, User: k.User, Hint: k.Hint, Scopes: k.Scopes, Allow: k.Allow, Expires: k.ExpiresAt, Overlap: k.OverlapUntil}
}

func hintOf(text string) string { return text[:len(keyPrefix)+4] }

func lists(k Key) (scopes, allow string, err error) {
	s, err1 := json.Marshal(k.Scopes)
	a, err2 := json.Marshal(k.Allow)
	return string(s), string(a), errors.Join(err1, err2)
}

// parseNetworks reads addresses and networks.
func parseNetworks(texts []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			var ip netip.Addr
			if ip, err = netip.ParseAddr(text); err == nil {
				ip = ip.Unmap().WithZone("")
				p = netip.PrefixFrom(ip, ip.BitLen())
			}
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "bad_network", "%q is neither an address nor a network.", tidy(text, 64)).
				WithParam("allow").WithHint("For example 192.0.2.7 or 10.0.0.0/8.")
		}
		networks = append(networks, p.Masked())
	}
	return networks, nil
}
