package leanhttp_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/leanhttp"
)

func client(t *testing.T, handler http.HandlerFunc) (*http.Client, string, *atomic.Int64) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	conns := new(atomic.Int64)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	transport := &leanhttp.Transport{Next: http.DefaultTransport}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}, server.URL, conns
}

func TestItSpeaksAsTheStandardTransportDoes(t *testing.T) {
	t.Parallel()
	c, url, conns := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, "unzipped")
			z.Close()
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/stream":
			for i := range 3 {
				fmt.Fprintf(w, "%d,", i)
				w.(http.Flusher).Flush()
			}
		default:
			fmt.Fprintf(w, "%s %s %s %d %s", r.Method, r.URL.RequestURI(), r.Header.Get("X-Test"), r.ContentLength, body[:min(len(body), 10)])
		}
	})
	large := strings.Repeat("x", 1<<20)
	for i, tt := range []struct{ method, path, body, want string }{
		{"GET", "/a?b=c%20d", "", "GET /a?b=c%20d yes 0 "},
		{"POST", "/p", "hello", "POST /p yes 5 hello"},
		{"POST", "/p", large, "POST /p yes 1048576 xxxxxxxxxx"},
		{"GET", "/zip", "", "unzipped"},
		{"GET", "/none", "", ""},
		{"POST", "/stream", "x", "0,1,2,"},
		{"POST", "/p", "again", "POST /p yes 5 again"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, url+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Test", "yes")
		resp, err := c.Do(req)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != tt.want {
			t.Errorf("%d: %q, %v; want %q", i, got, err, tt.want)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections, want one that is used again", n)
	}
}

func TestACancelEndsTheRead(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	c, url, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "first")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := resp.Body.Read(make([]byte, 5)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("after the cancel: %v", err)
	}
	<-left
}

func TestAClosedIdleConnectionIsNotUsed(t *testing.T) {
	t.Parallel()
	c, url, conns := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/close" {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			conn.Close() // although the answer did not say so
			return
		}
		fmt.Fprint(w, "ok")
	})
	for range 20 {
		for _, path := range []string{"/close", "/"} {
			resp, err := c.Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(got) != "ok" {
				t.Fatalf("%q, %v", got, err)
			}
		}
	}
	if conns.Load() < 2 {
		t.Error("no connection was closed")
	}
}

func TestNobodySmugglesAHeader(t *testing.T) {
	t.Parallel()
	c, url, _ := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Evil") != "" {
			t.Error("smuggled")
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header["X-Test"] = []string{"a\r\nEvil: yes"}
	if resp, err := c.Do(req); err == nil {
		resp.Body.Close()
		t.Error("it was sent")
	}
}

func TestWhatCameWithTheHeadIsReadAtOnce(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 800) // one write, one segment over loopback
	c, url, _ := client(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	})
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if here, ok := resp.Body.(interface{ Buffered() int }); !ok || here.Buffered() != len(text) {
		t.Errorf("%d bytes of %d are here", here.Buffered(), len(text))
	}
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != text {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}
