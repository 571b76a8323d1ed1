package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// cookies is a client that brings back what an answer set, besides what it had.
func cookies(c apitest.Client, a apitest.Answer) apitest.Client {
	all := []string{c.Header.Get("Cookie")}
	for _, line := range a.Header.Values("Set-Cookie") {
		all = append(all, strings.Split(line, ";")[0])
	}
	return c.With("Cookie", strings.Join(all, "; "))
}

// ceremony lets a device answer what a browser is asked for at begin, and sends that to finish.
func ceremony(t *testing.T, c apitest.Client, begin, finish string, body map[string]any, answer func(json.RawMessage) []byte) apitest.Answer {
	t.Helper()
	var asked struct{ Options json.RawMessage }
	first := c.Do(t, "POST", begin, body).Must(t, 200, &asked)
	return cookies(c, first).Do(t, "POST", finish, map[string]any{"credential": json.RawMessage(answer(asked.Options)), "name": "Pixel 9"})
}

func TestPasskeysOverHTTP(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	port := w.URL[strings.LastIndex(w.URL, ":"):]
	password := map[string]string{"user": "admin", "password": identitytest.Password}
	byAddress := cookies(w.Nobody, w.Nobody.Do(t, "POST", "/api/v1/session", password).Must(t, 200, nil))
	problem := byAddress.Do(t, "POST", "/api/v1/account/passkeys/begin", map[string]any{"password": identitytest.Password}).Fails(t, 400, "passkeys_need_name")
	if !strings.Contains(problem.Hint, "http://localhost"+port) {
		t.Errorf("hint %q", problem.Hint)
	}
	var state struct {
		Possible, Approvals bool
		Passkeys            int
		Hint                string
		Until               string `json:"confirmed_until"`
	}
	byAddress.Do(t, "GET", "/api/v1/account/confirmation", nil).Must(t, 200, &state)
	if state.Possible || state.Hint == "" || !state.Approvals {
		t.Errorf("by an address: %+v", state)
	}

	nobody := apitest.Client{URL: "http://localhost" + port}
	browser := cookies(nobody, nobody.Do(t, "POST", "/api/v1/session", password).Must(t, 200, nil))
	device := identitytest.NewAuthenticator(t, nobody.URL)
	var ways struct{ Password, Passkey bool }
	nobody.Do(t, "GET", "/api/v1/session/options", nil).Must(t, 200, &ways)
	if ways.Passkey || !ways.Password {
		t.Errorf("ways before there is a passkey: %+v", ways)
	}
	var made struct {
		ID, Name, Host string
		Here           bool
	}
	ceremony(t, browser, "/api/v1/account/passkeys/begin", "/api/v1/account/passkeys", map[string]any{"password": identitytest.Password}, device.Create).Must(t, 201, &made)
	if made.Name != "Pixel 9" || made.Host != "localhost" || !made.Here {
		t.Errorf("made %+v", made)
	}
	nobody.Do(t, "GET", "/api/v1/session/options", nil).Must(t, 200, &ways)
	if !ways.Passkey {
		t.Errorf("ways: %+v", ways)
	}
	w.Admin.Do(t, "DELETE", "/api/v1/account/passkeys/"+made.ID, nil).Fails(t, 403, "forbidden") // a key is not a browser

	// Dangerous: confirmed once, then not again. Denying never asks.
	approve := func(c apitest.Client, command, decision string) apitest.Answer {
		return c.Do(t, "POST", "/api/v1/guard/approvals/"+asks(t, w, command).Ticket+"/answer", map[string]string{"decision": decision})
	}
	approve(browser, "frobnicate --one", "deny").Must(t, 200, nil)
	approve(browser, "frobnicate --two", "approve").Fails(t, 403, "confirm_with_passkey")
	approve(w.Admin, "frobnicate --three", "approve").Must(t, 200, nil)
	other := cookies(nobody, nobody.Do(t, "POST", "/api/v1/session", password).Must(t, 200, nil))
	confirm := func(c apitest.Client) apitest.Answer {
		var asked struct{ Options json.RawMessage }
		first := c.Do(t, "POST", "/api/v1/session/confirm/begin", nil).Must(t, 200, &asked)
		return cookies(c, first).Do(t, "POST", "/api/v1/session/confirm", map[string]any{"credential": json.RawMessage(device.Get(asked.Options))})
	}
	confirm(browser).Must(t, 200, nil)
	approve(browser, "frobnicate --two", "approve").Must(t, 200, nil)
	approve(browser, "frobnicate --four", "approve").Must(t, 200, nil)
	approve(other, "frobnicate --five", "approve").Fails(t, 403, "confirm_with_passkey")

	var begun struct{ Options json.RawMessage }
	first := nobody.Do(t, "POST", "/api/v1/session/passkey/begin", nil).Must(t, 200, &begun)
	answer := map[string]any{"credential": json.RawMessage(device.Get(begun.Options))}
	nobody.Do(t, "POST", "/api/v1/session/passkey", answer).Fails(t, 403, "passkey_challenge")
	var me struct{ User struct{ User string } }
	in := cookies(nobody, first).Do(t, "POST", "/api/v1/session/passkey", answer).Must(t, 200, &me)
	if me.User.User != "admin" {
		t.Errorf("signed in as %+v", me)
	}
	cookies(nobody, first).Do(t, "POST", "/api/v1/session/passkey", answer).Fails(t, 403, "passkey_challenge")
	approve(cookies(nobody, in), "frobnicate --six", "approve").Must(t, 200, nil)
}
