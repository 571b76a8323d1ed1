package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
)

// Passkey is a credential of a person, good at one host name.
type Passkey struct {
	ID        ids.Passkey `json:"id" db:"id"`
	User      ids.User    `json:"-" db:"user_id"`
	Host      string      `json:"host" db:"rp_id" doc:"The name of the server as the browser had it; the passkey is good there only."`
	Here      bool        `json:"here" doc:"It is good where the caller is now."`
	Name      string      `json:"name" db:"name"`
	Synced    bool        `json:"synced" db:"synced" doc:"Its owner has it on several devices."`
	CreatedAt time.Time   `json:"created_at" db:"created_at"`
	UsedAt    time.Time   `json:"used_at,omitzero" db:"used_at"`

	CredentialID string `json:"-" db:"credential_id"`
	Sealed       []byte `json:"-" db:"credential"`
}

const (
	maxPasskeys   = 20
	challengeLife = 5 * time.Minute
)

// Site is our page as a browser has it: passkeys are bound to its host name, and what is signed names its origin.
type Site struct {
	host   string // "": there can be no passkeys
	origin string
	why    error // if so
}

// Because keeps why there can be no passkeys, to tell people who look for them.
func (s Site) Because(why error) Site {
	s.why = why
	return s
}

// SiteOf is the page at an origin such as https://fluxway.example.org, or why there can be no passkeys for it.
func SiteOf(origin string) (Site, error) {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Site{}, fault.New(fault.Invalid, "passkeys_need_name", "It is not known how the browser reached this page.").WithHint("Open the page by a name, over HTTPS.")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		hint := "Open the page by a name, over HTTPS."
		if _, port, err := net.SplitHostPort(u.Host); err == nil {
			hint = fmt.Sprintf("On the machine that runs it, open http://localhost:%s; from elsewhere, use a name, over HTTPS.", port)
		}
		return Site{}, fault.New(fault.Invalid, "passkeys_need_name", "Passkeys need a name, and this page was opened by the address %s.", host).WithHint("%s", hint)
	}
	if u.Scheme != "https" && !local {
		return Site{}, fault.New(fault.Invalid, "passkeys_need_https", "Browsers offer passkeys over HTTPS and on localhost only.").WithHint("Open the page over HTTPS.")
	}
	return Site{host: host, origin: u.Scheme + "://" + strings.ToLower(u.Host)}, nil
}

// party is us, as authenticators see us.
func (s Site) party(name string) (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{
		RPID: s.host, RPDisplayName: name, RPOrigins: []string{s.origin}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired,
		},
		// Browsers and their extensions add results that nobody asked for; nothing here depends on one.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
}

// holder is a person with their passkeys of one site, as the library wants them.
type holder struct {
	user        User
	credentials []webauthn.Credential
}

// WebAuthnID is what authenticators keep to name the account.
func (h holder) WebAuthnID() []byte { return []byte(h.user.ID) }

// WebAuthnName is shown by authenticators.
func (h holder) WebAuthnName() string { return h.user.Login }

// WebAuthnDisplayName is shown by authenticators.
func (h holder) WebAuthnDisplayName() string { return h.user.Name }

// WebAuthnCredentials are the passkeys of the site.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

// holder reads a person's passkeys of a site.
func (d *Directory) holder(ctx context.Context, q store.Querier, user User, site Site) (holder, []Passkey, error) {
	rows, err := store.All[Passkey](ctx, q, selectPasskeysAt, user.ID, site.host)
	if err != nil {
		return holder{}, nil, fmt.Errorf("reading the passkeys of %s: %w", user.ID, err)
	}
	h := holder{user: user}
	for _, p := range rows {
		text, err := d.box.Open(p.Sealed, passkeyPlace(p.ID))
		if err != nil {
			return holder{}, nil, fmt.Errorf("opening the passkey %s: %w", p.ID, err)
		}
		var c webauthn.Credential
		if err := json.Unmarshal(text, &c); err != nil {
			return holder{}, nil, fmt.Errorf("reading the passkey %s: %w", p.ID, err)
		}
		h.credentials = append(h.credentials, c)
	}
	return h, rows, nil
}

// Passkeys lists the caller's own; those of site are marked.
func (d *Directory) Passkeys(ctx context.Context, site Site) ([]Passkey, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := store.All[Passkey](ctx, d.db.Read(), selectPasskeys, id.User)
	if err != nil {
		return nil, fmt.Errorf("listing the passkeys of %s: %w", id.User, err)
	}
	for i := range rows {
		rows[i].Here = rows[i].Host == site.host
	}
	return rows, nil
}

// HasPasskeys says whether anybody has a passkey of a site.
func (d *Directory) HasPasskeys(ctx context.Context, site Site) (bool, error) {
	n, err := store.One[int](ctx, d.db.Read(), countPasskeysAt, site.host)
	if err != nil {
		return false, fmt.Errorf("looking for passkeys of %s: %w", site.host, err)
	}
	return n > 0, nil
}

// OfferPasskey begins to make one. Whoever has one here confirms with it, others with their password: a borrowed browser
// must not leave a key behind.
func (d *Directory) OfferPasskey(ctx context.Context, site Site, password string) (Ceremony, error) {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return Ceremony{}, err
	}
	if err := d.mayChangePasskeys(ctx, site, password); err != nil {
		return Ceremony{}, err
	}
	h, rows, err := d.holder(ctx, d.db.Read(), acc.User, site)
	if err != nil {
		return Ceremony{}, err
	}
	if len(rows) >= maxPasskeys {
		return Ceremony{}, fault.New(fault.Conflict, "too_many_passkeys", "You have %d passkeys here already.", len(rows)).WithHint("Remove one that you no longer use.")
	}
	party, err := site.party(d.opts.Issuer)
	if err != nil {
		return Ceremony{}, err
	}
	options, data, err := party.BeginRegistration(h, webauthn.WithExclusions(descriptors(h.credentials)))
	if err != nil {
		return Ceremony{}, fmt.Errorf("offering a passkey: %w", err)
	}
	return d.challenge(ctx, forRegistration, options.Response, data)
}

// mayChangePasskeys asks for more than the session: a fresh confirmation, or the password of someone without a passkey here.
func (d *Directory) mayChangePasskeys(ctx context.Context, site Site, password string) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if id.Session == "" {
		return fault.New(fault.Invalid, "no_session", "An API key cannot make or change passkeys.").WithHint("Do it in the browser, under Settings.")
	}
	n, err := store.One[int](ctx, d.db.Read(), countPasskeysOf, id.User, site.host, id.Session)
	if err != nil {
		return err
	}
	if n == 0 {
		return d.confirmPassword(ctx, password)
	}
	return d.confirmed(ctx, id)
}

// AddPasskey keeps the passkey that the browser made.
func (d *Directory) AddPasskey(ctx context.Context, site Site, answer CeremonyAnswer, name string) (Passkey, error) {
	acc, err := d.account(ctx, d.db.Read())
	if err != nil {
		return Passkey{}, err
	}
	data, err := d.takeChallenge(ctx, forRegistration, answer.Browser)
	if err != nil {
		return Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer.Response)
	if err != nil {
		return Passkey{}, passkeyRefused(err)
	}
	h, _, err := d.holder(ctx, d.db.Read(), acc.User, site)
	if err != nil {
		return Passkey{}, err
	}
	party, err := site.party(d.opts.Issuer)
	if err != nil {
		return Passkey{}, err
	}
	made, err := party.CreateCredential(h, data, parsed)
	if err != nil {
		return Passkey{}, passkeyRefused(err)
	}
	return d.keepPasskey(ctx, acc, site, *made, name)
}

func (d *Directory) keepPasskey(ctx context.Context, acc account, site Site, made webauthn.Credential, name string) (Passkey, error) {
	if name = tidy(name, 80); name == "" {
		name = "Passkey"
	}
	p := Passkey{
		ID: ids.New[ids.Passkey](), User: acc.ID, Host: site.host, Here: true, Name: name, Synced: made.Flags.BackupEligible, CreatedAt: d.stamp(),
		CredentialID: base64.RawURLEncoding.EncodeToString(made.ID),
	}
	var err error
	if p.Sealed, err = d.sealPasskey(p.ID, made); err != nil {
		return Passkey{}, err
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, insertPasskey, p.ID, p.User, p.Host, p.CredentialID, p.Name, p.Sealed, p.Synced, p.CreatedAt)
		if err != nil {
			return fmt.Errorf("keeping a passkey: %w", err)
		}
		if n == 0 {
			return fault.New(fault.Conflict, "passkey_exists", "This passkey is known already.").WithHint("Choose another device or security key.")
		}
		return d.changedPasskeys(ctx, tx, acc.ID, Entry{Action: "account.add_passkey", Resource: "passkeys/" + string(p.ID), After: p})
	})
	if err != nil {
		return Passkey{}, err
	}
	return p, nil
}

// sealPasskey makes what is kept; of how the authenticator vouched for itself nothing is.
func (d *Directory) sealPasskey(id ids.Passkey, c webauthn.Credential) ([]byte, error) {
	c.Attestation = webauthn.CredentialAttestation{}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return d.box.Seal(text, passkeyPlace(id))
}

func (d *Directory) changedPasskeys(ctx context.Context, tx *store.Tx, user ids.User, e Entry) error {
	if err := d.say(ctx, tx, From(ctx).Workspace, UserChanged{User: user, Fields: []string{"passkeys"}}); err != nil {
		return err
	}
	return d.Audit(ctx, tx, e)
}

// RenamePasskey gives one of the caller's passkeys another name.
func (d *Directory) RenamePasskey(ctx context.Context, site Site, passkey ids.Passkey, name string) (Passkey, error) {
	id, err := caller(ctx)
	if err != nil {
		return Passkey{}, err
	}
	if name = tidy(name, 80); name == "" {
		return Passkey{}, fault.New(fault.Invalid, "bad_name", "A name has at least one character.").WithParam("name")
	}
	var p Passkey
	err = d.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if p, err = d.passkey(ctx, tx, id.User, passkey); err != nil {
			return err
		}
		before := p
		p.Name = name
		if _, err := tx.Exec(ctx, renamePasskey, name, passkey); err != nil {
			return err
		}
		return d.changedPasskeys(ctx, tx, id.User, Entry{Action: "account.rename_passkey", Resource: "passkeys/" + string(passkey), Before: before, After: p})
	})
	p.Here = p.Host == site.host
	return p, err
}

// RemovePasskey forgets one of the caller's passkeys, unless it is the last way to sign in.
func (d *Directory) RemovePasskey(ctx context.Context, site Site, passkey ids.Passkey) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	if _, err := d.passkey(ctx, d.db.Read(), id.User, passkey); err != nil {
		return err
	}
	if n, err := store.One[int](ctx, d.db.Read(), countPasskeysOf, id.User, site.host, id.Session); err != nil {
		return err
	} else if n > 0 {
		if err := d.confirmed(ctx, id); err != nil {
			return err
		}
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		p, err := d.passkey(ctx, tx, id.User, passkey)
		if err != nil {
			return err
		}
		ways, err := store.One[int](ctx, tx, countOtherWays, id.User, id.User, passkey, id.User)
		if err != nil {
			return err
		}
		if ways == 0 {
			return fault.New(fault.Conflict, "last_way_in", "This passkey is the only way you can sign in.").WithHint("Set a password, or add another passkey, first.")
		}
		if _, err := tx.Exec(ctx, deletePasskey, passkey); err != nil {
			return err
		}
		return d.changedPasskeys(ctx, tx, id.User, Entry{Action: "account.remove_passkey", Resource: "passkeys/" + string(passkey), Before: p})
	})
}

// ResetPasskeys forgets all passkeys of a member for an administrator, when they are lost or stolen.
func (d *Directory) ResetPasskeys(ctx context.Context, user ids.User) error {
	return d.manage(ctx, user, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, deletePasskeysOf, user); err != nil {
			return err
		}
		return d.changedPasskeys(ctx, tx, user, Entry{Action: "user.reset_passkeys", Resource: "users/" + string(user)})
	})
}

func (d *Directory) passkey(ctx context.Context, q store.Querier, user ids.User, passkey ids.Passkey) (Passkey, error) {
	p, err := store.One[Passkey](ctx, q, selectPasskey, passkey, user)
	if errors.Is(err, store.ErrNoRows) {
		return p, fault.New(fault.NotFound, "passkey_not_found", "There is no such passkey of yours.").WithHint("List your passkeys.")
	}
	return p, err
}

func descriptors(all []webauthn.Credential) []protocol.CredentialDescriptor {
	list := make([]protocol.CredentialDescriptor, len(all))
	for i, c := range all {
		list[i] = c.Descriptor()
	}
	return list
}

func passkeyPlace(id ids.Passkey) []byte {
	return seal.Place("identity_passkeys", string(id), "credential")
}

func passkeyRefused(err error) error {
	var detailed *protocol.Error
	if errors.As(err, &detailed) {
		err = fmt.Errorf("%w: %s", err, detailed.DevInfo)
	}
	return fault.New(fault.Forbidden, "passkey_refused", "The passkey could not be checked.").
		WithHint("Try again; choose a passkey that was made for this page.").Because(err)
}
