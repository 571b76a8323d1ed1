package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
)

// respell is what encoding/json makes of a text.
func respell(text string) (string, map[string]json.RawMessage) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v map[string]any
	var raw map[string]json.RawMessage
	if dec.Decode(&v) != nil || v == nil || dec.More() || json.Unmarshal([]byte(text), &raw) != nil {
		return "", nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "", nil
	}
	return strings.TrimSuffix(out.String(), "\n"), raw
}

var plainTexts = map[string]bool{
	`{}`:                                true,
	`{"a":1}`:                           true,
	`{"a":-0,"b":0.5e+10,"c":1E9}`:      true,
	`{"a":"x","b":null,"c":true}`:       true,
	`{"a":"line\nnext \"so\" \\ \t\b"}`: true,
	`{"a":"<b> & grün 日本"}`:             true,
	`{"b":1,"a":2}`:                     false,
	`{"a":1,"a":2}`:                     false,
	`{"a": 1}`:                          false,
	` {"a":1}`:                          false,
	`{"a":1} `:                          false,
	`{"a":1}{}`:                         false,
	`{"a":01}`:                          false,
	`{"a":1.}`:                          false,
	`{"a":.5}`:                          false,
	`{"a":-}`:                           false,
	`{"a":1e}`:                          false,
	`{"a":truex}`:                       false,
	`{"a":nul}`:                         false,
	`{"a":"\u0041"}`:                    false,
	`{"a":"\/"}`:                        false,
	`{"\n":1}`:                          false,
	"{\"a\":\"\u2028\"}":                false,
	"{\"a\":\"\xff\"}":                  false,
	"{\"a\":\"\n\"}":                    false,
	`{"a":{}}`:                          false,
	`{"a":[1]}`:                         false,
	`{"a"}`:                             false,
	`{"a":1,}`:                          false,
	`{"a":"`:                            false,
	`{"a":"\`:                           false,
	`{`:                                 false,
	``:                                  false,
	`[]`:                                false,
	`null`:                              false,
}

func TestPlainTakesWhatIsSpeltInTheOneWay(t *testing.T) {
	t.Parallel()
	for text, want := range plainTexts {
		if got := rawjson.Plain([]byte(text), func([]byte, []byte, rawjson.Kind) bool { return true }); got != want {
			t.Errorf("Plain(%q) = %v, want %v", text, got, want)
		}
	}
}

// What Plain takes must be what encoding/json reads, and writes again in the same way.
func FuzzPlain(f *testing.F) {
	for text := range plainTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := map[string]json.RawMessage{}
		ok := rawjson.Plain([]byte(text), func(key, value []byte, _ rawjson.Kind) bool {
			found[string(key)] = value
			return true
		})
		if !ok {
			return
		}
		again, raw := respell(text)
		if again != text {
			t.Fatalf("Plain takes %q, which is spelt %q", text, again)
		}
		if len(raw) != len(found) {
			t.Fatalf("Plain(%q) has the fields %q, want %q", text, found, raw)
		}
		for key, value := range raw {
			if !bytes.Equal(found[key], value) {
				t.Fatalf("Plain(%q) has the field %q as %q, want %q", text, key, found[key], value)
			}
		}
	})
}
