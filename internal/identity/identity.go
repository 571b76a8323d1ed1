package identity

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store"
)

const day = 24 * time.Hour

// Options are what a Directory needs.
type Options struct {
	DB     *store.DB        // required
	Box    *seal.Box        // required: seals second-factor secrets; seal.OpenFile makes one
	Events appender         // nil: nothing is said
	Log    *slog.Logger     // nil: silent
	Now    func() time.Time // nil: time.Now

	Observe *observe.Observe // nil: nothing is counted

	Password PasswordCost

	SessionIdle    time.Duration // signed out after so long without a request; 0: 7 days
	SessionLongest time.Duration // signed out after so long in any case; 0: 90 days, or SessionIdle if that is longer
	SessionRotate  time.Duration // a new token after so long; 0: 12 hours
	DeviceTrust    time.Duration // how long a browser may skip the second factor; 0: 30 days
	CacheTTL       time.Duration // how long changes made by another process may go unnoticed; 0: 5 seconds
	AuditRetention time.Duration // 0: 400 days; negative: for ever

	// Deleted hears of a workspace that is going, in the transaction that deletes it; home is another one. nil: nobody listens.
	Deleted func(ctx context.Context, tx *store.Tx, ws, home ids.Workspace) error

	// Removed hears of a user who is leaving a workspace, in the transaction that removes them; nil: nobody listens.
	Removed func(ctx context.Context, tx *store.Tx, ws ids.Workspace, user ids.User) error

	Issuer string       // the product's name in authenticator apps; "": Fluxway
	OIDC   *OIDCOptions // nil: no sign-in through an outside issuer
}

// OIDCOptions describe an outside OpenID Connect issuer.
type OIDCOptions struct {
	Name         string // on the button; "": the issuer's host
	IssuerURL    string // required
	ClientID     string // required
	ClientSecret secret.Text
	RedirectURL  string   // required: …/api/v1/oidc/callback as the browser reaches it
	Scopes       []string // besides openid; nil: profile, email
	// AutoCreate makes an account for a subject that is not linked to one.
	AutoCreate bool
	Role       Role   // of accounts made so; "": viewer
	Workspace  string // where they are made, id or name; "": the oldest workspace
	// Domains, if any, are the only ones whose verified addresses get an account.
	Domains []string
	HTTP    *http.Client // nil: one with a timeout of 15 seconds
}

// appender is the part of events.Hub that identity needs.
type appender interface {
	Append(ctx context.Context, tx *store.Tx, ws ids.Workspace, channel string, ev ...events.Event) error
}

// Directory knows all workspaces, users, keys and sessions.
type Directory struct {
	opts     Options
	db       *store.DB
	box      *seal.Box
	log      *slog.Logger
	now      func() time.Time
	hasher   *hasher
	throttle *throttle
	cache    *cache
	touches  *touches
	meters   meters
	oidc     *relyingParty // nil: not configured

	ends map[ids.Workspace]chainEnd // of the audit; used by the database's one writer only
}

// New makes a directory. It starts nothing; Run does the housekeeping.
func New(opts Options) (*Directory, error) {
	switch {
	case opts.DB == nil:
		return nil, errors.New("identity: Options.DB is nil")
	case opts.Box == nil:
		return nil, errors.New("identity: Options.Box is nil")
	}
	opts.SessionIdle = cmp.Or(opts.SessionIdle, 7*day)
	opts.SessionLongest = cmp.Or(opts.SessionLongest, max(90*day, opts.SessionIdle))
	opts.SessionRotate = cmp.Or(opts.SessionRotate, 12*time.Hour)
	opts.DeviceTrust = cmp.Or(opts.DeviceTrust, 30*day)
	opts.CacheTTL = cmp.Or(opts.CacheTTL, 5*time.Second)
	opts.AuditRetention = cmp.Or(opts.AuditRetention, 400*day)
	opts.Issuer = cmp.Or(opts.Issuer, "Fluxway")
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	h, err := newHasher(opts.Password)
	if err != nil {
		return nil, err
	}
	d := &Directory{
		opts: opts, db: opts.DB, box: opts.Box, log: opts.Log, now: opts.Now, hasher: h,
		throttle: newThrottle(opts.Now), cache: newCache(), touches: newTouches(), meters: newMeters(opts.Observe),
		ends: make(map[ids.Workspace]chainEnd),
	}
	if opts.OIDC != nil {
		if d.oidc, err = newRelyingParty(*opts.OIDC); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Ways is how people can sign in here.
type Ways struct {
	Password bool   `json:"password"`
	OIDC     bool   `json:"oidc"`
	OIDCName string `json:"oidc_name,omitempty"`
	Passkey  bool   `json:"passkey" doc:"Somebody has a passkey for the name the page was opened by."`
}

// Ways says how people can sign in.
func (d *Directory) Ways() Ways {
	w := Ways{Password: true}
	if d.oidc != nil {
		w.OIDC, w.OIDCName = true, d.oidc.name
	}
	return w
}

// say appends facts to the log of events, in the caller's transaction.
func (d *Directory) say(ctx context.Context, tx *store.Tx, ws ids.Workspace, ev ...events.Event) error {
	if d.opts.Events == nil {
		return nil
	}
	return d.opts.Events.Append(ctx, tx, ws, Channel, ev...)
}
