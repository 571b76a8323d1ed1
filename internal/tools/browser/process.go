package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// startTime is how long Chromium may take to answer.
const startTime = 30 * time.Second

// process is a running Chromium.
type process struct {
	wire    *wire
	profile string
	stop    context.CancelCauseFunc
	done    chan struct{} // closed when it has ended and its folder is gone
	wg      *sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	contexts map[string]*Tab
	sessions map[string]*page
	targets  map[string]*Tab
}

// start starts a Chromium and waits until it answers.
func (b *Browser) start(ctx context.Context) (*process, error) {
	program, err := Find(b.opts.Program)
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp(b.opts.Folder, "fluxway-browser-")
	if err != nil {
		return nil, fmt.Errorf("making a profile: %w", err)
	}
	e, err := newEnds()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	p := &process{
		profile: profile, stop: stop, done: make(chan struct{}), wg: &b.wg,
		contexts: make(map[string]*Tab), sessions: make(map[string]*page), targets: make(map[string]*Tab),
	}
	p.wire = newWire(e.write, p.heard)
	b.wg.Go(func() { p.wire.listen(e.read) })
	b.wg.Go(func() {
		defer close(p.done)
		err := b.execute(running, program, profile, e)
		b.log.DebugContext(ctx, "the browser ended", "part", "tools", "err", err)
		p.wire.end(err)
		e.close()
		if err := os.RemoveAll(profile); err != nil {
			b.log.WarnContext(ctx, "a browser's profile could not be removed", "part", "tools", "err", err)
		}
	})
	starting, cancel := context.WithTimeoutCause(ctx, startTime, fault.New(fault.Timeout, "browser_timeout", "The browser did not start within %s.", startTime).WithHint("Try once more; the machine may be busy."))
	defer cancel()
	if err = p.wire.call(starting, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil); err != nil {
		if p.gone() == nil {
			stop(err)
		}
		<-p.done
		var f *fault.Fault
		if errors.As(err, &f) {
			return nil, err
		}
		return nil, fault.New(fault.Unavailable, "browser_failed", "The browser %s could not be started.", program).
			WithHint("Whoever runs this server finds the reason in its log; tools.browser names another browser.").Because(err)
	}
	return p, nil
}

// gone says why the browser has ended; nil: it runs.
func (p *process) gone() error {
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	return p.wire.ended
}

// explain finds words for an error of a command.
func (p *process) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	if gone := p.gone(); gone != nil {
		return fault.New(fault.Unavailable, "browser_crashed", "The browser crashed; its pages and cookies are gone.").
			WithHint("Open the page again with browser_navigate: a new browser is started for it.").Because(gone)
	}
	return fault.New(fault.Upstream, "browser_failed", "The browser could not do that: %v.", err).WithHint("Look at the page with browser_extract or browser_screenshot first.").Because(err)
}

// The events we listen to.
type (
	targetEvent struct {
		TargetID   string `json:"targetId"`
		TargetInfo struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
			Context  string `json:"browserContextId"`
		} `json:"targetInfo"`
		SessionID string `json:"sessionId"`
	}
	frameEvent struct {
		FrameID string `json:"frameId"`
	}
	dialogEvent struct {
		Message string `json:"message"`
		Type    string `json:"type"`
	}
	downloadEvent struct {
		GUID     string  `json:"guid"`
		Name     string  `json:"suggestedFilename"`
		URL      string  `json:"url"`
		State    string  `json:"state"`
		Received float64 `json:"receivedBytes"`
	}
)

// heard takes in an event.
func (p *process) heard(m message) {
	switch m.Method {
	case "Target.targetCreated", "Target.targetDestroyed", "Target.targetCrashed", "Target.detachedFromTarget":
		p.heardTarget(m)
		return
	}
	p.mu.Lock()
	g := p.sessions[m.Session]
	p.mu.Unlock()
	if g == nil {
		return
	}
	switch m.Method {
	case "Page.frameStartedLoading", "Page.frameStoppedLoading":
		var e frameEvent
		if json.Unmarshal(m.Params, &e) == nil && e.FrameID == g.target {
			g.loads(m.Method == "Page.frameStartedLoading")
		}
	case "Page.javascriptDialogOpening":
		var e dialogEvent
		if json.Unmarshal(m.Params, &e) != nil {
			return
		}
		accept := e.Type == "alert" || e.Type == "beforeunload"
		g.tab.say(dialogWords(e, accept))
		p.wg.Go(func() { // the reader must not wait for the pipe
			_, _, _ = p.wire.send(m.Session, "Page.handleJavaScriptDialog", map[string]any{"accept": accept}) // a dialog that is gone needs no answer
		})
	case "Page.downloadWillBegin", "Page.downloadProgress":
		var e downloadEvent
		if json.Unmarshal(m.Params, &e) == nil {
			g.tab.downloads(e)
		}
	}
}

func dialogWords(e dialogEvent, accept bool) string {
	text := e.Message
	if len(text) > 500 {
		text = text[:500] + "…"
	}
	did := "dismissed"
	if accept {
		did = "accepted"
	}
	return fmt.Sprintf("The page showed a dialog (%s), which was %s: %q", e.Type, did, text)
}

func (p *process) heardTarget(m message) {
	var e targetEvent
	if json.Unmarshal(m.Params, &e) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Target.targetCreated":
		t := p.contexts[e.TargetInfo.Context]
		if t == nil || e.TargetInfo.Type != "page" {
			return
		}
		p.targets[e.TargetInfo.TargetID] = t
		t.opened(e.TargetInfo.TargetID)
	case "Target.targetDestroyed", "Target.targetCrashed":
		t := p.targets[e.TargetID]
		if t == nil {
			return
		}
		delete(p.targets, e.TargetID)
		g := t.left(e.TargetID, m.Method == "Target.targetCrashed")
		if g != nil && g.session != "" {
			p.wire.drop(g.session, errPageGone)
		}
		if m.Method == "Target.targetCrashed" {
			p.wg.Go(func() {
				_, _, _ = p.wire.send("", "Target.closeTarget", map[string]any{"targetId": e.TargetID}) // nothing is left in it
			})
		}
	case "Target.detachedFromTarget":
		delete(p.sessions, e.SessionID)
		p.wire.drop(e.SessionID, errPageGone)
	}
}

var errPageGone = fault.New(fault.Unavailable, "page_closed", "The page crashed or was closed.").WithHint("Open it again with browser_navigate.")
