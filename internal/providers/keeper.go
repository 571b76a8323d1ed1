package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// AccountKind says what a stored secret is.
type AccountKind string

// The kinds.
const (
	AccountKey    AccountKind = "api_key"
	AccountGitHub AccountKind = "github" // a GitHub token, to be exchanged
)

// StoredAccount is an account in the database, without its secret.
type StoredAccount struct {
	ID        ids.Account   `db:"id" json:"id"`
	Workspace ids.Workspace `db:"workspace_id" json:"-"`
	Provider  string        `db:"provider" json:"provider"`
	Name      string        `db:"name" json:"name"`
	Type      AccountKind   `db:"kind" json:"kind"`
	Position  int64         `db:"position" json:"position"`
	Disabled  bool          `db:"disabled" json:"disabled"`
	CreatedAt time.Time     `db:"created_at" json:"created_at"`
	UpdatedAt time.Time     `db:"updated_at" json:"updated_at"`
}

// KeeperOptions sets a keeper up.
type KeeperOptions struct {
	DB  *store.DB   // required
	Hub *events.Hub // required
	Box *seal.Box   // required
}

// Keeper stores accounts. Secrets go in and are only ever taken out by Open, to
// be used.
type Keeper struct{ opts KeeperOptions }

// NewKeeper makes a keeper.
func NewKeeper(opts KeeperOptions) (*Keeper, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Box == nil {
		return nil, errors.New("providers: KeeperOptions needs DB, Hub and Box")
	}
	return &Keeper{opts}, nil
}

// NewAccount is an account to be stored.
type NewAccount struct {
	Provider string
	Name     string
	Type     AccountKind // "": AccountKey
	Secret   secret.Text
}

func (n *NewAccount) check() error {
	n.Provider, n.Name = strings.TrimSpace(n.Provider), strings.TrimSpace(n.Name)
	switch {
	case n.Provider == "" || strings.Contains(n.Provider, "/"):
		return fault.New(fault.Invalid, "provider_invalid", "An account belongs to a provider, such as openai.").WithParam("provider")
	case n.Name == "" || len(n.Name) > 100:
		return fault.New(fault.Invalid, "name_invalid", "An account needs a name of at most 100 characters.").WithParam("name")
	case strings.TrimSpace(n.Secret.Reveal()) == "":
		return fault.New(fault.Invalid, "secret_missing", "An account needs its key.").WithParam("secret")
	}
	if n.Type == "" {
		n.Type = AccountKey
	}
	if n.Type != AccountKey && n.Type != AccountGitHub {
		return fault.New(fault.Invalid, "kind_invalid", "An account is of kind %s or %s.", AccountKey, AccountGitHub).WithParam("kind")
	}
	return nil
}

// place binds a sealed secret to its row: moved to another, it cannot be opened.
func place(ws ids.Workspace, provider string, id ids.Account) []byte {
	return seal.Place("providers_accounts", string(ws), provider, string(id), "secret")
}

// Add stores an account behind those that the provider already has.
func (k *Keeper) Add(ctx context.Context, ws ids.Workspace, n NewAccount) (StoredAccount, error) {
	if err := n.check(); err != nil {
		return StoredAccount{}, err
	}
	id, now := ids.New[ids.Account](), time.Now()
	sealed, err := k.opts.Box.Seal([]byte(strings.TrimSpace(n.Secret.Reveal())), place(ws, n.Provider, id))
	if err != nil {
		return StoredAccount{}, fmt.Errorf("sealing an account of %s: %w", n.Provider, err)
	}
	var out StoredAccount
	err = k.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		added, err := tx.Exec(ctx, insertAccount, id, ws, n.Provider, n.Name, string(n.Type), false, now, now, sealed, ws, n.Provider)
		if err != nil {
			return err
		}
		if added == 0 {
			return fault.New(fault.Conflict, "account_exists", "%s already has an account named %q.", n.Provider, n.Name).
				WithParam("name").WithHint("Choose another name, or replace that account's key.")
		}
		if out, err = store.One[StoredAccount](ctx, tx, selectAccount, id, ws); err != nil {
			return err
		}
		return k.opts.Hub.Append(ctx, tx, ws, Channel, AccountAdded{id, n.Provider, n.Name})
	})
	if err != nil {
		return StoredAccount{}, fmt.Errorf("storing an account of %s: %w", n.Provider, err)
	}
	return out, nil
}

// List shows a workspace's accounts; provider "" means all.
func (k *Keeper) List(ctx context.Context, ws ids.Workspace, provider string) ([]StoredAccount, error) {
	all, err := store.All[StoredAccount](ctx, k.opts.DB.Read(), selectAccounts, ws, provider, provider)
	if err != nil {
		return nil, fmt.Errorf("listing accounts: %w", err)
	}
	return all, nil
}

// Replace gives an account another secret.
func (k *Keeper) Replace(ctx context.Context, ws ids.Workspace, id ids.Account, s secret.Text) error {
	text := strings.TrimSpace(s.Reveal())
	if text == "" {
		return fault.New(fault.Invalid, "secret_missing", "An account needs its key.").WithParam("secret")
	}
	return k.change(ctx, ws, id, func(tx *store.Tx, a *StoredAccount) error {
		sealed, err := k.opts.Box.Seal([]byte(text), place(ws, a.Provider, id))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, updateSecret, sealed, time.Now(), id, ws); err != nil {
			return err
		}
		return k.opts.Hub.Append(ctx, tx, ws, Channel, AccountChanged{id, a.Provider, a.Disabled})
	})
}

// Switch is whether an account is used.
type Switch bool

// The switch's two positions.
const (
	On  Switch = true
	Off Switch = false
)

// Turn switches an account on or off.
func (k *Keeper) Turn(ctx context.Context, ws ids.Workspace, id ids.Account, to Switch) error {
	return k.change(ctx, ws, id, func(tx *store.Tx, a *StoredAccount) error {
		if _, err := tx.Exec(ctx, updateDisabled, to == Off, time.Now(), id, ws); err != nil {
			return err
		}
		return k.opts.Hub.Append(ctx, tx, ws, Channel, AccountChanged{id, a.Provider, to == Off})
	})
}

// Remove forgets an account and its secret.
func (k *Keeper) Remove(ctx context.Context, ws ids.Workspace, id ids.Account) error {
	return k.change(ctx, ws, id, func(tx *store.Tx, a *StoredAccount) error {
		if _, err := tx.Exec(ctx, deleteAccount, id, ws); err != nil {
			return err
		}
		return k.opts.Hub.Append(ctx, tx, ws, Channel, AccountRemoved{id, a.Provider})
	})
}

func (k *Keeper) change(ctx context.Context, ws ids.Workspace, id ids.Account, do func(tx *store.Tx, a *StoredAccount) error) error {
	err := k.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		a, err := store.One[StoredAccount](ctx, tx, selectAccount, id, ws)
		if errors.Is(err, store.ErrNoRows) {
			return fault.New(fault.NotFound, "account_not_found", "There is no account %s.", id)
		}
		if err != nil {
			return err
		}
		return do(tx, &a)
	})
	if err != nil {
		return fmt.Errorf("changing account %s: %w", id, err)
	}
	return nil
}

// OpenAccount is a stored account with its secret, to be used.
type OpenAccount struct {
	StoredAccount
	Secret secret.Text
}

type sealedRow struct {
	StoredAccount
	Sealed []byte `db:"secret"`
}

// Open gives the accounts of a provider that are switched on, in their order.
// One whose secret cannot be read is an error that names it.
func (k *Keeper) Open(ctx context.Context, ws ids.Workspace, provider string) ([]OpenAccount, error) {
	rows, err := store.All[sealedRow](ctx, k.opts.DB.Read(), selectSealed, ws, provider)
	if err != nil {
		return nil, fmt.Errorf("opening accounts of %s: %w", provider, err)
	}
	out := make([]OpenAccount, 0, len(rows))
	for _, r := range rows {
		plain, err := k.opts.Box.Open(r.Sealed, place(ws, provider, r.ID))
		if err != nil {
			return nil, fmt.Errorf("opening account %s of %s: %w", r.Name, provider, err)
		}
		out = append(out, OpenAccount{r.StoredAccount, secret.New(string(plain))})
	}
	return out, nil
}

// Reseal moves every secret to the box's first key and says how many it moved;
// afterwards older keys are not needed here any more.
func (k *Keeper) Reseal(ctx context.Context) (int, error) {
	type envelope struct {
		ID        ids.Account   `db:"id"`
		Workspace ids.Workspace `db:"workspace_id"`
		Provider  string        `db:"provider"`
		Sealed    []byte        `db:"secret"`
	}
	rows, err := store.All[envelope](ctx, k.opts.DB.Read(), selectEnvelopes)
	if err != nil {
		return 0, fmt.Errorf("resealing accounts: %w", err)
	}
	moved := 0
	for _, r := range rows {
		if !k.opts.Box.Stale(r.Sealed) {
			continue
		}
		next, err := k.opts.Box.Rewrap(r.Sealed, place(r.Workspace, r.Provider, r.ID))
		if err != nil {
			return moved, fmt.Errorf("resealing account %s: %w", r.ID, err)
		}
		err = k.opts.DB.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, updateEnvelope, next, r.ID, r.Sealed)
			return err
		})
		if err != nil {
			return moved, fmt.Errorf("resealing account %s: %w", r.ID, err)
		}
		moved++
	}
	return moved, nil
}
