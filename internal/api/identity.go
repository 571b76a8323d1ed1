package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// identityAPI is who people are: set-up, sessions, accounts, users, workspaces, keys, audit.
type identityAPI struct {
	s *Server
	d *identity.Directory
}

func (a identityAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/setup", public, "Whether Fluxway still needs its first administrator.", handler(a.setupState, whileDown)},
		{"POST", "/api/v1/setup", public, "Make the first administrator and workspace, with the code that the server printed.", handler(a.setUp, status(201), rotates)},
		{"GET", "/api/v1/session/options", public, "Which ways to sign in exist.", handler(a.ways, whileDown)},
		{"POST", "/api/v1/session", public, "Sign in with a password and, where it is on, a second factor.", handler(a.signIn, rotates, whileDown)},
		{"GET", "/api/v1/session", signedIn, "Who is calling, where, and what they may do.", handler(a.me, whileDown)},
		{"DELETE", "/api/v1/session", signedIn, "Sign out.", handler(a.signOut, whileDown)},
		{"POST", "/api/v1/session/workspace", signedIn, "Switch to another workspace.", handler(a.switchWorkspace, rotates)},
		{"GET", "/api/v1/oidc/start", public, "Leave for the outside issuer to sign in there.", door(a.startOIDC, status(302), timeout(30*time.Second), media("text/html"))},
		{"GET", "/api/v1/oidc/callback", public, "Come back from the outside issuer.", door(a.finishOIDC, status(302), timeout(30*time.Second), media("text/html"), looseQuery)},
		{"GET", "/api/v1/sessions", signedIn, "Where the caller is signed in.", handler(a.sessions)},
		{"DELETE", "/api/v1/sessions/{session}", "account:write", "End one of the caller's sessions.", handler(a.endSession)},
		{"PATCH", "/api/v1/account", "account:write", "Change the caller's own name or address.", handler(a.changeAccount)},
		{"POST", "/api/v1/account/password", "account:write", "Change the caller's own password; other sessions end.", handler(a.changePassword)},
		{"POST", "/api/v1/account/totp", "account:write", "Begin to set up a second factor.", handler(a.offerTOTP, rotates)},
		{"PUT", "/api/v1/account/totp", "account:write", "Turn the second factor on with a first code.", handler(a.confirmTOTP)},
		{"DELETE", "/api/v1/account/totp", "account:write", "Turn the second factor off.", handler(a.disableTOTP)},
		{"GET", "/api/v1/account/devices", signedIn, "Browsers that may skip the second factor.", handler(a.devices)},
		{"DELETE", "/api/v1/account/devices", "account:write", "Stop trusting all browsers.", handler(a.forgetDevices)},
		{"DELETE", "/api/v1/account/devices/{device}", "account:write", "Stop trusting one browser.", handler(a.forgetDevice)},
		{"GET", "/api/v1/users", "users:read", "Who belongs to the workspace.", handler(a.users)},
		{"POST", "/api/v1/users", "users:write", "Add someone to the workspace.", handler(a.addUser, status(201))},
		{"GET", "/api/v1/users/{user}", "users:read", "One user of the workspace.", handler(a.user)},
		{"PATCH", "/api/v1/users/{user}", "users:write", "Change someone's role, name, address or password.", handler(a.changeUser)},
		{"DELETE", "/api/v1/users/{user}", "users:write", "Take someone out of the workspace.", handler(a.removeUser)},
		{"DELETE", "/api/v1/users/{user}/totp", "users:write", "Turn off the second factor of someone who lost it.", handler(a.resetTOTP)},
		{"GET", "/api/v1/workspaces", "workspaces:read", "The workspaces the caller belongs to.", handler(a.workspaces)},
		{"POST", "/api/v1/workspaces", "workspaces:write", "Make a workspace.", handler(a.createWorkspace, status(201))},
		{"PATCH", "/api/v1/workspaces/{workspace}", "workspaces:write", "Rename a workspace.", handler(a.renameWorkspace)},
		{"DELETE", "/api/v1/workspaces/{workspace}", "workspaces:write", "Delete a workspace: members, sessions and keys go at once, and nothing in it can be reached any more.", handler(a.deleteWorkspace)},
		{"GET", "/api/v1/keys", "keys:read", "API keys: the caller's own, or all for those who manage them.", handler(a.keys)},
		{"POST", "/api/v1/keys", "keys:write", "Make an API key; its text is in this answer and never again.", handler(a.createKey, status(201))},
		{"GET", "/api/v1/keys/{key}", "keys:read", "One API key.", handler(a.key)},
		{"DELETE", "/api/v1/keys/{key}", "keys:write", "Revoke an API key.", handler(a.revokeKey)},
		{"POST", "/api/v1/keys/{key}/rotate", "keys:write", "Give an API key a new text; the old one works for a while.", handler(a.rotateKey)},
		{"GET", "/api/v1/audit", "audit:read", "Who did what, newest first.", handler(a.audit)},
		{"GET", "/api/v1/audit/export", "audit:read", "The audit as a file, oldest first.", door(a.exportAudit, media("text/csv"), also("application/x-ndjson"))},
		{"GET", "/api/v1/audit/verify", "audit:read", "Whether the chain of the audit is whole.", handler(a.verifyAudit, timeout(10*time.Minute))},
	}
}

// SetupState says whether Fluxway still needs its first administrator.
type SetupState struct {
	Needed    bool   `json:"needed"`
	Workspace string `json:"workspace" doc:"The name the first workspace gets unless another is given."`
	Version   string `json:"version"`
}

func (a identityAPI) setupState(ctx context.Context, _ none) (SetupState, error) {
	needed, err := a.d.SetupNeeded(ctx)
	return SetupState{Needed: needed, Workspace: identity.DefaultWorkspace, Version: a.s.opts.Version}, err
}

type setupRequest struct {
	Code      string      `json:"code" required:"true" max:"64" doc:"The one-time code of the link that the server printed."`
	User      string      `json:"user" required:"true" max:"64" doc:"The name to sign in with."`
	Name      string      `json:"name" max:"128"`
	Email     string      `json:"email" max:"254"`
	Password  secret.Text `json:"password" required:"true"`
	Workspace string      `json:"workspace" max:"64"`
}

func (a identityAPI) setUp(ctx context.Context, in setupRequest) (reply[identity.Me], error) {
	admission, err := a.d.SetUp(ctx, identity.Setup{
		Code: in.Code, Login: in.User, Name: in.Name, Email: in.Email, Password: in.Password.Reveal(), Workspace: in.Workspace,
	})
	if err != nil {
		return reply[identity.Me]{}, err
	}
	return a.admitted(ctx, admission)
}

func (a identityAPI) ways(ctx context.Context, _ none) (identity.Ways, error) {
	w := a.d.Ways()
	site, err := a.s.pageOf(ctx)
	if err != nil { // no passkeys here
		return w, nil
	}
	w.Passkey, err = a.d.HasPasskeys(ctx, site)
	return w, err
}

type signInRequest struct {
	User         string        `json:"user" required:"true" max:"64"`
	Password     secret.Text   `json:"password" required:"true"`
	TOTP         string        `json:"totp" max:"16" doc:"Six digits of the authenticator app, once the answer was totp_required."`
	RecoveryCode string        `json:"recovery_code" max:"64" doc:"Instead of totp."`
	TrustDevice  bool          `json:"trust_device" doc:"Skip the second factor in this browser from now on."`
	Workspace    ids.Workspace `json:"workspace"`
}

func (a identityAPI) signIn(ctx context.Context, in signInRequest) (reply[identity.Me], error) {
	admission, err := a.d.SignIn(ctx, identity.SignIn{
		Login: in.User, Password: in.Password.Reveal(), TOTP: in.TOTP, RecoveryCode: in.RecoveryCode, TrustDevice: in.TrustDevice,
		Device: cookieValue(callOf(ctx).r.Header["Cookie"], DeviceCookie), Workspace: in.Workspace,
	})
	if err != nil {
		return reply[identity.Me]{}, err
	}
	return a.admitted(ctx, admission)
}

// admitted answers a sign-in with who it is and the cookies.
func (a identityAPI) admitted(ctx context.Context, admission identity.Admission) (reply[identity.Me], error) {
	me, err := a.d.Me(identity.With(ctx, admission.Identity))
	return reply[identity.Me]{Body: me, Cookies: cookies(callOf(ctx), admission)}, err
}

func cookies(c *call, admission identity.Admission) []*http.Cookie {
	list := []*http.Cookie{c.cookie(SessionCookie, admission.Token.Reveal(), admission.Expires)}
	if !admission.Device.Empty() {
		list = append(list, c.cookie(DeviceCookie, admission.Device.Reveal(), admission.Trusted))
	}
	return list
}

func (a identityAPI) me(ctx context.Context, _ none) (identity.Me, error) { return a.d.Me(ctx) }

func (a identityAPI) signOut(ctx context.Context, _ none) (reply[nothing], error) {
	if err := a.d.SignOut(ctx); err != nil {
		return reply[nothing]{}, err
	}
	return reply[nothing]{Cookies: []*http.Cookie{callOf(ctx).cookie(SessionCookie, "", -1)}}, nil
}

type switchRequest struct {
	Workspace ids.Workspace `json:"workspace" required:"true"`
}

func (a identityAPI) switchWorkspace(ctx context.Context, in switchRequest) (identity.Me, error) {
	id, err := a.d.SwitchWorkspace(ctx, in.Workspace)
	if err != nil {
		return identity.Me{}, err
	}
	return a.d.Me(identity.With(ctx, id))
}

type oidcStartQuery struct {
	ReturnTo string `query:"return_to" max:"2048" doc:"The path of ours to come back to."`
}

func (a identityAPI) startOIDC(c *call, in oidcStartQuery) error {
	out, err := a.d.StartOIDC(c.ctx, identity.OIDCStart{ReturnTo: in.ReturnTo})
	if err != nil {
		return err
	}
	cookie := c.cookie(loginCookie, out.Browser.Reveal(), out.Expires)
	cookie.Path, cookie.SameSite = "/api/v1/oidc", http.SameSiteLaxMode // it must come back from the issuer's page
	http.SetCookie(c.w, cookie)
	http.Redirect(c.w, c.r, out.URL, http.StatusFound)
	return nil
}

type oidcCallbackQuery struct {
	State string `query:"state" max:"512"`
	Code  string `query:"code" max:"4096"`
	Error string `query:"error" max:"256"`
}

func (a identityAPI) finishOIDC(c *call, in oidcCallbackQuery) error {
	out, err := a.d.FinishOIDC(c.ctx, identity.OIDCCallback{
		State: in.State, Code: in.Code, Error: in.Error, Browser: cookieValue(c.r.Header["Cookie"], loginCookie),
	})
	gone := c.cookie(loginCookie, "", -1)
	gone.Path = "/api/v1/oidc"
	http.SetCookie(c.w, gone)
	if err != nil {
		return err
	}
	if !out.Token.Empty() {
		for _, cookie := range cookies(c, out.Admission) {
			http.SetCookie(c.w, cookie)
		}
	}
	http.Redirect(c.w, c.r, out.ReturnTo, http.StatusFound)
	return nil
}

func (a identityAPI) sessions(ctx context.Context, in listQuery) (page.Page[identity.Session], error) {
	rows, err := a.d.Sessions(ctx)
	return pieceOf(in, rows, err, func(s identity.Session) string { return string(s.ID) })
}

type sessionPath struct {
	Session ids.Session `path:"session"`
}

func (a identityAPI) endSession(ctx context.Context, in sessionPath) (nothing, error) {
	return nothing{}, a.d.RevokeSession(ctx, in.Session)
}

type accountRequest struct {
	Name  *string `json:"name" max:"128"`
	Email *string `json:"email" max:"254"`
}

func (a identityAPI) changeAccount(ctx context.Context, in accountRequest) (identity.User, error) {
	return a.d.ChangeAccount(ctx, identity.AccountChange{Name: in.Name, Email: in.Email})
}

type passwordRequest struct {
	Current secret.Text `json:"current" doc:"Left out by someone who has none yet."`
	New     secret.Text `json:"new" required:"true"`
}

func (a identityAPI) changePassword(ctx context.Context, in passwordRequest) (nothing, error) {
	return nothing{}, a.d.ChangePassword(ctx, in.Current.Reveal(), in.New.Reveal())
}

// TOTPStart is a secret for an authenticator app; it counts once confirmed.
type TOTPStart struct {
	Secret string `json:"secret" doc:"To type into the app."`
	URI    string `json:"uri" doc:"To show as a QR code."`
}

func (a identityAPI) offerTOTP(ctx context.Context, _ none) (TOTPStart, error) {
	offer, err := a.d.OfferTOTP(ctx)
	return TOTPStart{Secret: offer.Secret.Reveal(), URI: offer.URI.Reveal()}, err
}

type totpRequest struct {
	Code string `json:"code" required:"true" max:"16"`
}

// RecoveryCodes are shown once; each replaces the second factor once.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes"`
}

func (a identityAPI) confirmTOTP(ctx context.Context, in totpRequest) (RecoveryCodes, error) {
	codes, err := a.d.ConfirmTOTP(ctx, in.Code)
	return RecoveryCodes{codes}, err
}

type totpOffRequest struct {
	Password secret.Text `json:"password" required:"true"`
}

func (a identityAPI) disableTOTP(ctx context.Context, in totpOffRequest) (nothing, error) {
	return nothing{}, a.d.DisableTOTP(ctx, in.Password.Reveal())
}

func (a identityAPI) devices(ctx context.Context, in listQuery) (page.Page[identity.Device], error) {
	rows, err := a.d.Devices(ctx)
	return pieceOf(in, rows, err, func(d identity.Device) string { return string(d.ID) })
}

type devicePath struct {
	Device ids.Device `path:"device"`
}

func (a identityAPI) forgetDevice(ctx context.Context, in devicePath) (nothing, error) {
	return nothing{}, a.d.RevokeDevice(ctx, in.Device)
}

func (a identityAPI) forgetDevices(ctx context.Context, _ none) (nothing, error) {
	return nothing{}, a.d.RevokeDevices(ctx)
}

func (a identityAPI) users(ctx context.Context, in listQuery) (page.Page[identity.Member], error) {
	return a.d.Users(ctx, in.Query)
}

type newUserRequest struct {
	User     string      `json:"user" required:"true" max:"64" doc:"The name to sign in with."`
	Name     string      `json:"name" max:"128"`
	Email    string      `json:"email" max:"254"`
	Password secret.Text `json:"password" doc:"A first password; left out for someone who has an account already."`
	Role     string      `json:"role" enum:"viewer,operator,admin"`
}

func (a identityAPI) addUser(ctx context.Context, in newUserRequest) (identity.Member, error) {
	return a.d.AddUser(ctx, identity.NewUser{
		Login: in.User, Name: in.Name, Email: in.Email, Password: in.Password.Reveal(), Role: identity.Role(in.Role),
	})
}

type userPath struct {
	User ids.User `path:"user"`
}

func (a identityAPI) user(ctx context.Context, in userPath) (identity.Member, error) {
	return a.d.Member(ctx, in.User)
}

type userRequest struct {
	userPath
	Name     *string        `json:"name" max:"128"`
	Email    *string        `json:"email" max:"254"`
	Role     *identity.Role `json:"role" enum:"viewer,operator,admin"`
	Password *secret.Text   `json:"password" doc:"Sets a new password and ends the user's sessions."`
}

func (a identityAPI) changeUser(ctx context.Context, in userRequest) (identity.Member, error) {
	change := identity.UserChange{Role: in.Role, Name: in.Name, Email: in.Email}
	if in.Password != nil {
		text := in.Password.Reveal()
		change.Password = &text
	}
	return a.d.ChangeUser(ctx, in.User, change)
}

func (a identityAPI) removeUser(ctx context.Context, in userPath) (nothing, error) {
	return nothing{}, a.d.RemoveUser(ctx, in.User)
}

func (a identityAPI) resetTOTP(ctx context.Context, in userPath) (nothing, error) {
	return nothing{}, a.d.ResetTOTP(ctx, in.User)
}

func (a identityAPI) workspaces(ctx context.Context, in listQuery) (page.Page[identity.Workspace], error) {
	rows, err := a.d.Workspaces(ctx)
	return pieceOf(in, rows, err, func(w identity.Workspace) string { return string(w.ID) })
}

type newWorkspaceRequest struct {
	Name string `json:"name" required:"true" min:"1" max:"64"`
}

func (a identityAPI) createWorkspace(ctx context.Context, in newWorkspaceRequest) (identity.Workspace, error) {
	return a.d.CreateWorkspace(ctx, in.Name)
}

type workspaceRequest struct {
	Workspace ids.Workspace `path:"workspace"`
	Name      string        `json:"name" required:"true" min:"1" max:"64"`
}

func (a identityAPI) renameWorkspace(ctx context.Context, in workspaceRequest) (identity.Workspace, error) {
	return a.d.RenameWorkspace(ctx, in.Workspace, in.Name)
}

type workspacePath struct {
	Workspace ids.Workspace `path:"workspace"`
}

func (a identityAPI) deleteWorkspace(ctx context.Context, in workspacePath) (nothing, error) {
	return nothing{}, a.d.DeleteWorkspace(ctx, in.Workspace)
}

func (a identityAPI) keys(ctx context.Context, in listQuery) (page.Page[identity.Key], error) {
	return a.d.Keys(ctx, in.Query)
}

type keyPath struct {
	Key ids.Key `path:"key"`
}

func (a identityAPI) key(ctx context.Context, in keyPath) (identity.Key, error) {
	return a.d.Key(ctx, in.Key)
}

type newKeyRequest struct {
	Name      string    `json:"name" required:"true" min:"1" max:"64"`
	Scopes    []string  `json:"scopes" max:"64" doc:"Permissions or globs such as runs:*; all that the caller may do if left out."`
	Allow     []string  `json:"allow" max:"64" doc:"Addresses or networks it may be used from; anywhere if left out."`
	ExpiresAt time.Time `json:"expires_at" doc:"Never if left out."`
}

// CreatedKey is an API key with its text, which is never shown again.
type CreatedKey struct {
	Text string `json:"key" doc:"The key itself, fx_…; keep it now."`
	identity.Key
}

func (a identityAPI) createKey(ctx context.Context, in newKeyRequest) (CreatedKey, error) {
	k, text, err := a.d.CreateKey(ctx, identity.NewKey{Name: in.Name, Scopes: in.Scopes, Allow: in.Allow, Expires: in.ExpiresAt})
	return CreatedKey{text.Reveal(), k}, err
}

type rotateRequest struct {
	keyPath
	Overlap *duration `json:"overlap" doc:"How long the old text still works, such as 24h; a day if left out."`
}

func (a identityAPI) rotateKey(ctx context.Context, in rotateRequest) (CreatedKey, error) {
	overlap := 24 * time.Hour
	if in.Overlap != nil {
		overlap = time.Duration(*in.Overlap)
	}
	k, text, err := a.d.RotateKey(ctx, in.Key, overlap)
	return CreatedKey{text.Reveal(), k}, err
}

func (a identityAPI) revokeKey(ctx context.Context, in keyPath) (nothing, error) {
	return nothing{}, a.d.RevokeKey(ctx, in.Key)
}

// duration is a length of time as people write it: 90s, 24h.
type duration time.Duration

// UnmarshalText reads a duration of zero or more.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed < 0 {
		return fault.New(fault.Invalid, "invalid_value", "%q is not a length of time.", cut(string(text))).WithHint("Write a number and a unit, such as 90s, 30m or 24h.")
	}
	*d = duration(parsed)
	return nil
}

type auditQuery struct {
	Actor    string    `query:"actor" max:"128" doc:"A user's id or name."`
	Action   string    `query:"action" max:"128"`
	Resource string    `query:"resource" max:"256"`
	Result   string    `query:"result" enum:"ok,refused,failed"`
	Since    time.Time `query:"since" doc:"At or after, RFC 3339."`
	Until    time.Time `query:"until" doc:"Before, RFC 3339."`
}

func (q auditQuery) filter() identity.AuditQuery {
	return identity.AuditQuery{Actor: q.Actor, Action: q.Action, Resource: q.Resource, Result: identity.Result(q.Result), Since: q.Since, Until: q.Until}
}

type auditListQuery struct {
	auditQuery
	listQuery
}

func (a identityAPI) audit(ctx context.Context, in auditListQuery) (page.Page[identity.AuditRow], error) {
	return a.d.AuditLog(ctx, in.filter(), in.Query)
}

type auditExportQuery struct {
	auditQuery
	Format string `query:"format" enum:"csv,jsonl" doc:"csv if left out."`
}

func (a identityAPI) exportAudit(c *call, in auditExportQuery) error {
	format := identity.ExportFormat(cmp.Or(in.Format, string(identity.CSV)))
	c.attach("audit", string(format))
	return a.d.ExportAudit(c.ctx, steady{c}, in.filter(), format)
}

func (a identityAPI) verifyAudit(ctx context.Context, _ none) (identity.Verification, error) {
	return a.d.VerifyAudit(ctx, identity.From(ctx).Workspace)
}
