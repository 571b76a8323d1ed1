package providers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

func TestAccountsRestAndComeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := NewAccounts("acme", Account{"a", Key(secret.New("ka"))}, Account{"b", Key(secret.New("kb"))})
		take := func(tried ...string) *Grant {
			t.Helper()
			g, err := pool.Take(t.Context(), tried)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		for _, err := range []error{Failure{Status: 400}.Fault(), Failure{Status: 500}.Fault(), Failure{Status: 529}.Fault(), errors.New("plain"), context.Canceled} {
			if take().Done(err) {
				t.Errorf("%v took the account out", err)
			}
		}
		if g := take(); g.Account != "a" || !g.Done(Failure{Status: 429, RetryAfter: 90 * time.Second}.Fault()) {
			t.Fatal("a rate limit is the account's own")
		}
		if g := take(); g.Account != "b" || !g.Done(Failure{Status: 401}.Fault()) {
			t.Fatal("the second account is used")
		}
		_, err := pool.Take(t.Context(), nil)
		if f := fault.From(err); f.Code != CodeRate || f.RetryAfter != 90*time.Second {
			t.Errorf("all rest: %v, %+v; want the soonest", err, f)
		}
		var states []string
		for _, s := range pool.Status() {
			states = append(states, s.Name+" "+s.State)
		}
		if diff := cmp.Diff([]string{"a resting", "b signed_out"}, states); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		pool.Set([]Account{{"b", Key(secret.New("new"))}, {"a", Key(secret.New("ka"))}})
		if g := take(); g.Account != "b" {
			t.Errorf("a replaced key starts healthy; took %s", g.Account)
		}
		<-time.After(91 * time.Second)
		if g := take("b"); g.Account != "a" || g.Done(nil) {
			t.Errorf("after its rest: %s", g.Account)
		}
		if _, err := pool.Take(t.Context(), []string{"a", "b"}); !AllTried(err) {
			t.Errorf("all tried: %v", err)
		}
		if _, err := NewAccounts("acme").Take(t.Context(), nil); !fault.HasCode(err, CodeAuth) || fault.From(err).Hint == "" {
			t.Errorf("no account: %v", err)
		}
	})
}

func TestRenewingFetchesOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int64
		source := NewRenewing(5*time.Minute, func(ctx context.Context) (Token, error) {
			n := fetches.Add(1)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return Token{}, ctx.Err()
			}
			if n == 3 {
				return Token{}, errors.New("refused")
			}
			return Token{Value: secret.New("t"), Expires: time.Now().Add(time.Hour)}, nil
		})
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := source.Token(impatient); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient one: %v", err)
			}
		})
		for range 50 {
			wg.Go(func() {
				if _, err := source.Token(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if fetches.Load() != 1 {
			t.Errorf("%d fetches, want 1", fetches.Load())
		}
		<-time.After(56 * time.Minute)
		if _, err := source.Token(t.Context()); err != nil || fetches.Load() != 2 {
			t.Errorf("near its end: %d fetches, %v", fetches.Load(), err)
		}
		<-time.After(2 * time.Hour)
		if _, err := source.Token(t.Context()); err == nil {
			t.Error("a refused renewal is not told")
		}
		if _, err := source.Token(t.Context()); err != nil {
			t.Errorf("it is tried again: %v", err)
		}
	})
}

// over is a sign-in that has ended.
type over struct{ err error }

func (o *over) Token(context.Context) (Token, error) { return Token{}, o.err }

func TestASignInThatIsOverIsPutAside(t *testing.T) {
	t.Parallel()
	ended := &over{Failure{Vendor: "acme", Status: 401, Message: "signed out"}.Fault()}
	pool := NewAccounts("acme", Account{"cli", ended}, Account{"key", Key(secret.New("k"))})
	for range 2 {
		if g, err := pool.Take(t.Context(), nil); err != nil || g.Account != "key" {
			t.Errorf("Take = %+v, %v; want the key", g, err)
		}
	}
	if st := pool.Status(); st[0].State != "signed_out" || st[1].State != "ready" {
		t.Errorf("status %+v", st)
	}
	alone := NewAccounts("acme", Account{"cli", ended})
	if _, err := alone.Take(t.Context(), nil); !errors.Is(err, ended.err) {
		t.Errorf("with no other: %v", err)
	}
	away := &over{Unreachable(t.Context(), "acme", errors.New("no network"))}
	if _, err := NewAccounts("acme", Account{"cli", away}, Account{"key", Key(secret.New("k"))}).Take(t.Context(), nil); !fault.HasCode(err, CodeUnavailable) {
		t.Errorf("a network failure is not the account's: %v", err)
	}
}
