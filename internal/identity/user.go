package identity

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// User is a person, the same in every workspace.
type User struct {
	ID        ids.User  `json:"id" db:"id"`
	Login     string    `json:"user" db:"login"`
	Name      string    `json:"name" db:"name"`
	Email     string    `json:"email,omitempty" db:"email"`
	TOTP      bool      `json:"totp" db:"totp_on"`
	CreatedAt time.Time `json:"created_at" db:"created_at"`
}

// Member is a user in one workspace.
type Member struct {
	User
	Role     Role  `json:"role" db:"role"`
	Passkeys int64 `json:"passkeys" db:"passkeys" doc:"How many they have to sign in with."`
}

// account is a user with what must not leave this part.
type account struct {
	User
	Password   string `db:"password"`
	TOTPSecret []byte `db:"totp_secret"`
	TOTPStep   int64  `db:"totp_step"`
}

// NewUser describes someone to add to the caller's workspace.
type NewUser struct {
	Login    string
	Name     string // "": the login
	Email    string
	Password string // "" for someone who exists already, or signs in through an issuer
	// PasswordHash is for imports: PHC argon2id or scrypt, or hex salt:hash.
	PasswordHash string
	Role         Role // "": viewer
}

// Users lists the members of the caller's workspace.
func (d *Directory) Users(ctx context.Context, q page.Query) (page.Page[Member], error) {
	id, err := caller(ctx)
	if err != nil {
		return page.Page[Member]{}, err
	}
	after, _, err := page.Decode[string](q.Cursor)
	if err != nil {
		return page.Page[Member]{}, err
	}
	rows, err := store.All[Member](ctx, d.db.Read(), selectMembers, id.Workspace, after, q.Size()+1)
	if err != nil {
		return page.Page[Member]{}, fmt.Errorf("listing the users of %s: %w", id.Workspace, err)
	}
	return page.Of(q, rows, func(m Member) string { return string(m.ID) }), nil
}

// Member finds one member of the caller's workspace.
func (d *Directory) Member(ctx context.Context, user ids.User) (Member, error) {
	id, err := caller(ctx)
	if err != nil {
		return Member{}, err
	}
	return d.member(ctx, d.db.Read(), id.Workspace, user)
}

func (d *Directory) member(ctx context.Context, q store.Querier, ws ids.Workspace, user ids.User) (Member, error) {
	m, err := store.One[Member](ctx, q, selectMember, ws, user)
	if errors.Is(err, store.ErrNoRows) {
		return Member{}, noUser(user)
	}
	return m, err
}

// Named finds a member of a workspace by login; "" for nobody.
func (d *Directory) Named(ctx context.Context, ws ids.Workspace, login string) (ids.User, error) {
	id, err := store.One[ids.User](ctx, d.db.Read(), selectMemberByLogin, ws, login)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return "", fmt.Errorf("looking for the user %s: %w", login, err)
	}
	return id, nil
}

// AddUser adds someone to the caller's workspace. A login that exists already
// joins with the account it has, if no password is given.
func (d *Directory) AddUser(ctx context.Context, in NewUser) (Member, error) {
	id, err := caller(ctx)
	if err != nil {
		return Member{}, err
	}
	if err := id.Must("users:write"); err != nil {
		return Member{}, err
	}
	if in.Role == "" {
		in.Role = Viewer
	}
	if _, err := ParseRole(string(in.Role)); err != nil {
		return Member{}, err
	}
	acc, err := d.newAccount(ctx, in, id.WorkspaceName)
	if err != nil {
		return Member{}, err
	}
	var m Member
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		known, err := store.One[account](ctx, tx, selectAccountByLogin, acc.Login)
		switch {
		case errors.Is(err, store.ErrNoRows):
			known = acc
			if known.Password == "" {
				return fault.New(fault.Invalid, "password_needed", "A new user needs a password.").WithParam("password").
					WithHint("Give a first password; the user can change it.")
			}
			if err := d.insertUser(ctx, tx, known); err != nil {
				return err
			}
		case err != nil:
			return err
		case acc.Password != "":
			return userExists(acc.Login)
		}
		m = Member{User: known.User, Role: in.Role}
		return d.join(ctx, tx, id.Workspace, m)
	})
	if err != nil {
		return Member{}, err
	}
	return m, nil
}

// newAccount checks what is known of someone new, and hashes the password.
func (d *Directory) newAccount(ctx context.Context, in NewUser, about string) (account, error) {
	login, err := loginName(in.Login)
	if err != nil {
		return account{}, err
	}
	email, err := emailAddress(in.Email)
	if err != nil {
		return account{}, err
	}
	name := tidy(in.Name, 120)
	if name == "" {
		name = login
	}
	acc := account{User: User{ID: ids.New[ids.User](), Login: login, Name: name, Email: email, CreatedAt: d.stamp()}}
	switch {
	case in.PasswordHash != "":
		if _, err := parseHash(in.PasswordHash); err != nil {
			return account{}, err
		}
		acc.Password = in.PasswordHash
	case in.Password != "":
		if err := CheckPassword(in.Password, login, name, about); err != nil {
			return account{}, err
		}
		if acc.Password, err = d.hasher.hash(ctx, in.Password); err != nil {
			return account{}, err
		}
	}
	return acc, nil
}

func (d *Directory) insertUser(ctx context.Context, tx *store.Tx, a account) error {
	n, err := tx.Exec(ctx, insertUser, a.ID, a.Login, a.Name, a.Email, a.Password, a.CreatedAt, a.CreatedAt)
	if err != nil {
		return fmt.Errorf("adding user %s: %w", a.Login, err)
	}
	if n == 0 {
		return userExists(a.Login)
	}
	return nil
}

func (d *Directory) join(ctx context.Context, tx *store.Tx, ws ids.Workspace, m Member) error {
	n, err := tx.Exec(ctx, insertMember, ws, m.ID, m.Role, d.stamp())
	if err != nil {
		return fmt.Errorf("adding %s to %s: %w", m.Login, ws, err)
	}
	if n == 0 {
		return fault.New(fault.Conflict, "user_exists", "%s belongs to this workspace already.", m.Login).WithParam("user")
	}
	if err := d.say(ctx, tx, ws, UserAdded{User: m.ID, Login: m.Login, Role: m.Role}); err != nil {
		return err
	}
	return d.Audit(ctx, tx, Entry{Workspace: ws, Action: "user.add", Resource: "users/" + string(m.ID), After: m})
}

// UserChange is what to change of a member; nil leaves as it is.
type UserChange struct {
	Role     *Role
	Name     *string
	Email    *string
	Password *string // also ends the user's sessions
}

// ChangeUser changes a member of the caller's workspace. The role is the
// workspace's own; the rest belongs to the whole account, so it is refused
// when the user belongs to a workspace that the caller does not manage.
func (d *Directory) ChangeUser(ctx context.Context, user ids.User, change UserChange) (Member, error) {
	id, err := caller(ctx)
	if err != nil {
		return Member{}, err
	}
	if err := id.Must("users:write"); err != nil {
		return Member{}, err
	}
	edit, err := d.prepare(ctx, change)
	if err != nil {
		return Member{}, err
	}
	var m Member
	err = d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, lockWorkspace, id.Workspace); err != nil {
			return err
		}
		before, err := d.member(ctx, tx, id.Workspace, user)
		if err != nil {
			return err
		}
		if edit.touchesAccount() {
			if err := d.mayManage(ctx, tx, id, user); err != nil {
				return err
			}
		}
		m, err = d.apply(ctx, tx, id.Workspace, before, edit)
		return err
	})
	if err != nil {
		return Member{}, err
	}
	return m, nil
}

// edit is a checked UserChange with the password hashed.
type edit struct {
	UserChange
	hash string
	keep ids.Session // survives a new password
}

func (e edit) touchesAccount() bool { return e.Name != nil || e.Email != nil || e.Password != nil }

func (d *Directory) prepare(ctx context.Context, c UserChange) (edit, error) {
	e := edit{UserChange: c}
	if c.Role != nil {
		if _, err := ParseRole(string(*c.Role)); err != nil {
			return e, err
		}
	}
	if c.Name != nil {
		name := tidy(*c.Name, 120)
		if name == "" {
			return e, fault.New(fault.Invalid, "bad_name", "A name has at least one character.").WithParam("name")
		}
		e.Name = &name
	}
	if c.Email != nil {
		email, err := emailAddress(*c.Email)
		if err != nil {
			return e, err
		}
		e.Email = &email
	}
	if c.Password != nil {
		if err := CheckPassword(*c.Password); err != nil {
			return e, err
		}
		hash, err := d.hasher.hash(ctx, *c.Password)
		if err != nil {
			return e, err
		}
		e.hash = hash
	}
	return e, nil
}

// apply writes an edit, says it and records it.
func (d *Directory) apply(ctx context.Context, tx *store.Tx, ws ids.Workspace, before Member, e edit) (Member, error) {
	after, fields := before, []string{}
	if e.Role != nil && *e.Role != before.Role {
		after.Role = *e.Role
		if err := d.changeRole(ctx, tx, ws, before, after.Role); err != nil {
			return after, err
		}
	}
	if e.Name != nil && *e.Name != before.Name {
		after.Name, fields = *e.Name, append(fields, "name")
	}
	if e.Email != nil && *e.Email != before.Email {
		after.Email, fields = *e.Email, append(fields, "email")
	}
	if len(fields) > 0 {
		if _, err := tx.Exec(ctx, updateUser, after.Name, after.Email, d.stamp(), before.ID); err != nil {
			return after, fmt.Errorf("changing user %s: %w", before.ID, err)
		}
	}
	if e.Password != nil {
		fields = append(fields, "password")
		if err := d.setPassword(ctx, tx, before.ID, e.hash, e.keep); err != nil {
			return after, err
		}
	}
	if len(fields) > 0 {
		if err := d.say(ctx, tx, ws, UserChanged{User: before.ID, Fields: fields}); err != nil {
			return after, err
		}
	}
	d.forgetAfter(tx)
	note := ""
	if e.Password != nil {
		note = "new password"
	}
	return after, d.Audit(ctx, tx, Entry{
		Workspace: ws, Action: "user.change", Resource: "users/" + string(before.ID), Before: before, After: after, Note: note,
	})
}

func (d *Directory) changeRole(ctx context.Context, tx *store.Tx, ws ids.Workspace, m Member, to Role) error {
	if m.Role == Admin {
		if err := d.notLastAdmin(ctx, tx, ws, m.ID); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, updateRole, to, ws, m.ID); err != nil {
		return fmt.Errorf("changing the role of %s: %w", m.ID, err)
	}
	return d.say(ctx, tx, ws, RoleChanged{User: m.ID, From: m.Role, To: to})
}

// setPassword also signs the user out everywhere else: whoever knew the old
// password must not stay.
func (d *Directory) setPassword(ctx context.Context, tx *store.Tx, user ids.User, hash string, keep ids.Session) error {
	if _, err := tx.Exec(ctx, updatePassword, hash, d.stamp(), user); err != nil {
		return fmt.Errorf("changing the password of %s: %w", user, err)
	}
	if _, err := tx.Exec(ctx, deleteOtherSessions, user, keep); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, deleteDevices, user)
	return err
}

var loginPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._@+-]{0,63}$`)

func loginName(text string) (string, error) {
	login := strings.ToLower(strings.TrimSpace(text))
	if !loginPattern.MatchString(login) {
		return "", fault.New(fault.Invalid, "bad_login", "A user name has 1 to 64 letters, digits or . _ @ + - and begins with a letter or digit.").
			WithParam("user").WithHint("For example anna or anna@example.org.")
	}
	return login, nil
}

func emailAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || len(text) > 254 {
		return "", fault.New(fault.Invalid, "bad_email", "This is not an e-mail address.").WithParam("email").
			WithHint("Write it as name@example.org, or leave it out.")
	}
	return text, nil
}

func userExists(login string) error {
	return fault.New(fault.Conflict, "user_exists", "There is already a user named %s.", login).WithParam("user").
		WithHint("Choose another name, or leave out the password to add the existing user to this workspace.")
}

func noUser(user ids.User) error {
	return fault.New(fault.NotFound, "user_not_found", "There is no user %s in this workspace.", tidy(string(user), 64)).
		WithHint("List the users of the workspace.")
}
