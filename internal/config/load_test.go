package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// place writes files into a fresh folder and gives sources that read there.
func place(t *testing.T, files map[string]string, env ...string) Sources {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Sources{Dir: dir, Env: append([]string{"HOME=" + filepath.Join(dir, "home")}, env...)}
}

func mustLoad(t *testing.T, src Sources) *Loaded {
	t.Helper()
	l, err := Load(src)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return l
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	for _, f := range Fields() {
		if f.Doc == "" || f.Type == "" {
			t.Errorf("%s has no doc or an unknown type", f.Path)
		}
		if f.Format != "" && formats[f.Format] == nil {
			t.Errorf("%s has the unknown format %q", f.Path, f.Format)
		}
		if strings.Contains(string(f.Type), "table") != (f.Keys != "") {
			t.Errorf("%s: tables, and only they, need a shape of keys", f.Path)
		}
		for name, s := range map[string]string{"min": f.Min, "max": f.Max} {
			if _, ok := f.bound(s); s != "" && !ok {
				t.Errorf("%s: %s %q cannot be read", f.Path, name, s)
			}
		}
		if f.Default == "" {
			continue
		}
		if _, p := f.fromText(f.Default); p != nil {
			t.Errorf("%s: default %q %s", f.Path, f.Default, p.message)
		}
	}
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	src := place(t, nil)
	l := mustLoad(t, src)
	c := l.Config
	if c.Listen != "127.0.0.1:7777" || c.Limits.Body != 10e6 || c.Retention.Events.Std() != 90*24*time.Hour || c.Security.SessionDays != 7 {
		t.Errorf("defaults = %+v", c)
	}
	if want := filepath.Join(src.Dir, "home/.local/share/fluxway"); c.Data != want {
		t.Errorf("data = %q, want %q", c.Data, want)
	}
	if l.Origins["listen"] != (Origin{Source: FromDefault}) || l.ETag != "" {
		t.Errorf("origin = %v, etag = %q", l.Origins["listen"], l.ETag)
	}
	if want := filepath.Join(src.Dir, "home/.config/fluxway/fluxway.yaml"); l.Path != want {
		t.Errorf("path = %q, want %q", l.Path, want)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"fluxway.yaml": "listen: 1.1.1.1:1\nlog:\n  level: debug\n  format: json\n  color: never\nlimits:\n  per_ip: 5\n",
		".env":         "FLUXWAY_LOG_LEVEL=warn\nFLUXWAY_LOG_FORMAT=text\nFLUXWAY_LIMITS_PER_IP=6\n",
	}
	src := place(t, files, "FLUXWAY_LOG_FORMAT=auto", "FLUXWAY_LIMITS_PER_IP=7", "FLUXWAY_LOG_LEVEL=")
	src.Flags = map[string]string{"limits.per_ip": "8"}
	l := mustLoad(t, src)
	got := map[string]string{}
	for _, v := range l.Values() {
		if v.Origin.Source != FromDefault {
			got[v.Key] = v.Value + " from " + v.Origin.String()
		}
	}
	want := map[string]string{
		"listen":        "1.1.1.1:1 from file fluxway.yaml:1:9",
		"log.level":     "warn from dotenv .env:1",
		"log.format":    "auto from env FLUXWAY_LOG_FORMAT",
		"log.color":     "never from file fluxway.yaml:5:10",
		"limits.per_ip": "8 from flag --limits.per_ip",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestEveryTypeFromEveryPlace(t *testing.T) {
	t.Parallel()
	yaml := `
data: here
events:
  memory: 1MiB
  memory_age: 90s
telemetry:
  otlp_headers:
    Authorization: Bearer ${TOKEN}
  capture_content: true
security:
  allowed_hosts: [a.example.com, "*.b.example.com"]
  trusted_proxies:
    - 10.0.0.0/8
    - "::1"
  session_days: 0x10
jobs:
  concurrency: {backup: 1, memory.index: 2}
`
	json := `{"data": "here", "events": {"memory": "1MiB", "memory_age": "90s"},
	"telemetry": {"otlp_headers": {"Authorization": "Bearer ${TOKEN}"}, "capture_content": true},
	"security": {"allowed_hosts": ["a.example.com", "*.b.example.com"], "trusted_proxies": ["10.0.0.0/8", "::1"], "session_days": 16},
	"jobs": {"concurrency": {"backup": 1, "memory.index": 2}}}`
	env := []string{
		"FLUXWAY_HOME=here", "FLUXWAY_EVENTS_MEMORY=1MiB", "FLUXWAY_EVENTS_MEMORY_AGE=1m30s",
		"FLUXWAY_TELEMETRY_OTLP_HEADERS=Authorization=Bearer t0", "FLUXWAY_TELEMETRY_CAPTURE_CONTENT=true",
		"FLUXWAY_SECURITY_ALLOWED_HOSTS=a.example.com, *.b.example.com", "FLUXWAY_SECURITY_TRUSTED_PROXIES=10.0.0.0/8,::1",
		"FLUXWAY_SECURITY_SESSION_DAYS=16", "FLUXWAY_JOBS_CONCURRENCY=backup=1, memory.index=2",
	}
	for name, src := range map[string]Sources{
		"yaml": place(t, map[string]string{"fluxway.yaml": yaml, ".env": "TOKEN=t0"}),
		"json": place(t, map[string]string{"fluxway.json": json}, "TOKEN=t0"),
		"env":  place(t, nil, env...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mustLoad(t, src).Config
			want := c // compare the fields named above only
			want.Data = filepath.Join(src.Dir, "here")
			want.Events.Memory = 1 << 20
			want.Events.MemoryAge = Duration(90 * time.Second)
			want.Telemetry.CaptureContent = true
			want.Security.AllowedHosts = []string{"a.example.com", "*.b.example.com"}
			want.Security.TrustedProxies = []string{"10.0.0.0/8", "::1"}
			want.Security.SessionDays = 16
			want.Jobs = Jobs{Concurrency: map[string]int{"backup": 1, "memory.index": 2}}
			if diff := cmp.Diff(want, c, cmp.Comparer(func(a, b interface{ Reveal() string }) bool { return a.Reveal() == b.Reveal() })); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
			header := c.Telemetry.OTLPHeaders["Authorization"]
			if got := header.Reveal(); got != "Bearer t0" {
				t.Errorf("header = %q", got)
			}
		})
	}
}

func TestEveryProblemIsListed(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{
		"fluxway.yaml": `listn: 1
listen: "nowhere"
log:
  levle: info
  level: verbos
  format: ${FORMAT}
log:
  color: auto
limits:
  body: 10 apples
  per_ip: "12"
  per_identity: 0
  request_timeout: 2d
database: postgres://x
session_days: 3
security:
  allowed_hosts: a.example.com
  trusted_proxies: [10.0.0.0/8, nonsense, "${PROXY:-alsobad}"]
  session_days: many
oidc:
  issuer: https://id.example.com
jobs:
  concurrency: {Backup: 1, index: 0}
backup:
  schedule: often
`,
		".env": "FINE=1\nnot a line\nQUOTE=\"open\n",
	}, "FLUXWAY_LOG_COLOR=pink", "FLUXWAY_DATABASE_URL=mysql://u:hunter2@h", "FLUXWAY_EVENTS_NATS_URL_FILE=missing")
	src.Flags = map[string]string{"log.levl": "x"}
	_, err := Load(src)
	want := `.env:2:1: is not a line such as NAME=value
.env:3:1: has a quote that is not closed on its line
fluxway.yaml:1:1: listn: is not a known key. Did you mean "listen"?
fluxway.yaml:2:9: listen: "nowhere" is not an address with a port such as 127.0.0.1:7777
fluxway.yaml:4:3: log.levle: is not a known key. Did you mean "level"?
fluxway.yaml:5:10: log.level: "verbos" is not one of debug, info, warn, error
fluxway.yaml:6:11: log.format: needs the variable FORMAT, which is not set
fluxway.yaml:7:1: log: is given a second time, after line 3
fluxway.yaml:10:9: limits.body: "10 apples" is not a size such as 512KB, 10MB or 1GiB
fluxway.yaml:11:11: limits.per_ip: must be a number, and is text
fluxway.yaml:12:17: limits.per_identity: must be at least 1
fluxway.yaml:13:20: limits.request_timeout: must be at most 1h
fluxway.yaml:14:11: database: must be a table of keys, and is text
fluxway.yaml:15:1: session_days: is not a known key. Did you mean "security.session_days"?
fluxway.yaml:17:18: security.allowed_hosts: must be a list, and is text
fluxway.yaml:18:33: security.trusted_proxies: "nonsense" is not an address or network such as 10.0.0.0/8
fluxway.yaml:18:43: security.trusted_proxies: "alsobad" is not an address or network such as 10.0.0.0/8
fluxway.yaml:19:17: security.session_days: must be a number, and is text
fluxway.yaml:23:17: jobs.concurrency: the key "Backup" is not a name such as backup or memory.index
fluxway.yaml:23:35: jobs.concurrency.index: must be at least 1
fluxway.yaml:25:13: backup.schedule: "often" is not a cron line such as 0 3 * * * or @daily: expected exactly 5 fields, found 1: [often]
FLUXWAY_DATABASE_URL: database.url: its value is not a URL that starts with postgres:// or postgresql://
FLUXWAY_EVENTS_NATS_URL_FILE: events.nats_url: the file DIR/missing does not exist
FLUXWAY_LOG_COLOR: log.color: "pink" is not one of auto, never
--log.levl: log.levl: is not a known key. Did you mean "log.level"?
fluxway.yaml:21:11: oidc.client_id: is needed with oidc.issuer`
	if err == nil {
		t.Fatal("Load = nil error, want problems")
	}
	if diff := cmp.Diff(want, strings.ReplaceAll(err.Error(), src.Dir, "DIR")); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if f := fault.From(err); f.Code != "config_invalid" || f.Status() != 400 || len(f.Details["problems"].([]Problem)) != 26 {
		t.Errorf("fault = %+v", f)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("a password is in the problems")
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	deep := "a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100)
	bomb := "a0: &a0 [x, x]\n"
	for i := range 30 {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	tests := []struct{ name, file, text, want string }{
		{"broken YAML", "fluxway.yaml", "log:\n  level: 'info\n", "fluxway.yaml:2:10: the file could not find end character of single-quoted text"},
		{"a tab", "fluxway.yaml", "log:\n\tlevel: info\n", "fluxway.yaml:2:1: the file found character"},
		{"a list", "fluxway.yaml", "- a\n", "must be a table of keys, and is a list"},
		{"two documents", "fluxway.yaml", "listen: :1\n---\nlisten: :2\n", "has a second document"},
		{"too deep", "fluxway.yaml", deep, "is nested too deeply"},
		{"too deep in lists", "fluxway.yaml", strings.Repeat("- ", 5000) + "a", "is nested too deeply"},
		{"too large", "fluxway.yaml", strings.Repeat("# x\n", 300_000), "is larger than 1 MB"},
		{"too many keys", "fluxway.yaml", strings.Repeat("a: b\n", 30_000), "has more than 20000 words and signs"},
		{"not UTF-8", "fluxway.yaml", "listen: \xff\n", "fluxway.yaml:1:9: the file is not UTF-8 text"},
		{"a bomb", "fluxway.yaml", bomb, "is too large with its aliases written out"},
		{"a tag", "fluxway.yaml", "listen: !!binary aGk=\n", "has a tag, which has no meaning here"},
		{"an unknown alias", "fluxway.yaml", "listen: *x\n", "fluxway.yaml:1:9"},
		{"broken JSON", "fluxway.json", "{\"log\": {\n  \"level\": info}}", "fluxway.json:2:12: the file is not JSON"},
		{"JSON cut off", "fluxway.json", "{\"log\": {", "fluxway.json:1:10: the file ends too early"},
		{"JSON and more", "fluxway.json", "{} {}", "has something behind its end"},
		{"JSON too deep", "fluxway.json", `{"a":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "}", "is nested too deeply"},
		{"JSON given twice", "fluxway.json", `{"listen":":1","listen":":2"}`, "fluxway.json:1:16: listen: is given a second time"},
		{"YAML table given twice", "fluxway.yaml", "jobs: {concurrency: {a: 1, a: 2}}", "jobs.concurrency.a: is given a second time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := Load(place(t, map[string]string{tt.file: tt.text}))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load = %v, want %q", err, tt.want)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("Load took %s", took)
			}
		})
	}
}

func TestFilesThatAreFine(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "only a comment": "# nothing\n", "a marker": "---\n", "sections left empty": "log:\ndatabase:\n  url:\n",
		"a byte order mark": "\ufefflisten: :1\n", "anchors": "limits: &l\n  per_ip: 5\nlog:\n  level: &v info\n  format: json\n",
		"merge": "limits:\n  <<: {per_ip: 9}\n  per_identity: 7\n", "windows lines": "log:\r\n  level: warn\r\n",
		"escape": "oidc: {name: '$${HOME} and $5'}\n",
	} {
		if _, err := Load(place(t, map[string]string{"fluxway.yaml": text})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	l := mustLoad(t, place(t, map[string]string{"fluxway.yaml": "oidc: {name: '$${HOME} and $5'}\n"}))
	if got := l.Config.OIDC.Name; got != "${HOME} and $5" {
		t.Errorf("escaped text = %q", got)
	}
}

func TestWhichFile(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{
		"home/.config/fluxway/fluxway.yaml": "listen: :1", "data/fluxway.json": `{"listen": ":2"}`, "other.yaml": "listen: :3", "x/fluxway.yml": "listen: :4",
		"two/fluxway.yaml": "", "two/fluxway.json": "{}",
	})
	tests := []struct {
		name string
		edit func(*Sources)
		want string
	}{
		{"the XDG folder last", func(*Sources) {}, ":1"},
		{"FLUXWAY_HOME instead of it", func(s *Sources) { s.Env = append(s.Env, "FLUXWAY_HOME=data") }, ":2"},
		{"the working folder first", func(s *Sources) { s.Env = append(s.Env, "FLUXWAY_HOME="+s.Dir+"/data"); s.Dir += "/x" }, ":4"},
		{"the one a variable names", func(s *Sources) { s.Env = append(s.Env, "FLUXWAY_CONFIG=other.yaml") }, ":3"},
		{"the one a flag names", func(s *Sources) { s.File = "x/fluxway.yml"; s.Env = append(s.Env, "FLUXWAY_CONFIG=other.yaml") }, ":4"},
		{"none of that name", func(s *Sources) { s.File = "missing.yaml" }, "there is no file"},
		{"a folder", func(s *Sources) { s.File = "x" }, "is not a regular file"},
		{"two in one folder", func(s *Sources) { s.Dir += "/two" }, "there is also"},
		{"a .env that is missing", func(s *Sources) { s.DotEnv = "missing.env" }, "there is no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := src
			tt.edit(&s)
			l, err := Load(s)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = l.Config.Listen
			}
			if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
				t.Errorf("Load = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"pg": "postgres://u:hunter2@h/db?sslmode=disable\n", "oidc": "hunter3\n"},
		"FLUXWAY_DATABASE_URL_FILE=pg", "FLUXWAY_OIDC_CLIENT_SECRET_FILE=oidc", "FLUXWAY_TELEMETRY_OTLP_HEADERS=X-Key=hunter4")
	l := mustLoad(t, src)
	if got := l.Config.Database.URL.Reveal(); got != "postgres://u:hunter2@h/db?sslmode=disable" {
		t.Errorf("database.url = %q", got)
	}
	shown := map[string]string{}
	for _, v := range l.Values() {
		if strings.Contains(v.Value, "hunter") {
			t.Errorf("%s shows %q", v.Key, v.Value)
		}
		shown[v.Key] = v.Value
	}
	if shown["database.url"] != "postgres://u:•••@h/db?sslmode=disable" || shown["oidc.client_secret"] != "•••" || shown["telemetry.otlp_headers"] != "X-Key=•••" {
		t.Errorf("shown = %v", shown)
	}
	src.Env = append(src.Env, "FLUXWAY_DATABASE_URL=postgres://x/y")
	if _, err := Load(src); err == nil || !strings.Contains(err.Error(), "given by both") {
		t.Errorf("both variables = %v, want a problem", err)
	}
}

func TestHidePassword(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		"postgres://h/db":                    "postgres://h/db",
		"postgres://u@h/db":                  "postgres://u@h/db",
		"postgres://u:p,q@x@h/db":            "postgres://u:•••@h/db",
		"nats://a:b@h1,nats://c:d@h2":        "nats://a:•••@h2",
		"postgres:///db?user=u&password=p%2": "postgres:///db?user=u&password=•••",
	} {
		if got := hidePassword(in); got != want {
			t.Errorf("hidePassword(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVariablesNearlyRight(t *testing.T) {
	t.Parallel()
	l := mustLoad(t, place(t, nil, "FLUXWAY_LISTN=:1", "FLUXWAY_SERVICE_HOST=10.0.0.1", "FLUXWAY_KEY=x", "NO_COLOR=1", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318"))
	if len(l.Warnings) != 1 || l.Warnings[0].String() != "FLUXWAY_LISTN: FLUXWAY_LISTN: is not a variable this program reads. Did you mean FLUXWAY_LISTEN?" {
		t.Errorf("warnings = %v", l.Warnings)
	}
	if l.Config.Log.Color != "never" || l.Origins["log.color"].Where != "NO_COLOR" || l.Config.Telemetry.OTLPEndpoint != "http://h:4318" {
		t.Errorf("log.color = %q from %v, endpoint %q", l.Config.Log.Color, l.Origins["log.color"], l.Config.Telemetry.OTLPEndpoint)
	}
}

func TestNoHome(t *testing.T) {
	t.Parallel()
	_, err := Load(Sources{})
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Key != "data" {
		t.Errorf("Load without a home = %v, want a problem with data", err)
	}
	l := mustLoad(t, Sources{Env: []string{"XDG_DATA_HOME=/data", "XDG_CONFIG_HOME=/nowhere/config"}})
	if l.Config.Data != "/data/fluxway" || l.Path != "/nowhere/config/fluxway/fluxway.yaml" {
		t.Errorf("data = %q, path = %q", l.Config.Data, l.Path)
	}
}

func TestSystemIsThisProcess(t *testing.T) {
	t.Setenv("FLUXWAY_LISTEN", "127.0.0.1:1")
	t.Setenv("HOME", t.TempDir())
	t.Chdir(t.TempDir())
	src, err := System()
	if err != nil {
		t.Fatal(err)
	}
	if l := mustLoad(t, src); l.Config.Listen != "127.0.0.1:1" {
		t.Errorf("listen = %q, want what the environment says", l.Config.Listen)
	}
}
