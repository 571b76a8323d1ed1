package mcp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// dialled is a way to a server that was opened.
type dialled struct {
	transport sdk.Transport
	end       func()        // closes what the transport does not close itself; waits for it
	how       func() string // how it ended, once it has
	pid       int           // of a program
}

// dialWeb makes the transport to a remote server.
func (m *Manager) dialWeb(_ context.Context, l *link, def Definition) (*dialled, error) {
	headers := http.Header{}
	for name, value := range def.Headers {
		text, err := def.expand(value, m.opts.Lookup)
		if err != nil {
			return nil, err
		}
		headers.Set(name, text)
	}
	base := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	}
	client := &http.Client{Transport: bounded{base, headers}, CheckRedirect: sameHost}
	d := &dialled{end: base.CloseIdleConnections, how: func() string { return "the connection ended" }}
	if def.Transport == SSE {
		d.transport = &sdk.SSEClientTransport{Endpoint: def.URL, HTTPClient: client, MaxEventSize: maxMessage}
		return d, nil
	}
	t := &sdk.StreamableClientTransport{Endpoint: def.URL, HTTPClient: client, MaxEventSize: maxMessage, MaxRetries: 2}
	if def.SignIn {
		handler, err := l.signInHandler(client)
		if err != nil {
			return nil, err
		}
		t.OAuthHandler = handler
	}
	d.transport = t
	return d, nil
}

// sameHost follows a redirect only where the headers, which may hold a key, may go.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 5 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// bounded adds a server's headers and ends answers that are too large.
type bounded struct {
	next    http.RoundTripper
	headers http.Header
}

var errTooLarge = errors.New("the answer is too large")

// RoundTrip sends a request.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(b.headers) > 0 {
		req = req.Clone(req.Context())
		for name, values := range b.headers {
			req.Header[name] = values
		}
	}
	resp, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // events are bounded one by one
		resp.Body = &limited{ReadCloser: resp.Body, left: maxMessage}
	}
	return resp, nil
}

// limited fails, rather than ends, when there is too much: half an answer is none.
type limited struct {
	io.ReadCloser
	left int64
}

// Read reads on.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// refusedWeb finds the words for an answer that is no MCP.
func refusedWeb(def Definition, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Unauthorized"), strings.Contains(text, "Forbidden"):
		f := fault.New(fault.Unavailable, "mcp_signin_needed", "The server %s wants to know who asks.", def.Name).Because(err)
		if def.SignIn {
			return f.WithHint("Sign in: fluxway mcp signin %s, or on the page of the server.", def.Name)
		}
		return f.WithHint("Give it a header, such as Authorization: Bearer ${TOKEN}, or set sign_in to let people sign in.")
	}
	return nil
}
