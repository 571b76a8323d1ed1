package providers

import "context"

type accountSeenKey struct{}

// WithAccountSeen tells seen the name of the account that each attempt under ctx
// is made with. It is called by the goroutine that makes the attempt; the last
// name is the one that was answered.
func WithAccountSeen(ctx context.Context, seen func(account string)) context.Context {
	return context.WithValue(ctx, accountSeenKey{}, seen)
}

func sawAccount(ctx context.Context, account string) {
	if seen, ok := ctx.Value(accountSeenKey{}).(func(string)); ok {
		seen(account)
	}
}
