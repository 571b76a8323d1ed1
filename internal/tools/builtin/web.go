package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	maxPage      = 5 << 20
	maxRedirects = 5
	userAgent    = "Fluxway (agent)"
)

type fetchArgs struct {
	URL string `json:"url"`
	Raw bool   `json:"raw"`
}

func fetchURL(net *safenet.Dialer) tools.Tool {
	client := net.Client(maxRedirects)
	return define(tools.Spec{Name: "fetch_url", Title: "Read a web page", Level: tools.Public, ReadOnly: true, Repeatable: true, Network: true, Timeout: 45 * time.Second, Means: tools.Arguments{URLs: []string{"url"}}},
		`{"url":{"type":"string","minLength":1,"maxLength":4000},"raw":{"type":"boolean","description":"the page's HTML as it is"}}`, []string{"url"},
		func(ctx context.Context, _ tools.Call, a fetchArgs) (tools.Result, error) {
			answer, err := send(ctx, client, requestArgs{Method: http.MethodGet, URL: a.URL})
			if err != nil {
				return tools.Result{}, err
			}
			return answer.readable(a.Raw)
		})
}

type requestArgs struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func httpRequest(net *safenet.Dialer) tools.Tool {
	client := net.Client(maxRedirects)
	return define(tools.Spec{Name: "http_request", Title: "HTTP request", Level: tools.Restricted, Network: true, Means: tools.Arguments{URLs: []string{"url"}, Method: "method"}},
		`{"method":{"enum":["GET","HEAD","POST","PUT","PATCH","DELETE","OPTIONS"]},"url":{"type":"string","minLength":1,"maxLength":4000},
		  "headers":{"type":"object","additionalProperties":{"type":"string"},"maxProperties":50},"body":{"type":"string","maxLength":2000000}}`, []string{"method", "url"},
		func(ctx context.Context, _ tools.Call, a requestArgs) (tools.Result, error) {
			answer, err := send(ctx, client, a)
			if err != nil {
				return tools.Result{}, err
			}
			return answer.whole(), nil
		})
}

// answer is what a server sent, up to a limit.
type answer struct {
	url    string // after redirects
	status string
	code   int
	header http.Header
	body   []byte
	cut    bool
}

// ours are headers that a model does not choose, because they say where the request goes and how it is framed.
var ours = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Proxy-Authorization", "Te", "Trailer"}

func send(ctx context.Context, client *http.Client, a requestArgs) (*answer, error) {
	u, err := safenet.Parse(a.URL)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, a.Method, u.String(), strings.NewReader(a.Body))
	if err != nil {
		return nil, fault.New(fault.Invalid, "malformed_url", "The request cannot be made.").WithParam("url").Because(err)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5")
	for name, value := range a.Headers {
		if slices.Contains(ours, http.CanonicalHeaderKey(name)) || strings.ContainsAny(name+value, "\r\n\x00") {
			return nil, fault.New(fault.Invalid, "bad_header", "The header %q cannot be set.", name).WithParam("headers")
		}
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, webFault(ctx, u.Host, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	if err != nil {
		return nil, webFault(ctx, u.Host, err)
	}
	got := &answer{url: resp.Request.URL.String(), status: resp.Status, code: resp.StatusCode, header: resp.Header, body: body}
	if len(body) > maxPage {
		got.body, got.cut = body[:maxPage], true
	}
	return got, nil
}

// webFault keeps the words of safenet and finds some for the rest.
func webFault(ctx context.Context, host string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.Upstream, "request_failed", "%s did not answer as it should.", host).
		WithHint("Try again later, or another address.").Because(err)
}

// readable makes text of a page.
func (a *answer) readable(raw bool) (tools.Result, error) {
	kind, _, _ := mime.ParseMediaType(cmp.Or(a.header.Get("Content-Type"), http.DetectContentType(a.body)))
	var text string
	switch {
	case strings.HasPrefix(kind, "image/") && (strings.HasSuffix(kind, "png") || strings.HasSuffix(kind, "jpeg") || strings.HasSuffix(kind, "gif") || strings.HasSuffix(kind, "webp")) && !a.cut:
		return tools.Result{Parts: []tools.Part{{Kind: tools.PartImage, MediaType: kind, Data: a.body}}}, nil
	case binary(a.body[:min(len(a.body), 8192)]):
		text = fmt.Sprintf("[Not text: %s, %d bytes.]", kind, len(a.body))
	case (kind == "text/html" || kind == "application/xhtml+xml") && !raw:
		text = htmlText(string(a.body), a.url)
	default:
		text = string(a.body)
	}
	if a.cut {
		text += fmt.Sprintf("\n[The page is longer than %d bytes; the rest was not read.]", maxPage)
	}
	r := tools.Says(fmt.Sprintf("%s (%s)\n\n%s", a.url, a.status, strings.ToValidUTF8(text, "\uFFFD")))
	if r.Meta = map[string]any{"url": a.url, "status": a.code}; a.code >= 400 {
		r.IsError, r.Code = true, "http_status"
	}
	return r, nil
}

// whole shows status, headers and body.
func (a *answer) whole() tools.Result {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.status)
	names := make([]string, 0, len(a.header))
	for name := range a.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(a.header[name], ", "))
	}
	b.WriteString("\n")
	if utf8.Valid(a.body) {
		b.Write(a.body)
	} else {
		fmt.Fprintf(&b, "[Not text: %d bytes.]", len(a.body))
	}
	if a.cut {
		fmt.Fprintf(&b, "\n[Longer than %d bytes; the rest was not read.]", maxPage)
	}
	r := tools.Says(b.String())
	r.Meta = map[string]any{"url": a.url, "status": a.code}
	return r
}
