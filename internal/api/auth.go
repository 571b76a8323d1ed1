package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// The cookies of a browser.
const (
	SessionCookie = "fluxway_session"
	DeviceCookie  = "fluxway_device"
	loginCookie   = "fluxway_login" // between leaving for an issuer and coming back
)

// identify finds out who calls, and how much they may still do this minute.
func (c *call) identify() error {
	if controlled(c.r) {
		return c.identifyLocal()
	}
	credentials, err := c.credentials()
	if err != nil {
		return err
	}
	id, err := c.s.directory.Authenticate(c.ctx, credentials)
	if err != nil {
		return err
	}
	c.caller = id
	if l := c.s.perCaller; l != nil {
		a := l.take(limitKey(id), c.started.UnixNano())
		a.tell(c.w.Header(), l.limit)
		if !a.ok {
			return tooManyRequests(a.wait)
		}
	}
	if id.Via == identity.ViaSession && c.s.directory.RotationDue(id) {
		return c.rotate(id, credentials.Session)
	}
	return nil
}

// limitKey is whom a rate limit belongs to.
func limitKey(id *identity.Identity) string {
	if id.Key != "" {
		return string(id.Key)
	}
	return string(id.User)
}

// rotate renews the token of the session cookie now and then.
func (c *call) rotate(id *identity.Identity, token string) error {
	next, err := c.s.directory.Rotate(context.WithoutCancel(c.ctx), id, token)
	if err != nil {
		return err
	}
	if !next.Empty() {
		http.SetCookie(c.w, c.cookie(SessionCookie, next.Reveal(), sessionKeep))
	}
	return nil
}

// sessionKeep is how long a browser keeps the cookie; the session itself may
// end earlier.
const sessionKeep = 90 * 24 * time.Hour

// keyHeaders are where other vendors' clients put a key.
var keyHeaders = [...]string{"X-Api-Key", "X-Goog-Api-Key"}

func (c *call) credentials() (identity.Credentials, error) {
	out := identity.Credentials{IP: c.origin.IP, Agent: c.origin.Agent}
	h := c.r.Header
	if values := h["Authorization"]; len(values) > 0 {
		scheme, key, _ := strings.Cut(values[0], " ")
		if !strings.EqualFold(scheme, "Bearer") || key == "" {
			return out, fault.New(fault.Unauthenticated, "bad_authorization", "The Authorization header is not understood.").
				WithParam("Authorization").WithHint("Send Authorization: Bearer fx_….")
		}
		out.Key = strings.TrimSpace(key)
		return out, nil
	}
	for _, name := range keyHeaders {
		if values := h[name]; len(values) > 0 && values[0] != "" {
			out.Key = values[0]
			return out, nil
		}
	}
	if err := c.keyInURL(); err != nil {
		return out, err
	}
	if out.Session = cookieValue(h["Cookie"], SessionCookie); out.Session != "" {
		return out, nil
	}
	return out, fault.New(fault.Unauthenticated, "credentials_required", "This needs an identity.").
		WithHint("Sign in, or send an API key as Authorization: Bearer fx_… (make one with `fluxway keys create`).")
}

// cookieValue finds a cookie without parsing all of them.
func cookieValue(headers []string, name string) string {
	for _, header := range headers {
		for header != "" {
			var pair string
			pair, header, _ = strings.Cut(header, ";")
			if key, value, ok := strings.Cut(strings.TrimSpace(pair), "="); ok && key == name {
				return strings.Trim(value, `"`)
			}
		}
	}
	return ""
}

// cookie makes a cookie that scripts and other sites cannot use. A keep of 0
// lasts until the browser closes; a negative one removes it.
func (c *call) cookie(name, value string, keep time.Duration) *http.Cookie {
	cookie := &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteStrictMode}
	switch {
	case keep > 0:
		cookie.MaxAge = int(keep / time.Second)
	case keep < 0:
		cookie.MaxAge = -1
	}
	return cookie
}
