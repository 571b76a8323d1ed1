package identity_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

func TestUsersComeAndGo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		m, err := w.AddUser(w.admin, identity.NewUser{Login: "Otto", Name: "Otto O.", Email: "otto@example.org", Password: identitytest.Password, Role: identity.Operator})
		must(t, "add", err)
		if m.Login != "otto" || m.Role != identity.Operator {
			t.Errorf("added %+v", m)
		}
		if r := w.last(); r.Action != "user.add" || strings.Contains(string(r.After), "argon2") || r.Via != identity.ViaSession {
			t.Errorf("audit row %+v", r)
		}
		for _, bad := range []struct {
			in   identity.NewUser
			code string
		}{
			{identity.NewUser{Login: "otto", Password: identitytest.Password}, "user_exists"},
			{identity.NewUser{Login: "otto"}, "user_exists"},
			{identity.NewUser{Login: "new"}, "password_needed"},
			{identity.NewUser{Login: "new", Password: "short"}, "weak_password"},
			{identity.NewUser{Login: "new", Password: identitytest.Password, Email: "no"}, "bad_email"},
			{identity.NewUser{Login: "new", Password: identitytest.Password, Role: "owner"}, "unknown_role"},
		} {
			_, err := w.AddUser(w.admin, bad.in)
			wantCode(t, "adding "+bad.in.Login, err, bad.code)
		}
		list, err := w.Users(w.admin, page.Query{Limit: 1})
		must(t, "list", err)
		rest, err := w.Users(w.admin, page.Query{Cursor: list.NextCursor})
		must(t, "list", err)
		if len(list.Data) != 1 || len(rest.Data) != 1 || rest.Data[0].Login != "otto" {
			t.Errorf("users %+v, then %+v", list, rest)
		}
		m, err = w.ChangeUser(w.admin, m.ID, identity.UserChange{Role: ref(identity.Viewer), Name: ref("O."), Email: ref("")})
		must(t, "change", err)
		if m.Role != identity.Viewer || m.Name != "O." || m.Email != "" {
			t.Errorf("changed %+v", m)
		}
		got, err := w.Member(w.admin, m.ID)
		if err != nil || got != m {
			t.Errorf("Member = %+v, %v; want %+v", got, err, m)
		}
		must(t, "remove", w.RemoveUser(w.admin, m.ID))
		_, err = w.Member(w.admin, m.ID)
		wantCode(t, "a removed user", err, "user_not_found")
		if n, err := store.One[int](t.Context(), w.db.Read(), `SELECT count(*) FROM identity_users`); n != 1 || err != nil {
			t.Errorf("%d users are left, %v; want 1", n, err)
		}
		want := []string{"identity.user_added", "identity.role_changed", "identity.user_changed", "identity.user_removed"}
		if got := w.said(); !slices.Equal(got, want) {
			t.Errorf("said %v, want %v", got, want)
		}
	})
}

func TestTheLastAdminStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		me := identity.From(w.admin).User
		_, err := w.ChangeUser(w.admin, me, identity.UserChange{Role: ref(identity.Viewer)})
		wantCode(t, "demoting the last", err, "last_admin")
		wantCode(t, "removing the last", w.RemoveUser(w.admin, me), "last_admin")
		w.add("otto", identity.Admin)
		_, err = w.ChangeUser(w.admin, me, identity.UserChange{Role: ref(identity.Viewer)})
		must(t, "demoting one of two", err)
	})
}

func TestTwoAdminsCannotRemoveEachOther(t *testing.T) {
	processes(t, 2, func(t *testing.T, dbs []*store.DB) {
		one, two := identitytest.New(t, dbs[0]), identitytest.New(t, dbs[1])
		anna := identitytest.SetUp(t, one)
		otto := identitytest.Add(anna, t, one, "otto", identity.Admin)
		var wg sync.WaitGroup
		errs := make([]error, 2)
		wg.Go(func() { errs[0] = one.RemoveUser(anna, identity.From(otto).User) })
		wg.Go(func() { errs[1] = two.RemoveUser(otto, identity.From(anna).User) })
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("%v and %v: want exactly one to succeed", errs[0], errs[1])
		}
		if n, err := store.One[int](t.Context(), dbs[0].Read(), `SELECT count(*) FROM identity_members WHERE role = 'admin'`); n != 1 || err != nil {
			t.Errorf("%d administrators are left, %v", n, err)
		}
	})
}

func TestWorkspaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		home := identity.From(w.admin).Workspace
		wantCode(t, "deleting the last", w.DeleteWorkspace(w.admin, home), "last_workspace")
		lab, err := w.CreateWorkspace(w.admin, "Lab")
		must(t, "create", err)
		_, err = w.CreateWorkspace(w.admin, "lab")
		wantCode(t, "the same name", err, "workspace_exists")
		_, err = w.CreateWorkspace(w.admin, " \n ")
		wantCode(t, "no name", err, "bad_name")
		_, err = w.RenameWorkspace(w.admin, lab.ID, "home")
		wantCode(t, "another's name", err, "workspace_exists")
		_, err = w.RenameWorkspace(w.admin, lab.ID, "LAB")
		must(t, "rename", err)
		all, err := w.Workspaces(w.admin)
		must(t, "list", err)
		if len(all) != 2 || all[1].Name != "LAB" || all[1].Role != identity.Admin {
			t.Errorf("workspaces %+v", all)
		}
		otto := w.add("otto", identity.Operator)
		if seen, err := w.Workspaces(otto); err != nil || len(seen) != 1 {
			t.Errorf("otto sees %+v, %v", seen, err)
		}
		_, err = w.RenameWorkspace(otto, lab.ID, "mine")
		wantCode(t, "a stranger", err, "workspace_not_found")
		_, err = w.RenameWorkspace(otto, home, "mine")
		wantCode(t, "an operator", err, "forbidden")
		_, err = w.SwitchWorkspace(otto, lab.ID)
		wantCode(t, "switching into a strange one", err, "workspace_not_found")

		id, err := w.SwitchWorkspace(w.admin, lab.ID)
		must(t, "switch", err)
		inLab := identity.With(w.admin, id)
		identitytest.Add(inLab, t, w.Directory, "paula", identity.Viewer) // belongs to the lab only
		_, text, err := w.CreateKey(inLab, identity.NewKey{Name: "lab's"})
		must(t, "key", err)
		must(t, "delete", w.DeleteWorkspace(inLab, lab.ID))
		if r := w.last(); r.Action != "workspace.delete" || r.Workspace != home {
			t.Errorf("audit row %+v", r)
		}
		_, err = w.key(text.Reveal())
		wantCode(t, "a key of the deleted workspace", err, "bad_key")
		_, err = w.signIn(from(t, "192.0.2.7"), identity.SignIn{Login: "paula"})
		wantCode(t, "a user of the deleted workspace", err, "invalid_credentials")
		sessions, err := w.Sessions(w.admin)
		if err != nil || len(sessions) == 0 || sessions[0].Workspace != home {
			t.Errorf("the session did not move home: %+v, %v", sessions, err)
		}
	})
}

func TestRowsOfOtherWorkspacesDoNotExist(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		otto := w.add("otto", identity.Operator)
		key, _, err := w.CreateKey(w.admin, identity.NewKey{Name: "home's"})
		must(t, "key", err)
		lab, err := w.CreateWorkspace(w.admin, "Lab")
		must(t, "create", err)
		id, err := w.SwitchWorkspace(w.admin, lab.ID)
		must(t, "switch", err)
		inLab := identity.With(w.admin, id)
		user := identity.From(otto).User
		for what, err := range map[string]error{
			"user":        errOf(w.Member(inLab, user)),
			"change user": errOf(w.ChangeUser(inLab, user, identity.UserChange{Role: ref(identity.Admin)})),
			"remove user": w.RemoveUser(inLab, user),
			"reset totp":  w.ResetTOTP(inLab, user),
			"key":         errOf(w.Key(inLab, key.ID)),
			"revoke key":  w.RevokeKey(inLab, key.ID),
			"rotate key":  func() error { _, _, err := w.RotateKey(inLab, key.ID, 0); return err }(),
		} {
			if f := fault.From(err); f == nil || f.Kind != fault.NotFound {
				t.Errorf("%s of another workspace: %v, want not found", what, err)
			}
		}
		if rows, err := w.AuditLog(inLab, identity.AuditQuery{}, page.Query{}); err != nil || slices.ContainsFunc(rows.Data, func(r identity.AuditRow) bool {
			return r.Workspace != lab.ID
		}) {
			t.Errorf("the audit shows another workspace: %+v, %v", rows.Data, err)
		}
	})
}

func errOf[T any](_ T, err error) error { return err }

func TestAdminsDoNotOwnAccountsOfOtherWorkspaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		otto := w.add("otto", identity.Admin)
		lab, err := w.CreateWorkspace(otto, "Lab") // otto's own
		must(t, "create", err)
		id, err := w.SwitchWorkspace(otto, lab.ID)
		must(t, "switch", err)
		inLab := identity.With(otto, id)
		_, err = w.AddUser(inLab, identity.NewUser{Login: "admin", Role: identity.Viewer}) // the account that exists
		must(t, "add an existing user", err)
		admin := identity.From(w.admin).User
		paula := w.add("paula", identity.Operator)
		_, err = w.AddUser(inLab, identity.NewUser{Login: "paula", Role: identity.Operator})
		must(t, "add an existing user", err)

		// The admin manages home but not the lab, where paula belongs as well.
		lab2, err := w.SwitchWorkspace(w.admin, lab.ID)
		must(t, "switch", err)
		asViewer := identity.With(w.admin, lab2)
		if lab2.May("users:write") {
			t.Error("a viewer of the lab may manage its users")
		}
		_, err = w.RenameWorkspace(asViewer, lab.ID, "mine")
		wantCode(t, "a viewer renames", err, "forbidden")
		_, err = w.ChangeUser(w.admin, identity.From(paula).User, identity.UserChange{Password: ref("taken over by someone")})
		wantCode(t, "a password of someone who belongs elsewhere too", err, "not_your_account")
		_, err = w.ChangeUser(w.admin, identity.From(paula).User, identity.UserChange{Role: ref(identity.Viewer)})
		must(t, "a role is the workspace's own", err)
		// Otto manages both, so he may.
		_, err = w.ChangeUser(otto, identity.From(paula).User, identity.UserChange{Password: ref("given anew by the one")})
		must(t, "a password by someone who manages all", err)
		must(t, "leaving one of two", w.RemoveUser(inLab, admin))
		if all, err := w.Workspaces(w.admin); err != nil || len(all) != 1 {
			t.Errorf("workspaces after leaving: %+v, %v", all, err)
		}
	})
}

func TestAResetPasswordSignsOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("otto", identity.Operator)
		a, err := w.signIn(from(t, "192.0.2.7"), identity.SignIn{Login: "otto"})
		must(t, "sign-in", err)
		_, err = w.ChangeUser(w.admin, a.Identity.User, identity.UserChange{Password: ref("given anew by the one")})
		must(t, "reset", err)
		_, err = w.session(a.Token.Reveal())
		wantCode(t, "after the reset", err, "signed_out")
	})
}

func TestNobodyIsRefusedEverywhere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		for what, err := range map[string]error{
			"me": errOf(w.Me(ctx)), "users": errOf(w.Users(ctx, page.Query{})), "add": errOf(w.AddUser(ctx, identity.NewUser{})),
			"keys": errOf(w.Keys(ctx, page.Query{})), "sessions": errOf(w.Sessions(ctx)), "sign out": w.SignOut(ctx),
			"audit": errOf(w.AuditLog(ctx, identity.AuditQuery{}, page.Query{})), "workspaces": errOf(w.Workspaces(ctx)),
			"delete": w.DeleteWorkspace(ctx, ids.Workspace("ws_x")), "totp": errOf(w.OfferTOTP(ctx)), "devices": errOf(w.Devices(ctx)),
			"password": w.ChangePassword(ctx, "", ""), "revoke": w.RevokeKey(ctx, "key_x"),
		} {
			wantCode(t, what, err, "unauthenticated")
		}
		var nobody *identity.Identity
		if nobody.May("runs:read") {
			t.Error("nobody may read")
		}
		wantCode(t, "Must", nobody.Must("runs:read"), "forbidden")
	})
}

func TestChangeOwnAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		u, err := w.ChangeAccount(w.admin, identity.AccountChange{Name: ref("The Boss"), Email: ref("boss@example.org")})
		must(t, "change", err)
		if u.Name != "The Boss" || u.Email != "boss@example.org" {
			t.Errorf("changed %+v", u)
		}
		_, err = w.ChangeAccount(w.admin, identity.AccountChange{Name: ref(" ")})
		wantCode(t, "no name", err, "bad_name")
		if r := w.last(); r.Action != "user.change" || !strings.Contains(string(r.Before), `"name":"admin"`) || !strings.Contains(string(r.After), "The Boss") {
			t.Errorf("audit row %+v: %s to %s", r, r.Before, r.After)
		}
	})
}

func TestPermissionsAreCheckedHereToo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		viewer, operator := w.add("vera", identity.Viewer), w.add("otto", identity.Operator)
		user := identity.From(viewer).User
		key, _, err := w.CreateKey(operator, identity.NewKey{Name: "x"})
		must(t, "an operator's key", err)
		for what, err := range map[string]error{
			"add":              errOf(w.AddUser(operator, identity.NewUser{Login: "new", Password: identitytest.Password})),
			"change":           errOf(w.ChangeUser(operator, user, identity.UserChange{Role: ref(identity.Admin)})),
			"remove":           w.RemoveUser(operator, user),
			"reset totp":       w.ResetTOTP(operator, user),
			"create workspace": errOf(w.CreateWorkspace(operator, "Mine")),
			"rename workspace": errOf(w.RenameWorkspace(operator, w.workspace, "Mine")),
			"delete workspace": w.DeleteWorkspace(operator, w.workspace),
			"audit":            errOf(w.AuditLog(operator, identity.AuditQuery{}, page.Query{})),
			"export":           w.ExportAudit(operator, nil, identity.AuditQuery{}, identity.CSV),
			"a viewer's key":   func() error { _, _, err := w.CreateKey(viewer, identity.NewKey{Name: "x"}); return err }(),
		} {
			wantCode(t, what, err, "forbidden")
		}
		_, err = w.ChangeUser(w.admin, identity.From(operator).User, identity.UserChange{Role: ref(identity.Viewer)})
		must(t, "demote", err)
		demoted := identitytest.As(t, w.Directory, "otto")
		wantCode(t, "revoking when demoted", w.RevokeKey(demoted, key.ID), "forbidden")
	})
}
