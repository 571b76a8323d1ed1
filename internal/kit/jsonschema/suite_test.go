package jsonschema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func decode(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// beyond are the groups whose schema is more than one document, or whose point is a rule of an old draft that contradicts the new one.
var beyond = map[string]string{
	"remote ref, containing refs itself":                       "refers to the schema of schemas",
	"validate definition against metaschema":                   "refers to the schema of schemas",
	"ref overrides any sibling keywords":                       "draft 7 only; the words beside $ref count since 2019",
	"$ref prevents a sibling $id from changing the base uri":   "draft 7 only",
	"$id with file URI still resolves pointers - *nix":         "addresses of files",
	"$id with file URI still resolves pointers - windows":      "addresses of files",
	"unevaluatedItems with $dynamicRef":                        "dynamic references",
	"unevaluatedProperties with $dynamicRef":                   "dynamic references",
	"strict-tree schema, guards against misspelled properties": "dynamic references",
	"$ref to $dynamicRef finds detached $dynamicAnchor":        "dynamic references",
}

// TestOfficialSuite runs the cases of the JSON Schema organisation.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/draft*/*.json")
	if err != nil || len(files) < 60 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	ran := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			if beyond[g.Description] != "" {
				continue
			}
			s, err := Compile(decode(t, g.Schema))
			if err != nil {
				t.Errorf("%s: %s: %v", file, g.Description, err)
				continue
			}
			for _, c := range g.Tests {
				ran++
				if problems := s.Validate(decode(t, c.Data)); (len(problems) == 0) != c.Valid {
					t.Errorf("%s: %s: %s: valid = %v, want %v (%v)", file, g.Description, c.Description, !c.Valid, c.Valid, problems)
				}
			}
		}
	}
	if ran < 1500 {
		t.Errorf("only %d cases ran", ran)
	}
}

func TestSchemasThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"another document":    `{"$ref":"https://example.com/other.json"}`,
		"a place that is not": `{"$ref":"#/$defs/none"}`,
		"an unknown type":     `{"type":"strnig"}`,
		"a list as schema":    `{"properties":{"a":[]}}`,
		"a number of names":   `{"required":7}`,
		"a flag for a name":   `{"properties":{"a":{"type":"string","required":true}}}`,
		"a word of length":    `{"type":"string","minLength":"3"}`,
		"less than nothing":   `{"type":"array","minItems":-1}`,
		"a word to choose":    `{"enum":"red"}`,
		"one of a thing":      `{"anyOf":{"type":"string"}}`,
		"nested too deep":     strings.Repeat(`{"not":`, 1000) + "true" + strings.Repeat("}", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Compile(decode(t, []byte(text))); err == nil {
				t.Errorf("Compile(%.80s) succeeded", text)
			}
		})
	}
}

// TestBoundedWork: a schema made to explode is given up, not followed.
func TestBoundedWork(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"itself for ever": `{"$ref":"#"}`,
		"two to the n":    `{"$defs":{"a":{"anyOf":[{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Compile(decode(t, []byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			if problems := s.Validate("x"); len(problems) != 1 || !strings.Contains(problems[0].Says, "too complex") {
				t.Errorf("Validate = %v", problems)
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	text := `{"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string"},"limit":{"type":"integer","minimum":1}}}`
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		b.Fatal(err)
	}
	s, err := Compile(doc)
	if err != nil {
		b.Fatal(err)
	}
	value := map[string]any{"path": "a/b", "limit": json.Number("3")}
	for b.Loop() {
		if len(s.Validate(value)) != 0 {
			b.Fatal("not valid")
		}
	}
}
