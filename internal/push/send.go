package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/push/webpush"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
)

// letter is one notification on its way to one device.
type letter struct {
	Subscription ids.Subscription `json:"subscription"`
	Workspace    ids.Workspace    `json:"workspace"`
	Permission   string           `json:"permission,omitempty"` // that whoever gets it must still have
	Run          ids.Run          `json:"run,omitempty"`
	Until        time.Time        `json:"until"`
	Notification Notification     `json:"notification"`
}

// deliver is the job of one letter. It is tried until the push service has it, or it is worth nothing any more.
func (h *Herald) deliver(ctx context.Context, task *jobs.Task) (any, error) {
	var l letter
	if err := task.Decode(&l); err != nil {
		return nil, err
	}
	dropped := func(why string) (any, error) { return map[string]string{"dropped": why}, nil }
	if !h.now().Before(l.Until) {
		return dropped("it came too late")
	}
	s, err := store.One[subscription](ctx, h.db.Read(), selectSubscription, l.Subscription)
	if errors.Is(err, store.ErrNoRows) {
		return dropped("the device is gone")
	}
	if err != nil {
		return nil, err
	}
	why, err := h.outdated(ctx, s, l)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return dropped(why)
	}
	err = h.send(ctx, s, l)
	if f := fault.From(err); err != nil && !f.Retryable && f.Code != "internal" {
		return dropped(f.Message) // it is noted with the device
	}
	return nil, err
}

// outdated says why a letter is not to be sent any more; "": it is.
func (h *Herald) outdated(ctx context.Context, s subscription, l letter) (string, error) {
	seat, open, err := h.opts.Directory.Seat(ctx, s.Session)
	switch {
	case err != nil:
		return "", err
	case !open || seat.User != s.User:
		return "the device is signed out", h.db.InTx(ctx, func(tx *store.Tx) error { return h.drop(ctx, tx, s.ID) })
	case seat.Workspace != l.Workspace, l.Permission != "" && !seat.May(l.Permission):
		return "the device looks elsewhere", nil
	}
	switch l.Notification.Kind {
	case KindApproval:
		a, err := h.opts.Guard.Approval(ctx, l.Workspace, ids.Approval(l.Notification.ID))
		if err != nil && fault.From(err).Kind != fault.NotFound {
			return "", err
		}
		if a.State != guard.StateAsked {
			return "it was answered", nil
		}
	case KindQuestion:
		run, err := h.opts.Runs.Of(ctx, l.Workspace, l.Run)
		if err != nil && fault.From(err).Kind != fault.NotFound {
			return "", err
		}
		if run.State != runs.Waiting {
			return "it was answered", nil
		}
	case KindFinished, KindBudget, KindOver, KindTest:
	}
	return "", nil
}

// testLife is how long a test notification is worth showing.
const testLife = 5 * time.Minute

// Test sends a notification to a device of a person, now, and says what its push service thought of it.
func (h *Herald) Test(ctx context.Context, user ids.User, session ids.Session, id ids.Subscription) (Subscription, error) {
	s, err := h.find(ctx, user, id)
	if err != nil {
		return Subscription{}, err
	}
	now := h.now()
	err = h.send(ctx, s, letter{Subscription: id, Until: now.Add(testLife), Notification: Notification{
		Kind: KindTest, Tag: "test", Title: "Notifications work", Body: "This is how you are told on " + s.Name + ".", URL: "/settings/notifications", At: now.UTC().Truncate(time.Second),
	}})
	if err != nil {
		return Subscription{}, err
	}
	s, err = h.find(ctx, user, id)
	return s.shown(session), err
}

// send gives a letter to the push service of a device, and notes what came of it.
func (h *Herald) send(ctx context.Context, s subscription, l letter) error {
	err := h.try(ctx, s, l)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(err, h.db.InTx(ctx, func(tx *store.Tx) error {
		switch {
		case err == nil:
			_, err := tx.Exec(ctx, noteSent, h.now(), s.ID)
			return err
		case fault.HasCode(err, "device_gone"):
			return h.drop(ctx, tx, s.ID)
		}
		_, err := tx.Exec(ctx, noteFailed, h.now(), fault.From(err).Message, s.ID)
		return err
	}))
}

func (h *Herald) try(ctx context.Context, s subscription, l letter) error {
	req, err := h.request(ctx, s, l)
	if err != nil {
		return err
	}
	resp, err := h.client.Do(req)
	if err != nil {
		var f *fault.Fault
		if errors.As(err, &f) && f.Code == "address_refused" {
			return f
		}
		again := fault.New(fault.Upstream, "push_unreachable", "The push service %s cannot be reached.", req.URL.Hostname()).WithHint("Check that this server may reach it over HTTPS.").Because(err)
		again.Retryable = true
		return again
	}
	defer resp.Body.Close()
	words, err := io.ReadAll(io.LimitReader(resp.Body, 300))
	if err != nil {
		words = nil // the status is what counts
	}
	return verdict(req.URL.Hostname(), resp, oneLine(strings.ToValidUTF8(string(words), "")), h.now())
}

// request is the letter as a push service wants it.
func (h *Herald) request(ctx context.Context, s subscription, l letter) (*http.Request, error) {
	key, err := h.signer(ctx)
	if err != nil {
		return nil, err
	}
	auth, err := h.opts.Box.Open(s.Auth, authPlace(s.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("opening the secret of %s: %w", s.ID, err)
	}
	text, err := json.Marshal(l.Notification)
	if err != nil {
		return nil, err
	}
	body, err := webpush.Encrypt(webpush.Target{Key: s.Public, Auth: auth}, text)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	authorization, err := key.Authorize(s.Endpoint, h.opts.Contact, h.now().Add(tokenLife))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", authorization)
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("TTL", strconv.FormatInt(int64(max(l.Until.Sub(h.now()), 0)/time.Second), 10))
	req.Header.Set("Urgency", urgency(l.Notification.Kind))
	req.Header.Set("Topic", topic(l.Notification.Tag))
	return req, nil
}

// tokenLife is how long the proof of who sends is worth something; at most a day (RFC 8292).
const tokenLife = 12 * time.Hour

func urgency(k Kind) string {
	if k == KindApproval || k == KindQuestion || k == KindTest {
		return "high"
	}
	return "normal"
}

// topic lets a push service replace a message that it still holds with a later one about the same.
func topic(tag string) string {
	sum := sha256.Sum256([]byte(tag))
	return base64.RawURLEncoding.EncodeToString(sum[:24])
}

// verdict is what an answer of a push service means.
func verdict(host string, resp *http.Response, words string, now time.Time) error {
	switch code := resp.StatusCode; {
	case code/100 == 2:
		return nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return fault.New(fault.Gone, "device_gone", "The device has turned notifications off.").WithHint("Turn them on again in that browser.")
	case code == http.StatusTooManyRequests, code >= 500:
		f := fault.New(fault.Upstream, "push_busy", "The push service %s answered %d.", host, code).WithHint("It is tried again.").RetryIn(retryAfter(resp.Header.Get("Retry-After"), now))
		f.Retryable = true
		return f
	default:
		return fault.New(fault.Upstream, "push_refused", "The push service %s refused the message with %d. %s", host, code, words).
			WithHint("Turn notifications off and on again in that browser.")
	}
}

func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(text); err == nil {
		return min(max(time.Duration(n)*time.Second, 0), time.Hour)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), time.Hour)
	}
	return 0
}
