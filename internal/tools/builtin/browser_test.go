package builtin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/browser"
	"github.com/fluxway/fluxway/internal/tools/builtin"
)

// TestBrowser goes through the tools as an agent would.
func TestBrowser(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/file":
			w.Header().Set("Content-Disposition", `attachment; filename="../.report?.csv"`)
			io.WriteString(w, "a,b\n")
		case "/sent":
			io.WriteString(w, "<title>Sent</title><h1>Thanks, "+r.URL.Query().Get("name")+"</h1>")
		default:
			io.WriteString(w, `<title>Start</title><h1>Hello</h1><form action=/sent><label>Your name <input name=name></label></form><a href=/file>Get it</a>`)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	dialer, err := safenet.New(safenet.Options{Allow: []string{host}})
	if err != nil {
		t.Fatal(err)
	}
	surf, err := browser.New(browser.Options{Net: dialer, Sandbox: newSandbox(t), Unconfined: true})
	if err != nil {
		t.Fatal(err)
	}
	defer surf.Close()
	b := newBench(t, builtin.Options{Browser: surf}, tools.Options{})
	b.fails("no_page", "browser_click", m{"text": "Get it"})
	if r := b.do("browser_navigate", m{"url": server.URL}); r.Code == "browser_missing" {
		t.Skip(r.Text())
	}
	b.contains(b.ok("browser_extract", m{}), "At "+server.URL+"/ — Start", "# Hello")
	b.contains(b.ok("browser_extract", m{"selector": "h1", "format": "html"}), "<h1>Hello</h1>")
	b.contains(b.ok("browser_extract", m{"format": "links"}), "- Get it ("+server.URL+"/file)")
	b.contains(b.ok("browser_evaluate", m{"script": "document.title.length"}), "5")
	b.fails("script_failed", "browser_evaluate", m{"script": "throw new Error('no')"})
	if r := b.do("browser_screenshot", m{}); r.IsError || len(r.Parts) != 1 || r.Parts[0].Kind != tools.PartImage || http.DetectContentType(r.Parts[0].Data) != "image/png" {
		t.Errorf("%s %s", r.Code, r.Text())
	}
	b.fails("download_refused", "browser_click", m{"text": "Get it"})
	b.fails("outside_project", "browser_click", m{"text": "Get it", "download_to": "../stolen.csv"})
	b.fails("outside_project", "browser_navigate", m{"url": server.URL + "/file", "download_to": "/etc/cron.d/x"})
	b.fails("inside_git", "browser_click", m{"text": "Get it", "download_to": ".git/hooks/post-commit"})
	if err := os.Symlink(t.TempDir(), filepath.Join(b.folder, "out")); err != nil {
		t.Fatal(err)
	}
	b.fails("outside_project", "browser_click", m{"text": "Get it", "download_to": "out/x.csv"})
	b.contains(b.ok("browser_click", m{"text": "Get it", "download_to": "data/x.csv"}), "Downloaded data/x.csv (4 bytes).")
	b.contains(b.ok("browser_navigate", m{"url": server.URL + "/file", "download_to": "data/"}), "Downloaded data/")
	if got := b.get("data/x.csv"); got != "a,b\n" {
		t.Errorf("the file is %q", got)
	}
	b.contains(b.ok("browser_type", m{"text": "Your name", "value": "Ada", "submit": true}), "Typed into <input> “Your name”.", "Sent")
	b.contains(b.ok("browser_extract", m{}), "Thanks, Ada")
	b.fails("address_refused", "browser_navigate", m{"url": "http://169.254.169.254/latest/"})
	b.fails("invalid_arguments", "browser_click", m{})
	mine := b.call
	b.call.Conversation = "conv_other"
	b.fails("no_page", "browser_extract", m{})
	b.call = mine
}
