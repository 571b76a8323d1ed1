package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/costs/coststest"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
	"github.com/fluxway/fluxway/internal/providers/vendors"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// form is a recording as OpenAI's clients send it.
const form = "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nacme/m\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\nID3\r\n--x--\r\n"

// paid is a request to each door that a vendor would charge for.
var paid = map[string]struct{ path, body, media string }{
	"chat":                 {"/v1/chat/completions", `{"model":"acme/m","messages":[{"role":"user","content":"hi"}]}`, ""},
	"chat, streamed":       {"/v1/chat/completions", `{"model":"acme/m","stream":true,"messages":[{"role":"user","content":"hi"}]}`, ""},
	"chat, translated":     {"/v1/chat/completions", `{"model":"anthropic/m","messages":[{"role":"user","content":"hi"}]}`, ""},
	"responses":            {"/v1/responses", `{"model":"acme/m","input":"hi"}`, ""},
	"responses, streamed":  {"/v1/responses", `{"model":"acme/m","input":"hi","stream":true}`, ""},
	"messages":             {"/v1/messages", `{"model":"anthropic/m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`, ""},
	"messages, streamed":   {"/v1/messages", `{"model":"anthropic/m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, ""},
	"messages, translated": {"/v1/messages", `{"model":"gemini/m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`, ""},
	"embeddings":           {"/v1/embeddings", `{"model":"acme/m","input":["hi"]}`, ""},
	"speech":               {"/v1/audio/speech", `{"model":"acme/m","input":"hi","voice":"alloy"}`, ""},
	"transcription":        {"/v1/audio/transcriptions", form, "multipart/form-data; boundary=x"},
	"translation":          {"/v1/audio/translations", form, "multipart/form-data; boundary=x"},
	"generate":             {"/v1beta/models/gemini/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, ""},
	"generate, streamed":   {"/v1beta/models/gemini/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, ""},
	"generate, an array":   {"/v1beta/models/gemini/m:streamGenerateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, ""},
	"embed":                {"/v1beta/models/gemini/m:embedContent", `{"content":{"parts":[{"text":"hi"}]}}`, ""},
}

func TestASpentBudgetClosesEveryDoor(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for name, tt := range paid { // they work as long as there is money
		client := d.Operator
		if tt.media != "" {
			client = client.With("Content-Type", tt.media)
		}
		if a := client.Do(t, "POST", tt.path, tt.body); a.Status != 200 {
			t.Fatalf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	b := costs.Budget{Name: "team", Scope: costs.ScopeWorkspace, Period: costs.Total, Zone: "UTC", Unit: costs.Money, Amount: 10, AtLimit: costs.Block, Enabled: true}
	if _, err := d.ledger.CreateBudget(t.Context(), d.Workspace, b); err != nil {
		t.Fatal(err)
	}
	r, err := d.ledger.Reserve(t.Context(), costs.Call{Attribution: costs.Attribution{Workspace: d.Workspace}, Provider: coststest.Provider, Model: coststest.Plain, Input: 1, Output: 1})
	if err != nil {
		t.Fatal(err)
	}
	r.Settle(costs.Settlement{Outcome: costs.OK, Usage: providers.Usage{Input: 10}})
	if err := d.ledger.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := map[string]int{}
	for name, fake := range d.fakes {
		before[name] = len(fake.Seen())
	}
	for name, tt := range paid {
		client := d.Operator
		if tt.media != "" {
			client = client.With("Content-Type", tt.media)
		}
		a := client.Do(t, "POST", tt.path, tt.body)
		// Google's reasons are written in capitals.
		if a.Status != 429 || !bytes.Contains(bytes.ToLower(a.Body), []byte(`"budget_exceeded"`)) || !bytes.Contains(a.Body, []byte("team")) || a.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	for name, fake := range d.fakes {
		if n := len(fake.Seen()) - before[name]; n != 0 {
			t.Errorf("%s was asked %d times", name, n)
		}
	}
}

func TestAWholeAnswerThatBreaksOffIsNoAnswer(t *testing.T) {
	t.Parallel()
	const said = `{"choices":[{"index":0,"message":{"content":"half"},"finish_reason":"stop"}]}`
	for name, head := range map[string]string{
		"with a length": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + said,
		"in chunks":     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4f\r\n" + said,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := doorTo(t, func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(conn, head)
				conn.Close()
			})
			a := w.Operator.Do(t, "POST", "/v1/chat/completions", `{"model":"acme/m","messages":[{"role":"user","content":"hi"}]}`)
			if a.Status != 502 || !bytes.Contains(a.Body, []byte(`"stream_broken"`)) {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
}

// doorTo is a world with one vendor.
func doorTo(t *testing.T, vendor http.HandlerFunc) *apitest.World {
	t.Helper()
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	m, err := vendors.New(vendors.Spec{Name: "acme", BaseURL: server.URL + "/v1", Accounts: providers.OneKey("acme", secret.New(providerstest.FakeKey))})
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.SQLite(t)
	ledger := coststest.New(t, db, costs.Options{Sole: true})
	coststest.Run(t, ledger)
	router, err := providers.NewRouter(providers.RouterOptions{Providers: map[string]providers.Model{"acme": costs.Meter(ledger, "acme", m)}, Catalogue: coststest.Catalogue(t)})
	if err != nil {
		t.Fatal(err)
	}
	return apitest.New(t, db, func(o *api.Options) { o.Gateway = api.Everyone{All: router} })
}

// prompt is a chat whose body is n bytes long.
func prompt(n int) io.Reader {
	head, tail := `{"model":"acme/m","stream":true,"messages":[{"role":"user","content":"`, `"}]}`
	return io.MultiReader(strings.NewReader(head), &letters{n - len(head) - len(tail)}, strings.NewReader(tail))
}

// letters is so many of one letter, without holding them.
type letters struct{ left int }

func (l *letters) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), l.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	l.left -= n
	return n, nil
}

// send posts a body of n bytes; measured: with its length told.
func send(t *testing.T, c apitest.Client, n int, measured bool) (status int, body []byte) {
	t.Helper()
	req, err := c.Request(t.Context(), "POST", "/v1/chat/completions", "{}")
	if err != nil {
		t.Fatal(err)
	}
	req.Body, req.GetBody, req.ContentLength = io.NopCloser(prompt(n)), nil, -1
	if measured {
		req.ContentLength = int64(n)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

const fiftyMB = 50 << 20

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for _, measured := range []bool{true, false} {
		status, body := send(t, d.Operator, fiftyMB+1, measured)
		var said struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(body, &said); err != nil || status != 413 || said.Error.Code != "body_too_large" || !strings.Contains(said.Error.Message, "50 MiB") {
			t.Errorf("length told %v: %d %s, %v", measured, status, body, err)
		}
	}
	if n := len(d.fakes["acme"].Seen()); n != 0 {
		t.Errorf("the vendor was asked %d times", n)
	}
}

// TestALargeBodyIsRelayedInBoundedMemory is not parallel: it counts what the
// process allocates.
func TestALargeBodyIsRelayedInBoundedMemory(t *testing.T) {
	var got int64
	w := doorTo(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, body := send(t, w.Operator, fiftyMB, false)
	runtime.ReadMemStats(&after)
	if status != 200 || !bytes.Contains(body, []byte("[DONE]")) || got < fiftyMB {
		t.Fatalf("%d %s; the vendor got %d bytes", status, body, got)
	}
	// Reading a body of unknown length doubles a buffer until it fits, which is up
	// to four bodies in all; the vendor gets one edited copy.
	if used := (after.TotalAlloc - before.TotalAlloc) / fiftyMB; used > 6 {
		t.Errorf("relaying took %s bodies of memory", strconv.FormatUint(used, 10))
	}
}
