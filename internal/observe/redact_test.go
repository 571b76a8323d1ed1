package observe

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
)

// secrets are put together here so that no scanner of this repository finds one.
var (
	fxKey  = "fx_" + strings.Repeat("a1B2", 8)
	openai = "sk-" + strings.Repeat("Zx9", 8)
	claude = "sk-ant-api03-" + strings.Repeat("q_7", 9)
	github = "ghp_" + strings.Repeat("k3", 18)
	google = "AIza" + strings.Repeat("Sy-9", 9)
	amazon = "AKIA" + strings.Repeat("Q4", 8)
	jwt1   = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dGhpcy1pcy1hLXNpZw"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"nothing", "run finished in 3 s", "run finished in 3 s"},
		{"our key", "key " + fxKey + " used", "key ••• used"},
		{"vendor keys", openai + " " + claude + "," + github, "••• •••,•••"},
		{"google and amazon", google + "/" + amazon + ".", "•••/•••."},
		{"a JWT", "got " + jwt1 + "!", "got •••!"},
		{"bearer keeps its word", "Authorization: Bearer abcDEF123456", "Authorization: Bearer •••"},
		{"bearer in lower case", `"authorization":"bearer abcdef123456"`, `"authorization":"•••"`},
		{"basic", "basic dXNlcjpwYXNz", "basic •••"},
		{"a phrase is not a credential", "Bearer authentication is basic security", "Bearer authentication is basic security"},
		{"postgres URL", "postgres://fluxway:hunter2@db:5432/x?sslmode=off", "postgres://fluxway:•••@db:5432/x?sslmode=off"},
		{"a password with a sign in it", "nats://u:p@ss@host", "nats://u:•••@host"},
		{"URL without a password", "https://user@host:80/a:b@c", "https://user@host:80/a:b@c"},
		{"query string", "GET /x?access_token=abc&n=1", "GET /x?access_token=•••&n=1"},
		{"keyword DSN", "host=db password='hunter2' user=x", "host=db password='•••' user=x"},
		{"JSON", `{"user":"a","client_secret":"x\"y","n":1}`, `{"user":"a","client_secret":"•••","n":1}`},
		{"JSON inside a string", `"body":"{\"password\":\"hunter2\",\"n\":1}"`, `"body":"{\"password\":\"•••\",\"n\":1}"`},
		{"already hidden", `password=••• "token":"•••" postgres://u:•••@h`, `password=••• "token":"•••" postgres://u:•••@h`},
		{"counts are no secrets", `max_tokens=4096 "token_count":"12" tokens=9`, `max_tokens=4096 "token_count":"12" tokens=9`},
		{"flags are no secrets", "secret=true password=false", "secret=true password=false"},
		{"inside a word is no key", "unfx_aaaaaaaaaaaaaaaaaaaaaaaa risk-free-and-much-longer-still", "unfx_aaaaaaaaaaaaaaaaaaaaaaaa risk-free-and-much-longer-still"},
		{"too short", "fx_1 sk-2 eyJ.a.b", "fx_1 sk-2 eyJ.a.b"},
		{"cut off", `"password":"abc`, `"password":"•••`},
		{"cut off inside an escape", `\"password\":\"abc\\`, `\"password\":\"•••`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Redact(tt.in); got != tt.want {
				t.Errorf("Redact(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if got, _ := RedactBytes([]byte(tt.in)); string(got) != tt.want {
				t.Errorf("RedactBytes(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if got := Redact(tt.want); got != tt.want {
				t.Errorf("Redact is not stable: %q became %q", tt.want, got)
			}
		})
	}
}

func TestSecretKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"password", "Password", "PASSWORD", "user_password", "X-Auth-Token", "token", "accessToken", "client_secret",
		"Authorization", "Set-Cookie", "api_key", "apiKey", "APIKey", "APIKEY", "private_key", "totp", "recovery_codes", "db.password",
	} {
		if !SecretKey(key) {
			t.Errorf("SecretKey(%q) = false, want true", key)
		}
	}
	for _, key := range []string{
		"", "_", "user", "tokens", "max_tokens", "token_count", "password_file", "key", "keys", "key_id", "idempotency_key",
		"secretary", "tokenizer", "code", "averyveryverylongwordindeedpassword",
	} {
		if SecretKey(key) {
			t.Errorf("SecretKey(%q) = true, want false", key)
		}
	}
}

func TestHideAttributes(t *testing.T) {
	t.Parallel()
	in := []attribute.KeyValue{
		attribute.String("model", "demo"), attribute.String("token", "abc"), attribute.Int("otp", 123456),
		attribute.Bool("password", true), attribute.StringSlice("args", []string{"-k", fxKey}),
	}
	out := hideAttributes(in)
	want := []string{"demo", "•••", "•••", "true", `["-k","•••"]`}
	for i, a := range out {
		if a.Value.String() != want[i] {
			t.Errorf("attribute %s = %s, want %s", a.Key, a.Value.String(), want[i])
		}
	}
	if in[1].Value.AsString() != "abc" {
		t.Error("hideAttributes changed its argument")
	}
	if same := hideAttributes(in[:1]); &same[0] != &in[0] {
		t.Error("hideAttributes copied attributes without a secret")
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"", fxKey, jwt1, `"password":"a"`, `\"password\":\"a\\\"`, "postgres://a:b@c", "password=", "Bearer "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Redact(s)
		if line, _ := RedactBytes([]byte(s)); string(line) != once {
			t.Fatalf("redact and Redact differ on %q: %q, %q", s, line, once)
		}
	})
}

const plainLine = `{"time":"2026-11-15T03:30:38.123456789Z","level":"INFO","msg":"request finished","method":"GET","path":"/api/v1/runs/run_01J","status":200,"took":"1.2ms","user":"usr_01J","request":"req_01J"}`

func TestRedactAllocatesNothing(t *testing.T) {
	line := []byte(plainLine)
	if n := testing.AllocsPerRun(100, func() { RedactBytes(line); Redact(plainLine); SecretKey("request_id") }); n != 0 {
		t.Errorf("a line without secrets costs %v allocations, want 0", n)
	}
}

func BenchmarkRedactNothing(b *testing.B) {
	line := []byte(plainLine)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		RedactBytes(line)
	}
}
