package providers

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
)

// Retry repeats an attempt that failed before any content, as the policy and
// the vendor's Retry-After say; a vendor that wants a longer wait than the
// policy's longest is not waited for. An answer that broke off midway is not
// repeated: its caller has seen half of it.
func Retry(m Model, policy retry.Policy) Model {
	policy.Max = cmp.Or(policy.Max, 30*time.Second)
	return &retrying{m, policy}
}

type retrying struct {
	inner  Model
	policy retry.Policy
}

// Unwrap is the model underneath.
func (r *retrying) Unwrap() Model { return r.inner }

// do repeats f; an error that is not worth its wait ends it.
func (r *retrying) do(ctx context.Context, f func(ctx context.Context) error) error {
	var final error
	err := retry.Do(ctx, r.policy, func(ctx context.Context) error {
		err := f(ctx)
		var flt *fault.Fault
		if errors.As(err, &flt) && flt.RetryAfter > r.policy.Max {
			final = err
			return errTooLong
		}
		return err
	})
	if final != nil {
		return final
	}
	return err
}

// errTooLong stops the loop without being a fault that it would repeat.
var errTooLong = errors.New("providers: the vendor wants too long a wait")

// Stream asks, and asks again.
func (r *retrying) Stream(ctx context.Context, req *Request) (Stream, error) {
	var out Stream
	trail := req.Trail.shared()
	err := r.do(ctx, func(ctx context.Context) error {
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
	err := r.do(ctx, func(ctx context.Context) (err error) {
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
