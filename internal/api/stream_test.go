package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/kit/sse"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// happened is a fact for tests.
type happened struct {
	N int `json:"n"`
}

func (happened) Kind() string { return "jobs.happened" }

func say(t testing.TB, w *apitest.World, channel string, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		eventstest.Append(t, w.DB, w.Hub, w.Workspace, channel, happened{n})
	}
}

// following is an open event stream.
type following struct {
	t      testing.TB
	reader *sse.Reader
	answer *http.Response
}

func follow(t testing.TB, c apitest.Client, method, path string, body any) *following {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := c.With("Accept", "text/event-stream").Request(ctx, method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream" || answer.Header.Get("Content-Encoding") != "" {
		t.Fatalf("%d %v", answer.StatusCode, answer.Header)
	}
	return &following{t, sse.NewReader(answer.Body, 0), answer}
}

// next is the next event: its id, kind and data.
func (f *following) next() (id, kind, data string) {
	f.t.Helper()
	var ev sse.Event
	if err := f.reader.Next(&ev); err != nil {
		f.t.Fatalf("reading the stream: %v", err)
	}
	return string(ev.ID), string(ev.Name), string(ev.Data)
}

func TestEventStreamResumes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		f := follow(t, w.Admin, "GET", "/api/v1/events/stream?channels=jobs/*", nil)
		say(t, w, "jobs/a", 1, 3)
		say(t, w, "identity", 1, 1)
		last := ""
		for n := 1; n <= 3; n++ {
			id, kind, data := f.next()
			if kind != "jobs.happened" || !strings.Contains(data, fmt.Sprintf(`"n":%d`, n)) || id == "" {
				t.Fatalf("event %d: %q %q %q", n, id, kind, data)
			}
			if n == 2 {
				last = id
			}
		}
		_ = f.answer.Body.Close()
		say(t, w, "jobs/a", 4, 5)
		f = follow(t, w.Admin.With("Last-Event-Id", last), "GET", "/api/v1/events/stream?channels=jobs/*&after=0", nil)
		for n := 3; n <= 5; n++ {
			if _, _, data := f.next(); !strings.Contains(data, fmt.Sprintf(`"n":%d`, n)) {
				t.Fatalf("event %d after resuming: %s", n, data)
			}
		}
		w.Admin.Do(t, "GET", "/api/v1/events/stream?channels=jobs/*&after=99999999", nil).Fails(t, 410, "cursor_expired")
		w.Viewer.Do(t, "GET", "/api/v1/events/stream?channels=config", nil).Fails(t, 403, "channel_forbidden")
		w.Admin.With("Last-Event-Id", "abc").Do(t, "GET", "/api/v1/events/stream?channels=jobs", nil).Fails(t, 400, "wrong_type")
	})
}

func TestEventStreamIsToldToLeave(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	f := follow(t, w.Admin, "GET", "/api/v1/events/stream?channels=jobs", nil)
	w.Server.SetMode(api.Draining)
	_, kind, data := f.next()
	if kind != "error" || !strings.Contains(data, `"draining"`) {
		t.Errorf("last words: %s %s", kind, data)
	}
}

func TestChatAsAStream(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		c := w.Admin.With("Idempotency-Key", "chat-1")
		chat := func() (kinds []string, text string, accepted runs.Accepted) {
			f := follow(t, c, "POST", "/api/v1/agents/assistant/chat", `{"message":"hello there"}`)
			for {
				_, kind, data := f.next()
				kinds = append(kinds, kind)
				switch kind {
				case "accepted":
					if err := json.Unmarshal([]byte(data), &accepted); err != nil {
						t.Fatal(err)
					}
				case "runs.text_delta":
					var delta struct {
						Data runs.TextDelta `json:"data"`
					}
					if err := json.Unmarshal([]byte(data), &delta); err != nil {
						t.Fatal(err)
					}
					text += delta.Data.Text
				case "runs.finished", "runs.failed", "run":
					return kinds, text, accepted
				}
			}
		}
		kinds, text, first := chat()
		if kinds[0] != "accepted" || kinds[len(kinds)-1] != "runs.finished" || text != "You said: hello there" {
			t.Errorf("%v %q", kinds, text)
		}
		kinds, _, second := chat()
		if second.Run.ID != first.Run.ID || kinds[len(kinds)-1] != "run" {
			t.Errorf("the repeated request: %v, run %s instead of %s", kinds, second.Run.ID, first.Run.ID)
		}
		var plain runs.Accepted
		w.Admin.Do(t, "POST", "/api/v1/agents/assistant/chat", map[string]any{"message": "again", "conversation": first.Conversation.ID}).Must(t, 202, &plain)
		if plain.Conversation.ID != first.Conversation.ID {
			t.Errorf("%+v", plain)
		}
	})
}
