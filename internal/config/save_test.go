package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func newReloader(t *testing.T, src Sources) *Reloader {
	t.Helper()
	r, err := NewReloader(ReloaderOptions{Sources: src, Loaded: mustLoad(t, src)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const commented = `# Fluxway at home
listen: "127.0.0.1:7777"   # loopback

# what it says
log:
  # info is enough
  level: info  # for now

  format: 'json'
security:
    allowed_hosts:
        # the first one
        - a.example.com # ours
        # the second one
        - b.example.com
    session_days: 7
jobs:
  concurrency:
    backup: 1 # one is plenty
    index: 2
limits: {per_ip: 5, per_identity: 6} # flowing
backup:
oidc:
  name: >-
    A long
    name
# the end
`

func TestSaveKeepsTheRest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		set      map[string]any
		from, to string // what changes in the text; all else must stay
	}{
		{"a plain value", map[string]any{"log.level": "debug"}, "level: info  #", "level: debug  #"},
		{"a quoted value", map[string]any{"listen": "127.0.0.1:80"}, `"127.0.0.1:7777"   #`, "127.0.0.1:80   #"},
		{"a value that needs quotes", map[string]any{"listen": "[::1]:80"}, `"127.0.0.1:7777"   #`, `"[::1]:80"   #`},
		{"a new key in a section", map[string]any{"log.color": "never"}, "  format: 'json'\n", "  format: 'json'\n  color: never\n"},
		{"a new key in an indented section", map[string]any{"security.trusted_proxies": []string{"10.0.0.1"}}, "    session_days: 7\n", "    session_days: 7\n    trusted_proxies: [10.0.0.1]\n"},
		{"a new section", map[string]any{"retention.events": "60d"}, "    name\n", "    name\nretention:\n  events: 60d\n"},
		{"a section without keys", map[string]any{"backup.keep": 3}, "backup:\n", "backup:\n  keep: 3\n"},
		{"a value in brackets", map[string]any{"limits.per_ip": 9}, "{per_ip: 5, ", "{per_ip: 9, "},
		{"a new key in brackets", map[string]any{"limits.body": "5MB"}, "per_identity: 6}", "per_identity: 6, body: 5MB}"},
		{"a longer list", map[string]any{"security.allowed_hosts": []string{"a.example.com", "b.example.com", "*.c.example.com"}},
			"        - b.example.com\n", "        - b.example.com\n        - \"*.c.example.com\"\n"},
		{"a shorter list", map[string]any{"security.allowed_hosts": []string{"b.example.com"}}, "        # the first one\n        - a.example.com # ours\n", ""},
		{"an empty list", map[string]any{"security.allowed_hosts": []string{}},
			"allowed_hosts:\n        # the first one\n        - a.example.com # ours\n        # the second one\n        - b.example.com\n", "allowed_hosts: []\n"},
		{"a table", map[string]any{"jobs.concurrency": map[string]any{"backup": 1, "index": 3, "mail": 4}}, "    index: 2\n", "    index: 3\n    mail: 4\n"},
		{"a smaller table", map[string]any{"jobs.concurrency": map[string]any{"backup": 1}}, "    index: 2\n", ""},
		{"a folded text", map[string]any{"oidc.name": "Short"}, "name: >-\n    A long\n    name\n", "name: Short\n"},
		{"a key taken out", map[string]any{"security.session_days": nil}, "    session_days: 7\n", ""},
		{"a key that was not there taken out", map[string]any{"retention.jobs": nil}, "", ""},
		{"a whole section", map[string]any{"log": map[string]any{"level": "warn"}}, "level: info  #", "level: warn  #"},
		{"what looks like a variable", map[string]any{"oidc.name": "${HOME}"}, "name: >-\n    A long\n    name\n", "name: \"$${HOME}\"\n"},
		{"the same value", map[string]any{"log.level": "info"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, eol := range []string{"\n", "\r\n"} {
				change := func(s string) string { return strings.ReplaceAll(s, "\n", eol) }
				src := place(t, map[string]string{"fluxway.yaml": change(commented)})
				r := newReloader(t, src)
				if _, err := r.Save(context.Background(), Patch{Set: tt.set}); err != nil {
					t.Fatalf("Save(%v) with %q: %v", tt.set, eol, err)
				}
				got, err := os.ReadFile(filepath.Join(src.Dir, "fluxway.yaml"))
				if err != nil {
					t.Fatal(err)
				}
				want := change(commented)
				if tt.from != tt.to {
					if !strings.Contains(commented, tt.from) {
						t.Fatalf("the test's text does not hold %q", tt.from)
					}
					want = change(strings.Replace(commented, tt.from, tt.to, 1))
				}
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Errorf("file (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestSaveJSON(t *testing.T) {
	t.Parallel()
	const before = "{\n  \"listen\": \":1\",\n  \"log\": {\"level\": \"info\"},\n  \"jobs\": {}\n}\n"
	tests := []struct {
		name, before string
		set          map[string]any
		want         string
	}{
		{"a value", before, map[string]any{"listen": ":2"}, strings.Replace(before, ":1", ":2", 1)},
		{"a nested value", before, map[string]any{"log.level": "warn"}, strings.Replace(before, "info", "warn", 1)},
		{"a new key", before, map[string]any{"log.format": "json"}, strings.Replace(before, `"info"}`, `"info", "format": "json"}`, 1)},
		{"a new section", before, map[string]any{"backup.keep": 3}, strings.Replace(before, "{}", "{},\n  \"backup\": {\n    \"keep\": 3\n  }", 1)},
		{"an empty section", before, map[string]any{"jobs.concurrency": map[string]any{"backup": 3}}, strings.Replace(before, "{}", "{\n    \"concurrency\": {\n      \"backup\": 3\n    }\n  }", 1)},
		{"the first taken out", before, map[string]any{"listen": nil}, strings.Replace(before, "\"listen\": \":1\",\n  ", "", 1)},
		{"the only one taken out", before, map[string]any{"log.level": nil}, strings.Replace(before, `{"level": "info"}`, "{}", 1)},
		{"a list", "{}", map[string]any{"security.allowed_hosts": []any{"a", "b"}}, "{\n  \"security\": {\n    \"allowed_hosts\": [\"a\", \"b\"]\n  }\n}"},
		{"an empty file", "", map[string]any{"listen": ":2"}, "{\n  \"listen\": \":2\"\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src := place(t, map[string]string{"fluxway.json": tt.before})
			if _, err := newReloader(t, src).Save(context.Background(), Patch{Set: tt.set}); err != nil {
				t.Fatalf("Save: %v", err)
			}
			got, err := os.ReadFile(filepath.Join(src.Dir, "fluxway.json"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSaveMakesTheFile(t *testing.T) {
	t.Parallel()
	src := place(t, nil)
	r := newReloader(t, src)
	saved, err := r.Save(context.Background(), Patch{Set: map[string]any{"log.level": "debug", "listen": ":1"}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(src.Dir, "home/.config/fluxway/fluxway.yaml")
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "listen: :1\nlog:\n  level: debug\n" {
		t.Errorf("file = %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	if len(saved.Change.Live) != 1 || len(saved.Change.NeedsRestart) != 1 || r.State().Running.Log.Level != "debug" {
		t.Errorf("saved = %+v", saved)
	}
	if l := mustLoad(t, src); l.ETag != saved.ETag || l.Config.Listen != ":1" {
		t.Errorf("read back: listen %q, etag %q", l.Config.Listen, l.ETag)
	}
}

func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		patch      Patch
		want       string
	}{
		{"a value that is not valid", "", Patch{Set: map[string]any{"log.level": "loud"}}, `log.level: "loud" is not one of`},
		{"a key that does not exist", "", Patch{Set: map[string]any{"log.levle": "info"}}, `Did you mean "log.level"?`},
		{"a value of the wrong kind", "", Patch{Set: map[string]any{"limits.per_ip": "5"}}, "must be a number, and is text"},
		{"a mask", "", Patch{Set: map[string]any{"oidc.client_secret": "•••"}}, "hidden value"},
		{"a mask in a table", "", Patch{Set: map[string]any{"telemetry.otlp_headers": map[string]any{"X": "•••"}}}, "hidden value"},
		{"what the whole does not allow", "", Patch{Set: map[string]any{"oidc.issuer": "https://id.example.com"}}, "oidc.client_id: is needed"},
		{"an old etag", "", Patch{Set: map[string]any{"listen": ":2"}, ETag: "old"}, "was changed by someone else"},
		{"an anchor", "limits: &l {per_ip: 5}\n", Patch{Set: map[string]any{"limits.per_ip": 6}}, "cannot be edited"},
		{"an alias", "oidc: {name: &n info}\nlog:\n  level: *n\n", Patch{Set: map[string]any{"log.level": "warn"}}, "cannot be edited"},
		{"a comment in brackets", "limits: {per_ip: 5, # x\n  per_identity: 6}\n", Patch{Set: map[string]any{"limits.per_ip": 6}}, "cannot be edited"},
		{"a whole file in brackets", "{listen: ':1'}\n", Patch{Set: map[string]any{"listen": ":2"}}, "cannot be edited"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := tt.file
			if file == "" {
				file = "listen: :1\n"
			}
			src := place(t, map[string]string{"fluxway.yaml": file})
			r := newReloader(t, src)
			_, err := r.Save(context.Background(), tt.patch)
			if err == nil || !strings.Contains(err.Error()+fault.From(err).Hint, tt.want) {
				t.Errorf("Save = %v, want %q", err, tt.want)
			}
			if got, _ := os.ReadFile(filepath.Join(src.Dir, "fluxway.yaml")); string(got) != file {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

func TestSaveAfterAnotherEdit(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"fluxway.yaml": "listen: :1\n"}, "FLUXWAY_LOG_LEVEL=warn")
	r := newReloader(t, src)
	path := filepath.Join(src.Dir, "fluxway.yaml")
	if err := os.WriteFile(path, []byte("listen: :9\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	set := map[string]any{"log.level": "debug"}
	if _, err := r.Save(context.Background(), Patch{Set: set}); !fault.HasCode(err, "config_changed") {
		t.Fatalf("Save over an edit = %v, want config_changed", err)
	}
	if _, err := r.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	saved, err := r.Save(context.Background(), Patch{Set: set, ETag: r.State().Loaded.ETag})
	if err != nil {
		t.Fatal(err)
	}
	if saved.Shadowed["log.level"].Where != "FLUXWAY_LOG_LEVEL" || r.State().Running.Log.Level != "warn" {
		t.Errorf("a value under a variable: %+v", saved)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "listen: :9\nlog:\n  level: debug\n" {
		t.Errorf("file = %q, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, want what it was", info.Mode())
	}
}

func TestSaveThroughALink(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"real/settings.yaml": "listen: :1\n"})
	link := filepath.Join(src.Dir, "fluxway.yaml")
	if err := os.Symlink(filepath.Join(src.Dir, "real/settings.yaml"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := newReloader(t, src).Save(context.Background(), Patch{Set: map[string]any{"listen": ":2"}}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if l := mustLoad(t, src); l.Config.Listen != ":2" {
		t.Errorf("listen = %q, want :2", l.Config.Listen)
	}
}
