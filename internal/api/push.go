package api

import (
	"context"
	"encoding/base64"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/push"
)

// pushAPI is what people are told on their devices: their own, and nobody else's.
type pushAPI struct{ push *push.Herald }

func (a pushAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/push/key", signedIn, "What a browser subscribes with; the same for all, and made when it is first asked for.", handler(a.key)},
		{"GET", "/api/v1/push/wishes", signedIn, "What the caller wants to be told, and when not.", handler(a.wishes)},
		{"PUT", "/api/v1/push/wishes", "account:write", "Change what the caller wants to be told.", handler(a.setWishes)},
		{"GET", "/api/v1/push/subscriptions", signedIn, "The devices the caller is told on.", handler(a.subscriptions)},
		{"POST", "/api/v1/push/subscriptions", "account:write", "Tell the caller on the browser that asks, while it is signed in.", handler(a.subscribe, status(201))},
		{"PATCH", "/api/v1/push/subscriptions/{subscription}", "account:write", "Rename one of the caller's devices.", handler(a.rename)},
		{"DELETE", "/api/v1/push/subscriptions/{subscription}", "account:write", "Stop telling the caller on a device.", handler(a.unsubscribe)},
		{"POST", "/api/v1/push/subscriptions/{subscription}/test", "account:write", "Send a notification to one of the caller's devices, to see whether it arrives.", handler(a.test, quiet)},
	}
}

// pushKey is what a browser subscribes with.
type pushKey struct {
	Key string `json:"key" doc:"For PushManager.subscribe, as applicationServerKey."`
}

func (a pushAPI) key(ctx context.Context, _ none) (pushKey, error) {
	key, err := a.push.Key(ctx)
	return pushKey{key}, err
}

func (a pushAPI) wishes(ctx context.Context, _ none) (push.Wishes, error) {
	return a.push.Wishes(ctx, identity.From(ctx).User)
}

type wishesRequest struct{ push.Wishes }

func (a pushAPI) setWishes(ctx context.Context, in wishesRequest) (push.Wishes, error) {
	user := identity.From(ctx).User
	before, err := a.push.Wishes(ctx, user)
	if err != nil {
		return before, err
	}
	after, err := a.push.SetWishes(ctx, user, in.Wishes)
	callOf(ctx).changed(before, after)
	return after, err
}

func (a pushAPI) subscriptions(ctx context.Context, _ none) (page.Page[push.Subscription], error) {
	id := identity.From(ctx)
	return whole(a.push.Subscriptions(ctx, id.User, id.Session))
}

type subscribeRequest struct {
	Name     string `json:"name" max:"200" doc:"How the caller calls the device: Pixel 9, Firefox at work."`
	Endpoint string `json:"endpoint" required:"true" max:"2048" doc:"As PushSubscription has it."`
	Keys     struct {
		Public string `json:"p256dh" required:"true" max:"256"`
		Auth   string `json:"auth" required:"true" max:"128"`
	} `json:"keys" required:"true" doc:"As PushSubscription.toJSON() gives them."`
}

func (a pushAPI) subscribe(ctx context.Context, in subscribeRequest) (push.Subscription, error) {
	id := identity.From(ctx)
	public, err := base64.RawURLEncoding.DecodeString(in.Keys.Public)
	if err != nil {
		return push.Subscription{}, badKey("keys.p256dh", err)
	}
	auth, err := base64.RawURLEncoding.DecodeString(in.Keys.Auth)
	if err != nil {
		return push.Subscription{}, badKey("keys.auth", err)
	}
	return a.push.Subscribe(ctx, push.NewSubscription{User: id.User, Session: id.Session, Name: in.Name, Endpoint: in.Endpoint, Key: public, Auth: auth})
}

func badKey(param string, err error) error {
	return fault.New(fault.Invalid, "bad_subscription", "A key of the subscription is not base64url.").WithParam(param).WithHint("Send what PushSubscription.toJSON() gives.").Because(err)
}

type subscriptionPath struct {
	Subscription ids.Subscription `path:"subscription"`
}

type renameRequest struct {
	subscriptionPath
	Name string `json:"name" required:"true" max:"200"`
}

func (a pushAPI) rename(ctx context.Context, in renameRequest) (push.Subscription, error) {
	id := identity.From(ctx)
	return a.push.Rename(ctx, id.User, id.Session, in.Subscription, in.Name)
}

func (a pushAPI) unsubscribe(ctx context.Context, in subscriptionPath) (nothing, error) {
	return nothing{}, a.push.Unsubscribe(ctx, identity.From(ctx).User, in.Subscription)
}

func (a pushAPI) test(ctx context.Context, in subscriptionPath) (push.Subscription, error) {
	id := identity.From(ctx)
	return a.push.Test(ctx, id.User, id.Session, in.Subscription)
}
