package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// setupCodeLife is how long a printed code is good; a restart prints another.
const setupCodeLife = 24 * time.Hour

// DefaultWorkspace is the name of the first workspace when none is given.
const DefaultWorkspace = "Home"

// Setup describes the first administrator and workspace.
type Setup struct {
	Code      string // as printed; not needed by SetUpLocally
	Login     string
	Name      string // "": the login
	Email     string
	Password  string
	Workspace string // "": DefaultWorkspace
}

// SetupNeeded says whether nobody has set Fluxway up yet.
func (d *Directory) SetupNeeded(ctx context.Context) (bool, error) {
	n, err := store.One[int](ctx, d.db.Read(), selectSetup)
	if err != nil {
		return false, fmt.Errorf("asking whether set-up is done: %w", err)
	}
	return n == 0, nil
}

// NewSetupCode makes a one-time code such as ABCD-EFGH for the link that a
// start prints. It is empty once set-up is done. Codes of other processes and
// earlier starts stay good until they expire.
func (d *Directory) NewSetupCode(ctx context.Context) (string, error) {
	needed, err := d.SetupNeeded(ctx)
	if err != nil || !needed {
		return "", err
	}
	code, err := newCode(2)
	if err != nil {
		return "", err
	}
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		now := d.stamp()
		if _, err := tx.Exec(ctx, deleteOldSetupCodes, now); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertSetupCode, digestOf(plainCode(code)).String(), now, now.Add(setupCodeLife))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("saving a setup code: %w", err)
	}
	return code, nil
}

// SetUp makes the first administrator and workspace and signs them in. Of
// several tries, in however many processes, one wins; the rest get 409.
func (d *Directory) SetUp(ctx context.Context, in Setup) (Admission, error) {
	if err := d.stillNeeded(ctx); err != nil {
		return Admission{}, err
	}
	if err := d.checkSetupCode(ctx, in.Code); err != nil {
		return Admission{}, err
	}
	token, err := newToken()
	if err != nil {
		return Admission{}, err
	}
	var id *Identity
	err = d.setUp(ctx, in, func(tx *store.Tx, acc account, w Workspace) error {
		id, err = d.openSession(ctx, tx, acc, w, token, "setup")
		return err
	})
	if err != nil {
		return Admission{}, err
	}
	return d.admission(id, token, ""), nil
}

// SetUpLocally is SetUp for a command on the machine that holds the data: it
// needs no code and signs nobody in.
func (d *Directory) SetUpLocally(ctx context.Context, in Setup) (User, Workspace, error) {
	if err := d.stillNeeded(ctx); err != nil {
		return User{}, Workspace{}, err
	}
	var user User
	var workspace Workspace
	err := d.setUp(ctx, in, func(_ *store.Tx, acc account, w Workspace) error {
		user, workspace = acc.User, w
		return nil
	})
	return user, workspace, err
}

func (d *Directory) stillNeeded(ctx context.Context) error {
	needed, err := d.SetupNeeded(ctx)
	if err != nil {
		return err
	}
	if !needed {
		return setupDone()
	}
	return nil
}

func (d *Directory) checkSetupCode(ctx context.Context, code string) error {
	done, err := d.throttle.begin(OriginOf(ctx).IP, "\x00setup")
	if err != nil {
		return err
	}
	until, err := store.One[time.Time](ctx, d.db.Read(), selectSetupCode, digestOf(plainCode(code)).String())
	if err == nil && d.now().Before(until) {
		done(succeeded)
		return nil
	}
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		done(neutral)
		return fmt.Errorf("checking the setup code: %w", err)
	}
	done(failed)
	return fault.New(fault.Forbidden, "bad_setup_code", "The setup code is not right, or has expired.").WithParam("code").
		WithHint("Use the link that fluxway up printed last, or restart it for a new one.")
}

func (d *Directory) setUp(ctx context.Context, in Setup, also func(*store.Tx, account, Workspace) error) error {
	if in.Workspace == "" {
		in.Workspace = DefaultWorkspace
	}
	name, err := workspaceName(in.Workspace)
	if err != nil {
		return err
	}
	if in.Password == "" {
		return CheckPassword("")
	}
	acc, err := d.newAccount(ctx, NewUser{Login: in.Login, Name: in.Name, Email: in.Email, Password: in.Password}, name)
	if err != nil {
		return err
	}
	w := Workspace{ID: ids.New[ids.Workspace](), Name: name, Role: Admin, CreatedAt: acc.CreatedAt}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, insertSetup, acc.ID, acc.CreatedAt)
		if err != nil {
			return fmt.Errorf("setting up: %w", err)
		}
		if n == 0 {
			return setupDone()
		}
		if err := d.insertWorkspace(ctx, tx, w); err != nil {
			return err
		}
		if err := d.insertUser(ctx, tx, acc); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertMember, w.ID, acc.ID, Admin, acc.CreatedAt); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteSetupCodes); err != nil {
			return err
		}
		if err := d.say(ctx, tx, w.ID, SetUp{User: acc.ID}); err != nil {
			return err
		}
		err = d.Audit(ctx, tx, Entry{
			Workspace: w.ID, Action: "setup", Resource: "users/" + string(acc.ID), After: acc.User, actor: acc.ID, actorName: acc.Login,
		})
		if err != nil {
			return err
		}
		return also(tx, acc, w)
	})
}

func setupDone() error {
	return fault.New(fault.Conflict, "already_set_up", "Fluxway is set up already.").
		WithHint("Sign in; an administrator can add more users.")
}
