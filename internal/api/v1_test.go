package api_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
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

// doors is a world whose gateway has a fake of three vendors behind it.
type doors struct {
	*apitest.World
	ledger *costs.Ledger
	fakes  map[string]*providerstest.Fake
	direct map[string]providers.Model // the same adapters without us in front
}

func newDoors(t *testing.T) *doors {
	t.Helper()
	db := storetest.SQLite(t)
	d := &doors{ledger: coststest.New(t, db, costs.Options{Sole: true}), direct: map[string]providers.Model{}}
	coststest.Run(t, d.ledger)
	d.fakes = map[string]*providerstest.Fake{"acme": providerstest.FakeOpenAI(t), "anthropic": providerstest.FakeAnthropic(t), "gemini": providerstest.FakeGemini(t)}
	models := map[string]providers.Model{}
	for name, fake := range d.fakes {
		spec := vendors.Spec{Name: name, BaseURL: fake.URL, Accounts: providers.OneKey(name, secret.New(providerstest.FakeKey))}
		if name == "acme" {
			spec.BaseURL += "/v1"
		}
		m, err := vendors.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		d.direct[name], models[name] = m, costs.Meter(d.ledger, name, m)
	}
	router, err := providers.NewRouter(providers.RouterOptions{
		Providers: models, Catalogue: coststest.Catalogue(t),
		Routes: []providers.Route{{Name: "any", Targets: []providers.Target{{Model: "acme/m"}, {Model: "anthropic/m"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.World = apitest.New(t, db, func(o *api.Options) { o.Gateway = api.Everyone{All: router} })
	return d
}

// bodies of each door that ask for an answer, and the vendor that speaks its dialect.
var doorCases = map[string]struct {
	path, stream, body, vendor string
	dialect                    providers.Dialect
}{
	"chat":     {"/v1/chat/completions", "", `{"model":"%m","stream":%s,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`, "acme", providers.DialectChat},
	"messages": {"/v1/messages", "", `{"model":"%m","stream":%s,"max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`, "anthropic", providers.DialectMessages},
	"gemini":   {"/v1beta/models/%m:generateContent", "/v1beta/models/%m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, "gemini", providers.DialectGemini},
}

func fillDoor(text, model string, stream bool) string {
	flag := "false"
	if stream {
		flag = "true"
	}
	return strings.NewReplacer("%m", model, "%s", flag).Replace(text)
}

func TestARelayedAnswerIsByteForByteTheVendors(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for name, tt := range doorCases {
		for _, stream := range []bool{false, true} {
			reply := providerstest.Reply{Thinks: "Hm.", Signature: "c2VhbA==", Says: "Grüß Gott, wörld.", Calls: []providerstest.Call{{ID: "c", Name: "look", Args: `{"a":1}`}}, KeepAlive: true, Unknown: true}
			fake := d.fakes[tt.vendor].Will(reply, reply)
			path := tt.path
			if stream && tt.stream != "" {
				path = tt.stream
			}
			body := fillDoor(tt.body, tt.vendor+"/m", stream)
			got := d.Operator.Do(t, "POST", fillDoor(path, tt.vendor+"/m", stream), body).Must(t, 200, nil)
			raw := &providers.RawRequest{Dialect: tt.dialect, Model: "m", Body: []byte(body), Streaming: stream}
			resp, err := d.direct[tt.vendor].(providers.Relayer).Relay(t.Context(), raw)
			if err != nil {
				t.Fatal(err)
			}
			want, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Body, want) || got.Header.Get("Content-Type") != resp.Header.Get("Content-Type") {
				t.Errorf("%s, stream %v:\ngot  %s\nwant %s", name, stream, got.Body, want)
			}
			seen := fake.Seen()
			if a, b := seen[len(seen)-2].Body, seen[len(seen)-1].Body; !bytes.Equal(a, b) {
				t.Errorf("%s: the vendor got\n%s\nwant\n%s", name, a, b)
			}
		}
	}
}

func TestABrokenAnswerIsToldInTheDialect(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for name, tt := range doorCases {
		for vendor, fake := range d.fakes {
			fake.Will(providerstest.Reply{Says: "one two three four five six seven eight", CutAfter: 6})
			path := tt.path
			if tt.stream != "" {
				path = tt.stream
			}
			a := d.Operator.Do(t, "POST", fillDoor(path, vendor+"/m", true), fillDoor(tt.body, vendor+"/m", true)).Must(t, 200, nil)
			text := string(a.Body)
			if !strings.Contains(text, "broke off midway") || !strings.Contains(text, `"error"`) {
				t.Errorf("%s before %s does not say that it broke:\n%s", name, vendor, text)
			}
			for _, end := range []string{"[DONE]", "message_stop", `"finishReason"`, `"finish_reason":"`} {
				if strings.Contains(text, end) {
					t.Errorf("%s before %s looks complete:\n%s", name, vendor, text)
				}
			}
		}
	}
}

func TestWhoLeavesCancelsTheVendor(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for name, tt := range doorCases {
		for vendor, fake := range d.fakes {
			fake.Will(providerstest.Reply{Says: "one two three four five", HoldAfter: 5})
			path := tt.path
			if tt.stream != "" {
				path = tt.stream
			}
			ctx, leave := context.WithCancel(t.Context())
			req, err := d.Operator.Request(ctx, "POST", fillDoor(path, vendor+"/m", true), fillDoor(tt.body, vendor+"/m", true))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			leave()
			resp.Body.Close()
			select {
			case <-fake.Left():
			case <-t.Context().Done():
				t.Fatalf("%s before %s: the vendor goes on", name, vendor)
			}
		}
	}
}

func TestEveryDoorIsLockedInItsOwnWords(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	count := 0
	for _, r := range d.Server.Routes() {
		if !strings.HasPrefix(r.Pattern, "/v1") {
			continue
		}
		count++
		path := strings.NewReplacer("{provider}", "acme", "{vendor}", "x", "{model}", "m:generateContent").Replace(r.Pattern)
		for label, tt := range map[string]struct {
			client apitest.Client
			status int
		}{"nobody": {d.Nobody, 401}, "a bad key": {apitest.Client{URL: d.URL, Key: "fx_0"}, 401}, "a key without the permission": {d.Key(t, "conversations:read"), 403}} {
			a := tt.client.Do(t, r.Method, path, nil)
			var body struct {
				Type  string `json:"type"`
				Error struct{ Type, Status, Message string }
			}
			if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != tt.status || body.Error.Message == "" {
				t.Errorf("%s %s as %s: %d %s", r.Method, path, label, a.Status, a.Body)
			}
			switch {
			case strings.HasPrefix(r.Pattern, "/v1beta") && body.Error.Status == "",
				strings.HasPrefix(r.Pattern, "/v1/messages") && body.Type != "error",
				!strings.HasPrefix(r.Pattern, "/v1beta") && body.Error.Type == "":
				t.Errorf("%s %s as %s is not in the vendor's shape: %s", r.Method, path, label, a.Body)
			}
		}
	}
	if count < 15 {
		t.Errorf("only %d doors", count)
	}
}

func TestDoorsTakeTheKeyWhereClientsPutIt(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for _, header := range []string{"x-api-key", "x-goog-api-key"} {
		d.Nobody.With(header, d.Operator.Key).Do(t, "GET", "/v1beta/models", nil).Must(t, 200, nil)
	}
	a := d.Nobody.Do(t, "GET", "/v1beta/models?key="+d.Operator.Key, nil)
	if a.Status != 401 || !bytes.Contains(a.Body, []byte("x-goog-api-key")) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func TestAFallbackMaySpeakAnotherDialect(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	d.fakes["acme"].Will(providerstest.Reply{Status: 503, Code: "overloaded_error", Message: "busy"}, providerstest.Reply{Status: 503, Code: "overloaded_error", Message: "busy"})
	d.fakes["anthropic"].Will(providerstest.Reply{Says: "From the second."})
	a := d.Operator.Do(t, "POST", "/v1/chat/completions", `{"model":"any","messages":[{"role":"user","content":"hi"}]}`).Must(t, 200, nil)
	if !bytes.Contains(a.Body, []byte("From the second.")) {
		t.Errorf("%s", a.Body)
	}
}

func TestBadBodiesOfDoors(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for _, path := range []string{"/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens", "/v1/embeddings", "/v1/audio/speech", "/v1/audio/transcriptions", "/v1beta/models/acme/m:generateContent", "/v1beta/models/acme/m:nothing"} {
		for _, body := range []string{``, `[`, `[]`, `"x"`, `{"model":5,"input":5}`, `{"model":"acme/m","stream":"yes","contents":"x","input":{},"voice":5}`, "{\"model\":\"\xff\"}", strings.Repeat("[", 100_000)} {
			a := d.Operator.Do(t, "POST", path, body)
			if a.Status < 400 || a.Status > 499 || !bytes.Contains(a.Body, []byte(`"message"`)) {
				t.Errorf("POST %s %.40q: %d %s", path, body, a.Status, a.Body)
			}
		}
	}
}

func TestOnlyAskedForUsageIsShown(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for _, asked := range []bool{false, true} {
		body := `{"model":"acme/m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
		if asked {
			body = `{"model":"acme/m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`
		}
		a := d.Operator.Do(t, "POST", "/v1/chat/completions", body).Must(t, 200, nil)
		if got := bytes.Contains(a.Body, []byte(`"choices":[]`)); got != asked || !bytes.Contains(a.Body, []byte("[DONE]")) {
			t.Errorf("asked %v, shown %v: %s", asked, got, a.Body)
		}
	}
}

func TestAStreamIsWholeOnceItSaysWhyItEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		frames int
		want   costs.Outcome
	}{"without [DONE]": {5, costs.OK}, "without a usage": {4, costs.OK}, "without a reason": {3, costs.Broken}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDoors(t)
			for door, c := range doorCases {
				d.fakes["acme"].Will(providerstest.Reply{Says: "one two", EndAfter: tt.frames})
				path := cmp.Or(c.stream, c.path)
				a := d.Operator.Do(t, "POST", fillDoor(path, "acme/m", true), fillDoor(c.body, "acme/m", true)).Must(t, 200, nil)
				if told := bytes.Contains(a.Body, []byte("broke off midway")); told != (tt.want == costs.Broken) {
					t.Errorf("%s: told %v\n%s", door, told, a.Body)
				}
				if err := d.ledger.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
				list, err := d.ledger.Records(t.Context(), d.Workspace, costs.Query{})
				if err != nil || len(list.Data) == 0 || list.Data[0].Outcome != tt.want {
					t.Errorf("%s: recorded %+v, %v; want %s", door, list.Data, err, tt.want)
				}
			}
		})
	}
}
