package strictjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/strictjson"
)

type inner struct {
	Role  string  `json:"role" required:"true" enum:"user,system"`
	Score float64 `json:"score,omitempty"`
}

type base struct {
	Limit int `json:"limit,omitempty" min:"1" max:"500"`
}

type letter string

type body struct {
	base
	Path     string          // no tag: not in JSON
	Hidden   string          `json:"-"`
	Name     string          `json:"name" max:"5"`
	Nick     *string         `json:"nick"`
	On       bool            `json:"on"`
	Small    int8            `json:"small"`
	Count    uint            `json:"count"`
	Messages []inner         `json:"messages" max:"3"`
	Labels   map[string]int  `json:"labels"`
	Raw      json.RawMessage `json:"raw"`
	Any      any             `json:"any"`
	At       time.Time       `json:"at"`
	Secret   secret.Text     `json:"secret"`
	Letter   letter          `json:"letter"`
	Self     *body           `json:"self"`
	More     []body          `json:"more"`
}

func decoder() *strictjson.Decoder {
	return strictjson.New(strictjson.Options{Depth: 8, Text: func(t reflect.Type) func(string) error {
		if t != reflect.TypeFor[letter]() {
			return nil
		}
		return func(text string) error {
			if len(text) != 1 {
				return fault.New(fault.Invalid, "not_a_letter", "Not a letter.").WithHint("Send one.")
			}
			return nil
		}
	}})
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	const text = ` {"limit":7,"name":"añ\n\u00e9\ud83d\ude00","nick":"","on":true,"small":-128,"count":3,
		"messages":[{"role":"user","score":1.5e1},{"role":"system"}],"labels":{"a":1},"raw":{"x":[1,null]},
		"any":{"k":[1,"two",false]},"at":"2026-11-15T00:00:00Z","secret":"s3","letter":"x","self":{"name":"in","more":[{}]}} `
	var got body
	if err := decoder().Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	nick := ""
	want := body{
		base: base{Limit: 7}, Name: "añ\né😀", Nick: &nick, On: true, Small: -128, Count: 3,
		Messages: []inner{{"user", 15}, {"system", 0}}, Labels: map[string]int{"a": 1}, Raw: json.RawMessage(`{"x":[1,null]}`),
		Any: map[string]any{"k": []any{1.0, "two", false}}, At: time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC),
		Secret: secret.New("s3"), Letter: "x", Self: &body{Name: "in", More: []body{{}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(body{}, secret.Text{})); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, code, param, hint string }{
		{``, "empty_body", "body", "Send"},
		{`  `, "empty_body", "body", "Send"},
		{`{`, "malformed_json", "body", "cut off"},
		{`{"name":"a"`, "malformed_json", "body", "cut off"},
		{`{"name":"a",}`, "malformed_json", "body", "commas"},
		{`{'name':1}`, "malformed_json", "body", "quotes"},
		{`{"name":nul}`, "malformed_json", "name", "near"},
		{`{"name":"a"} {}`, "trailing_data", "body", "one JSON value"},
		{`[]`, "wrong_type", "body", "an object"},
		{`null`, "wrong_type", "body", "Leave"},
		{`{"name":5}`, "wrong_type", "name", "in quotes"},
		{`{"name":null}`, "wrong_type", "name", "Leave the field out"},
		{`{"nick":null}`, "wrong_type", "nick", "Leave the field out"},
		{`{"on":"true"}`, "wrong_type", "on", "out the quotes"},
		{`{"limit":"5"}`, "wrong_type", "limit", "out the quotes"},
		{`{"limit":5.0}`, "wrong_type", "limit", "fraction"},
		{`{"limit":0}`, "out_of_range", "limit", "more"},
		{`{"limit":501}`, "out_of_range", "limit", "less"},
		{`{"limit":99999999999999999999}`, "out_of_range", "limit", "smaller"},
		{`{"small":200}`, "out_of_range", "small", "smaller"},
		{`{"count":-1}`, "out_of_range", "count", "smaller"},
		{`{"name":"abcdef"}`, "out_of_range", "name", "less"},
		{`{"nmae":"a"}`, "unknown_field", "nmae", `Did you mean "name"?`},
		{`{"Name":"a"}`, "unknown_field", "Name", `Did you mean "name"?`},
		{`{"Path":"a"}`, "unknown_field", "Path", "The fields are"},
		{`{"zzzzzzz":1}`, "unknown_field", "zzzzzzz", "The fields are: limit, name"},
		{`{"zzz":{"a":}}`, "malformed_json", "zzz.a", "near"},
		{`{"name":"a","name":"b"}`, "duplicate_key", "name", "Keep one"},
		{`{"any":{"x":{"y":1,"y":2}}}`, "duplicate_key", "any.x.y", "Keep one"},
		{`{"labels":{"a":1,"a":2}}`, "duplicate_key", "labels.a", "Keep one"},
		{`{"labels":{"a":"1"}}`, "wrong_type", "labels.a", "quotes"},
		{`{"messages":[{"role":"user"},{"role":"boss"}]}`, "not_allowed_value", "messages[1].role", "user, system"},
		{`{"messages":[{"role":"user"},{"role":7}]}`, "wrong_type", "messages[1].role", "quotes"},
		{`{"messages":[{}]}`, "required", "messages[0].role", "Add"},
		{`{"messages":{}}`, "wrong_type", "messages", "brackets"},
		{`{"messages":[{"role":"user"},{"role":"user"},{"role":"user"},{"role":"user"}]}`, "out_of_range", "messages", "less"},
		{`{"self":{"more":[{"name":1}]}}`, "wrong_type", "self.more[0].name", "quotes"},
		{"{\"name\":\"\xff\"}", "invalid_utf8", "name", "UTF-8"},
		{"{\"name\":\"\\n\xff\"}", "invalid_utf8", "name", "UTF-8"},
		{"{\"n\xffme\":1}", "invalid_utf8", "body", "UTF-8"},
		{"\xff", "invalid_utf8", "body", "UTF-8"},
		{`{"name":"\ud83d"}`, "invalid_utf8", "name", "whole characters"},
		{`{"name":"a\u0000b"}`, "nul_character", "name", "Leave"},
		{"{\"name\":\"a\nb\"}", "malformed_json", "name", "near"},
		{`{"name":"\x"}`, "malformed_json", "name", "near"},
		{`{"name":"\u12g4"}`, "malformed_json", "name", "near"},
		{`{"count":01}`, "malformed_json", "body", "near"},
		{`{"limit":-}`, "malformed_json", "limit", "near"},
		{`{"any":1e}`, "malformed_json", "any", "near"},
		{`{"any":[[[[[[[[1]]]]]]]]}`, "too_deep", "any[0][0][0][0][0][0][0]", "flatter"},
		{`{"at":"yesterday"}`, "invalid_value", "at", "/docs"},
		{`{"letter":"xy"}`, "not_a_letter", "letter", "Send one"},
	}
	d := decoder()
	for _, tt := range tests {
		err := d.Unmarshal([]byte(tt.text), new(body))
		var f *fault.Fault
		if !errors.As(err, &f) {
			t.Errorf("%s: %v, want a fault", tt.text, err)
			continue
		}
		if f.Code != tt.code || f.Param != tt.param || !strings.Contains(f.Hint, tt.hint) || f.Kind != fault.Invalid || f.Message == "" {
			t.Errorf("%s: %s at %q, hint %q (%s), want %s at %q, hint %q", tt.text, f.Code, f.Param, f.Hint, f.Message, tt.code, tt.param, tt.hint)
		}
	}
}

func TestManyNames(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"any":{`)
	for i := range 1000 {
		b.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	ok := b.String() + `"last":1}}`
	if err := decoder().Unmarshal([]byte(ok), new(body)); err != nil {
		t.Fatal(err)
	}
	twice := b.String() + `"kx":1}}`
	if err := decoder().Unmarshal([]byte(twice), new(body)); !fault.HasCode(err, "duplicate_key") {
		t.Fatalf("got %v", err)
	}
}

func TestPrepareRefusesBadTypes(t *testing.T) {
	t.Parallel()
	d := decoder()
	for name, v := range map[string]any{
		"a channel": struct {
			C chan int `json:"c"`
		}{},
		"enum of numbers": struct {
			A int `json:"a" enum:"1,2"`
		}{},
		"bound of a boolean": struct {
			A bool `json:"a" min:"1"`
		}{},
		"bound that is no number": struct {
			A int `json:"a" min:"x"`
		}{},
		"keys that are numbers": struct {
			A map[int]int `json:"a"`
		}{},
		"deep inside": struct {
			A []struct {
				C func() `json:"c"`
			} `json:"a"`
		}{},
	} {
		if err := d.Prepare(reflect.TypeOf(v)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	same := func(name string) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: `json:"a"`}
	}
	if err := d.Prepare(reflect.StructOf([]reflect.StructField{same("A"), same("B")})); err == nil {
		t.Error("two fields of one name were accepted")
	}
	if err := d.Unmarshal([]byte(`{}`), body{}); err == nil {
		t.Error("a value that is no pointer was accepted")
	}
}

// What is accepted is JSON, and means what encoding/json takes it to mean; what
// is refused is refused with a fault that helps.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range []string{
		`{"name":"a","limit":3,"messages":[{"role":"user"}]}`, `{"any":{"a":[1,2,{"b":null}]},"raw":[]}`, `{"name":"\ud83d\ude00"}`,
		`{"self":{"self":{}}}`, `[]`, `nul`, "{\"name\":\"\xff\"}", `{"a":1,"a":2}`, `{"limit":1e400}`, `{"at":"2026-11-15T00:00:00Z"}`,
	} {
		f.Add([]byte(s))
	}
	d := decoder()
	f.Fuzz(func(t *testing.T, data []byte) {
		var got body
		err := d.Unmarshal(data, &got)
		if err != nil {
			var bad *fault.Fault
			if !errors.As(err, &bad) || bad.Kind != fault.Invalid || bad.Code == "" || bad.Param == "" || bad.Message == "" || bad.Hint == "" {
				t.Fatalf("%q: %#v", data, err)
			}
			return
		}
		var want body
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("accepted %q, which encoding/json refuses: %v", data, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(body{}, secret.Text{})); diff != "" {
			t.Fatalf("%q: %s", data, diff)
		}
		if err := d.Check(data); err != nil {
			t.Fatalf("Check refuses %q: %v", data, err)
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	text := []byte(`{"name":"ann","limit":7,"messages":[{"role":"user","score":1.5},{"role":"system"}],"labels":{"a":1}}`)
	d := decoder()
	b.Run("strict", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v body
			if err := d.Unmarshal(text, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v body
			if err := json.Unmarshal(text, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestBytesAreBase64(t *testing.T) {
	t.Parallel()
	var got struct {
		Data []byte `json:"data"`
	}
	d := strictjson.New(strictjson.Options{})
	if err := d.Unmarshal([]byte(`{"data":"aGk="}`), &got); err != nil || string(got.Data) != "hi" {
		t.Errorf("read %q (%v)", got.Data, err)
	}
	for text, code := range map[string]string{`{"data":"a?"}`: "not_base64", `{"data":[104]}`: "wrong_type", `{"data":null}`: "wrong_type"} {
		if f := fault.From(d.Unmarshal([]byte(text), &got)); f == nil || f.Code != code || f.Param != "data" {
			t.Errorf("%s: %+v, want %s", text, f, code)
		}
	}
}
