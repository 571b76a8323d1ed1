// Package client talks to a Fluxway server over its HTTP API.
//
// In:    where the server is, and a key or the local control socket.
// Out:   answers decoded into the caller's types, errors as *client.Error.
// Keeps: nothing.
// Not here: what the routes mean (docs/openapi.json).
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Options say where the server is and who asks.
type Options struct {
	URL    string // "http://127.0.0.1:7777"; with Socket it only names the host
	Key    string // an API key
	Socket string // path of the server's control socket: no key is needed
	// Workspace, by id or name, of calls over the socket; "": the oldest. A key has its own.
	Workspace string
	HTTP      *http.Client
}

// Client is a connection to one server.
type Client struct {
	base      string
	key       string
	workspace string
	http      *http.Client
}

// New makes a client; nothing is sent yet.
func New(opts Options) (*Client, error) {
	c := &Client{base: strings.TrimRight(opts.URL, "/"), key: opts.Key, workspace: opts.Workspace, http: opts.HTTP}
	if opts.Socket != "" {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", opts.Socket)
		}
		c.base, c.http = "http://localhost", &http.Client{Transport: &http.Transport{DialContext: dial}}
	}
	if c.base == "" {
		return nil, errors.New("client: Options.URL or Options.Socket is required")
	}
	if c.http == nil {
		c.http = &http.Client{Timeout: time.Minute}
	}
	return c, nil
}

// Error is what the server said went wrong.
type Error struct {
	Status    int            `json:"-"`
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint,omitempty"`
	Param     string         `json:"param,omitempty"`
	Details   map[string]any `json:"details,omitempty"`
	Retryable bool           `json:"retryable"`
	RequestID string         `json:"request_id,omitempty"`
}

// Error is the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " " + e.Hint
}

// Do sends in as JSON (nil: no body) and decodes the answer into out (nil: it
// is thrown away).
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.Open(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		_, err := io.Copy(io.Discard, resp.Body)
		return err
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("reading the answer of %s %s: %w", method, path, err)
	}
	return nil
}

// Open sends a request and gives the answer's body as it comes, for streams and
// downloads. The caller closes it.
func (c *Client) Open(ctx context.Context, method, path string, in any) (*http.Response, error) {
	return c.send(ctx, c.http, "", method, path, in)
}

func (c *Client) send(ctx context.Context, by *http.Client, accept, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encoding the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	if c.workspace != "" {
		req.Header.Set("Fluxway-Workspace", c.workspace)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := by.Do(req)
	if err != nil {
		return nil, fmt.Errorf("reaching the server: %w", err)
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		return nil, readError(resp)
	}
	return resp, nil
}

func readError(resp *http.Response) error {
	var shape struct {
		Error Error `json:"error"`
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || json.Unmarshal(text, &shape) != nil || shape.Error.Code == "" {
		return &Error{Status: resp.StatusCode, Code: "unexpected_answer", Message: "The server answered " + resp.Status + "."}
	}
	shape.Error.Status = resp.StatusCode
	return &shape.Error
}
