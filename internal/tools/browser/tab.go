package browser

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

const (
	loadTime   = 15 * time.Second // how long a page may go on loading before it is used as it is
	answerTime = 30 * time.Second // how long a server may take to answer
	maxPages   = 8                // of one owner
	maxNotes   = 10
)

// Tab is the pages of one owner, in a browser context of their own. The last one opened is the one that is used.
type Tab struct {
	owner   Owner
	proc    *process
	context string
	proxy   *proxy
	folder  string // where the browser puts downloads
	turn    chan struct{}
	idle    *time.Timer

	mu       sync.Mutex // guards the fields below
	pages    []*page
	used     bool            // an address was opened
	hosts    map[string]bool // that a person or the policy let this owner open
	notes    []string
	download *download
}

// page is one page of a tab.
type page struct {
	tab     *Tab
	target  string
	session string // "": not attached; set once, under the process's lock, by whoever has the tab's turn
	seen    int    // loads that were waited for; for whoever has the tab's turn

	mu      sync.Mutex // guards the fields below
	loading bool
	count   int           // of loads that began
	changed chan struct{} // closed when loading changes
}

func (g *page) loads(now bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.loading = now; now {
		g.count++
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

func (g *page) begun() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}

func (g *page) busy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.loading
}

// newTab makes a context with a proxy of its own and an empty page.
func (b *Browser) newTab(ctx context.Context, proc *process, who Owner) (t *Tab, err error) {
	t = &Tab{owner: who, proc: proc, turn: make(chan struct{}, 1), hosts: make(map[string]bool), download: newDownload(false)}
	if t.folder, err = os.MkdirTemp(proc.profile, "downloads-"); err != nil {
		return nil, fmt.Errorf("making a folder for downloads: %w", err)
	}
	if t.proxy, err = newProxy(b.opts.Net, t.reach(b.opts.Reach), b.log); err != nil {
		return nil, fmt.Errorf("opening a proxy: %w", err)
	}
	var made struct {
		Context string `json:"browserContextId"`
	}
	err = proc.wire.call(ctx, "", "Target.createBrowserContext", map[string]any{
		"proxyServer": "http://" + t.proxy.addr, "proxyBypassList": "<-loopback>",
	}, &made)
	if err != nil {
		t.proxy.close()
		return nil, err
	}
	t.context = made.Context
	proc.mu.Lock()
	proc.contexts[t.context] = t
	proc.mu.Unlock()
	if err = t.allowDownloads(ctx, false); err == nil {
		err = t.newPage(ctx)
	}
	if err != nil {
		t.dispose()
		return nil, err
	}
	return t, nil
}

// reach asks the policy about every host but those the owner was let open.
func (t *Tab) reach(policy func(ctx context.Context, ws ids.Workspace, host, port string) error) func(ctx context.Context, host, port string) error {
	return func(ctx context.Context, host, port string) error {
		t.mu.Lock()
		known := t.hosts[net.JoinHostPort(host, port)]
		t.mu.Unlock()
		if known {
			return nil
		}
		return policy(ctx, t.owner.Workspace, host, port)
	}
}

func (t *Tab) newPage(ctx context.Context) error {
	return t.proc.wire.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": t.context, "newWindow": true}, nil)
}

// dispose closes the context and all in it.
func (t *Tab) dispose() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	t.proc.mu.Lock()
	delete(t.proc.contexts, t.context)
	t.proc.mu.Unlock()
	_ = t.proc.wire.call(ctx, "", "Target.disposeBrowserContext", map[string]any{"browserContextId": t.context}, nil) // a browser that is gone has none
	t.proxy.close()
	_ = os.RemoveAll(t.folder) // it goes with the profile at the latest
}

// opened notes a new page; beyond the most there may be, the first one after the oldest is closed.
func (t *Tab) opened(target string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(t.pages, func(g *page) bool { return g.target == target }) {
		return
	}
	t.pages = append(t.pages, &page{tab: t, target: target, changed: make(chan struct{})})
	if len(t.pages) > maxPages {
		oldest := t.pages[1].target
		t.proc.wg.Go(func() {
			_, _, _ = t.proc.wire.send("", "Target.closeTarget", map[string]any{"targetId": oldest}) // it may be gone
		})
	}
}

// left forgets a page.
func (t *Tab) left(target string, crashed bool) *page {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.pages, func(g *page) bool { return g.target == target })
	if i < 0 {
		return nil
	}
	g := t.pages[i]
	t.pages = slices.Delete(t.pages, i, i+1)
	if crashed {
		t.note("The page crashed.")
	}
	return g
}

// say adds something the model should hear of.
func (t *Tab) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(text)
}

func (t *Tab) note(text string) {
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, text)
	}
}

// current is the page that was opened last, attached; a tab without any gets a new one.
func (t *Tab) current(ctx context.Context) (*page, error) {
	g := t.last()
	if g == nil {
		if err := t.newPage(ctx); err != nil {
			return nil, err
		}
		if g = t.last(); g == nil { // the event comes before the answer
			return nil, fmt.Errorf("the browser opened no page")
		}
	}
	if g.session != "" {
		return g, nil
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	if err := t.proc.wire.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": g.target, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	t.proc.mu.Lock()
	g.session = attached.Session
	t.proc.sessions[g.session] = g
	t.proc.mu.Unlock()
	return g, t.proc.wire.call(ctx, g.session, "Page.enable", map[string]any{}, nil)
}

func (t *Tab) last() *page {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pages) == 0 {
		return nil
	}
	return t.pages[len(t.pages)-1]
}

// settle waits until what was done has had its first effects, and until a page that began to load has loaded.
func (t *Tab) settle(ctx context.Context) error {
	const beat = `new Promise(r => setTimeout(r, 40))`
	for range 5 { // one page may lead to the next
		g, err := t.current(ctx)
		if err != nil {
			return err
		}
		began := g.begun()
		// A page that goes away meanwhile takes the answer with it; whether it loads is seen below.
		if err := t.proc.wire.call(ctx, g.session, "Runtime.evaluate", map[string]any{"expression": beat, "awaitPromise": true, "timeout": 2000}, nil); ctx.Err() != nil || t.proc.gone() != nil {
			return err
		}
		now, err := t.current(ctx) // it may have opened another
		if err != nil {
			return err
		}
		if now == g && !g.busy() && g.begun() == began && began == g.seen {
			return nil
		}
		if err := t.loaded(ctx, now); err != nil {
			return err
		}
		now.seen = now.begun()
	}
	return nil
}

// loaded waits for the page, but not for ever.
func (t *Tab) loaded(ctx context.Context, g *page) error {
	late := time.NewTimer(loadTime)
	defer late.Stop()
	for {
		g.mu.Lock()
		loading, changed := g.loading, g.changed
		g.mu.Unlock()
		if !loading {
			return nil
		}
		select {
		case <-changed:
		case <-late.C:
			t.say(fmt.Sprintf("The page was still loading after %s.", loadTime))
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// allowDownloads lets the browser keep what it is offered, or not.
func (t *Tab) allowDownloads(ctx context.Context, yes bool) error {
	params := map[string]any{"behavior": "deny", "browserContextId": t.context, "eventsEnabled": true}
	if yes {
		params["behavior"], params["downloadPath"] = "allowAndName", t.folder
	}
	return t.proc.wire.call(ctx, "", "Browser.setDownloadBehavior", params, nil)
}

// download is a file that a page offers.
type download struct {
	guid, name, url string
	wanted          bool
	state           string        // inProgress, completed, canceled
	changed         chan struct{} // closed when state changes
}

func newDownload(wanted bool) *download {
	return &download{wanted: wanted, changed: make(chan struct{})}
}

func (d *download) turn() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// maxDownload bounds a file.
const maxDownload = 200 << 20

func (t *Tab) downloads(e downloadEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.download
	switch {
	case e.State == "" && d.guid == "": // one at a time
		d.guid, d.name, d.url, d.state = e.GUID, e.Name, e.URL, "inProgress"
		d.turn()
	case d.guid == e.GUID:
		if e.Received > maxDownload && e.State == "inProgress" {
			t.proc.wg.Go(func() {
				_, _, _ = t.proc.wire.send("", "Browser.cancelDownload", map[string]any{"guid": e.GUID, "browserContextId": t.context}) // it may be done
			})
		}
		if d.state != e.State {
			d.state = e.State
			d.turn()
		}
	}
}

// Download is a file that was fetched by the browser and waits to be taken.
type Download struct {
	Name string // as the server suggests
	URL  string
	path string
}

// Open opens the file, which the caller may then copy.
func (d *Download) Open() (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(d.path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.Base(d.path))
}

// offerTime is how long a file that is wanted may take to be offered.
const offerTime = 10 * time.Second

// fetched waits for a download that began, or that is wanted, and gives it; nil: there is none.
func (t *Tab) fetched(ctx context.Context) (*Download, error) {
	late := time.NewTimer(offerTime)
	defer late.Stop()
	for {
		t.mu.Lock()
		d := *t.download
		t.mu.Unlock()
		var tooLate <-chan time.Time
		switch {
		case d.guid == "" && !d.wanted:
			return nil, nil
		case d.guid == "":
			tooLate = late.C
		case !d.wanted:
			return nil, fault.New(fault.Forbidden, "download_refused", "The page offers the file %q, which was not downloaded.", d.name).
				WithHint("Call again with download_to and a path in the project, if the file is wanted.")
		case d.state == "completed":
			return &Download{Name: d.name, URL: d.url, path: filepath.Join(t.folder, d.guid)}, nil
		case d.state == "canceled":
			return nil, fault.New(fault.Upstream, "download_failed", "The download of %q did not finish.", d.name).WithHint("It failed on the way, or is larger than %d MB.", maxDownload>>20)
		}
		select {
		case <-d.changed:
		case <-tooLate:
			return nil, fault.New(fault.NotFound, "no_download", "The page offered no file.").WithHint("Leave out download_to where there is none.")
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
