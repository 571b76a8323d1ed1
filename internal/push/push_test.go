package push_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/push/pushtest"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestAnApprovalReachesThoseWhoMayAnswer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		olga := identitytest.Add(w.admin, t, w.directory, "olga", identity.Operator)
		vera := identitytest.Add(w.admin, t, w.directory, "vera", identity.Viewer)
		away := identitytest.As(t, w.directory, "olga") // her other browser looks at another workspace
		other, err := w.directory.CreateWorkspace(w.admin, "Elsewhere")
		must(t, err)
		elsewhere := identitytest.As(t, w.directory, "admin")
		if _, err := w.directory.SwitchWorkspace(elsewhere, other.ID); err != nil {
			t.Fatal(err)
		}
		w.device(w.admin, "admin")
		w.device(olga, "olga")
		w.device(away, "olga-phone")
		w.device(vera, "vera")
		w.device(elsewhere, "elsewhere")
		w.wish(olga, func(p *push.Wishes) { p.HideCommand = true })
		key, err := w.Key(t.Context())
		must(t, err)
		w.service.Expect(key)
		stop := w.work()
		defer stop()

		a := w.ask("rm -rf notes && curl -H 'Authorization: Bearer sk-ant-api03-" + strings.Repeat("x", 40) + "' https://example.org")
		got := map[string]pushtest.Got{}
		for range 3 {
			g := w.service.Next()
			got[g.Device] = g
		}
		first := got["admin"]
		want := push.Notification{
			Kind: push.KindApproval, ID: string(a.ID), Tag: "approval:" + string(a.ID), Title: "The coder needs your approval", URL: "/inbox?item=approval:" + string(a.ID), At: w.clock.Now(),
			Body: first.Body,
		}
		if first.Notification != want || !strings.HasPrefix(first.Body, "rm -rf notes && curl") || strings.Contains(first.Body, "xxxx") || !strings.HasSuffix(first.Body, "\nDenied by itself at "+a.Deadline.UTC().Format("15:04")+".") {
			t.Errorf("the admin got %+v", first.Notification)
		}
		for _, name := range []string{"olga", "olga-phone"} {
			if body := got[name].Body; strings.Contains(body, "rm") || !strings.HasPrefix(body, "Open it") {
				t.Errorf("%s got %q although she hides commands", name, body)
			}
		}
		life := a.Deadline.Sub(w.clock.Now())
		if h := first.Header; h.Get("TTL") != fmt.Sprint(int(life/time.Second)) || h.Get("Urgency") != "high" || h.Get("Topic") == "" {
			t.Errorf("headers %v, want a TTL of %s", h, life)
		}
		if c := first.Claims; c.Subject != "https://example.org" || c.Expires != w.clock.Now().Add(12*time.Hour).Unix() {
			t.Errorf("claims %+v", c)
		}

		_, err = w.guard.Answer(t.Context(), w.ws, string(a.ID), guard.Answer{By: identity.From(olga).User, Via: "phone"})
		must(t, err)
		var names []string
		for range 3 {
			g := w.service.Next()
			names = append(names, g.Device)
			if g.Kind != push.KindOver || g.Tag != first.Tag || g.Title != "Denied by olga" || g.Header.Get("Topic") != first.Header.Get("Topic") {
				t.Errorf("%s is told %+v", g.Device, g.Notification)
			}
		}
		slices.Sort(names)
		if n := w.letters(); n != 6 || !slices.Equal(names, []string{"admin", "olga", "olga-phone"}) {
			t.Errorf("%d letters; told that it is over: %v", n, names)
		}
		list, err := w.Subscriptions(olga, identity.From(olga).User, identity.From(olga).Session)
		if err != nil || len(list) != 2 || !list[0].Current || list[1].Current || list[0].SentAt.IsZero() || list[0].Service != "127.0.0.1" {
			t.Errorf("her devices: %+v, %v", list, err)
		}
	})
}

func TestWhatWasAskedSurvivesARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.device(w.admin, "phone")
	w.service.Answer("phone", http.StatusServiceUnavailable, http.StatusTooManyRequests)
	key, err := w.Key(t.Context())
	must(t, err)
	a := w.ask("rm -rf notes") // and the process dies
	w.open()
	if again, err := w.Key(t.Context()); err != nil || again != key {
		t.Errorf("after a restart browsers subscribe with %q, %v; before %q", again, err, key)
	}
	stop := w.work()
	defer stop()
	if g := w.service.Next(); g.ID != string(a.ID) {
		t.Errorf("got %+v", g.Notification)
	}
	if n := w.letters(); n != 1 {
		t.Errorf("%d letters were written", n)
	}
}

func TestDevicesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	olga := identitytest.Add(w.admin, t, w.directory, "olga", identity.Operator)
	id, gone := identity.From(w.admin), w.device(w.admin, "gone")
	w.service.Answer("gone", http.StatusGone)
	if _, err := w.Test(w.admin, id.User, id.Session, gone.ID); !fault.HasCode(err, "device_gone") {
		t.Errorf("a device that its push service does not know: %v", err)
	}
	if list, err := w.Subscriptions(w.admin, id.User, id.Session); err != nil || len(list) != 0 {
		t.Errorf("a device that its push service does not know is still there: %+v, %v", list, err)
	}
	signedOut := w.device(olga, "olga")
	a := w.ask("rm -rf one")
	must(t, w.directory.SignOut(olga))
	back := identitytest.As(t, w.directory, "olga")
	w.device(back, "again")
	stop := w.work()
	if g := w.service.Next(); g.Device != "again" || g.ID != string(a.ID) {
		t.Errorf("%s got %+v", g.Device, g.Notification)
	}
	stop()
	who := identity.From(back)
	list, err := w.Subscriptions(back, who.User, who.Session)
	if err != nil || len(list) != 1 || list[0].ID == signedOut.ID {
		t.Errorf("olga has %+v, %v", list, err)
	}
	w.service.Nothing()
	if _, err := w.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Test(back, who.User, who.Session, signedOut.ID); !fault.HasCode(err, "subscription_not_found") {
		t.Errorf("a device of a session that ended: %v", err)
	}
	w.service.Answer("again", http.StatusBadRequest)
	if _, err := w.Test(back, who.User, who.Session, list[0].ID); !fault.HasCode(err, "push_refused") {
		t.Errorf("a test that was refused: %v", err)
	}
	if list, err = w.Subscriptions(back, who.User, who.Session); err != nil || list[0].Failure == "" || list[0].FailedAt.IsZero() {
		t.Errorf("why it failed is not shown: %+v, %v", list, err)
	}
	if s, err := w.Test(back, who.User, who.Session, list[0].ID); err != nil || s.Failure != "" || !s.FailedAt.IsZero() {
		t.Errorf("a test that arrived: %+v, %v", s, err)
	}
	if g := w.service.Next(); g.Kind != push.KindTest || g.Bytes > 3000 {
		t.Errorf("got %+v", g)
	}
}

func TestWhatIsWorthNothingIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	olga := identitytest.Add(w.admin, t, w.directory, "olga", identity.Operator)
	w.device(w.admin, "admin")
	w.device(olga, "olga")
	w.wish(w.admin, func(p *push.Wishes) {
		p.Quiet, p.QuietFrom, p.QuietUntil, p.TimeZone = true, "09:00", "09:30", "Europe/Berlin" // it is 9:00 there
	})
	late, answered := w.ask("rm -rf late"), w.ask("rm -rf answered")
	_, err := w.guard.Answer(t.Context(), w.ws, string(answered.ID), guard.Answer{By: identity.From(olga).User})
	must(t, err)
	w.clock.Advance(late.Deadline.Sub(w.clock.Now()))
	asleep := w.ask("rm -rf quiet")
	stop := w.work()
	if g := w.service.Next(); g.Device != "olga" || g.ID != string(asleep.ID) {
		t.Errorf("%s got %+v", g.Device, g.Notification)
	}
	stop()
	w.service.Nothing()
	if n := w.letters(); n != 1 {
		t.Errorf("%d letters were written", n)
	}
}

func TestQuestionsAndResultsOfOnesOwnRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), scripted.Turn{Steps: []scripted.Step{{Calls: "ask_user", Args: map[string]any{"question": "Which\ncolour?"}}}})
	olga := identitytest.Add(w.admin, t, w.directory, "olga", identity.Operator)
	w.device(w.admin, "admin")
	w.device(olga, "olga")
	for _, who := range []context.Context{w.admin, olga} {
		w.wish(who, func(p *push.Wishes) { p.Finished = push.FinishedAlways })
	}
	stop := w.work()
	defer stop()
	asker := conversations.Asker{Workspace: w.ws, User: identity.From(olga).User}
	accepted, err := w.desk.Start(t.Context(), asker, runs.Request{Agent: "assistant", Message: "Paint it"})
	must(t, err)
	g := w.service.Next()
	if g.Device != "olga" || g.Kind != push.KindQuestion || g.Title != "The assistant asks you something" || g.Body != "Which colour?" || g.URL != "/chat/"+string(accepted.Conversation.ID) {
		t.Errorf("%s got %+v", g.Device, g.Notification)
	}
	_, err = w.desk.Answer(t.Context(), asker, accepted.Run.ID, runs.Answer{Reply: agents.Reply{Text: "blue"}})
	must(t, err)
	kinds := map[push.Kind]pushtest.Got{}
	for range 2 {
		next := w.service.Next()
		kinds[next.Kind] = next
	}
	if over := kinds[push.KindOver]; over.Device != "olga" || over.Tag != g.Tag || over.Title != "The question is answered" {
		t.Errorf("%s got %+v", over.Device, over.Notification)
	}
	if done := kinds[push.KindFinished]; done.Device != "olga" || done.Title != "The assistant has finished" || done.Body != "Paint it" {
		t.Errorf("%s got %+v", done.Device, done.Notification)
	}
	if n := w.letters(); n != 3 {
		t.Errorf("%d letters were written", n)
	}
}

func TestABudgetThatIsUsedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	olga := identitytest.Add(w.admin, t, w.directory, "olga", identity.Operator)
	omar := identitytest.Add(w.admin, t, w.directory, "omar", identity.Operator)
	w.device(w.admin, "admin")
	w.device(olga, "olga")
	w.device(omar, "omar")
	fact := costs.BudgetExceeded{Limit: costs.Limit{Budget: ids.New[ids.Budget](), Name: "Team", AtLimit: costs.Block}}
	for _, channel := range []string{costs.Channel, events.NotificationChannel(identity.From(olga).User), events.NotificationChannel(identity.From(w.admin).User)} {
		eventstest.Append(t, w.db, w.hub, w.ws, channel, fact)
	}
	stop := w.work()
	names := []string{w.service.Next().Device, w.service.Next().Device}
	stop()
	slices.Sort(names)
	if n := w.letters(); n != 2 || !slices.Equal(names, []string{"admin", "olga"}) {
		t.Errorf("%d letters; told were %v", n, names)
	}
}

func TestSubscribeTakesOnlyWhatAPushServiceGave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	d, id := w.service.Device("phone"), identity.From(w.admin)
	good := push.NewSubscription{User: id.User, Session: id.Session, Endpoint: d.Endpoint, Key: d.Key, Auth: d.Auth}
	for what, c := range map[string]struct {
		change func(*push.NewSubscription)
		code   string
	}{
		"not over TLS":         {func(n *push.NewSubscription) { n.Endpoint = "http://push.example.net/a" }, "bad_endpoint"},
		"another scheme":       {func(n *push.NewSubscription) { n.Endpoint = "file:///etc/passwd" }, "bad_endpoint"},
		"this machine":         {func(n *push.NewSubscription) { n.Endpoint = "https://127.0.0.1:1/a" }, "bad_endpoint"},
		"a private network":    {func(n *push.NewSubscription) { n.Endpoint = "https://10.0.0.1/a" }, "bad_endpoint"},
		"a metadata service":   {func(n *push.NewSubscription) { n.Endpoint = "https://169.254.169.254/latest" }, "bad_endpoint"},
		"a number as a name":   {func(n *push.NewSubscription) { n.Endpoint = "https://2130706433/a" }, "bad_endpoint"},
		"a password":           {func(n *push.NewSubscription) { n.Endpoint = "https://me:you@push.example.net/a" }, "bad_endpoint"},
		"a fragment":           {func(n *push.NewSubscription) { n.Endpoint += "#a" }, "bad_endpoint"},
		"too long":             {func(n *push.NewSubscription) { n.Endpoint += strings.Repeat("a", 2048) }, "bad_endpoint"},
		"nothing":              {func(n *push.NewSubscription) { n.Endpoint = "" }, "bad_endpoint"},
		"a key off the curve":  {func(n *push.NewSubscription) { n.Key = make([]byte, 65) }, "bad_subscription"},
		"a short secret":       {func(n *push.NewSubscription) { n.Auth = n.Auth[1:] }, "bad_subscription"},
		"an API key's request": {func(n *push.NewSubscription) { n.Session = "" }, "no_session"},
	} {
		bad := good
		c.change(&bad)
		if _, err := w.Subscribe(w.admin, bad); !fault.HasCode(err, c.code) {
			t.Errorf("%s: %v, want %s", what, err, c.code)
		}
	}
	first, err := w.Subscribe(w.admin, good)
	must(t, err)
	if again, err := w.Subscribe(w.admin, good); err != nil || again.ID != first.ID {
		t.Errorf("the same browser again: %+v, %v, want %s", again, err, first.ID)
	}
	_, err = w.Rename(w.admin, id.User, id.Session, first.ID, " Pixel\t9 ")
	must(t, err)
	next := w.service.Device("moved")
	moved, err := w.Subscribe(w.admin, push.NewSubscription{User: id.User, Session: id.Session, Endpoint: next.Endpoint, Key: next.Key, Auth: next.Auth})
	must(t, err)
	list, err := w.Subscriptions(w.admin, id.User, id.Session)
	if err != nil || len(list) != 1 || list[0].ID != moved.ID || list[0].Name != "Pixel 9" {
		t.Errorf("a browser with a new address: %+v, %v", list, err)
	}
	olga := identity.From(identitytest.Add(w.admin, t, w.directory, "olga", identity.Operator))
	for what, err := range map[string]error{
		"removing": w.Unsubscribe(t.Context(), olga.User, moved.ID),
		"renaming": second(w.Rename(t.Context(), olga.User, olga.Session, moved.ID, "Mine")),
		"testing":  second(w.Test(t.Context(), olga.User, olga.Session, moved.ID)),
	} {
		if !fault.HasCode(err, "subscription_not_found") {
			t.Errorf("%s somebody else's: %v", what, err)
		}
	}
	for i := range 20 {
		w.device(identitytest.As(t, w.directory, "olga"), fmt.Sprint("olga", i))
	}
	d = w.service.Device("one too many")
	if _, err := w.Subscribe(t.Context(), push.NewSubscription{User: olga.User, Session: olga.Session, Endpoint: w.service.Device("many").Endpoint, Key: d.Key, Auth: d.Auth}); !fault.HasCode(err, "too_many_devices") {
		t.Errorf("the 21st device: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestQuietHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, until, zone, at string
		quiet                 bool
	}{
		{"22:00", "07:00", "UTC", "2026-11-15T21:59:59Z", false},
		{"22:00", "07:00", "UTC", "2026-11-15T22:00:00Z", true},
		{"22:00", "07:00", "UTC", "2026-11-15T06:59:00Z", true},
		{"22:00", "07:00", "UTC", "2026-11-15T07:00:00Z", false},
		{"13:00", "14:00", "UTC", "2026-11-15T13:30:00Z", true},
		{"13:00", "14:00", "UTC", "2026-11-15T12:59:00Z", false},
		{"13:00", "14:00", "Asia/Tokyo", "2026-11-15T04:30:00Z", true},
		{"22:00", "07:00", "America/New_York", "2026-07-01T02:00:00Z", true},  // 22:00 in summer
		{"22:00", "07:00", "America/New_York", "2026-12-01T02:00:00Z", false}, // 21:00 in winter
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		must(t, err)
		w := push.Wishes{Quiet: true, QuietFrom: c.from, QuietUntil: c.until, TimeZone: c.zone}
		if got := w.QuietAt(at); got != c.quiet {
			t.Errorf("%s to %s in %s at %s: %v", c.from, c.until, c.zone, c.at, got)
		}
		if w.Quiet = false; w.QuietAt(at) {
			t.Errorf("quiet at %s although nobody asked for it", c.at)
		}
	}
}

func TestWishesAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	user := identity.From(w.admin).User
	for param, change := range map[string]func(*push.Wishes){
		"quiet_from":  func(p *push.Wishes) { p.QuietFrom = "25:00" },
		"quiet_until": func(p *push.Wishes) { p.Quiet, p.QuietUntil = true, p.QuietFrom },
		"time_zone":   func(p *push.Wishes) { p.TimeZone = "Mars/Olympus" },
		"finished":    func(p *push.Wishes) { p.Finished = "sometimes" },
	} {
		wishes := push.DefaultWishes()
		change(&wishes)
		if _, err := w.SetWishes(t.Context(), user, wishes); err == nil || fault.From(err).Param != param {
			t.Errorf("%s: %v", param, err)
		}
	}
	want := push.Wishes{Questions: true, Finished: push.FinishedLong, QuietFrom: "22:00", QuietUntil: "07:00", TimeZone: "UTC"}
	if got, err := w.SetWishes(t.Context(), user, push.Wishes{Questions: true, Finished: push.FinishedLong}); err != nil || got != want {
		t.Errorf("kept %+v, %v", got, err)
	}
	if got, err := w.Wishes(t.Context(), user); err != nil || got != want {
		t.Errorf("read %+v, %v", got, err)
	}
}
