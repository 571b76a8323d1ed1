package providers

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// renewTime bounds one renewal, which outlives the caller that asked for it
// because others wait for it too.
const renewTime = 30 * time.Second

// Renewing is a TokenSource that keeps a token and fetches a new one shortly
// before it expires; many callers share one fetch.
type Renewing struct {
	margin time.Duration
	fetch  func(ctx context.Context) (Token, error)
	flight singleflight.Group

	mu  sync.Mutex // guards the field below
	now Token
}

// NewRenewing makes a source; margin is how long before its end a token is renewed.
func NewRenewing(margin time.Duration, fetch func(ctx context.Context) (Token, error)) *Renewing {
	return &Renewing{margin: margin, fetch: fetch}
}

// Token gives a token that is good for at least a moment.
func (r *Renewing) Token(ctx context.Context) (Token, error) {
	if t, ok := r.fresh(); ok {
		return t, nil
	}
	result := r.flight.DoChan("", func() (any, error) {
		if t, ok := r.fresh(); ok {
			return t, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
		defer cancel()
		t, err := r.fetch(ctx)
		if err != nil {
			return Token{}, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now = t
		return t, nil
	})
	select {
	case <-ctx.Done():
		return Token{}, context.Cause(ctx)
	case res := <-result:
		if res.Err != nil {
			return Token{}, res.Err
		}
		return res.Val.(Token), nil
	}
}

func (r *Renewing) fresh() (Token, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	good := !r.now.Value.Empty() && (r.now.Expires.IsZero() || time.Until(r.now.Expires) > r.margin)
	return r.now, good
}
