package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// passkeyCookie proves that an answer comes from the browser that was asked.
const passkeyCookie = "fluxway_passkey"

// passkeysAPI is passkeys: making them, signing in with them, confirming with them.
type passkeysAPI struct {
	identity identityAPI
	s        *Server
	d        *identity.Directory
}

func (a passkeysAPI) routes() []route {
	return []route{
		{"POST", "/api/v1/session/passkey/begin", public, "Ask the browser for a passkey, to sign in.", handler(a.beginSignIn, rotates, whileDown, quiet)},
		{"POST", "/api/v1/session/passkey", public, "Sign in with the passkey that the browser used.", handler(a.signIn, rotates, whileDown)},
		{"POST", "/api/v1/session/confirm/begin", signedIn, "Ask the browser for a passkey of the caller, to confirm something.", handler(a.beginConfirm, rotates, quiet)},
		{"POST", "/api/v1/session/confirm", signedIn, "Confirm with the passkey that the browser used; it counts for an hour in this session.", handler(a.confirm, rotates)},
		{"GET", "/api/v1/account/passkeys", signedIn, "The caller's passkeys.", handler(a.list)},
		{"POST", "/api/v1/account/passkeys/begin", "account:write", "Ask the browser to make a passkey for the caller.", handler(a.beginAdd, rotates, quiet)},
		{"POST", "/api/v1/account/passkeys", "account:write", "Keep the passkey that the browser made.", handler(a.add, status(201), rotates)},
		{"PATCH", "/api/v1/account/passkeys/{passkey}", "account:write", "Rename one of the caller's passkeys.", handler(a.rename)},
		{"DELETE", "/api/v1/account/passkeys/{passkey}", "account:write", "Remove one of the caller's passkeys, unless it is their last way to sign in.", handler(a.remove)},
		{"GET", "/api/v1/account/confirmation", signedIn, "Whether the caller's approvals are confirmed with a passkey, and whether there can be one here.", handler(a.confirmation)},
		{"PUT", "/api/v1/account/confirmation", "account:write", "Change whether the caller's approvals are confirmed with a passkey.", handler(a.setConfirmation)},
		{"DELETE", "/api/v1/users/{user}/passkeys", "users:write", "Remove the passkeys of someone who lost them.", handler(a.reset)},
	}
}

// pageOf is our page as the browser of a call has it.
func (s *Server) pageOf(ctx context.Context) (identity.Site, error) {
	c := callOf(ctx)
	// A proxy may ask us by another name than the browser asked it; which page it was, the browser says itself.
	if public := strings.TrimRight(s.opts.PublicURL, "/"); public != "" && strings.EqualFold(c.r.Header.Get("Origin"), public) {
		return identity.SiteOf(public)
	}
	scheme := "http"
	if c.secure {
		scheme = "https"
	}
	return identity.SiteOf(scheme + "://" + c.r.Host)
}

// passkeyOptions is what a browser is asked for.
type passkeyOptions struct {
	Options json.RawMessage `json:"options" doc:"For PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON."`
}

func begun(ctx context.Context, c identity.Ceremony, err error) (reply[passkeyOptions], error) {
	if err != nil {
		return reply[passkeyOptions]{}, err
	}
	return reply[passkeyOptions]{Body: passkeyOptions{c.Options}, Cookies: []*http.Cookie{callOf(ctx).cookie(passkeyCookie, c.Browser.Reveal(), c.Expires)}}, nil
}

type credentialRequest struct {
	Credential json.RawMessage `json:"credential" required:"true" doc:"PublicKeyCredential.toJSON() of what the browser made or used."`
}

func (in credentialRequest) answer(ctx context.Context) identity.CeremonyAnswer {
	return identity.CeremonyAnswer{Browser: cookieValue(callOf(ctx).r.Header["Cookie"], passkeyCookie), Response: in.Credential}
}

// over takes the cookie back: it is good once.
func over(ctx context.Context) *http.Cookie { return callOf(ctx).cookie(passkeyCookie, "", -1) }

func (a passkeysAPI) beginSignIn(ctx context.Context, _ none) (reply[passkeyOptions], error) {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return reply[passkeyOptions]{}, err
	}
	c, err := a.d.BeginPasskeySignIn(ctx, site)
	return begun(ctx, c, err)
}

type passkeySignInRequest struct {
	credentialRequest
	Workspace ids.Workspace `json:"workspace"`
}

func (a passkeysAPI) signIn(ctx context.Context, in passkeySignInRequest) (reply[identity.Me], error) {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return reply[identity.Me]{}, err
	}
	admission, err := a.d.PasskeySignIn(ctx, site, in.answer(ctx), in.Workspace)
	if err != nil {
		return reply[identity.Me]{}, err
	}
	out, err := a.identity.admitted(ctx, admission)
	out.Cookies = append(out.Cookies, over(ctx))
	return out, err
}

func (a passkeysAPI) beginConfirm(ctx context.Context, _ none) (reply[passkeyOptions], error) {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return reply[passkeyOptions]{}, err
	}
	c, err := a.d.BeginConfirmation(ctx, site)
	return begun(ctx, c, err)
}

// confirmedAnswer says until when a confirmation counts.
type confirmedAnswer struct {
	Until time.Time `json:"confirmed_until"`
}

func (a passkeysAPI) confirm(ctx context.Context, in credentialRequest) (reply[confirmedAnswer], error) {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return reply[confirmedAnswer]{}, err
	}
	until, err := a.d.Confirm(ctx, site, in.answer(ctx))
	return reply[confirmedAnswer]{Body: confirmedAnswer{until}, Cookies: []*http.Cookie{over(ctx)}}, err
}

// anySite is the site of a call, or none: people may look at their passkeys from anywhere.
func (a passkeysAPI) anySite(ctx context.Context) identity.Site {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return identity.Site{}
	}
	return site
}

func (a passkeysAPI) list(ctx context.Context, _ none) (page.Page[identity.Passkey], error) {
	return whole(a.d.Passkeys(ctx, a.anySite(ctx)))
}

type beginAddRequest struct {
	Password secret.Text `json:"password" doc:"Of someone who has no passkey here yet; others confirm with one first."`
}

func (a passkeysAPI) beginAdd(ctx context.Context, in beginAddRequest) (reply[passkeyOptions], error) {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return reply[passkeyOptions]{}, err
	}
	c, err := a.d.OfferPasskey(ctx, site, in.Password.Reveal())
	return begun(ctx, c, err)
}

type addPasskeyRequest struct {
	credentialRequest
	Name string `json:"name" max:"200" doc:"How the caller calls it: Pixel 9, the blue key."`
}

func (a passkeysAPI) add(ctx context.Context, in addPasskeyRequest) (reply[identity.Passkey], error) {
	site, err := a.s.pageOf(ctx)
	if err != nil {
		return reply[identity.Passkey]{}, err
	}
	p, err := a.d.AddPasskey(ctx, site, in.answer(ctx), in.Name)
	return reply[identity.Passkey]{Body: p, Cookies: []*http.Cookie{over(ctx)}}, err
}

type passkeyPath struct {
	Passkey ids.Passkey `path:"passkey"`
}

type renamePasskeyRequest struct {
	passkeyPath
	Name string `json:"name" required:"true" max:"200"`
}

func (a passkeysAPI) rename(ctx context.Context, in renamePasskeyRequest) (identity.Passkey, error) {
	return a.d.RenamePasskey(ctx, a.anySite(ctx), in.Passkey, in.Name)
}

func (a passkeysAPI) remove(ctx context.Context, in passkeyPath) (nothing, error) {
	return nothing{}, a.d.RemovePasskey(ctx, a.anySite(ctx), in.Passkey)
}

func (a passkeysAPI) confirmation(ctx context.Context, _ none) (identity.Confirmation, error) {
	site, why := a.s.pageOf(ctx)
	return a.d.Confirmation(ctx, site.Because(why))
}

type confirmationRequest struct {
	Approvals bool `json:"approvals" doc:"Approving what is dangerous asks for a passkey, once an hour."`
}

func (a passkeysAPI) setConfirmation(ctx context.Context, in confirmationRequest) (identity.Confirmation, error) {
	site, why := a.s.pageOf(ctx)
	return a.d.SetConfirmation(ctx, site.Because(why), in.Approvals)
}

func (a passkeysAPI) reset(ctx context.Context, in userPath) (nothing, error) {
	return nothing{}, a.d.ResetPasskeys(ctx, in.User)
}
