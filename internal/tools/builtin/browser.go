package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/browser"
)

const (
	browserTime = 90 * time.Second // with the start of the browser
	maxPicture  = 2 << 20          // it is kept with the run and sent with every turn
)

// surfer is the browser tools.
type surfer struct{ browser *browser.Browser }

func browserTools(b *browser.Browser) []tools.Tool {
	s := surfer{b}
	const element = `"selector":{"type":"string","maxLength":2000,"description":"of CSS"},"text":{"type":"string","maxLength":500,"description":"what the element shows, if no selector is known"}`
	const save = `"download_to":{"type":"string","maxLength":1000,"description":"where in the project to put the file that this downloads; left out: downloads are refused"}`
	spec := func(name, title string, level tools.Level) tools.Spec {
		return tools.Spec{Name: name, Title: title, Level: level, Network: level != tools.Public, ReadOnly: level == tools.Public, Repeatable: level == tools.Public, Timeout: browserTime}
	}
	navigate := spec("browser_navigate", "Open a page in the browser", tools.Restricted)
	navigate.Repeatable, navigate.Means = true, tools.Arguments{URLs: []string{"url"}, Paths: []string{"download_to"}}
	click := spec("browser_click", "Click in the browser", tools.Restricted)
	click.Means = paths("download_to")
	return []tools.Tool{
		define(navigate, `{"url":{"type":"string","minLength":1,"maxLength":4000},`+save+`}`, []string{"url"}, s.navigate),
		define(click, `{`+element+`,`+save+`}`, nil, s.click),
		define(spec("browser_type", "Type in the browser", tools.Restricted),
			`{`+element+`,"value":{"type":"string","maxLength":100000},"append":{"type":"boolean","description":"after what is there; else it is replaced"},"submit":{"type":"boolean","description":"press enter afterwards"}}`, []string{"value"}, s.enter),
		define(spec("browser_evaluate", "Run a script in the page", tools.Dangerous),
			`{"script":{"type":"string","minLength":1,"maxLength":100000,"description":"JavaScript; the value of its last expression is the result, await works"}}`, []string{"script"}, s.evaluate),
		define(spec("browser_screenshot", "Picture of the page", tools.Public),
			`{`+element+`,"full_page":{"type":"boolean","description":"all of the page, not only what the window shows"}}`, nil, s.screenshot),
		define(spec("browser_extract", "Read the page in the browser", tools.Public),
			`{"selector":{"type":"string","maxLength":2000,"description":"of CSS; all elements that fit, the whole page if not given"},"format":{"enum":["text","html","links"],"description":"text if not given"}}`, nil, s.extract),
	}
}

// tab gives the pages of the call's run. Only navigating opens a browser: without a page there is nothing to do.
func (s surfer) tab(ctx context.Context, call tools.Call, fresh bool) (*browser.Tab, func(), error) {
	who := browser.Owner{Workspace: call.Workspace, Name: cmp.Or(string(call.Run), string(call.Conversation), string(call.User))}
	if !fresh && !s.browser.Opened(who) {
		return nil, nil, fault.New(fault.Conflict, "no_page", "No page is open.").WithHint("Open one with browser_navigate.")
	}
	return s.browser.Tab(ctx, who)
}

type navigateArgs struct {
	URL string `json:"url"`
	To  string `json:"download_to"`
}

func (s surfer) navigate(ctx context.Context, call tools.Call, a navigateArgs) (tools.Result, error) {
	return s.act(ctx, call, a.To, func(t *browser.Tab, keep browser.Keep) (browser.Seen, error) { return t.Navigate(ctx, a.URL, keep) })
}

type clickArgs struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
	To       string `json:"download_to"`
}

func (s surfer) click(ctx context.Context, call tools.Call, a clickArgs) (tools.Result, error) {
	if a.Selector == "" && a.Text == "" {
		return tools.Result{}, fault.New(fault.Invalid, "invalid_arguments", "Give a selector, a text, or both.").WithParam("selector")
	}
	return s.act(ctx, call, a.To, func(t *browser.Tab, keep browser.Keep) (browser.Seen, error) {
		return t.Click(ctx, browser.Element{Selector: a.Selector, Text: a.Text}, keep)
	})
}

type typeArgs struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
	Value    string `json:"value"`
	Append   bool   `json:"append"`
	Submit   bool   `json:"submit"`
}

func (s surfer) enter(ctx context.Context, call tools.Call, a typeArgs) (tools.Result, error) {
	return s.act(ctx, call, "", func(t *browser.Tab, _ browser.Keep) (browser.Seen, error) {
		return t.Type(ctx, browser.Typing{Element: browser.Element{Selector: a.Selector, Text: a.Text}, Value: a.Value, Append: a.Append, Submit: a.Submit})
	})
}

// act does something with the page, puts a file it downloaded where it belongs, and says where the page is then.
func (s surfer) act(ctx context.Context, call tools.Call, to string, do func(*browser.Tab, browser.Keep) (browser.Seen, error)) (tools.Result, error) {
	if to != "" { // before anything is fetched
		f, err := openFolder(call)
		if err != nil {
			return tools.Result{}, err
		}
		_, err = f.writable(to)
		f.Close()
		if err != nil {
			return tools.Result{}, err
		}
	}
	t, release, err := s.tab(ctx, call, call.Tool == "browser_navigate")
	if err != nil {
		return tools.Result{}, err
	}
	defer release()
	seen, err := do(t, browser.Keep{Files: to != ""})
	if err != nil {
		return tools.Result{}, err
	}
	text := seenText(seen)
	meta := map[string]any{"url": seen.URL, "title": seen.Title}
	if seen.Download != nil {
		rel, size, err := take(call, seen.Download, to)
		if err != nil {
			return tools.Result{}, err
		}
		text += fmt.Sprintf("\nDownloaded %s (%d bytes).", rel, size)
		meta["path"] = rel
	}
	r := tools.Says(text)
	r.Meta = meta
	return r, nil
}

func seenText(seen browser.Seen) string {
	var b strings.Builder
	if seen.Did != "" {
		b.WriteString(seen.Did + "\n")
	}
	fmt.Fprintf(&b, "At %s", seen.URL)
	if seen.Title != "" {
		fmt.Fprintf(&b, " — %s", seen.Title)
	}
	for _, n := range seen.Notes {
		fmt.Fprintf(&b, "\n[%s]", n)
	}
	return b.String()
}

// take copies a file that the browser fetched into the project; a folder gets it under the name that the server gave it.
func take(call tools.Call, d *browser.Download, to string) (rel string, size int64, err error) {
	f, err := openFolder(call)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if rel, err = f.rel(to); err != nil {
		return "", 0, err
	}
	if info, err := f.Stat(rel); strings.HasSuffix(to, "/") || err == nil && info.IsDir() {
		to = path.Join(rel, fileName(d.Name))
	}
	if rel, err = f.writable(to); err != nil {
		return "", 0, err
	}
	file, err := d.Open()
	if err != nil {
		return "", 0, fmt.Errorf("opening what was downloaded: %w", err)
	}
	defer file.Close()
	size, err = f.receive(rel, file)
	return rel, size, err
}

// fileName is the name of a file that a server suggests, as far as it is one.
func fileName(suggested string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.TrimLeft(path.Base(suggested), "."))
	if len(name) > 200 {
		name = name[len(name)-200:]
	}
	return cmp.Or(strings.ToValidUTF8(name, "_"), "download")
}

type scriptArgs struct {
	Script string `json:"script"`
}

func (s surfer) evaluate(ctx context.Context, call tools.Call, a scriptArgs) (tools.Result, error) {
	t, release, err := s.tab(ctx, call, false)
	if err != nil {
		return tools.Result{}, err
	}
	defer release()
	value, seen, err := t.Evaluate(ctx, a.Script)
	if err != nil {
		return tools.Result{}, err
	}
	text := "[The script gave no value.]"
	if len(value) > 0 {
		text = string(value)
	}
	for _, n := range seen.Notes {
		text += "\n[" + n + "]"
	}
	r := tools.Says(text)
	r.Meta = map[string]any{"url": seen.URL, "title": seen.Title}
	return r, nil
}

type pictureArgs struct {
	Selector string `json:"selector"`
	Text     string `json:"text"`
	Full     bool   `json:"full_page"`
}

func (s surfer) screenshot(ctx context.Context, call tools.Call, a pictureArgs) (tools.Result, error) {
	t, release, err := s.tab(ctx, call, false)
	if err != nil {
		return tools.Result{}, err
	}
	defer release()
	data, kind, err := t.Screenshot(ctx, browser.Look{Element: browser.Element{Selector: a.Selector, Text: a.Text}, Full: a.Full, Limit: maxPicture})
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Parts: []tools.Part{{Kind: tools.PartImage, Data: data, MediaType: kind}}}, nil
}

type extractArgs struct {
	Selector string `json:"selector"`
	Format   string `json:"format"`
}

func (s surfer) extract(ctx context.Context, call tools.Call, a extractArgs) (tools.Result, error) {
	t, release, err := s.tab(ctx, call, false)
	if err != nil {
		return tools.Result{}, err
	}
	defer release()
	if a.Format == "links" {
		return links(ctx, t, a.Selector)
	}
	pieces, seen, err := t.HTML(ctx, a.Selector)
	if err != nil {
		return tools.Result{}, err
	}
	for i, p := range pieces {
		if a.Format != "html" {
			pieces[i] = htmlText(p, seen.URL)
		}
	}
	if len(pieces) == 0 {
		return tools.Says(seenText(seen) + "\n[No element fits.]"), nil
	}
	return tools.Says(seenText(seen) + "\n\n" + strings.Join(pieces, "\n\n")), nil
}

// links lists where the page leads.
func links(ctx context.Context, t *browser.Tab, selector string) (tools.Result, error) {
	raw, err := json.Marshal(cmp.Or(selector, "body"))
	if err != nil {
		return tools.Result{}, err
	}
	const script = `[...new Map([...document.querySelectorAll(%s)].flatMap((e) => [...(e.matches("a[href]") ? [e] : []), ...e.querySelectorAll("a[href]")]).map((a) => [a.href, (a.innerText || a.title || "").trim().replace(/\s+/g, " ").slice(0, 200)])).entries()].slice(0, 500)`
	value, seen, err := t.Evaluate(ctx, fmt.Sprintf(script, raw))
	if err != nil {
		return tools.Result{}, err
	}
	var list [][2]string
	if err := json.Unmarshal(value, &list); err != nil {
		return tools.Result{}, fmt.Errorf("reading links: %w", err)
	}
	var b strings.Builder
	b.WriteString(seenText(seen) + "\n")
	for _, l := range list {
		fmt.Fprintf(&b, "\n- %s (%s)", l[1], l[0])
	}
	return tools.Says(b.String()), nil
}
