package browser

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
)

//go:embed page.js
var pageScript string

// Seen is where a page is after something was done, and what happened on the way.
type Seen struct {
	URL      string
	Title    string
	Did      string   // what was clicked or typed into
	Notes    []string // dialogs, refusals, pages that crashed
	Download *Download
}

// Element says which one: the first that is visible and fits both.
type Element struct {
	Selector string // of CSS; "": anything that can be clicked
	Text     string // that it shows, "": any
}

// Navigate opens an address. keep lets the browser fetch a file instead of showing a page.
func (t *Tab) Navigate(ctx context.Context, address string, keep Keep) (Seen, error) {
	u, err := safenet.Parse(address)
	if err != nil {
		return Seen{}, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	t.mu.Lock()
	t.used, t.hosts[net.JoinHostPort(u.Hostname(), port)] = true, true // the gate has judged it with the call
	t.mu.Unlock()
	return t.act(ctx, keep, func(g *page) (string, error) { return "", t.navigate(ctx, g, u.String()) })
}

func (t *Tab) navigate(ctx context.Context, g *page, address string) error {
	late := fault.New(fault.Timeout, "browser_timeout", "The page did not answer within %s.", answerTime).WithHint("Try again later, or another address.")
	answering, cancel := context.WithTimeoutCause(ctx, answerTime, late)
	defer cancel()
	var got struct {
		Error      string `json:"errorText"`
		IsDownload bool   `json:"isDownload"`
	}
	err := t.proc.wire.call(answering, g.session, "Page.navigate", map[string]any{"url": address}, &got)
	if err != nil {
		if answering.Err() != nil {
			_, _, _ = t.proc.wire.send(g.session, "Page.stopLoading", map[string]any{}) // the reason is told already
		}
		return err
	}
	if got.Error == "" || got.IsDownload {
		return nil
	}
	if refused := t.proxy.refusals(); len(refused) > 0 {
		return refused[0]
	}
	return fault.New(fault.Upstream, "navigation_failed", "The page could not be opened: %s.", strings.TrimPrefix(got.Error, "net::")).WithHint("Check the address, or try another.")
}

// Click presses an element.
func (t *Tab) Click(ctx context.Context, e Element, keep Keep) (Seen, error) {
	return t.act(ctx, keep, func(g *page) (string, error) {
		at, err := t.locate(ctx, g, map[string]any{"selector": e.Selector, "text": e.Text, "wait": waitTime.Milliseconds(), "reach": true})
		if err != nil {
			return "", err
		}
		if at.Disabled {
			return "", fault.New(fault.Conflict, "element_disabled", "%s is disabled.", at.Says)
		}
		return at.words("Clicked"), t.press(ctx, g, at.X, at.Y)
	})
}

// waitTime is how long an element may take to appear.
const waitTime = 5 * time.Second

// Typing is what is typed, and how.
type Typing struct {
	Element
	Value  string
	Append bool // after what is there; else it is replaced
	Submit bool // the enter key follows
}

// Type enters a text into a field, or chooses in a list.
func (t *Tab) Type(ctx context.Context, in Typing) (Seen, error) {
	return t.act(ctx, Keep{}, func(g *page) (string, error) {
		selector := in.Selector
		if selector == "" {
			selector = "input,textarea,select,[contenteditable]"
		}
		at, err := t.locate(ctx, g, map[string]any{"selector": selector, "text": in.Text, "wait": waitTime.Milliseconds(), "set": in.Value, "append": in.Append})
		if err != nil {
			return "", err
		}
		if at.Disabled {
			return "", fault.New(fault.Conflict, "element_disabled", "%s is disabled.", at.Says)
		}
		if at.typed() {
			if err := t.proc.wire.call(ctx, g.session, "Input.insertText", map[string]any{"text": in.Value}, nil); err != nil {
				return "", err
			}
		}
		if in.Submit {
			return at.words("Typed into"), t.enter(ctx, g)
		}
		return at.words("Typed into"), nil
	})
}

// Look is a picture of the page.
type Look struct {
	Element       // nothing: what the window shows
	Full    bool  // all of the page
	Limit   int64 // bytes
}

// Screenshot takes a picture, as a PNG, or as a JPEG where that would be too large.
func (t *Tab) Screenshot(ctx context.Context, in Look) (data []byte, mediaType string, err error) {
	g, err := t.ready(ctx)
	if err != nil {
		return nil, "", err
	}
	params := map[string]any{"format": "png"}
	switch {
	case in.Selector != "" || in.Text != "":
		at, err := t.locate(ctx, g, map[string]any{"selector": in.Selector, "text": in.Text, "wait": waitTime.Milliseconds()})
		if err != nil {
			return nil, "", err
		}
		params["clip"], params["captureBeyondViewport"] = at.Box.clip(), true
	case in.Full:
		var m struct {
			Size box `json:"cssContentSize"`
		}
		if err := t.proc.wire.call(ctx, g.session, "Page.getLayoutMetrics", map[string]any{}, &m); err != nil {
			return nil, "", t.proc.explain(ctx, err)
		}
		params["clip"], params["captureBeyondViewport"] = m.Size.clip(), true
	}
	for _, quality := range []int{0, 80, 40} {
		mediaType = "image/png"
		if quality > 0 {
			params["format"], params["quality"], mediaType = "jpeg", quality, "image/jpeg"
		}
		var shot struct {
			Data string `json:"data"`
		}
		if err := t.proc.wire.call(ctx, g.session, "Page.captureScreenshot", params, &shot); err != nil {
			return nil, "", t.proc.explain(ctx, err)
		}
		if data, err = base64.StdEncoding.DecodeString(shot.Data); err != nil || int64(len(data)) <= in.Limit {
			return data, mediaType, err
		}
	}
	return nil, "", fault.New(fault.TooLarge, "picture_too_large", "A picture of all that is larger than %d bytes.", in.Limit).WithHint("Take one of what the window shows, or of one element.")
}

// Evaluate runs a script in the page and gives its value as JSON; a promise is waited for.
func (t *Tab) Evaluate(ctx context.Context, script string) (value json.RawMessage, seen Seen, err error) {
	seen, err = t.act(ctx, Keep{}, func(g *page) (string, error) {
		value, err = t.evaluate(ctx, g, script)
		return "", err
	})
	return value, seen, err
}

func (t *Tab) evaluate(ctx context.Context, g *page, script string) (json.RawMessage, error) {
	const group = "fluxway"
	var got evaluated
	// In this mode await and repeated names work at the top, but a promise is given back and not waited for.
	err := t.proc.wire.call(ctx, g.session, "Runtime.evaluate", map[string]any{"expression": script, "replMode": true, "userGesture": true, "objectGroup": group}, &got)
	if object := got.Result.Object; err == nil && got.Exception == nil && object != "" {
		method, params := "Runtime.callFunctionOn", map[string]any{"objectId": object, "functionDeclaration": "function() { return this }", "returnByValue": true}
		if got.Result.Subtype == "promise" {
			method, params = "Runtime.awaitPromise", map[string]any{"promiseObjectId": object, "returnByValue": true}
		}
		got = evaluated{}
		err = t.proc.wire.call(ctx, g.session, method, params, &got)
		_, _, _ = t.proc.wire.send(g.session, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": group}) // a page that is gone has released them
	}
	if err != nil {
		return nil, err
	}
	if got.Exception != nil {
		return nil, fault.New(fault.Invalid, "script_failed", "The script failed: %s", got.Exception.words()).WithParam("script")
	}
	if got.Result.Value == nil && got.Result.Unserializable != "" {
		return json.Marshal(got.Result.Unserializable)
	}
	return got.Result.Value, nil
}

// HTML is the page as it is now, or the elements that a selector names.
func (t *Tab) HTML(ctx context.Context, selector string) (pieces []string, seen Seen, err error) {
	const script = `(s) => { try { return { pieces: s ? [...document.querySelectorAll(s)].slice(0, 200).map((e) => e.outerHTML) : [document.documentElement.outerHTML] } } catch (e) { return { problem: String(e.message) } } }`
	g, err := t.ready(ctx)
	if err != nil {
		return nil, Seen{}, err
	}
	var got struct {
		Pieces  []string `json:"pieces"`
		Problem string   `json:"problem"`
	}
	if err := t.inside(ctx, g, script, selector, &got); err != nil {
		return nil, Seen{}, t.proc.explain(ctx, err)
	}
	if got.Problem != "" {
		return nil, Seen{}, badSelector(got.Problem)
	}
	seen, err = t.seen(ctx)
	return got.Pieces, seen, err
}

// Keep says whether a file that is offered is fetched.
type Keep struct{ Files bool }

// act does something to the page and says what came of it.
func (t *Tab) act(ctx context.Context, keep Keep, do func(g *page) (string, error)) (Seen, error) {
	g, err := t.current(ctx)
	if err != nil {
		return Seen{}, t.proc.explain(ctx, err)
	}
	t.proxy.refusals()
	t.mu.Lock()
	t.notes, t.download = nil, newDownload(keep.Files)
	t.mu.Unlock()
	if keep.Files {
		if err := t.allowDownloads(ctx, true); err != nil {
			return Seen{}, t.proc.explain(ctx, err)
		}
		defer func() {
			again, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = t.allowDownloads(again, false) // without it, a file would be kept in our folder and never taken
		}()
	}
	did, err := do(g)
	if err == nil {
		err = t.settle(ctx)
	}
	if err != nil {
		return Seen{}, t.proc.explain(ctx, err)
	}
	file, err := t.fetched(ctx)
	if err != nil {
		return Seen{}, err
	}
	seen, err := t.seen(ctx)
	seen.Did, seen.Download = did, file
	return seen, err
}

// ready is the current page, if one was opened.
func (t *Tab) ready(ctx context.Context) (*page, error) {
	g, err := t.current(ctx)
	if err != nil {
		return nil, t.proc.explain(ctx, err)
	}
	return g, nil
}

// seen says where the page is.
func (t *Tab) seen(ctx context.Context) (Seen, error) {
	const script = `() => ({ url: location.href, title: document.title })`
	g, err := t.current(ctx)
	if err != nil {
		return Seen{}, t.proc.explain(ctx, err)
	}
	var at struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	}
	if err := t.inside(ctx, g, script, nil, &at); err != nil {
		return Seen{}, t.proc.explain(ctx, err)
	}
	out := Seen{URL: at.URL, Title: at.Title}
	t.mu.Lock()
	out.Notes, t.notes = t.notes, nil
	t.mu.Unlock()
	for _, f := range t.proxy.refusals() {
		out.Notes = append(out.Notes, "Not loaded: "+f.Message)
	}
	return out, nil
}

// inside runs a function in a world of its own, where the page cannot meddle.
func (t *Tab) inside(ctx context.Context, g *page, function string, arg, result any) error {
	raw, err := json.Marshal(arg)
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		var world struct {
			Context int64 `json:"executionContextId"`
		}
		err := t.proc.wire.call(ctx, g.session, "Page.createIsolatedWorld", map[string]any{"frameId": g.target, "worldName": "fluxway"}, &world)
		if err != nil {
			return err
		}
		var got evaluated
		err = t.proc.wire.call(ctx, g.session, "Runtime.evaluate", map[string]any{
			"expression": fmt.Sprintf("(%s)(%s)", strings.TrimSpace(function), raw), "contextId": world.Context, "awaitPromise": true, "returnByValue": true,
		}, &got)
		if err != nil && try < 3 && strings.Contains(err.Error(), "context") { // the page went on to another
			if err := t.loaded(ctx, g); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if got.Exception != nil {
			return fmt.Errorf("a script of ours failed: %s", got.Exception.words())
		}
		return json.Unmarshal(got.Result.Value, result)
	}
}
