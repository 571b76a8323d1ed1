package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// Seat is a session that is open: who sits there, and what they are in the workspace they look at.
type Seat struct {
	Session   ids.Session   `db:"id"`
	User      ids.User      `db:"user_id"`
	Workspace ids.Workspace `db:"workspace_id"`
	Role      Role          `db:"role"`
}

// May says whether whoever sits there has a permission.
func (s Seat) May(permission string) bool { return s.Role.Permissions().Has(permission) }

// Seats lists the open sessions of a workspace.
func (d *Directory) Seats(ctx context.Context, ws ids.Workspace) ([]Seat, error) {
	all, err := store.All[Seat](ctx, d.db.Read(), selectSeats, ws, d.now())
	if err != nil {
		return nil, fmt.Errorf("listing the open sessions of %s: %w", ws, err)
	}
	return all, nil
}

// Seat finds an open session; false: it has ended.
func (d *Directory) Seat(ctx context.Context, session ids.Session) (Seat, bool, error) {
	s, err := store.One[Seat](ctx, d.db.Read(), selectSeat, session, d.now())
	if errors.Is(err, store.ErrNoRows) {
		return Seat{}, false, nil
	}
	if err != nil {
		return Seat{}, false, fmt.Errorf("looking for the session %s: %w", session, err)
	}
	return s, true, nil
}

// NameOf is how a member of a workspace is called; "" for nobody.
func (d *Directory) NameOf(ctx context.Context, ws ids.Workspace, user ids.User) (string, error) {
	m, err := store.One[Member](ctx, d.db.Read(), selectMember, ws, user)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return "", fmt.Errorf("looking for the user %s: %w", user, err)
	}
	return m.Name, nil
}
