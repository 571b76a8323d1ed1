package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// site is what the tests look at: pages on one port that may be reached, and a secret on one that may not.
type site struct {
	*httptest.Server
	inside *httptest.Server

	mu      sync.Mutex // guards the field below
	reached []string   // of the secret
}

var shared struct {
	sync.Once
	site    *site
	browser *Browser
	err     error
}

func TestMain(m *testing.M) {
	if handled, code := sandbox.Main(os.Args[1:]); handled {
		os.Exit(code)
	}
	code := m.Run()
	if shared.browser != nil {
		shared.browser.Close()
		shared.site.Close()
		shared.site.inside.Close()
	}
	os.Exit(code)
}

func newSite() *site {
	s := &site{}
	s.inside = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.reached = append(s.reached, r.URL.Path)
		s.mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		io.WriteString(w, "secret")
	}))
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, strings.ReplaceAll(body, "INSIDE", s.inside.URL))
		})
	}
	page("/{$}", `<title>Form</title><h1>Welcome</h1><form action=/sent>
		<label>Name <input name=name value=old></label> <select name=size><option value=s>Small</option><option value=l>Large</option></select>
		<input type=checkbox name=agree> <input type=date name=day> <input type=file> <button>Send</button></form>
		<a href=/second>Next</a> <a href=/file>The file</a> <a href=/second target=_blank>In a window</a> <button disabled>Off</button>
		<button id=late hidden>Late</button> <button onclick="alert('careful'); document.title = confirm('sure?')">Ask</button>
		<script>setTimeout(() => document.getElementById("late").hidden = false, 200)</script>`)
	page("/second", `<title>Second</title><p>You are on the second page.</p><div style="position:fixed;inset:0;background:red"></div><button>Under</button>`)
	page("/picture", `<title>Picture</title><img src="INSIDE/pixel.png"><p>text</p>`)
	page("/moves", `<title>Moves</title><meta http-equiv=refresh content="0;url=/second">`)
	mux.HandleFunc("/sent", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>Sent</title><p>%s</p>", r.URL.Query().Encode())
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		io.WriteString(w, "a,b\n1,2\n")
	})
	mux.HandleFunc("/cookie", func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("who")
		if err != nil {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: r.URL.Query().Get("who")})
			io.WriteString(w, "nobody")
			return
		}
		io.WriteString(w, c.Value)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.inside.URL+"/redirected", http.StatusFound)
	})
	s.Server = httptest.NewServer(mux)
	return s
}

// open gives a tab of a fresh owner in the browser that all tests share.
func open(t *testing.T) (*Tab, *site) {
	t.Helper()
	shared.Do(func() {
		shared.site = newSite()
		box, err := sandbox.New(sandbox.Options{})
		if err != nil {
			shared.err = err
			return
		}
		dialer, err := safenet.New(safenet.Options{Allow: []string{strings.TrimPrefix(shared.site.URL, "http://")}})
		if err != nil {
			shared.err = err
			return
		}
		shared.browser, shared.err = New(Options{Net: dialer, Sandbox: box, Unconfined: true, Reach: reach})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return take(t, shared.browser), shared.site
}

// reach is the policy of a workspace that does not talk to one host.
func reach(_ context.Context, _ ids.Workspace, host, _ string) error {
	if host == "denied.test" {
		return fault.New(fault.Forbidden, "host_denied", "denied.test is a host that this workspace does not talk to.")
	}
	return nil
}

func take(t *testing.T, b *Browser) *Tab {
	t.Helper()
	who := Owner{Workspace: ids.New[ids.Workspace](), Name: t.Name()}
	tab, release, err := b.Tab(t.Context(), who)
	if fault.HasCode(err, "browser_missing") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { release(); b.Forget(who) })
	return tab
}

func visit(t *testing.T, tab *Tab, url string) Seen {
	t.Helper()
	seen, err := tab.Navigate(t.Context(), url, Keep{})
	if err != nil {
		t.Fatalf("opening %s: %v", url, err)
	}
	return seen
}

func wants(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.HasCode(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

// TestPages goes through all that is done with pages in one tab: making one takes longer than using it.
func TestPages(t *testing.T) {
	t.Parallel()
	tab, pages := open(t)
	for name, test := range map[string]func(*testing.T, *Tab, *site){
		"a form is filled and sent": formIsFilledAndSent, "typing appends and submits": typingAppendsAndSubmits, "clicking": clicking,
		"scripts": evaluating, "pictures": pictures, "downloads": downloading,
	} {
		t.Run(name, func(t *testing.T) { test(t, tab, pages) })
	}
}

func formIsFilledAndSent(t *testing.T, tab *Tab, site *site) {
	if seen := visit(t, tab, site.URL); seen.Title != "Form" || seen.URL != site.URL+"/" {
		t.Errorf("%+v", seen)
	}
	for _, in := range []Typing{
		{Element: Element{Selector: "[name=name]"}, Value: "Zoë 😀"},
		{Element: Element{Selector: "select"}, Value: "Large"},
		{Element: Element{Selector: "[type=date]"}, Value: "2026-03-29"},
	} {
		if _, err := tab.Type(t.Context(), in); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
	}
	if seen, err := tab.Click(t.Context(), Element{Selector: "[type=checkbox]"}, Keep{}); err != nil || seen.URL != site.URL+"/" {
		t.Fatalf("%+v, %v", seen, err)
	}
	if _, err := tab.Type(t.Context(), Typing{Element: Element{Selector: "select"}, Value: "Medium"}); !fault.HasCode(err, "no_option") {
		t.Errorf("an option that is not there: %v", err)
	}
	_, err := tab.Type(t.Context(), Typing{Element: Element{Selector: "[type=file]"}, Value: "/etc/passwd"})
	wants(t, err, "not_typable")
	seen, err := tab.Click(t.Context(), Element{Text: "Send"}, Keep{})
	if err != nil || seen.Title != "Sent" || seen.Did != "Clicked <button> “Send”." {
		t.Fatalf("%+v, %v", seen, err)
	}
	pieces, _, err := tab.HTML(t.Context(), "p")
	if want := "<p>agree=on&amp;day=2026-03-29&amp;name=Zo%C3%AB+%F0%9F%98%80&amp;size=l</p>"; err != nil || len(pieces) != 1 || pieces[0] != want {
		t.Errorf("got %q, %v; want %q", pieces, err, want)
	}
}

func typingAppendsAndSubmits(t *testing.T, tab *Tab, site *site) {
	visit(t, tab, site.URL)
	seen, err := tab.Type(t.Context(), Typing{Element: Element{Selector: "[name=name]"}, Value: "er", Append: true, Submit: true})
	if err != nil || !strings.Contains(seen.URL, "name=older") {
		t.Errorf("%+v, %v", seen, err)
	}
}

func clicking(t *testing.T, tab *Tab, site *site) {
	visit(t, tab, site.URL)
	if _, err := tab.Click(t.Context(), Element{Selector: "#late"}, Keep{}); err != nil {
		t.Errorf("an element that appears later: %v", err)
	}
	_, err := tab.Click(t.Context(), Element{Text: "Off"}, Keep{})
	wants(t, err, "element_disabled")
	_, err = tab.Click(t.Context(), Element{Selector: "a[["}, Keep{})
	wants(t, err, "bad_selector")
	seen, err := tab.Click(t.Context(), Element{Text: "Ask"}, Keep{})
	if err != nil || seen.Title != "false" || len(seen.Notes) != 2 || !strings.Contains(seen.Notes[0], `accepted: "careful"`) || !strings.Contains(seen.Notes[1], `dismissed: "sure?"`) {
		t.Errorf("%+v, %v", seen, err)
	}
	if seen, err := tab.Click(t.Context(), Element{Text: "In a window"}, Keep{}); err != nil || seen.Title != "Second" {
		t.Errorf("a new window: %+v, %v", seen, err)
	}
	_, err = tab.Click(t.Context(), Element{Text: "Under"}, Keep{})
	wants(t, err, "element_covered")
	if seen := visit(t, tab, site.URL+"/moves"); seen.Title != "Second" && seen.Title != "Moves" {
		t.Errorf("%+v", seen)
	}
}

func evaluating(t *testing.T, tab *Tab, site *site) {
	visit(t, tab, site.URL)
	for script, want := range map[string]string{
		"1 + 1":                                  `2`,
		"document.querySelector('h1').innerText": `"Welcome"`,
		"({a: [1, null]})":                       `{"a":[1,null]}`,
		"await Promise.resolve(7)":               `7`,
		"const x = 2; x * 21":                    `42`,
		"undefined":                              ``,
		"NaN":                                    `"NaN"`,
	} {
		got, _, err := tab.Evaluate(t.Context(), script)
		if err != nil || string(got) != want {
			t.Errorf("%s = %s, %v; want %s", script, got, err, want)
		}
	}
	_, _, err := tab.Evaluate(t.Context(), "nothing.at.all")
	wants(t, err, "script_failed")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, fault.New(fault.Timeout, "tool_timeout", "late"))
	defer cancel()
	_, _, err = tab.Evaluate(ctx, "new Promise(() => {})")
	wants(t, err, "tool_timeout")
	if got, _, err := tab.Evaluate(t.Context(), "location.href = 'file:///etc/passwd'"); err == nil {
		if pieces, seen, err := tab.HTML(t.Context(), ""); err != nil || strings.Contains(fmt.Sprint(pieces), "root:") {
			t.Errorf("a file was opened: %s, %+v, %v", got, seen, err)
		}
	}
}

// noise fills the window with what no PNG makes small.
const noise = `const c = document.createElement("canvas"); c.width = 1280; c.height = 800; c.style = "position:fixed;inset:0";
	const x = c.getContext("2d"), d = x.createImageData(1280, 800);
	for (let i = 0; i < d.data.length; i++) d.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
	x.putImageData(d, 0, 0); document.body.append(c); 0`

func pictures(t *testing.T, tab *Tab, site *site) {
	visit(t, tab, site.URL)
	for name, look := range map[string]Look{"the window": {}, "all": {Full: true}, "an element": {Element: Element{Selector: "h1"}}} {
		look.Limit = 4 << 20
		data, kind, err := tab.Screenshot(t.Context(), look)
		if err != nil || kind != "image/png" || http.DetectContentType(data) != kind {
			t.Errorf("%s: %s of %d bytes, %v", name, kind, len(data), err)
		}
	}
	if _, _, err := tab.Evaluate(t.Context(), noise); err != nil {
		t.Fatal(err)
	}
	data, kind, err := tab.Screenshot(t.Context(), Look{Limit: 2 << 20})
	if err != nil || kind != "image/jpeg" || http.DetectContentType(data) != kind {
		t.Errorf("of noise: %s of %d bytes, %v", kind, len(data), err)
	}
	_, _, err = tab.Screenshot(t.Context(), Look{Limit: 10})
	wants(t, err, "picture_too_large")
}

func downloading(t *testing.T, tab *Tab, site *site) {
	visit(t, tab, site.URL)
	_, err := tab.Click(t.Context(), Element{Text: "The file"}, Keep{})
	wants(t, err, "download_refused")
	_, err = tab.Navigate(t.Context(), site.URL+"/file", Keep{})
	wants(t, err, "download_refused")
	for _, do := range []func() (Seen, error){
		func() (Seen, error) { return tab.Click(t.Context(), Element{Text: "The file"}, Keep{Files: true}) },
		func() (Seen, error) { return tab.Navigate(t.Context(), site.URL+"/file", Keep{Files: true}) },
	} {
		seen, err := do()
		if err != nil || seen.Download == nil || seen.Download.Name != "report.csv" {
			t.Fatalf("%+v, %v", seen, err)
		}
		f, err := seen.Download.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		f.Close()
		if string(text) != "a,b\n1,2\n" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// TestPrivateAddresses: whatever makes the request, what may not be reached is not reached.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	tab, site := open(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.inside.URL, "http://"))
	for _, url := range []string{
		site.inside.URL, "http://localhost:" + port, "http://127.1:" + port, "http://2130706433:" + port, "http://0177.0.0.1:" + port, "http://[::1]:" + port,
		"http://[::ffff:127.0.0.1]:" + port, "http://169.254.169.254/latest/meta-data", "https://10.0.0.1/", site.URL + "/redirect",
	} {
		_, err := tab.Navigate(t.Context(), url, Keep{})
		wants(t, err, "address_refused")
	}
	_, err := tab.Navigate(t.Context(), "file:///etc/passwd", Keep{})
	wants(t, err, "malformed_url")
	seen := visit(t, tab, site.URL+"/picture")
	if len(seen.Notes) != 1 || !strings.Contains(seen.Notes[0], "127.0.0.1 is this machine") {
		t.Errorf("%+v", seen)
	}
	for _, script := range []string{
		`fetch("%s").then(r => r.text()).catch(e => "no")`,
		`new Promise(r => { const s = new WebSocket("%s".replace("http", "ws")); s.onopen = () => r("open"); s.onerror = () => r("no") })`,
		`fetch("%s".replace("http", "https")).then(r => r.text()).catch(e => "no")`,
		`fetch("http://denied.test/").then(r => r.text()).catch(e => "no") // %s`,
		`new Promise(r => { const f = document.createElement("iframe"); f.onload = () => r("no"); f.src = "%s"; document.body.append(f) })`,
	} {
		got, _, err := tab.Evaluate(t.Context(), fmt.Sprintf(script, site.inside.URL))
		if err != nil || string(got) != `"no"` {
			t.Errorf("%s: %s, %v", script, got, err)
		}
	}
	site.mu.Lock()
	defer site.mu.Unlock()
	if len(site.reached) > 0 {
		t.Errorf("reached: %v", site.reached)
	}
}

func TestOwnersShareNoCookies(t *testing.T) {
	t.Parallel()
	one, site := open(t)
	other := take(t, shared.browser)
	read := func(tab *Tab, who string) string {
		visit(t, tab, site.URL+"/cookie?who="+who)
		got, _, err := tab.Evaluate(t.Context(), "document.body.innerText")
		if err != nil {
			t.Fatal(err)
		}
		var text string
		if err := json.Unmarshal(got, &text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	got := []string{read(one, "one"), read(other, "other"), read(one, ""), read(other, "")}
	if want := "[nobody nobody one other]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestPageThatCrashes(t *testing.T) {
	t.Parallel()
	tab, site := open(t)
	visit(t, tab, site.URL)
	g, err := tab.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = tab.proc.wire.call(t.Context(), g.session, "Page.crash", map[string]any{}, nil)
	wants(t, err, "page_closed")
	if seen := visit(t, tab, site.URL+"/second"); seen.Title != "Second" {
		t.Errorf("%+v", seen)
	}
}

// TestBrowserThatCrashes: whoever waits is told, and the next call has a new one. It is not parallel, so that it crashes
// the browser before others use it.
func TestBrowserThatCrashes(t *testing.T) {
	tab, site := open(t)
	b := shared.browser
	visit(t, tab, site.URL)
	waits := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { _, _, err := tab.Evaluate(t.Context(), "new Promise(() => {})"); waits <- err })
	_ = tab.proc.wire.call(t.Context(), "", "Browser.crash", map[string]any{}, nil)
	wants(t, <-waits, "browser_crashed")
	wg.Wait()
	_, _, err := tab.HTML(t.Context(), "")
	wants(t, err, "browser_crashed")
	<-tab.proc.done
	if _, err := os.Stat(tab.proc.profile); !os.IsNotExist(err) {
		t.Errorf("its profile is still there: %v", err)
	}
	<-tab.turn // it is given back
	again, release, err := b.Tab(t.Context(), tab.owner)
	if err != nil || again == tab {
		t.Fatalf("the same tab: %v, %v", again == tab, err)
	}
	if seen := visit(t, again, site.URL); seen.Title != "Form" {
		t.Errorf("%+v", seen)
	}
	release()
	tab.turn <- struct{}{}
}

func TestClosedBrowserOpensNothing(t *testing.T) {
	t.Parallel()
	dialer, err := safenet.New(safenet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Options{Net: dialer})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	_, _, err = b.Tab(t.Context(), Owner{Name: "run"})
	wants(t, err, "browser_closed")
}

func TestFind(t *testing.T) {
	t.Parallel()
	_, err := Find("/no/such/chromium")
	wants(t, err, "browser_missing")
	if f := fault.From(err); !strings.Contains(f.Hint, "tools.browser") {
		t.Errorf("hint: %s", f.Hint)
	}
}
