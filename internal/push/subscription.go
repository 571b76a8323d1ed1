package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/push/webpush"
	"github.com/fluxway/fluxway/internal/store"
)

// Subscription is a browser that is told, as its owner sees it.
type Subscription struct {
	ID        ids.Subscription `json:"id"`
	Name      string           `json:"name"`
	Service   string           `json:"service" doc:"The host of the push service its messages go through."`
	Current   bool             `json:"current" doc:"It is the browser that asks."`
	CreatedAt time.Time        `json:"created_at"`
	SentAt    time.Time        `json:"sent_at,omitzero" doc:"When its push service last took a message."`
	FailedAt  time.Time        `json:"failed_at,omitzero" doc:"When a message last could not be sent; left out once one was."`
	Failure   string           `json:"failure,omitempty" doc:"Why not."`
}

// subscription is its row.
type subscription struct {
	ID        ids.Subscription `db:"id"`
	User      ids.User         `db:"user_id"`
	Session   ids.Session      `db:"session_id"`
	Name      string           `db:"name"`
	Endpoint  string           `db:"endpoint"`
	Public    []byte           `db:"public"`
	Auth      []byte           `db:"auth"`
	CreatedAt time.Time        `db:"created_at"`
	SentAt    time.Time        `db:"sent_at"`
	FailedAt  time.Time        `db:"failed_at"`
	Failure   string           `db:"failure"`
}

func (s subscription) shown(session ids.Session) Subscription {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		u = &url.URL{}
	}
	return Subscription{
		ID: s.ID, Name: s.Name, Service: u.Hostname(), Current: s.Session == session, CreatedAt: s.CreatedAt, SentAt: s.SentAt, FailedAt: s.FailedAt, Failure: s.Failure,
	}
}

// NewSubscription is what a browser gave.
type NewSubscription struct {
	User     ids.User
	Session  ids.Session // it ends with it
	Name     string      // "": a device
	Endpoint string
	Key      []byte
	Auth     []byte
}

const (
	maxDevices  = 20
	maxEndpoint = 2048
	maxName     = 80
)

// Subscribe has a browser told from now on. One browser, that is one session, has one subscription.
func (h *Herald) Subscribe(ctx context.Context, in NewSubscription) (Subscription, error) {
	if in.Session == "" {
		return Subscription{}, fault.New(fault.Invalid, "no_session", "Only a browser that is signed in can be told.").WithHint("Turn notifications on in the browser, under Settings.")
	}
	if err := h.checkEndpoint(ctx, in.Endpoint); err != nil {
		return Subscription{}, err
	}
	if err := (webpush.Target{Key: in.Key, Auth: in.Auth}).Check(); err != nil {
		return Subscription{}, fault.New(fault.Invalid, "bad_subscription", "The keys of the subscription cannot be used.").WithParam("keys").
			WithHint("Send what PushSubscription.toJSON() gives.").Because(err)
	}
	sealed, err := h.opts.Box.Seal(in.Auth, authPlace(in.Endpoint))
	if err != nil {
		return Subscription{}, err
	}
	var id ids.Subscription
	err = h.db.InTx(ctx, func(tx *store.Tx) error {
		others, err := store.One[int](ctx, tx, countOthers, in.User, in.Endpoint)
		if err != nil {
			return err
		}
		if others >= maxDevices {
			return fault.New(fault.Conflict, "too_many_devices", "You are told on %d devices already.", others).WithHint("Remove one that you no longer use.")
		}
		older, err := store.All[subscription](ctx, tx, selectOlderOfSession, in.Session, in.Endpoint)
		if err != nil {
			return err
		}
		name := tidy(in.Name)
		for _, old := range older { // the push service gave the browser another address
			name = cmp.Or(name, old.Name)
			if err := h.drop(ctx, tx, old.ID); err != nil {
				return err
			}
		}
		id, err = store.One[ids.Subscription](ctx, tx, upsertSubscription, ids.New[ids.Subscription](), in.User, in.Session, cmp.Or(name, "A device"), in.Endpoint, in.Key, sealed, h.now())
		if err != nil {
			return err
		}
		tx.AfterCommit(h.subscribed)
		return nil
	})
	if err != nil {
		return Subscription{}, fmt.Errorf("keeping a subscription: %w", err)
	}
	s, err := h.find(ctx, in.User, id)
	return s.shown(in.Session), err
}

func (h *Herald) subscribed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.anyone, h.checked = true, time.Now()
}

// checkEndpoint takes addresses that a push service could have: a client wrote it, and we are to call it.
func (h *Herald) checkEndpoint(ctx context.Context, text string) error {
	bad := fault.New(fault.Invalid, "bad_endpoint", "This is not the address of a push service.").WithParam("endpoint").WithHint("Send what PushSubscription.toJSON() gives.")
	u, err := safenet.Parse(text)
	if err != nil || u.Scheme != "https" || u.Fragment != "" || len(text) > maxEndpoint || u.String() != text {
		return bad.Because(err)
	}
	// Names that cannot be looked up now may be later; each message is checked again.
	if _, err := h.opts.Net.Resolve(ctx, u.Hostname(), cmp.Or(u.Port(), "443")); fault.HasCode(err, "address_refused") {
		return bad.Because(err)
	}
	return nil
}

// Subscriptions lists the devices of a person; session is the one that asks.
func (h *Herald) Subscriptions(ctx context.Context, user ids.User, session ids.Session) ([]Subscription, error) {
	rows, err := store.All[subscription](ctx, h.db.Read(), selectOfUser, user)
	if err != nil {
		return nil, fmt.Errorf("listing the devices of %s: %w", user, err)
	}
	list := make([]Subscription, 0, len(rows))
	for _, s := range rows {
		_, open, err := h.opts.Directory.Seat(ctx, s.Session)
		if err != nil {
			return nil, err
		}
		if open {
			list = append(list, s.shown(session))
		}
	}
	return list, nil
}

// Rename gives a device of a person another name.
func (h *Herald) Rename(ctx context.Context, user ids.User, session ids.Session, id ids.Subscription, name string) (Subscription, error) {
	name = tidy(name)
	if name == "" {
		return Subscription{}, fault.New(fault.Invalid, "bad_name", "A name has at least one character.").WithParam("name")
	}
	err := h.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, renameSubscription, name, id, user)
		if err == nil && n == 0 {
			return noSubscription(id)
		}
		return err
	})
	if err != nil {
		return Subscription{}, err
	}
	s, err := h.find(ctx, user, id)
	return s.shown(session), err
}

// Unsubscribe stops telling a device of a person.
func (h *Herald) Unsubscribe(ctx context.Context, user ids.User, id ids.Subscription) error {
	if _, err := h.find(ctx, user, id); err != nil {
		return err
	}
	return h.db.InTx(ctx, func(tx *store.Tx) error { return h.drop(ctx, tx, id) })
}

func (h *Herald) find(ctx context.Context, user ids.User, id ids.Subscription) (subscription, error) {
	s, err := store.One[subscription](ctx, h.db.Read(), selectSubscription, id)
	if errors.Is(err, store.ErrNoRows) || err == nil && s.User != user {
		return subscription{}, noSubscription(id)
	}
	if err != nil {
		return s, fmt.Errorf("reading %s: %w", id, err)
	}
	return s, nil
}

func (h *Herald) drop(ctx context.Context, tx *store.Tx, id ids.Subscription) error {
	for _, statement := range []string{deleteShownOf, deleteSubscription} {
		if _, err := tx.Exec(ctx, statement, id); err != nil {
			return fmt.Errorf("removing %s: %w", id, err)
		}
	}
	return nil
}

// Key is what browsers subscribe with; the first who asks has it made.
func (h *Herald) Key(ctx context.Context) (string, error) {
	key, err := h.signer(ctx)
	if err != nil {
		return "", err
	}
	return key.Public()
}

func (h *Herald) signer(ctx context.Context) (*webpush.Key, error) {
	h.mu.Lock()
	known := h.key
	h.mu.Unlock()
	if known != nil {
		return known, nil
	}
	sealed, err := store.One[[]byte](ctx, h.db.Read(), selectKey)
	if errors.Is(err, store.ErrNoRows) {
		sealed, err = h.makeKey(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key of notifications: %w", err)
	}
	text, err := h.opts.Box.Open(sealed, keyPlace())
	if err != nil {
		return nil, fmt.Errorf("opening the key of notifications: %w", err)
	}
	key, err := webpush.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("reading the key of notifications: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.key = key
	return key, nil
}

// makeKey gives the key that is kept: that of whoever was first.
func (h *Herald) makeKey(ctx context.Context) ([]byte, error) {
	key, err := webpush.NewKey()
	if err != nil {
		return nil, err
	}
	text, err := key.Marshal()
	if err != nil {
		return nil, err
	}
	public, err := key.Public()
	if err != nil {
		return nil, err
	}
	sealed, err := h.opts.Box.Seal(text, keyPlace())
	if err != nil {
		return nil, err
	}
	var kept []byte
	err = h.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if _, err := tx.Exec(ctx, insertKey, public, sealed, h.now()); err != nil {
			return err
		}
		kept, err = store.One[[]byte](ctx, tx, selectKey)
		return err
	})
	return kept, err
}

func keyPlace() []byte { return seal.Place("push_keys", "1", "private") }

func authPlace(endpoint string) []byte { return seal.Place("push_subscriptions", endpoint, "auth") }

func noSubscription(id ids.Subscription) error {
	return fault.New(fault.NotFound, "subscription_not_found", "There is no device %s of yours.", id).WithHint("List your devices.")
}

// tidy makes a name of what somebody typed.
func tidy(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return clip(text, maxName)
}
