package providers

import (
	"context"

	"github.com/fluxway/fluxway/internal/kit/retry"
)

// Retry repeats an attempt that failed before any content, as the policy and
// the vendor's Retry-After say. An answer that broke off midway is not
// repeated: its caller has seen half of it.
func Retry(m Model, policy retry.Policy) Model { return &retrying{m, policy} }

type retrying struct {
	inner  Model
	policy retry.Policy
}

// Unwrap is the model underneath.
func (r *retrying) Unwrap() Model { return r.inner }

// Stream asks, and asks again.
func (r *retrying) Stream(ctx context.Context, req *Request) (Stream, error) {
	var out Stream
	trail := req.Trail.shared()
	err := retry.Do(ctx, r.policy, func(ctx context.Context) error {
		try := *req
		try.Trail = trail.next()
		s, err := r.inner.Stream(ctx, &try)
		if err != nil {
			return err
		}
		out, err = primeStream(s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Speaks asks the model underneath.
func (r *retrying) Speaks(d Dialect) bool { return speaks(r.inner, d) }

// Relay repeats a relay that was not accepted.
func (r *retrying) Relay(ctx context.Context, req *RawRequest) (*RawResponse, error) {
	var out *RawResponse
	trail := req.Trail.shared()
	err := retry.Do(ctx, r.policy, func(ctx context.Context) (err error) {
		try := *req
		try.Trail = trail.next()
		out, err = relay(ctx, r.inner, &try)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
