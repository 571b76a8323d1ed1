package providers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// TokenSource gives a credential that may have to be renewed first, such as a
// CLI's sign-in or an exchanged token.
type TokenSource interface {
	Token(ctx context.Context) (Token, error)
}

// Token is a credential as it goes on the wire.
type Token struct {
	Value   secret.Text
	Bearer  bool              // a sign-in's token, not an API key
	Header  map[string]string // what must be sent beside it
	BaseURL string            // where it is good, when not at the usual place
	Expires time.Time         // zero: never
}

// Key is a TokenSource that never changes.
func Key(key secret.Text) TokenSource { return fixedKey{key} }

// fixedKey is comparable, so that the same key keeps its health when accounts are set anew.
type fixedKey struct{ key secret.Text }

func (f fixedKey) Token(context.Context) (Token, error) { return Token{Value: f.key}, nil }

// Account is one credential of a provider.
type Account struct {
	Name   string      // shown in status and ledger; never secret
	Source TokenSource // comparable: a pointer, or Key
}

// How long an account rests when the vendor does not say.
const (
	restRate  = time.Minute
	restQuota = time.Hour
	restAuth  = 10 * time.Minute
	restMax   = 24 * time.Hour
)

// Accounts is a provider's pool of accounts. The first healthy one, in the
// order given, is used until it fails for a definite reason.
type Accounts struct {
	vendor string

	mu  sync.Mutex // guards the fields below
	all []*accountState
}

type accountState struct {
	Account
	until   time.Time // rests until then
	code    string    // why it rests
	message string
	used    time.Time
	failed  int
}

// NewAccounts makes a pool.
func NewAccounts(vendor string, accounts ...Account) *Accounts {
	p := &Accounts{vendor: vendor}
	p.Set(accounts)
	return p
}

// OneKey is a pool of a single key; an empty key makes an empty pool.
func OneKey(vendor string, key secret.Text) *Accounts {
	if key.Empty() {
		return NewAccounts(vendor)
	}
	return NewAccounts(vendor, Account{Name: "default", Source: Key(key)})
}

// Set replaces the accounts; one that stays, by name and source, keeps its health.
func (p *Accounts) Set(accounts []Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := make([]*accountState, 0, len(accounts))
	for _, a := range accounts {
		i := slices.IndexFunc(p.all, func(s *accountState) bool { return s.Name == a.Name && s.Source == a.Source })
		if i >= 0 {
			next = append(next, p.all[i])
			continue
		}
		next = append(next, &accountState{Account: a})
	}
	p.all = next
}

// Grant is an account's credential for one attempt.
type Grant struct {
	Account string
	Token
	pool  *Accounts
	state *accountState
}

// Take picks an account that was not tried yet and is not resting. One whose
// sign-in turns out to be over is put aside for the next.
func (p *Accounts) Take(ctx context.Context, tried []string) (*Grant, error) {
	tried = slices.Clone(tried)
	var last error
	for {
		state, err := p.pick(time.Now(), tried)
		if err != nil {
			return nil, cmp.Or(last, err)
		}
		token, err := state.Source.Token(ctx)
		g := &Grant{Account: state.Name, Token: token, pool: p, state: state}
		if err == nil {
			sawAccount(ctx, state.Name)
			return g, nil
		}
		if ctx.Err() != nil || !g.Done(err) {
			return nil, err
		}
		last = err
		tried = append(tried, state.Name)
	}
}

func (p *Accounts) pick(now time.Time, tried []string) (*accountState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		return nil, fault.New(fault.Upstream, CodeAuth, "No account is configured for %s.", p.vendor).
			WithHint("Add a key: `fluxway auth` shows the variable and the setting.").WithDetail("vendor", p.vendor)
	}
	var soonest *accountState
	for _, s := range p.all {
		if slices.Contains(tried, s.Name) {
			continue
		}
		if !s.until.After(now) {
			s.used = now
			return s, nil
		}
		if soonest == nil || s.until.Before(soonest.until) {
			soonest = s
		}
	}
	if soonest == nil {
		return nil, errAllTried
	}
	return nil, Failure{Vendor: p.vendor, Status: statusOf(soonest.code), Message: soonest.message, RetryAfter: soonest.until.Sub(now)}.Fault()
}

// errAllTried means that every account failed in this very attempt; the
// caller has the last one's fault.
var errAllTried = errors.New("providers: every account was tried")

// AllTried says whether Take had nothing left but what was tried.
func AllTried(err error) bool { return errors.Is(err, errAllTried) }

func statusOf(code string) int {
	switch code {
	case CodeAuth:
		return 401
	case CodeQuota:
		return 402
	}
	return 429
}

// Done tells the pool how the attempt went. It answers true when the failure is
// the account's own, so that another account may succeed.
func (g *Grant) Done(err error) bool {
	if g == nil || g.pool == nil {
		return false
	}
	if err == nil {
		g.pool.mu.Lock()
		defer g.pool.mu.Unlock()
		g.state.until, g.state.code, g.state.message, g.state.failed = time.Time{}, "", "", 0
		return false
	}
	now := time.Now()
	var f *fault.Fault
	definite := errors.As(err, &f) && (f.Code == CodeRate || f.Code == CodeAuth || f.Code == CodeQuota)
	g.pool.mu.Lock()
	defer g.pool.mu.Unlock()
	if definite {
		rest := map[string]time.Duration{CodeRate: restRate, CodeQuota: restQuota, CodeAuth: restAuth}[f.Code]
		g.state.until = now.Add(min(cmp.Or(f.RetryAfter, rest), restMax))
		g.state.code, g.state.message = f.Code, f.Message
		g.state.failed++
	}
	return definite
}

// AccountStatus is what may be shown of an account.
type AccountStatus struct {
	Name     string    `json:"name"`
	State    string    `json:"state"` // ready, resting, or signed_out
	Reason   string    `json:"reason,omitempty"`
	Until    time.Time `json:"until,omitzero"`
	LastUsed time.Time `json:"last_used,omitzero"`
}

// Status shows every account, without secrets.
func (p *Accounts) Status() []AccountStatus {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]AccountStatus, 0, len(p.all))
	for _, s := range p.all {
		st := AccountStatus{Name: s.Name, State: "ready", LastUsed: s.used}
		if s.until.After(now) {
			st.State, st.Reason, st.Until = "resting", s.message, s.until
			if s.code == CodeAuth {
				st.State = "signed_out"
			}
		}
		out = append(out, st)
	}
	return out
}
