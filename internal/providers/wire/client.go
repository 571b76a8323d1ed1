package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/leanhttp"
	"github.com/fluxway/fluxway/internal/providers"
)

// maxBody bounds an answer that is read whole; maxErrorBody one that refuses.
const (
	maxBody      = 64 << 20
	maxErrorBody = 64 << 10
)

// Client reaches one vendor.
type Client struct {
	Vendor   string
	Base     string // without a slash at the end
	HTTP     *http.Client
	Accounts *providers.Accounts // nil: the vendor takes no credential
	Sign     func(r *http.Request, g *providers.Grant)
	Header   map[string]string // on every request

	last atomic.Pointer[address] // asked most recently; nearly always it is the next one, too
}

// address is a URL as it is written, and as it is read.
type address struct {
	text string
	url  *url.URL // shared by requests, so it is never changed
}

func (c *Client) address(text string) (*url.URL, error) {
	if known := c.last.Load(); known != nil && known.text == text {
		return known.url, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	c.last.Store(&address{text, u})
	return u, nil
}

// NewHTTP makes the HTTP client adapters use: connections are kept, nothing
// is redirected (a credential must not travel on), and there is no overall
// time-out, because a stream may last; contexts bound it. Buffers are small,
// because every live stream has its own.
func NewHTTP() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	standard := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		WriteBufferSize:       4 << 10,
		ReadBufferSize:        4 << 10,
	}
	return &http.Client{
		Transport:     &leanhttp.Transport{Next: standard, Dial: dialer.DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// CheckBase cleans a base URL and refuses what is not one.
func CheckBase(vendor, base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", fault.New(fault.Invalid, "base_url_invalid", "The base URL of %s is not an http or https address.", vendor).
			WithParam("base_url").WithHint("It looks like https://host/v1.")
	}
	return strings.TrimRight(base, "/"), nil
}

// Call is one request.
type Call struct {
	Method string // "": POST
	Path   string
	Body   []byte
	Type   string // of the body; "": JSON
	Accept string
	Header http.Header
	Model  string // for faults
}

// Do sends the call with the first account that works and gives back an accepted
// response. A definite refusal of one account (rate, quota, credential) moves on
// to the next; anything else is answered at once.
func (c *Client) Do(ctx context.Context, call Call) (*http.Response, error) {
	if c.Accounts == nil {
		return c.once(ctx, call, nil)
	}
	var tried []string
	var last error
	for {
		grant, err := c.Accounts.Take(ctx, tried)
		if err != nil {
			if last != nil {
				return nil, last
			}
			return nil, err
		}
		resp, err := c.once(ctx, call, grant)
		if !grant.Done(err) {
			return resp, err
		}
		last = err
		tried = append(tried, grant.Account)
	}
}

func (c *Client) once(ctx context.Context, call Call, grant *providers.Grant) (*http.Response, error) {
	req, err := c.request(ctx, call, grant)
	if err != nil {
		return nil, err
	}
	resp, err := c.roundTrip(req)
	if err != nil {
		return nil, providers.Unreachable(ctx, c.Vendor, err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && len(body) == 0 {
		body = []byte(resp.Status)
	}
	return nil, Refusal(c.Vendor, call.Model, resp, body)
}

// roundTrip goes around what http.Client adds: redirects, which we never follow,
// and cookies and time-outs, where there are none.
func (c *Client) roundTrip(req *http.Request) (*http.Response, error) {
	if t := c.HTTP.Transport; t != nil && c.HTTP.Jar == nil && c.HTTP.Timeout == 0 {
		return t.RoundTrip(req)
	}
	return c.HTTP.Do(req)
}

func (c *Client) request(ctx context.Context, call Call, grant *providers.Grant) (*http.Request, error) {
	base := c.Base
	if grant != nil && grant.BaseURL != "" {
		base = grant.BaseURL
	}
	method := call.Method
	if method == "" {
		method = http.MethodPost
	}
	u, err := c.address(base + call.Path)
	if err != nil {
		return nil, fmt.Errorf("making a request to %s: %w", c.Vendor, err)
	}
	made := http.Request{
		Method: method, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(call.Header)+len(c.Header)+4),
	}
	for k, vs := range call.Header {
		made.Header[k] = vs
	}
	if len(call.Body) > 0 {
		made.ContentLength, made.Body = int64(len(call.Body)), newUpload(call.Body)
		made.GetBody = func() (io.ReadCloser, error) { return newUpload(call.Body), nil }
	}
	values := [2]string{orElse(call.Type, "application/json"), call.Accept}
	if call.Body != nil {
		made.Header["Content-Type"] = values[:1:1]
	}
	if call.Accept != "" {
		made.Header["Accept"] = values[1:]
	}
	req := made.WithContext(ctx)
	for k, v := range c.Header {
		req.Header.Set(k, v)
	}
	if grant != nil {
		for k, v := range grant.Header {
			req.Header.Set(k, v)
		}
		if c.Sign != nil {
			c.Sign(req, grant)
		}
	}
	return req, nil
}

// upload is the body of a request.
type upload struct{ bytes.Reader }

func newUpload(body []byte) *upload {
	u := new(upload)
	u.Reset(body)
	return u
}

// Close does nothing.
func (*upload) Close() error { return nil }

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// JSON sends in (nil: nothing) and decodes the whole answer into out.
func (c *Client) JSON(ctx context.Context, call Call, in, out any) error {
	if in != nil {
		body, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encoding a request to %s: %w", c.Vendor, err)
		}
		call.Body = body
	}
	call.Accept = "application/json"
	resp, err := c.Do(ctx, call)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return c.Decode(ctx, resp.Body, out)
}

// Decode reads a whole JSON answer.
func (c *Client) Decode(ctx context.Context, r io.Reader, out any) error {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return providers.Broken(ctx, c.Vendor, err)
	}
	if len(body) > maxBody {
		return providers.Broken(ctx, c.Vendor, errors.New("the answer is too large"))
	}
	if err := json.Unmarshal(body, out); err != nil {
		return providers.Broken(ctx, c.Vendor, fmt.Errorf("decoding the answer: %w", err))
	}
	return nil
}

// Bearer signs with an Authorization header.
func Bearer(r *http.Request, g *providers.Grant) {
	r.Header.Set("Authorization", "Bearer "+g.Value.Reveal())
}
