package rawjson

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetAndFind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"replaced":               {`{"a":1,"model":"x","b":[1,{"model":"no"}]}`, `{"a":1,"model":"new","b":[1,{"model":"no"}]}`},
		"added":                  {`{ "a":1}`, `{ "a":1,"model":"new"}`},
		"added to nothing":       {` {} `, ` {"model":"new"} `},
		"nested is left alone":   {`{"x":{"model":"no"},"y":"\"model\":\"no\"}"}`, `{"x":{"model":"no"},"y":"\"model\":\"no\"}","model":"new"}`},
		"spaces and escapes":     {"{\n \"k\\\\\" : \"}\" ,\n \"model\" : null }", "{\n \"k\\\\\" : \"}\" ,\n \"model\" : \"new\" }"},
		"every repeat is set":    {`{"model":"a","model":"b"}`, `{"model":"new","model":"new"}`},
		"deep arrays are passed": {`{"m":[[["]"]]],"model":1.5e3}`, `{"m":[[["]"]]],"model":"new"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := SetString([]byte(tt.in), "model", "new")
			if err != nil || string(got) != tt.want {
				t.Errorf("Set = %s, %v; want %s", got, err, tt.want)
			}
			if s, ok := String(got, "model"); !ok || s != "new" {
				t.Errorf("String = %q, %v", s, ok)
			}
		})
	}
	for _, in := range []string{``, `[]`, `{`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}`, `{"a":"x}`, `{"a":1} x`, `{a:1}`} {
		if got, err := SetString([]byte(in), "model", "new"); err == nil {
			t.Errorf("Set(%q) = %s; want an error", in, got)
		}
	}
}

// FuzzFields: on every valid object it sees what encoding/json sees.
func FuzzFields(f *testing.F) {
	f.Add(`{"a":1,"b":"x\"y","c":{"d":[1,2,{}]}}`)
	f.Add(`{"a":"\\","b":[]}`)
	f.Fuzz(func(t *testing.T, in string) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal([]byte(in), &want) == nil && want != nil
		got := map[string]json.RawMessage{}
		err := Fields([]byte(in), func(k, v []byte) bool {
			var key string
			if json.Unmarshal([]byte(`"`+string(k)+`"`), &key) == nil {
				got[key] = json.RawMessage(v)
			}
			return true
		})
		if !valid {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-json +raw):\n%s", in, err, diff)
		}
	})
}

func TestTextAndOnly(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{`"plain ü"`: "plain ü", `"a\n\"b\" \u00fc"`: "a\n\"b\" ü", `""`: ""} {
		if got, ok := Text([]byte(raw)); !ok || got != want {
			t.Errorf("Text(%s) = %q, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{``, `1`, `null`, `"`, `"\x"`} {
		if got, ok := Text([]byte(raw)); ok {
			t.Errorf("Text(%s) = %q", raw, got)
		}
	}
	for raw, want := range map[string]string{`[ {"a":[1]} ]`: `{"a":[1]}`, `[1]`: "1", `[]`: "", `[1,2]`: "", `{}`: "", `[`: "", `[1`: "", ``: ""} {
		if got := Only([]byte(raw)); string(got) != want {
			t.Errorf("Only(%s) = %q, want %q", raw, got, want)
		}
	}
}
