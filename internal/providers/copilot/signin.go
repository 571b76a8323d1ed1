package copilot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// clientID is the public id of GitHub's own Copilot editor application, the only
// kind of sign-in that the service exchanges.
const clientID = "Iv1.b507a08c87ecfe98"

// GitHub is where to sign in.
type GitHub struct {
	ClientID string       // "": GitHub's Copilot editor application
	Site     string       // "": https://github.com
	API      string       // "": https://api.github.com
	HTTP     *http.Client // nil: wire.NewHTTP
}

// Device is a sign-in waiting for a person.
type Device struct {
	UserCode  string        // to be typed
	VerifyURL string        // where
	Expires   time.Time     // until when
	Interval  time.Duration // how often GitHub wants to be asked
	code      string
}

// Begin asks for a code to show to the person.
func (g GitHub) Begin(ctx context.Context) (Device, error) {
	var out struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
		VerifyURI  string `json:"verification_uri"`
		ExpiresIn  int    `json:"expires_in"`
		Interval   int    `json:"interval"`
	}
	form := url.Values{"client_id": {g.client()}, "scope": {"read:user"}}
	if err := g.form(ctx, "/login/device/code", form, &out); err != nil {
		return Device{}, err
	}
	return Device{
		UserCode: out.UserCode, VerifyURL: out.VerifyURI, code: out.DeviceCode,
		Expires:  time.Now().Add(time.Duration(out.ExpiresIn) * time.Second),
		Interval: time.Duration(cmp.Or(out.Interval, 5)) * time.Second,
	}, nil
}

// Wait asks at the pace GitHub set until the person is done; the token is
// GitHub's, to be stored and given to NewExchange.
func (g GitHub) Wait(ctx context.Context, d Device) (secret.Text, error) {
	interval := d.Interval
	form := url.Values{"client_id": {g.client()}, "device_code": {d.code}, "grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}}
	for {
		timer := time.NewTimer(interval)
		select {
		case <-ctx.Done():
			timer.Stop()
			return secret.Text{}, context.Cause(ctx)
		case <-timer.C:
		}
		var out struct {
			AccessToken secret.Text `json:"access_token"`
			Error       string      `json:"error"`
			Description string      `json:"error_description"`
			Interval    int         `json:"interval"`
		}
		if err := g.form(ctx, "/login/oauth/access_token", form, &out); err != nil {
			return secret.Text{}, err
		}
		switch {
		case !out.AccessToken.Empty():
			return out.AccessToken, nil
		case out.Error == "authorization_pending":
		case out.Error == "slow_down":
			interval = max(interval+5*time.Second, time.Duration(out.Interval)*time.Second)
		default:
			return secret.Text{}, fault.New(fault.Upstream, providers.CodeAuth, "GitHub did not finish the sign-in: %s.", cmp.Or(out.Description, out.Error)).
				WithHint("Start the sign-in again.")
		}
	}
}

// renewBefore is how early an exchanged token is renewed.
const renewBefore = 5 * time.Minute

// NewExchange is the token source of one account: it trades GitHub's token for
// the service's short-lived one, and again before that ends.
func (g GitHub) NewExchange(token secret.Text) *providers.Renewing {
	return providers.NewRenewing(renewBefore, func(ctx context.Context) (providers.Token, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, cmp.Or(g.API, "https://api.github.com")+"/copilot_internal/v2/token", nil)
		if err != nil {
			return providers.Token{}, fmt.Errorf("exchanging a GitHub token: %w", err)
		}
		req.Header.Set("Authorization", "token "+token.Reveal())
		for k, v := range editor {
			req.Header.Set(k, v)
		}
		var out struct {
			Token     secret.Text `json:"token"`
			ExpiresAt int64       `json:"expires_at"`
			Endpoints struct {
				API string `json:"api"`
			} `json:"endpoints"`
		}
		if err := g.send(req, &out); err != nil {
			return providers.Token{}, err
		}
		return providers.Token{Value: out.Token, Bearer: true, Expires: time.Unix(out.ExpiresAt, 0), BaseURL: strings.TrimRight(out.Endpoints.API, "/")}, nil
	})
}

func (g GitHub) client() string { return cmp.Or(g.ClientID, clientID) }

func (g GitHub) form(ctx context.Context, path string, form url.Values, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(g.Site, "https://github.com")+path, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("signing in to GitHub: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return g.send(req, out)
}

func (g GitHub) send(req *http.Request, out any) error {
	client := g.HTTP
	if client == nil {
		client = wire.NewHTTP()
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return providers.Unreachable(req.Context(), "GitHub", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return providers.Unreachable(req.Context(), "GitHub", err)
	}
	if resp.StatusCode/100 != 2 {
		return wire.Refusal("GitHub", "", resp, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return providers.Unreachable(req.Context(), "GitHub", fmt.Errorf("decoding: %w", err))
	}
	return nil
}
