package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// peer is a client of the socket.
type peer struct {
	t    testing.TB
	conn *websocket.Conn
}

// heard is a message of the server: an event or a control message.
type heard struct {
	Op       string           `json:"op"`
	ID       string           `json:"id"`
	Cursor   int64            `json:"cursor"`
	Channel  string           `json:"channel"`
	Kind     string           `json:"kind"`
	HasMore  bool             `json:"has_more"`
	Snapshot string           `json:"snapshot"`
	Error    *api.ErrorDetail `json:"error"`
	Data     happened         `json:"data"`
	Unknown  []int64          `json:"unknown"`
}

func dial(t testing.TB, w *apitest.World, c apitest.Client) *peer {
	t.Helper()
	conn, answer, err := websocket.Dial(t.Context(), strings.Replace(w.URL, "http", "ws", 1)+"/api/v1/ws", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + c.Key}},
	})
	if err != nil {
		t.Fatalf("%v (%v)", err, answer)
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &peer{t, conn}
}

func (p *peer) send(text string) {
	p.t.Helper()
	if err := p.conn.Write(p.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) next() heard {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	defer cancel()
	_, text, err := p.conn.Read(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	var h heard
	if err := json.Unmarshal(text, &h); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	return h
}

// expect is the next message, which must be this control message.
func (p *peer) expect(op string) heard {
	p.t.Helper()
	h := p.next()
	if h.Op != op {
		p.t.Fatalf("heard %+v, want %s", h, op)
	}
	return h
}

func (p *peer) facts(from, to int) (last int64) {
	p.t.Helper()
	for n := from; n <= to; n++ {
		h := p.next()
		if h.Data.N != n || h.Kind != "jobs.happened" {
			p.t.Fatalf("heard %+v, want fact %d", h, n)
		}
		last = h.Cursor
	}
	return last
}

func TestSocket(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		p := dial(t, w, w.Admin)
		p.send(`{"op":"ping","id":"1"}`)
		if h := p.expect("pong"); h.ID != "1" {
			t.Errorf("%+v", h)
		}
		p.send(`{"op":"subscribe","channels":["jobs/*"],"id":"2"}`)
		start := p.expect("subscribed")
		say(t, w, "jobs/a", 1, 5)
		last := p.facts(1, 5)
		p.send(`{"op":"backfill","channels":["jobs/a"],"after":` + fmt.Sprint(start.Cursor) + `,"limit":3,"id":"3"}`)
		third := p.facts(1, 3)
		if h := p.expect("backfilled"); !h.HasMore || h.Cursor != third {
			t.Errorf("%+v", h)
		}
		p.send(`{"op":"unsubscribe","channels":["jobs/*"],"id":"4"}`)
		p.expect("unsubscribed")
		say(t, w, "jobs/a", 6, 7)
		p.send(`{"op":"subscribe","channels":["jobs/a"],"after":` + fmt.Sprint(last) + `}`)
		p.expect("subscribed")
		p.facts(6, 7)
		p.send(`{"op":"ack","cursor":[1,2]}`)
		if h := p.expect("acked"); len(h.Unknown) != 2 {
			t.Errorf("%+v", h)
		}
		if err := p.conn.Close(websocket.StatusNormalClosure, "bye"); err != nil {
			t.Error(err)
		}
	})
}

func TestSocketMistakesAreAnswered(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	p := dial(t, w, w.Viewer)
	for text, want := range map[string]string{
		`{`:                                  "malformed_json",
		`{"op":"dance"}`:                     "not_allowed_value",
		`{"op":"subscribe"}`:                 "required",
		`{"op":"subscribe","chanels":["x"]}`: "unknown_field",
		`{"op":"subscribe","channels":["config"]}`: "channel_forbidden",
		`{"op":"ack","cursor":"x"}`:                "wrong_type",
		`{"op":"ack"}`:                             "wrong_type",
		`[]`:                                       "wrong_type",
	} {
		p.send(text)
		if h := p.expect("error"); h.Error.Code != want || h.Error.Hint == "" {
			t.Errorf("%s: %+v, want %s", text, h.Error, want)
		}
	}
	p.send(`{"op":"subscribe","channels":["jobs/*"],"after":999999,"id":"z"}`)
	if h := p.expect("cursor_expired"); h.ID != "z" || h.Snapshot != "GET /api/v1/jobs" {
		t.Errorf("%+v", h)
	}
	if err := p.conn.Write(t.Context(), websocket.MessageBinary, []byte{1}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusUnsupportedData {
		t.Errorf("after a binary message: %v", err)
	}
}

func TestSocketRefusals(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	url := strings.Replace(w.URL, "http", "ws", 1) + "/api/v1/ws"
	for label, tt := range map[string]struct {
		header http.Header
		status int
	}{
		"nobody":           {http.Header{}, 401},
		"a page elsewhere": {http.Header{"Authorization": {"Bearer " + w.Admin.Key}, "Origin": {"https://evil.example"}}, 403},
	} {
		_, answer, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPHeader: tt.header})
		if err == nil || answer.StatusCode != tt.status {
			t.Errorf("%s: %v", label, err)
		}
	}
}

func TestSocketIsToldToLeave(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	p := dial(t, w, w.Admin)
	p.send(`{"op":"subscribe","channels":["jobs/*"]}`)
	p.expect("subscribed")
	w.Server.SetMode(api.Draining)
	if h := p.expect("error"); h.Error.Code != "draining" {
		t.Errorf("%+v", h)
	}
	if _, _, err := p.conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
		t.Errorf("closed with %v", err)
	}
}

func TestSocketOfARevokedKeyIsClosed(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	k, text, err := w.Directory.CreateKey(w.AdminContext, identity.NewKey{Name: "short"})
	if err != nil {
		t.Fatal(err)
	}
	p := dial(t, w, apitest.Client{Key: text.Reveal()})
	p.send(`{"op":"ping"}`)
	p.expect("pong")
	if err := w.Directory.RevokeKey(w.AdminContext, k.ID); err != nil {
		t.Fatal(err)
	}
	w.Server.Tend(t.Context())
	if h := p.expect("error"); h.Error.Code != "bad_key" {
		t.Errorf("%+v", h)
	}
}

// One of many clients stops reading: the others hear everything, and it, late
// or after reconnecting from its cursor, too.
func TestASlowSocketHarmsNobody(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	const facts, others = 300, 8
	slow := dial(t, w, w.Admin)
	slow.send(`{"op":"subscribe","channels":["jobs/*"],"after":0}`)
	slow.expect("subscribed")
	peers := make([]*peer, others)
	for i := range peers {
		peers[i] = dial(t, w, w.Admin)
		peers[i].send(`{"op":"subscribe","channels":["jobs/*"]}`)
		peers[i].expect("subscribed")
	}
	pad := strings.Repeat("x", 60<<10)
	for n := 1; n <= facts; n++ {
		err := w.DB.InTx(t.Context(), func(tx *store.Tx) error {
			return w.Hub.Append(t.Context(), tx, w.Workspace, "jobs/a", padded{happened{n}, pad})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range peers {
			p.facts(n, n)
		}
	}
	// 18 MB were waiting for it, more than the system's buffers take. Whether the
	// hub has lost patience with it or not, it misses nothing.
	last, seen := slow.drain(0, 0)
	for seen < facts {
		slow = dial(t, w, w.Admin)
		slow.send(`{"op":"subscribe","channels":["jobs/*"],"after":` + fmt.Sprint(last) + `}`)
		last, seen = slow.drain(last, seen)
	}
}

// drain reads facts until all are there or the server hangs up; none is
// missing, none comes twice.
func (p *peer) drain(last int64, seen int) (int64, int) {
	p.t.Helper()
	for seen < 300 {
		_, text, err := p.conn.Read(p.t.Context())
		if err != nil {
			break
		}
		var h heard
		if err := json.Unmarshal(text, &h); err != nil {
			p.t.Fatal(err)
		}
		if h.Op != "" {
			continue
		}
		if seen++; h.Data.N != seen {
			p.t.Fatalf("heard fact %d, want %d", h.Data.N, seen)
		}
		last = h.Cursor
	}
	return last, seen
}

type padded struct {
	happened
	Pad string `json:"pad"`
}

// raw sends frames that no library would.
func TestSocketSurvivesNonsense(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	address := strings.TrimPrefix(w.URL, "http://")
	var wg sync.WaitGroup
	for _, nonsense := range [][]byte{
		{0xff, 0xff, 0xff, 0xff}, []byte("GET / HTTP/1.1\r\n\r\n"), {0x81, 0x01, 'a'}, {0x88, 0x80, 0, 0, 0, 0}, make([]byte, 4096),
	} {
		wg.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer %s\r\n\r\n", w.Admin.Key)
			var answer [4096]byte
			n, err := conn.Read(answer[:])
			if err != nil || !strings.Contains(string(answer[:n]), " 101 ") || !strings.Contains(string(answer[:n]), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") {
				t.Errorf("%s %v", answer[:n], err)
				return
			}
			if _, err := conn.Write(nonsense); err != nil {
				t.Error(err)
				return
			}
			for err == nil { // until the server hangs up
				_, err = conn.Read(answer[:])
			}
		})
	}
	wg.Wait()
	w.Admin.Do(t, "GET", "/api/v1/session", nil).Must(t, 200, nil)
}

var _ events.Event = padded{}
