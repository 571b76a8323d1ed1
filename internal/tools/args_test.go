package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

const testSchema = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
	"path":{"type":"string"},"limit":{"type":"integer","minimum":1},"deep":{"type":"boolean"},"ratio":{"type":"number"},
	"mode":{"enum":["fast","slow"]},"list":{"type":"array","items":{"type":"string"}},
	"edits":{"type":"array","items":{"type":"object","required":["old"],"properties":{"old":{"type":"string"},"n":{"type":"integer"}}}},
	"either":{"type":["string","integer"]}}}`

func TestRead(t *testing.T) {
	t.Parallel()
	s, err := newShape(json.RawMessage(testSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ in, want, fails string }{
		"as it should be":               {in: `{"path":"a<b>"}`, want: `{"path":"a<b>"}`},
		"an object in a string":         {in: `"{\"path\":\"a\"}"`, want: `{"path":"a"}`},
		"a number in a string":          {in: `{"path":"a","limit":"3"}`, want: `{"limit":3,"path":"a"}`},
		"a whole number with a point":   {in: `{"path":"a","limit":3.0}`, want: `{"limit":3,"path":"a"}`},
		"a fraction stays wrong":        {in: `{"path":"a","limit":3.5}`, fails: "limit: expected integer, got number"},
		"a boolean in a string":         {in: `{"path":"a","deep":"true"}`, want: `{"deep":true,"path":"a"}`},
		"another word for true":         {in: `{"path":"a","deep":"yes"}`, fails: "deep: expected boolean, got string"},
		"a number where text goes":      {in: `{"path":2024}`, want: `{"path":"2024"}`},
		"text that looks like JSON":     {in: `{"path":"{\"a\":1}"}`, want: `{"path":"{\"a\":1}"}`},
		"a list in a string":            {in: `{"path":"a","list":"[\"x\",\"y\"]"}`, want: `{"list":["x","y"],"path":"a"}`},
		"one thing for a list":          {in: `{"path":"a","list":"x"}`, want: `{"list":["x"],"path":"a"}`},
		"objects in a string, repaired": {in: `{"path":"a","edits":"[{\"old\":\"x\",\"n\":\"7\"}]"}`, want: `{"edits":[{"n":7,"old":"x"}],"path":"a"}`},
		"null for something optional":   {in: `{"path":"a","limit":null}`, want: `{"path":"a"}`},
		"null for something required":   {in: `{"path":null}`, fails: "path: expected string, got null"},
		"either type is left alone":     {in: `{"path":"a","either":"7"}`, want: `{"either":"7","path":"a"}`},
		"nothing":                       {in: ``, fails: "path: is required"},
		"the place inside a list":       {in: `{"path":"a","edits":[{"old":"x"},{}]}`, fails: "edits[1].old: is required"},
		"a parameter that is not":       {in: `{"path":"a","Path":"b"}`, fails: "Path: there is no such parameter"},
		"one of a few":                  {in: `{"path":"a","mode":"warp"}`, fails: `mode: expected one of "fast","slow"`},
		"too small":                     {in: `{"path":"a","limit":0}`, fails: "limit: must be at least 1"},
		"cut short":                     {in: `{"path":"a`, fails: "not valid JSON"},
		"something after it":            {in: `{"path":"a"} {}`, fails: "after the end"},
		"a list for all":                {in: `["a"]`, fails: "arguments: expected object, got array"},
		"deeper than anything":          {in: strings.Repeat("[", 1000), fails: "nested deeper"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := s.read(json.RawMessage(tt.in))
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("read(%s) = %s, %v; want an error with %q", tt.in, got, err, tt.fails)
				}
				return
			}
			if err != nil || string(got) != tt.want {
				t.Errorf("read(%s) = %s, %v; want %s", tt.in, got, err, tt.want)
			}
		})
	}
}

func TestExplainNamesTheParameters(t *testing.T) {
	t.Parallel()
	s, err := newShape(json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"n":{"type":"integer"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.read(json.RawMessage(`{}`))
	want := "path: is required\nThe parameters are: n (integer), path (string, required)"
	if got := Fails(err).Text(); !strings.Contains(got, want) {
		t.Errorf("got %q, want it to contain %q", got, want)
	}
}

// FuzzRead: whatever comes, what is read fits the schema, reading it again changes nothing, and the short road leads where the long one does.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"path":"a"}`, `"{\"path\":\"a\"}"`, `{"path":1e3,"limit":"1e2","list":"[1]","edits":{"old":"x"}}`, `null`, `{"limit":1e999999999}`, `{"path":"a","ratio":"1e400"}`,
		`{"deep":true,"limit":3,"mode":"fast","path":"a\nb","ratio":0.5}`, `{"limit":99999999999999999999,"path":"a"}`} {
		f.Add(seed)
	}
	s, err := newShape(json.RawMessage(testSchema), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s.plain.takes([]byte(text)) {
			if got, err := s.readAny(json.RawMessage(text)); err != nil || string(got) != text {
				t.Errorf("the short road takes %s, the long one gives %s, %v", text, got, err)
			}
		}
		once, err := s.read(json.RawMessage(text))
		if err != nil {
			if Fails(err).Text() == "" {
				t.Error("an error without words")
			}
			return
		}
		twice, err := s.read(once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("read(%s) = %s, then %s, %v", text, once, twice, err)
		}
	})
}

func TestTheShortRoad(t *testing.T) {
	t.Parallel()
	s, err := newShape(json.RawMessage(testSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]bool{
		`{"path":"a"}`: true,
		`{"deep":true,"either":7,"limit":3,"mode":"fast","path":"a","ratio":0.5}`: true,
		`{"path":"a","ratio":1}`:     true,
		`{"limit":3.0,"path":"a"}`:   false,
		`{"limit":0,"path":"a"}`:     false,
		`{"list":"x","path":"a"}`:    false,
		`{"mode":"warp","path":"a"}`: false,
		`{"limit":null,"path":"a"}`:  false,
		`{"other":1,"path":"a"}`:     false,
		`{"either":true,"path":"a"}`: false,
		`{"limit":3}`:                false,
		`{}`:                         false,
	} {
		if got := s.plain.takes([]byte(args)); got != want {
			t.Errorf("takes(%s) = %v, want %v", args, got, want)
		}
	}
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"string"}},"minProperties":1}`, `{"type":"object","required":["a"]}`,
		`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","anyOf":[{"required":["a"]}]}`,
	} {
		if s, err := newShape(json.RawMessage(schema), nil); err != nil || s.plain != nil {
			t.Errorf("%s has a short road: %v", schema, err)
		}
	}
}

func TestDefaultsFillInWhatIsMissing(t *testing.T) {
	t.Parallel()
	s, err := newShape(json.RawMessage(`{"type":"object","required":["repo"],"properties":{"repo":{"type":"string"},"n":{"type":"integer"}}}`),
		map[string]json.RawMessage{"repo": json.RawMessage(`"fluxway"`)})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{`{"n":1}`: `{"n":1,"repo":"fluxway"}`, `{"repo":"other"}`: `{"repo":"other"}`, ``: `{"repo":"fluxway"}`} {
		if got, err := s.read(json.RawMessage(in)); err != nil || string(got) != want {
			t.Errorf("read(%s) = %s, %v; want %s", in, got, err, want)
		}
	}
}
