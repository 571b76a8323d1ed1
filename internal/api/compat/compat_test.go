package compat_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fluxway/fluxway/internal/api/compat"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

var update = flag.Bool("update", false, "write golden files again")

var dialects = map[string]compat.Dialect{"chat": compat.Chat{}, "responses": compat.Responses{}, "messages": compat.Messages{}, "gemini": compat.Gemini{}}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func indent(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for name, d := range dialects {
		body, err := os.ReadFile(filepath.Join("testdata", "requests", name+"-everything.json"))
		if err != nil {
			t.Fatal(err)
		}
		req, err := d.Request(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden(t, filepath.Join("testdata", "requests", name+"-everything.want"), indent(t, req))
	}
}

// answers are what models do, as chunks.
var answers = map[string][]providers.Chunk{
	"text": {
		{Kind: providers.ChunkStart, ID: "x", Model: "served", Name: "acme"},
		{Kind: providers.ChunkText, Text: "Grüß \"Gott\"\n"}, {Kind: providers.ChunkText, Text: "\x01 <b>\\"},
		{Kind: providers.ChunkUsage, Usage: providers.Usage{Input: 60, CacheRead: 40, Output: 20, Reasoning: 10}},
		{Kind: providers.ChunkFinish, Stop: providers.StopLength},
	},
	"tools": {
		{Kind: providers.ChunkStart, Model: "served", Name: "acme"},
		{Kind: providers.ChunkReasoning, Text: "I must "}, {Kind: providers.ChunkReasoning, Text: "look."},
		{Kind: providers.ChunkSignature, Text: "sea"}, {Kind: providers.ChunkSignature, Text: "led"},
		{Kind: providers.ChunkRedacted, Text: "hidden"},
		{Kind: providers.ChunkText, Text: "One moment."},
		{Kind: providers.ChunkToolStart, Index: 0, ID: "c1", Name: "look", Text: "callseal"}, {Kind: providers.ChunkToolArgs, Index: 0, Text: `{"a`}, {Kind: providers.ChunkToolArgs, Index: 0, Text: `t":1}`},
		{Kind: providers.ChunkToolStart, Index: 1, ID: "c2", Name: "now"},
		{Kind: providers.ChunkToolEnd, Index: 0}, {Kind: providers.ChunkToolEnd, Index: 1},
		{Kind: providers.ChunkUsage, Usage: providers.Usage{Input: 5, Output: 7}},
		{Kind: providers.ChunkFinish, Stop: providers.StopTools},
	},
	"broken": {
		{Kind: providers.ChunkStart, Model: "served", Name: "acme"},
		{Kind: providers.ChunkText, Text: "So it"},
	},
}

func meta() compat.Meta {
	return compat.Meta{ID: "req_1", Model: "acme/asked", At: time.Unix(1700000000, 0), Usage: true, Body: []byte(`{"instructions":"Be brief."}`)}
}

func encodeAll(d compat.Dialect, chunks []providers.Chunk) []byte {
	enc := d.Stream(meta())
	var out []byte
	for i := range chunks {
		out = enc.Chunk(out, &chunks[i])
	}
	if last := chunks[len(chunks)-1].Kind; last != providers.ChunkFinish {
		out = enc.Fail(out, fault.New(fault.Upstream, providers.CodeBroken, "It broke off midway.").WithHint("Ask again."))
	}
	return out
}

func TestStreams(t *testing.T) {
	t.Parallel()
	for name, d := range dialects {
		for answer, chunks := range answers {
			golden(t, filepath.Join("testdata", "streams", name+"-"+answer+".txt"), encodeAll(d, chunks))
			var g providers.Gather
			for i := range chunks {
				g.Add(&chunks[i])
			}
			if answer == "broken" {
				continue
			}
			whole, err := d.Whole(g.Response(), meta())
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(whole, &v); err != nil {
				t.Fatalf("%s %s: %v", name, answer, err)
			}
			golden(t, filepath.Join("testdata", "streams", name+"-"+answer+".json"), indent(t, v))
		}
	}
}

// TestABrokenAnswerNeverLooksWhole: nothing that a client takes for the end is
// in a stream that broke.
func TestABrokenAnswerNeverLooksWhole(t *testing.T) {
	t.Parallel()
	ends := []string{"[DONE]", "message_stop", "response.completed", "finishReason", `"finish_reason":"`}
	for name, d := range dialects {
		text := string(encodeAll(d, answers["broken"]))
		for _, end := range ends {
			if strings.Contains(text, end) {
				t.Errorf("%s: %s is in\n%s", name, end, text)
			}
		}
		if !strings.Contains(text, "broke off midway") || !strings.Contains(text, "Ask again") {
			t.Errorf("%s does not say so:\n%s", name, text)
		}
	}
}

// history makes a request whose conversation has the whole answer in it, as
// clients send it back.
func history(t *testing.T, name string, whole []byte) []byte {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(whole, &v); err != nil {
		t.Fatal(err)
	}
	user := map[string]any{"role": "user", "content": "Look."}
	var body map[string]any
	switch name {
	case "chat":
		body = map[string]any{"messages": []any{user, v["choices"].([]any)[0].(map[string]any)["message"]}}
	case "responses":
		body = map[string]any{"input": append([]any{user}, v["output"].([]any)...)}
	case "messages":
		body = map[string]any{"messages": []any{user, map[string]any{"role": "assistant", "content": v["content"]}}}
	case "gemini":
		body = map[string]any{"contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "Look."}}}, v["candidates"].([]any)[0].(map[string]any)["content"]}}
	}
	body["model"] = "m"
	return indent(t, body)
}

// TestSealsComeBack: what any vendor sealed returns through every dialect as it was.
func TestSealsComeBack(t *testing.T) {
	t.Parallel()
	for name, d := range dialects {
		for _, vendor := range []string{"anthropic", "openai", "gemini", "acme"} {
			signature := "c2VhbGVk+/=="
			if vendor == "openai" {
				signature = `{"id":"rs_1","encrypted_content":"c2VhbGVk+/=="}`
			}
			parts := []providers.Part{
				{Kind: providers.PartReasoning, Text: "I must look.", Signature: signature, Vendor: vendor, Model: "m1"},
				providers.Text("One moment."),
				{Kind: providers.PartToolCall, ID: "c1", Name: "look", Args: json.RawMessage(`{"at":1}`), Signature: "Y2FsbA==", Vendor: vendor, Model: "m1"},
				{Kind: providers.PartToolCall, ID: "c2", Name: "look", Args: json.RawMessage(`{}`)},
			}
			if vendor == "openai" { // it seals thoughts, never calls
				parts[2].Signature, parts[2].Vendor, parts[2].Model = "", "", ""
			}
			whole, err := d.Whole(&providers.Response{Parts: parts, Stop: providers.StopTools}, meta())
			if err != nil {
				t.Fatal(err)
			}
			req, err := d.Request(history(t, name, whole))
			if err != nil {
				t.Fatalf("%s, %s: %v", name, vendor, err)
			}
			got := req.Messages[1].Parts
			sort := cmpopts.SortSlices(func(a, b providers.Part) bool {
				return a.Kind+providers.PartKind(a.ID) < b.Kind+providers.PartKind(b.ID)
			})
			model := cmpopts.IgnoreFields(providers.Part{}, "Model") // a vendor's own dialect does not carry it
			compact := cmp.Transformer("compact", func(r json.RawMessage) string {
				var b bytes.Buffer
				if json.Compact(&b, r) != nil {
					return string(r)
				}
				return b.String()
			})
			if diff := cmp.Diff(parts, got, sort, model, compact); diff != "" {
				t.Errorf("%s, sealed by %s (-sent +came back):\n%s", name, vendor, diff)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ dialect, body, param string }{
		{"chat", `{"model":1}`, "model"},
		{"chat", `{"messages":"x"}`, "messages"},
		{"chat", `{"messages":[]}`, "messages"},
		{"chat", `{"messages":[{"role":"user","content":"x"}],"n":2}`, "n"},
		{"chat", `{"messages":[{"role":"user","content":5}]}`, ""},
		{"chat", `{"messages":[{"role":"king","content":"x"}]}`, "messages[0].role"},
		{"chat", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,@@"}}]}]}`, "data"},
		{"chat", `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"custom"}]}`, "tools[0].type"},
		{"responses", `{"input":"x","previous_response_id":"resp_1"}`, "previous_response_id"},
		{"responses", `{"input":"x","tools":[{"type":"web_search"}]}`, "tools[0].type"},
		{"messages", `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, "tools[0]"},
		{"messages", `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}]}`, "messages[0].content[0].source.type"},
		{"gemini", `{"contents":[{"parts":[{"text":"x"}]}],"tools":[{"googleSearch":{}}]}`, "tools[0].googleSearch"},
		{"gemini", `{"contents":[{"parts":[{}]}]}`, "contents[0].parts[0]"},
		{"gemini", `[`, "body"},
		{"chat", "{\"model\":\"\xff\"}", "body"},
	} {
		_, err := dialects[tt.dialect].Request([]byte(tt.body))
		if err == nil {
			_, err = dialects[tt.dialect].Head([]byte(tt.body))
		}
		f := fault.From(err)
		if f == nil || f.Status() != 400 || f.Param != tt.param {
			t.Errorf("%s %s: %v %+v, want 400 at %q", tt.dialect, tt.body, err, f, tt.param)
		}
	}
}

func TestErrorsHaveTheVendorsShape(t *testing.T) {
	t.Parallel()
	long := fault.New(fault.Invalid, providers.CodeContext, "Too much.").WithHint("Shorten it.")
	busy := fault.New(fault.Unavailable, providers.CodeOverloaded, "Busy.").WithHint("Wait.")
	for _, tt := range []struct{ got, want string }{
		{string(compat.Chat{}.Error(long, "r")), `{"error":{"code":"context_length_exceeded","message":"Too much. Shorten it.","param":null,"request_id":"r","type":"invalid_request_error"}}`},
		{string(compat.Messages{}.Error(long, "r")), `{"error":{"code":"context_too_long","message":"prompt is too long: Too much. Shorten it.","type":"invalid_request_error"},"request_id":"r","type":"error"}`},
		{string(compat.Messages{}.Error(busy, "r")), `{"error":{"code":"provider_overloaded","message":"Busy. Wait.","type":"overloaded_error"},"request_id":"r","type":"error"}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got  %s\nwant %s", tt.got, tt.want)
		}
	}
	if got := string(compat.Gemini{}.Error(busy, "r")); !strings.Contains(got, `"code":503`) || !strings.Contains(got, `"status":"UNAVAILABLE"`) {
		t.Error(got)
	}
}

// FuzzRequest: whatever a client sends, decoding neither panics nor fails on our side.
func FuzzRequest(f *testing.F) {
	for name := range dialects {
		body, err := os.ReadFile(filepath.Join("testdata", "requests", name+"-everything.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(`{"messages":[{"role":"assistant","content":[null]}],"stop":null,"tools":[null],"tool_choice":{}}`))
	f.Add([]byte(`{"input":[null],"text":{"format":null},"contents":[null],"system":[null]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, d := range dialects {
			if _, err := d.Head(body); err != nil && fault.From(err).Status() >= 500 {
				t.Errorf("%s: %v", name, err)
			}
			req, err := d.Request(body)
			if err != nil {
				if fault.From(err).Status() >= 500 {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if _, err := json.Marshal(req); err != nil {
				t.Errorf("%s: decoded into what cannot be stored: %v", name, err)
			}
		}
	})
}
