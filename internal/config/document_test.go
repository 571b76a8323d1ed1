package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

const held = `# ours
log:
  level: info # for now
oidc:
  client_secret: "very secret" # of the issuer
providers:
  openai:
    key: sk-live-1 # paid
  groq:
    key: ${GROQ_KEY}
`

func documentReloader(t *testing.T) (*Reloader, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fluxway.yaml")
	if err := os.WriteFile(path, []byte(held), 0o600); err != nil {
		t.Fatal(err)
	}
	return newReloader(t, Sources{File: path, Env: []string{"GROQ_KEY=gsk-1", "HOME=" + filepath.Dir(path)}}), path
}

func TestDocumentHidesSecrets(t *testing.T) {
	t.Parallel()
	r, _ := documentReloader(t)
	doc, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"very secret", "sk-live-1", "gsk-1"} {
		if strings.Contains(doc.Text, hidden) {
			t.Errorf("Document shows %q:\n%s", hidden, doc.Text)
		}
	}
	for _, kept := range []string{"# ours", "level: info # for now", "# of the issuer", "# paid", "key: ${GROQ_KEY}"} {
		if !strings.Contains(doc.Text, kept) {
			t.Errorf("Document lost %q:\n%s", kept, doc.Text)
		}
	}
}

func TestSaveDocument(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		from, to string
		want     string // in the file afterwards; "": refused
		problem  string
	}{
		{"hidden secrets stay", "level: info", "level: debug", "very secret", ""},
		{"a secret of a table stays", "level: info", "level: debug", "sk-live-1", ""},
		{"a variable stays", "level: info", "level: debug", "key: ${GROQ_KEY}", ""},
		{"a secret can be replaced", `client_secret: "••••••"`, "client_secret: newer", "client_secret: newer", ""},
		{"a variable is not brought in", "level: info", "level: ${HOME}", "", "names a variable"},
		{"nor moved to where it can be read", "# ours", "public_url: ${GROQ_KEY}", "", "names a variable"},
		{"a sign for nothing", "# ours", "events:\n  nats_url: \"••••••\"", "", "sign for a hidden value"},
		{"not valid", "level: info", "level: loud", "", "is not one of"},
		{"not YAML", "log:", "log: [", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, path := documentReloader(t)
			doc, err := r.Document()
			if err != nil {
				t.Fatal(err)
			}
			from := tt.from
			if strings.Contains(from, "••••••") {
				line, _, _ := strings.Cut(doc.Text[strings.Index(doc.Text, "client_secret:"):], " #")
				from = line
			}
			if !strings.Contains(doc.Text, from) {
				t.Fatalf("the text has no %q:\n%s", from, doc.Text)
			}
			to := strings.ReplaceAll(tt.to, "••••••", secret.Mask)
			_, err = r.SaveDocument(t.Context(), strings.Replace(doc.Text, from, to, 1), doc.ETag)
			after, readErr := os.ReadFile(path)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if tt.want == "" {
				var problems Problems
				if !errors.As(err, &problems) || !strings.Contains(problems.Error(), tt.problem) {
					t.Errorf("SaveDocument: %v, want problems with %q", err, tt.problem)
				}
				if string(after) != held {
					t.Errorf("the file changed:\n%s", after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(after), tt.want) || strings.Contains(string(after), secret.Mask) {
				t.Errorf("the file lacks %q or holds a sign for hidden values:\n%s", tt.want, after)
			}
		})
	}
}

func TestSaveDocumentRefusesAnOldCopy(t *testing.T) {
	t.Parallel()
	r, path := documentReloader(t)
	doc, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(held+"\n# newer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SaveDocument(t.Context(), doc.Text, doc.ETag); err == nil || !strings.Contains(err.Error(), "someone else") {
		t.Errorf("SaveDocument with an old copy: %v", err)
	}
}
