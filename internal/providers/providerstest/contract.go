package providerstest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/providers"
)

// Subject is an adapter and the fake it talks to.
type Subject struct {
	// New starts a fake vendor and an adapter that uses it with these keys.
	New func(t *testing.T, accounts *providers.Accounts) (providers.Model, *Fake)
	// Model is the name to ask for.
	Model string
	// Dialect is what Relay is tried with.
	Dialect providers.Dialect
	// RawBody is a request in that dialect, for another model, %q of which is streaming or not.
	RawBody func(streaming bool) string

	Signs     bool // reasoning comes with a signature
	SignsCall bool // the signature sits on the first call
	Redacts   bool // reasoning may come sealed
	Keyless   bool // there is no credential to refuse
	Merged    bool // usage does not tell reasoning and cached tokens apart
	NoIDs     bool // the vendor gives calls no ids
	NoSchema  bool // the vendor promises JSON, not a schema
}

func pool(keys ...string) *providers.Accounts {
	var accounts []providers.Account
	for _, k := range keys {
		accounts = append(accounts, providers.Account{Name: k, Source: providers.Key(secret.New(k))})
	}
	return providers.NewAccounts("fake", accounts...)
}

func (s Subject) start(t *testing.T, replies ...Reply) (providers.Model, *Fake) {
	m, f := s.New(t, pool(FakeKey))
	f.Will(replies...)
	return m, f
}

func (s Subject) ask(parts ...providers.Part) *providers.Request {
	if len(parts) == 0 {
		parts = []providers.Part{providers.Text("Hello?")}
	}
	return &providers.Request{Model: s.Model, Messages: []providers.Message{{Role: providers.RoleUser, Parts: parts}}}
}

// Contract is what every adapter keeps, against a fake of its vendor.
func Contract(t *testing.T, s Subject) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Subject){
		"text streams in order and ends once":            contractText,
		"a request carries everything it says":           contractRequest,
		"calls are joined from their pieces":             contractCalls,
		"reasoning goes back untouched":                  contractReasoning,
		"usage equals what the vendor counted":           contractUsage,
		"a stop is named":                                contractStops,
		"an error midway is an error":                    contractMidway,
		"a cut connection is broken, not complete":       contractCut,
		"refusals map to the small set":                  contractRefusals,
		"keep-alives, strangers and gzip change nothing": contractNoise,
		"a cancel ends the read at once":                 contractCancel,
		"images and a schema arrive":                     contractImages,
		"a picture in a tool's result arrives":           contractResultImage,
		"accounts change on a definite refusal only":     contractAccounts,
		"relayed bytes are untouched and counted":        contractRelay,
		"nothing listening is unavailable":               contractUnreachable,
		"a whole answer is the same as a streamed one":   contractWhole,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func contractText(t *testing.T, s Subject) {
	m, _ := s.start(t, Reply{Says: "Grüß Gott, wörld 👋 again."})
	stream, err := m.Stream(t.Context(), s.ask())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var kinds []providers.ChunkKind
	var text strings.Builder
	var c providers.Chunk
	for {
		if err = stream.Next(&c); err != nil {
			break
		}
		kinds = append(kinds, c.Kind)
		if c.Kind == providers.ChunkText {
			text.WriteString(c.Text)
		}
		if c.Kind == providers.ChunkStart && c.Model != s.Model {
			t.Errorf("the served model is %q, want %q", c.Model, s.Model)
		}
	}
	if err != io.EOF || text.String() != "Grüß Gott, wörld 👋 again." {
		t.Errorf("text %q, err %v", text.String(), err)
	}
	if len(kinds) < 5 || kinds[0] != providers.ChunkStart || kinds[len(kinds)-1] != providers.ChunkFinish {
		t.Errorf("chunks %v; want several, start first, finish last", kinds)
	}
	if err := stream.Next(&c); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	if err := errors.Join(stream.Close(), stream.Close()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func contractRequest(t *testing.T, s Subject) {
	m, f := s.start(t)
	req := s.ask(providers.Text("the-question"))
	req.System = []providers.Part{providers.Text("the-system-text")}
	req.Tools = []providers.Tool{{Name: "the_tool", Description: "the-description", Schema: []byte(`{"type":"object","properties":{"the_field":{"type":"string"}}}`)}}
	req.MaxTokens = 4321
	if _, err := providers.Complete(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	seen := f.Seen()[0]
	for _, want := range []string{"the-question", "the-system-text", "the_tool", "the-description", "the_field", "4321"} {
		if !bytes.Contains(seen.Body, []byte(want)) {
			t.Errorf("the body lacks %q:\n%s", want, seen.Body)
		}
	}
}

func contractCalls(t *testing.T, s Subject) {
	calls := []Call{{"call_a", "read_file", `{"path":"a/ü.txt","n":[1,2]}`}, {"call_b", "read_file", `{"path":"b.txt"}`}, {"call_c", "now", `{}`}}
	m, f := s.start(t, Reply{Says: "Reading.", Calls: calls, Pieces: 7}, Reply{Says: "Done."})
	got, err := providers.Complete(t.Context(), m, s.ask())
	if err != nil {
		t.Fatal(err)
	}
	if got.Stop != providers.StopTools || got.Text() != "Reading." || len(got.Parts) != 4 {
		t.Fatalf("stop %s, parts %+v", got.Stop, got.Parts)
	}
	var results []providers.Part
	for i, want := range calls {
		p := got.Parts[i+1]
		if p.Kind != providers.PartToolCall || p.Name != want.Name || !sameJSON(string(p.Args), want.Args) || p.ID == "" || (!s.NoIDs && p.ID != want.ID) {
			t.Errorf("call %d is %+v %s, want %+v", i, p, p.Args, want)
		}
		results = append(results, providers.ToolResult(p.ID, p.Name, "result-of-"+want.ID))
	}
	results[1].IsError = true
	req := s.ask()
	req.Messages = append(req.Messages, got.Message(), providers.Message{Role: providers.RoleUser, Parts: results})
	if _, err = providers.Complete(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	body := string(f.Seen()[1].Body)
	for _, want := range []string{"result-of-call_a", "result-of-call_b", "result-of-call_c", "a/ü.txt", "Reading."} {
		if !strings.Contains(body, want) {
			t.Errorf("the second body lacks %q:\n%s", want, body)
		}
	}
}

func sameJSON(a, b string) bool { return cmp.Equal(jsonObject(a), jsonObject(b)) }

func contractReasoning(t *testing.T, s Subject) {
	reply := Reply{Thinks: "I must look.", Signature: "c2VhbGVk+/==", Says: "One moment.", Calls: []Call{{"call_a", "look", `{}`}}}
	if s.Redacts {
		reply.Redacted = "cmVkYWN0ZWQ="
	}
	m, f := s.start(t, reply)
	req := s.ask()
	req.Reasoning.Effort = providers.EffortHigh
	got, err := providers.Complete(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	if got.Parts[0].Kind != providers.PartReasoning || got.Parts[0].Text != "I must look." {
		t.Errorf("reasoning is %+v", got.Parts[0])
	}
	req.Messages = append(req.Messages, got.Message(), providers.Message{Role: providers.RoleUser, Parts: []providers.Part{providers.ToolResult("call_a", "look", "seen")}})
	if _, err = providers.Complete(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	body := string(f.Seen()[1].Body)
	if (s.Signs || s.SignsCall) && !strings.Contains(body, "c2VhbGVk+/==") {
		t.Errorf("the signature is lost:\n%s", body)
	}
	if s.Redacts && !strings.Contains(body, "cmVkYWN0ZWQ=") {
		t.Errorf("sealed reasoning is lost:\n%s", body)
	}
	for i := range got.Parts {
		if got.Parts[i].Signature != "" {
			got.Parts[i].Vendor = "another-vendor"
		}
	}
	if _, err = providers.Complete(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	if body := string(f.Seen()[2].Body); strings.Contains(body, "c2VhbGVk+/==") || strings.Contains(body, "cmVkYWN0ZWQ=") {
		t.Errorf("another vendor's signature is sent:\n%s", body)
	}
}

func contractUsage(t *testing.T, s Subject) {
	want := providers.Usage{Input: 100, CacheRead: 40, Output: 30, Reasoning: 12}
	m, f := s.start(t, Reply{Thinks: "Hm.", Says: "Yes.", Usage: want})
	got, err := providers.Complete(t.Context(), m, s.ask())
	if err != nil {
		t.Fatal(err)
	}
	if s.Merged {
		if got.Usage.TotalOutput() != want.TotalOutput() || got.Usage.TotalInput() != want.TotalInput() {
			t.Errorf("usage %+v, want the totals of %+v", got.Usage, want)
		}
		return
	}
	if diff := cmp.Diff(f.Counted(), got.Usage); diff != "" {
		t.Errorf("usage (-counted +got):\n%s", diff)
	}
}

func contractStops(t *testing.T, s Subject) {
	for _, stop := range []providers.StopReason{providers.StopEnd, providers.StopLength} {
		m, _ := s.start(t, Reply{Says: "So it", Stop: stop})
		got, err := providers.Complete(t.Context(), m, s.ask())
		if err != nil || got.Stop != stop {
			t.Errorf("stop %q, err %v; want %q", got.Stop, err, stop)
		}
	}
}

func contractMidway(t *testing.T, s Subject) {
	m, _ := s.start(t, Reply{Says: "one two three four five six", FailAfter: 5, Code: "overloaded_error", Message: "Overloaded, sorry"})
	got, err := providers.Complete(t.Context(), m, s.ask())
	if !fault.HasCode(err, providers.CodeOverloaded) || got.Stop != "" {
		t.Errorf("err %v, stop %q; want overloaded and no stop", err, got.Stop)
	}
	if f := fault.From(err); !strings.Contains(toText(f.Details["vendor_message"]), "sorry") {
		t.Errorf("the vendor's text is lost: %+v", f.Details)
	}
	if got.Text() == "" || got.Text() == "one two three four five six" {
		t.Errorf("what arrived before is %q", got.Text())
	}
}

func toText(v any) string {
	s, _ := v.(string)
	return s
}

func contractCut(t *testing.T, s Subject) {
	for _, after := range []int{1, 3, 5} {
		m, _ := s.start(t, Reply{Says: "one two three four five six", CutAfter: after})
		got, err := providers.Complete(t.Context(), m, s.ask())
		if !fault.HasCode(err, providers.CodeBroken) || got.Stop != "" || !fault.From(err).Retryable {
			t.Errorf("cut after %d: err %v, stop %q", after, err, got.Stop)
		}
	}
}

func contractRefusals(t *testing.T, s Subject) {
	for name, tt := range map[string]struct {
		reply Reply
		code  string
		after time.Duration
	}{
		"rate with a time":    {Reply{Status: 429, Code: "rate_limit_exceeded", Message: "slow", Header: map[string]string{"Retry-After": "7"}}, providers.CodeRate, 7 * time.Second},
		"context":             {Reply{Status: 400, Code: "invalid_request_error", Message: "prompt is too long: 210000 tokens > 200000 maximum"}, providers.CodeContext, 0},
		"overloaded":          {Reply{Status: 503, Code: "overloaded_error", Message: "busy"}, providers.CodeOverloaded, 0},
		"broken vendor":       {Reply{Status: 500, Code: "api_error", Message: "oops"}, providers.CodeUnavailable, 0},
		"bad request":         {Reply{Status: 400, Code: "invalid_value", Message: "temperature: out of range"}, providers.CodeBadRequest, 0},
		"no such model":       {Reply{Status: 404, Code: "not_found", Message: "model: x not found"}, providers.CodeNoModel, 0},
		"content":             {Reply{Status: 400, Code: "content_filter", Message: "no"}, providers.CodeFiltered, 0},
		"an empty purse":      {Reply{Status: 429, Code: "insufficient_quota", Message: "You exceeded your current quota"}, providers.CodeQuota, 0},
		"credential, by text": {Reply{Status: 401, Code: "authentication_error", Message: "bad key"}, providers.CodeAuth, 0},
	} {
		m, _ := s.start(t, tt.reply)
		_, err := m.Stream(t.Context(), s.ask())
		f := fault.From(err)
		if f == nil || f.Code != tt.code || f.RetryAfter != tt.after {
			t.Errorf("%s: %v, after %v; want %s after %s", name, err, f, tt.code, tt.after)
			continue
		}
		if !strings.Contains(toText(f.Details["vendor_message"]), tt.reply.Message) {
			t.Errorf("%s: the vendor's text is lost: %+v", name, f.Details)
		}
	}
	if s.Keyless {
		return
	}
	m, _ := s.New(t, pool("wrong-key"))
	if _, err := m.Stream(t.Context(), s.ask()); !fault.HasCode(err, providers.CodeAuth) || strings.Contains(err.Error(), "wrong-key") {
		t.Errorf("a wrong key: %v", err)
	}
	m, _ = s.New(t, pool())
	if _, err := m.Stream(t.Context(), s.ask()); !fault.HasCode(err, providers.CodeAuth) {
		t.Errorf("no key: %v", err)
	}
}

func contractNoise(t *testing.T, s Subject) {
	for name, reply := range map[string]Reply{
		"keep-alive": {KeepAlive: true}, "unknown": {Unknown: true}, "gzip": {Gzip: true}, "all": {KeepAlive: true, Unknown: true, Gzip: true},
	} {
		reply.Says, reply.Calls = "Some words here.", []Call{{"call_a", "look", `{"at":"it"}`}}
		m, _ := s.start(t, reply)
		got, err := providers.Complete(t.Context(), m, s.ask())
		if err != nil || got.Text() != reply.Says || len(got.Parts) != 2 || got.Stop != providers.StopTools {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func contractCancel(t *testing.T, s Subject) {
	m, f := s.start(t, Reply{Says: "one two three four five six", HoldAfter: 5})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stream, err := m.Stream(ctx, s.ask())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var c providers.Chunk
	for c.Kind != providers.ChunkText {
		if err := stream.Next(&c); err != nil {
			t.Fatal(err)
		}
	}
	why := errors.New("the person stopped it")
	cancel(why)
	for err == nil {
		err = stream.Next(&c)
	}
	if !errors.Is(err, why) || fault.HasCode(err, providers.CodeBroken) {
		t.Errorf("err = %v; want the cancel's cause", err)
	}
	select {
	case <-f.Left():
	case <-time.After(10 * time.Second):
		t.Error("the vendor's connection stays open")
	}
}

// contractResultImage: vendors without a place for it in a result get it right behind.
func contractResultImage(t *testing.T, s Subject) {
	m, f := s.start(t)
	pixels := []byte("\x89PNG pixels of a result")
	req := s.ask(providers.Text("Look."))
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.RoleModel, Parts: []providers.Part{{Kind: providers.PartToolCall, ID: "call_1", Name: "look", Args: []byte(`{}`)}}},
		providers.Message{Role: providers.RoleUser, Parts: []providers.Part{{Kind: providers.PartToolResult, ID: "call_1", Name: "look", Parts: []providers.Part{
			providers.Text("the-words"), {Kind: providers.PartImage, MediaType: "image/png", Data: pixels},
		}}}})
	req.Tools = []providers.Tool{{Name: "look", Schema: []byte(`{"type":"object"}`)}}
	if _, err := providers.Complete(t.Context(), m, req); err != nil {
		t.Fatal(err)
	}
	body := f.Seen()[0].Body
	words, picture := bytes.Index(body, []byte("the-words")), bytes.Index(body, []byte(base64.StdEncoding.EncodeToString(pixels)))
	if words < 0 || picture < words {
		t.Errorf("the words are at %d and the picture at %d:\n%s", words, picture, body)
	}
}

func contractImages(t *testing.T, s Subject) {
	m, f := s.start(t, Reply{Says: `{"colour":"red"}`})
	pixels := []byte("\x89PNG\r\n\x1a\nnot really a picture")
	req := s.ask(providers.Text("What colour?"), providers.Part{Kind: providers.PartImage, MediaType: "image/png", Data: pixels})
	req.Format = &providers.Format{Name: "colour", Strict: true, Schema: []byte(`{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"],"additionalProperties":false}`)}
	got, err := providers.Complete(t.Context(), m, req)
	if err != nil || got.Text() != `{"colour":"red"}` {
		t.Fatalf("%q, %v", got.Text(), err)
	}
	body := string(f.Seen()[0].Body)
	for _, want := range []string{base64.StdEncoding.EncodeToString(pixels), `"additionalProperties":false`} {
		if !strings.Contains(body, want) && !(s.NoSchema && want[0] == '"') {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
}

func contractAccounts(t *testing.T, s Subject) {
	if s.Keyless {
		t.Skip("this vendor has no accounts")
	}
	accounts := pool("first", "second")
	m, f := s.New(t, accounts)
	f.Accept("first")
	f.Accept("second")
	f.Will(Reply{Status: 400, Code: "invalid_value", Message: "no"})
	if _, err := m.Stream(t.Context(), s.ask()); !fault.HasCode(err, providers.CodeBadRequest) || len(f.Seen()) != 1 {
		t.Fatalf("a bad request was repeated with another account: %d requests, %v", len(f.Seen()), err)
	}
	f.Will(Reply{Status: 429, Code: "rate_limit_exceeded", Message: "slow", Header: map[string]string{"Retry-After": "3600"}}, Reply{Says: "Served by the second."})
	got, err := providers.Complete(t.Context(), m, s.ask())
	if err != nil || got.Text() != "Served by the second." {
		t.Fatalf("%q, %v", got.Text(), err)
	}
	status := accounts.Status()
	if status[0].State != "resting" || time.Until(status[0].Until) < 59*time.Minute || status[1].State != "ready" {
		t.Errorf("status %+v; want the first resting for an hour", status)
	}
	f.Will(Reply{Status: 429, Code: "rate_limit_exceeded", Message: "slow", Header: map[string]string{"Retry-After": "60"}})
	if _, err := m.Stream(t.Context(), s.ask()); !fault.HasCode(err, providers.CodeRate) {
		t.Fatalf("all resting: %v", err)
	}
	before := len(f.Seen())
	_, err = m.Stream(t.Context(), s.ask())
	if flt := fault.From(err); flt == nil || flt.Code != providers.CodeRate || flt.RetryAfter < 50*time.Second || flt.RetryAfter > time.Minute || len(f.Seen()) != before {
		t.Errorf("while all rest: %v after %v, %d requests", err, flt.RetryAfter, len(f.Seen())-before)
	}
}

func contractRelay(t *testing.T, s Subject) {
	for _, streaming := range []bool{true, false} {
		usage := providers.Usage{Input: 100, CacheRead: 40, Output: 30, Reasoning: 12}
		m, f := s.start(t, Reply{Says: "Relayed words.", Usage: usage}, Reply{Status: 429, Code: "rate_limit_exceeded", Message: "slow", Header: map[string]string{"Retry-After": "3"}})
		relayer, ok := m.(providers.Relayer)
		if !ok || !relayer.Speaks(s.Dialect) || relayer.Speaks("klingon") {
			t.Fatalf("%T does not relay %s", m, s.Dialect)
		}
		raw := &providers.RawRequest{Dialect: s.Dialect, Model: s.Model, Streaming: streaming, Body: []byte(s.RawBody(streaming))}
		resp, err := relayer.Relay(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if !bytes.Contains(body, []byte("Relayed ")) || resp.Status != 200 {
			t.Errorf("relayed %d %s", resp.Status, body)
		}
		if string(raw.Body) != s.RawBody(streaming) {
			t.Error("the caller's body was changed")
		}
		tally := resp.Meter.Tally()
		if !tally.Finished || tally.Model != s.Model || tally.Bytes != int64(len(body)) || tally.Events == 0 {
			t.Errorf("streaming %v: tally %+v", streaming, tally)
		}
		if got, want := tally.Usage, f.Counted(); got != want && (!s.Merged || got.Total() != want.Total()) {
			t.Errorf("streaming %v: counted %+v, want %+v", streaming, got, want)
		}
		if _, err := relayer.Relay(t.Context(), raw); !fault.HasCode(err, providers.CodeRate) || fault.From(err).RetryAfter != 3*time.Second {
			t.Errorf("a refused relay: %v", err)
		}
	}
}

func contractUnreachable(t *testing.T, s Subject) {
	m, f := s.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Stream(ctx, s.ask()); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	f.Close()
	_, err := m.Stream(t.Context(), s.ask())
	if !fault.HasCode(err, providers.CodeUnavailable) || !fault.From(err).Retryable {
		t.Errorf("nothing listening: %v", err)
	}
}

// contractWhole: an adapter may or may not ask for one piece; nobody can tell by the answer.
func contractWhole(t *testing.T, s Subject) {
	reply := Reply{Thinks: "Let me see. ", Says: "Two lookups. ", Calls: []Call{{ID: "call_a", Name: "look", Args: `{"at":1}`}, {ID: "call_b", Name: "look", Args: `{"at":2}`}},
		Usage: providers.Usage{Input: 12, Output: 34}}
	m, _ := s.start(t, reply, reply)
	req := s.ask()
	streamed, err := providers.Complete(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	req.Whole = true
	whole, err := providers.Complete(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(streamed, whole); diff != "" {
		t.Errorf("whole differs from streamed:\n%s", diff)
	}
}
