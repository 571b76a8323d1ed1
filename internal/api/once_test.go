package api_test

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		c := w.Admin.With("Idempotency-Key", "k-1")
		var first, again api.CreatedKey
		one := c.Do(t, "POST", "/api/v1/keys", `{"name":"a"}`).Must(t, 201, &first)
		two := c.Do(t, "POST", "/api/v1/keys", `{"name":"a"}`).Must(t, 201, &again)
		if !bytes.Equal(one.Body, two.Body) || one.Header.Get("Idempotency-Replayed") != "" || two.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("answers %s and %s, replayed %q", one.Body, two.Body, two.Header.Get("Idempotency-Replayed"))
		}
		if p := c.Do(t, "POST", "/api/v1/keys", `{"name":"b"}`).Fails(t, 409, "idempotency_mismatch"); p.Param != "Idempotency-Key" {
			t.Errorf("%+v", p)
		}
		// Another caller, another route: another key.
		w.Operator.With("Idempotency-Key", "k-1").Do(t, "POST", "/api/v1/keys", `{"name":"a"}`).Must(t, 201, nil)
		c.Do(t, "POST", "/api/v1/conversations", `{"title":"a"}`).Must(t, 201, nil)
		// A failure is not kept.
		d := w.Admin.With("Idempotency-Key", "k-2")
		d.Do(t, "POST", "/api/v1/keys", `{"name":""}`).Fails(t, 400, "out_of_range")
		d.Do(t, "POST", "/api/v1/keys", `{"name":"now right"}`).Must(t, 201, nil)
		w.Admin.With("Idempotency-Key", "no spaces").Do(t, "POST", "/api/v1/keys", `{"name":"a"}`).Fails(t, 400, "bad_idempotency_key")
		// The database alone does not give the key's text away.
		rows, err := store.All[[]byte](t.Context(), db.Read(), `SELECT answer FROM api_idempotency`)
		if err != nil || len(rows) == 0 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, r := range rows {
			if bytes.Contains(r, []byte("fx_")) || bytes.Contains(r, []byte("created_at")) {
				t.Error("a kept answer can be read")
			}
		}
	})
}

// Of many at once with one key, one is done and all get its answer.
func TestIdempotencyUnderConcurrency(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	c := w.Admin.With("Idempotency-Key", "same")
	answers := make([]apitest.Answer, 16)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = c.Do(t, "POST", "/api/v1/conversations", `{"title":"once"}`) })
	}
	wg.Wait()
	for _, a := range answers {
		if a.Status != 201 || !bytes.Equal(a.Body, answers[0].Body) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	var list page.Page[conversations.Conversation]
	w.Admin.Do(t, "GET", "/api/v1/conversations", nil).Must(t, 200, &list)
	if len(list.Data) != 1 {
		t.Errorf("%d conversations were made", len(list.Data))
	}
}

// A request that was cut off by a crash leaves a claim without an answer.
func TestIdempotencyAfterACrash(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	w := apitest.New(t, db)
	c := w.Admin.With("Idempotency-Key", "lost")
	c.Do(t, "POST", "/api/v1/conversations", `{"title":"x"}`).Must(t, 201, nil)
	change := func(sql string) {
		t.Helper()
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(context.Background(), sql)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(`UPDATE api_idempotency SET status = 0, answer = NULL`)
	if p := c.Do(t, "POST", "/api/v1/conversations", `{"title":"x"}`).Fails(t, 409, "idempotency_in_progress"); !p.Retryable {
		t.Errorf("%+v", p)
	}
	change(`UPDATE api_idempotency SET lease_until = 0`)
	if p := c.Do(t, "POST", "/api/v1/conversations", `{"title":"x"}`).Fails(t, 409, "idempotency_unknown"); p.Retryable {
		t.Errorf("%+v", p)
	}
	change(`UPDATE api_idempotency SET created_at = 0`)
	c.Do(t, "POST", "/api/v1/conversations", `{"title":"x"}`).Must(t, http.StatusCreated, nil)
}

func TestPrivateConversationsStayPrivate(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	var c conversations.Conversation
	w.Admin.Do(t, "POST", "/api/v1/conversations", `{"title":"secret plans"}`).Must(t, 201, &c)
	path := "/api/v1/conversations/" + string(c.ID)
	w.Operator.Do(t, "GET", path, nil).Fails(t, 404, "conversation_not_found")
	count := func(who apitest.Client) int {
		t.Helper()
		var list api.EventPage
		who.Do(t, "GET", "/api/v1/events?channel=conversations/**", nil).Must(t, 200, &list)
		return len(list.Data)
	}
	if n := count(w.Admin); n != 1 {
		t.Errorf("the owner sees %d events, want 1", n)
	}
	if n := count(w.Operator); n != 0 {
		t.Errorf("another sees %d events of a private conversation", n)
	}
	w.Admin.Do(t, "PATCH", path, `{"visibility":"workspace"}`).Must(t, 200, nil)
	if n := count(w.Operator); n != 2 {
		t.Errorf("another sees %d events of a shared conversation, want 2", n)
	}
	w.Admin.Do(t, "PATCH", path, `{"visibility":"private"}`).Must(t, 200, nil)
	if n := count(w.Operator); n != 0 {
		t.Errorf("another still sees %d events", n)
	}
	if id := identity.From(w.AdminContext); id.User != c.User {
		t.Errorf("owner %s", c.User)
	}
}

// TestNotificationsAreForOnePerson: what a person is told is heard by them and nobody else, whatever their role.
func TestNotificationsAreForOnePerson(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	var c conversations.Conversation
	w.Operator.Do(t, "POST", "/api/v1/conversations", `{"title":"plans"}`).Must(t, 201, &c)
	path := "/api/v1/conversations/" + string(c.ID)
	w.Operator.Do(t, "PATCH", path, `{"visibility":"workspace"}`).Must(t, 200, nil)
	var said conversations.Message
	err := w.DB.InTx(t.Context(), func(tx *store.Tx) (err error) {
		said, err = w.Book.Add(t.Context(), tx, conversations.Message{
			Workspace: w.Workspace, Conversation: c.ID, Role: providers.RoleUser, State: conversations.Complete,
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Admin.Do(t, "POST", path+"/comments", `{"message":"`+string(said.ID)+`","text":"Look at this."}`).Must(t, 201, nil)
	for _, patterns := range []string{"notifications/**", "notifications/" + string(c.User)} {
		for name, want := range map[string]struct {
			who apitest.Client
			n   int
		}{"who is told": {w.Operator, 1}, "an admin": {w.Admin, 0}, "a viewer": {w.Viewer, 0}} {
			var list api.EventPage
			want.who.Do(t, "GET", "/api/v1/events?channel="+patterns, nil).Must(t, 200, &list)
			if len(list.Data) != want.n {
				t.Errorf("%s: %s hears %d notifications, not %d", patterns, name, len(list.Data), want.n)
			}
		}
	}
}
