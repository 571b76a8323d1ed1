package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the golden files in docs")

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./internal/config -update writes it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; go test ./internal/config -update writes it (-file +code):\n%s", path, diff)
	}
}

func TestSchemaGolden(t *testing.T) {
	t.Parallel()
	golden(t, "../../docs/config.schema.json", Schema())
}

func TestReferenceGolden(t *testing.T) {
	t.Parallel()
	golden(t, "../../docs/configuration.md", Reference())
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accepts says whether the schema takes a YAML text.
func accepts(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatalf("%q: %v", asJSON, err)
	}
	return s.Validate(value)
}

// TestSchemaAgreesWithLoad checks that both take, and both refuse, the same files.
func TestSchemaAgreesWithLoad(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	src := place(t, nil, "X=1", "LEVEL=warn", "N=12", "LIST=a.example.com,b.example.com", "T=backup=2")
	tests := []struct {
		text string
		ok   bool
	}{
		{"listen: 0.0.0.0:80", true},
		{"listen: :80", true},
		{"listen: here", false},
		{"listen: 80", false},
		{"listen:", true},
		{"lisen: :80", false},
		{"public_url: https://flux.example.com", true},
		{"public_url: flux.example.com", false},
		{"database:", true},
		{"database: {url: 'postgres://h/d'}", true},
		{"database: {url: 'mysql://h/d'}", false},
		{"database: {uri: 'postgres://h/d'}", false},
		{"database: text", false},
		{"log: {level: debug}", true},
		{"log: {level: loud}", false},
		{"log: {level: '${LEVEL}'}", true},
		{"limits: {body: 1MB, per_ip: 10, request_timeout: 1m30s}", true},
		{"limits: {body: 1000}", true},
		{"limits: {body: one}", false},
		{"limits: {body: -5}", false},
		{"limits: {per_ip: 0}", false},
		{"limits: {per_ip: 1.5}", false},
		{"limits: {per_ip: '10'}", false},
		{"limits: {per_ip: '${N}'}", true},
		{"limits: {per_ip: true}", false},
		{"limits: {request_timeout: 60}", false},
		{"limits: {request_timeout: 1 minute}", false},
		{"telemetry: {capture_content: true, otlp_headers: {X-Key: a}}", true},
		{"telemetry: {capture_content: 'true'}", false},
		{"telemetry: {otlp_headers: {X Key: a}}", false},
		{"telemetry: {otlp_headers: {X-Key: 1}}", false},
		{"security: {allowed_hosts: [a.example.com, '*.b.example.com', '::1']}", true},
		{"security: {allowed_hosts: []}", true},
		{"security: {allowed_hosts: '${LIST}'}", true},
		{"security: {allowed_hosts: a.example.com}", false},
		{"security: {allowed_hosts: ['a b']}", false},
		{"security: {allowed_hosts: ['']}", false},
		{"security: {allowed_hosts: [1]}", false},
		{"security: {trusted_proxies: [10.0.0.0/8]}", true},
		{"retention: {events: 7d}", true},
		{"retention: {events: 7}", false},
		{"jobs: {concurrency: {backup: 2}}", true},
		{"jobs: {concurrency: '${T}'}", true},
		{"jobs: {concurrency: {backup: 0}}", false},
		{"jobs: {concurrency: {Backup: 1}}", false},
		{"jobs: {concurrency: [backup]}", false},
		{"oidc: {default_role: owner}", false},
	}
	for _, tt := range tests {
		schemaErr := accepts(t, s, tt.text)
		_, loadErr := Check(src, "fluxway.yaml", []byte(tt.text))
		if (schemaErr == nil) != tt.ok {
			t.Errorf("schema on %q = %v, want ok %v", tt.text, schemaErr, tt.ok)
		}
		if (loadErr == nil) != tt.ok {
			t.Errorf("Check on %q = %v, want ok %v", tt.text, loadErr, tt.ok)
		}
	}
}

// TestSchemaTakesTheDefaults writes every default out and reads it back in both ways.
func TestSchemaTakesTheDefaults(t *testing.T) {
	t.Parallel()
	doc := map[string]any{}
	for _, f := range Fields() {
		if f.schemaDefault() == nil {
			continue
		}
		at := doc
		parts := splitPath(f.Path)
		for _, p := range parts[:len(parts)-1] {
			if at[p] == nil {
				at[p] = map[string]any{}
			}
			at = at[p].(map[string]any)
		}
		at[f.Name()] = f.schemaDefault()
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := accepts(t, compileSchema(t), string(text)); err != nil {
		t.Errorf("schema on the defaults: %v", err)
	}
	src := place(t, nil)
	got, err := Check(src, "fluxway.json", text)
	if err != nil {
		t.Fatalf("Check on the defaults: %v", err)
	}
	want := mustLoad(t, src)
	if change := compare(&want.Config, got); len(change.Live)+len(change.NeedsRestart) != 0 {
		t.Errorf("the defaults, written out, differ: %+v", change)
	}
}
