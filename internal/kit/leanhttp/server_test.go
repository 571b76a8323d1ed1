package leanhttp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// house is a server on a real listener whose handler says what it got.
type house struct {
	*Server
	addr    string
	served  chan error
	reached chan *http.Request // requests to /v1/wait
	ended   chan error         // how their contexts ended, or what sending said
}

func newHouse(t *testing.T, change func(*http.Server)) *house {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &house{addr: l.Addr().String(), served: make(chan error, 1), reached: make(chan *http.Request, 1), ended: make(chan error, 1)}
	rest := &http.Server{
		Handler: http.HandlerFunc(h.handle), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second,
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
	}
	if change != nil {
		change(rest)
	}
	h.Server = &Server{Rest: rest, Plain: func(path string) bool { return strings.HasPrefix(path, "/v1/") }}
	go func() { h.served <- h.Serve(l) }()
	t.Cleanup(func() {
		_ = h.Close()
		if err := <-h.served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
	return h
}

func (h *house) handle(w http.ResponseWriter, r *http.Request) {
	by := "rest"
	if _, ok := w.(*reply); ok {
		by = "lean"
	}
	w.Header().Set("By", by)
	switch r.URL.Path {
	case "/v1/unread":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case "/v1/panic":
		panic("of a handler")
	case "/v1/half":
		_, _ = io.WriteString(w, "half of it")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "/v1/short":
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "not a hundred")
		return
	case "/v1/nothing":
		w.WriteHeader(http.StatusNoContent)
		return
	case "/v1/inject":
		w.Header().Set("Note", "a\r\nSet-Cookie: b=c")
	case "/v1/wait":
		_, _ = io.Copy(io.Discard, r.Body)
		h.reached <- r
		<-r.Context().Done()
		h.ended <- r.Context().Err()
		return
	case "/v1/empty":
		for _, text := range []string{"", "a", "", "b", ""} {
			if n, err := io.WriteString(w, text); n != len(text) || err != nil {
				panic(err)
			}
			w.Header().Set("Late", "yes") // as long as nothing was sent
			if text != "" {
				_ = http.NewResponseController(w).Flush()
			}
		}
		return
	case "/v1/large":
		_, _ = w.Write(large)
		h.ended <- http.NewResponseController(w).Flush()
		return
	case "/v1/stalled":
		rc := http.NewResponseController(w)
		_ = rc.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		_, err := w.Write(large)
		h.ended <- errors.Join(err, rc.Flush())
		return
	case "/v1/stream":
		for i := range 3 {
			fmt.Fprintf(w, "piece %d;", i)
			_ = http.NewResponseController(w).Flush()
		}
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	fmt.Fprintf(w, "%s %s %s %s %d %q:%s", r.Method, r.Host, r.RequestURI, r.Proto, r.ContentLength, r.Header["X-Note"], body)
}

func (h *house) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// answer reads one response; its body is "" when it broke off.
func answer(t *testing.T, in *bufio.Reader) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func postTo(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: here:80\r\nX-Note: one\r\nx-note: two\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

const heard = `POST here:80 /v1/a HTTP/1.1 4 ["one" "two"]:body`

func TestServerAnswersWhatIsPlainAndLeavesTheRest(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	plain := postTo("/v1/a", "body")
	for name, tt := range map[string]struct {
		request string
		by      string // "": refused by the standard server
		body    string
	}{
		"plain":                    {plain, "lean", heard},
		"kept alive":               {strings.Replace(plain, "Host:", "Connection: Keep-Alive\r\nHost:", 1), "lean", heard},
		"another path":             {postTo("/api/a", "body"), "rest", strings.Replace(heard, "/v1/", "/api/", 1)},
		"a query":                  {postTo("/v1/a?b=c", "body"), "rest", strings.Replace(heard, "/v1/a", "/v1/a?b=c", 1)},
		"an escape":                {postTo("/v1/%61", "body"), "rest", strings.Replace(heard, "/v1/a", "/v1/%61", 1)},
		"two slashes":              {postTo("/v1//a", "body"), "rest", strings.Replace(heard, "/v1/a", "/v1//a", 1)},
		"get":                      {"GET /v1/a HTTP/1.1\r\nHost: here\r\n\r\n", "rest", `GET here /v1/a HTTP/1.1 0 []:`},
		"the older version":        {strings.Replace(plain, "HTTP/1.1", "HTTP/1.0", 1), "rest", strings.Replace(heard, "1.1", "1.0", 1)},
		"chunks":                   {"POST /v1/a HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "rest", `POST here /v1/a HTTP/1.1 -1 []:body`},
		"no body":                  {postTo("/v1/a", ""), "rest", `POST here:80 /v1/a HTTP/1.1 0 ["one" "two"]:`},
		"the last one":             {strings.Replace(plain, "Host:", "Connection: close\r\nHost:", 1), "rest", heard},
		"an upgrade":               {strings.Replace(plain, "Host:", "Upgrade: h2c\r\nHost:", 1), "rest", heard},
		"no host":                  {strings.Replace(plain, "Host: here:80\r\n", "", 1), "", ""},
		"two hosts":                {strings.Replace(plain, "Host:", "Host: there\r\nHost:", 1), "", ""},
		"a strange host":           {strings.Replace(plain, "here:80", "he re", 1), "", ""},
		"two lengths":              {strings.Replace(plain, "Host:", "Content-Length: 40\r\nHost:", 1), "", ""},
		"a length with a sign":     {strings.Replace(plain, "Length: 4", "Length: +4", 1), "", ""},
		"a length and chunks":      {strings.Replace(plain, "Host:", "Transfer-Encoding: xchunked\r\nHost:", 1), "", ""},
		"a space before the colon": {strings.Replace(plain, "Content-Length:", "Content-Length :", 1), "", ""},
		"bare line ends":           {strings.ReplaceAll(plain, "\r\n", "\n"), "rest", heard},
		"a bare return":            {strings.Replace(plain, "X-Note: one", "X-Note: o\rne", 1), "", ""},
		"a head that is too large": {strings.Replace(plain, "X-Note: one", "X-Note: one\r\nX-More: "+strings.Repeat("x", 5000), 1), "rest", heard},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, in := h.dial(t)
			send(t, conn, tt.request)
			resp, body, err := answer(t, in)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Header.Get("By") != tt.by || body != tt.body && tt.by != "" || (resp.StatusCode == http.StatusOK) != (tt.by != "") {
				t.Errorf("%d by %q: %q, want by %q: %q", resp.StatusCode, resp.Header.Get("By"), body, tt.by, tt.body)
			}
			if resp.Header.Get("Date") == "" && tt.by != "" {
				t.Error("the answer has no date")
			}
		})
	}
}

func TestServerKeepsConnections(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	conn, in := h.dial(t)
	one, long := postTo("/v1/a", "body"), strings.Repeat("0123456789", 20_000)
	// Two at once, one in pieces, one that is longer than any buffer, one that is not plain, and a plain one after it.
	send(t, conn, one+one)
	for range 2 {
		if resp, body, err := answer(t, in); err != nil || body != heard || resp.Header.Get("By") != "lean" || resp.ContentLength != int64(len(heard)) {
			t.Fatalf("%q, %v", body, err)
		}
	}
	send(t, conn, one[:len(one)-4])
	send(t, conn, "bo")
	send(t, conn, "dy"+postTo("/v1/a", long))
	if _, body, err := answer(t, in); err != nil || body != heard {
		t.Fatalf("in pieces: %q, %v", body, err)
	}
	if resp, body, err := answer(t, in); err != nil || !strings.HasSuffix(body, "]:"+long) || resp.Header.Get("By") != "lean" {
		t.Fatalf("long: %d bytes, %v", len(body), err)
	}
	send(t, conn, "GET /v1/a HTTP/1.1\r\nHost: here\r\n\r\n"+one)
	for range 2 {
		if resp, _, err := answer(t, in); err != nil || resp.Header.Get("By") != "rest" {
			t.Fatalf("after one that is not plain: %v, %v", resp, err)
		}
	}
	conn, in = h.dial(t)
	send(t, conn, one[:20]) // a head in two pieces
	send(t, conn, one[20:])
	if _, body, err := answer(t, in); err != nil || body != heard {
		t.Fatalf("a head in two pieces: %q, %v", body, err)
	}
}

func TestServerWritesAnswers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	conn, in := h.dial(t)
	send(t, conn, postTo("/v1/stream", "body"))
	resp, body, err := answer(t, in)
	if err != nil || body != "piece 0;piece 1;piece 2;" || len(resp.TransferEncoding) != 1 || resp.Header.Get("By") != "lean" {
		t.Errorf("stream: %q, %v, %+v", body, err, resp)
	}
	send(t, conn, postTo("/v1/nothing", "body"))
	if resp, body, err := answer(t, in); err != nil || resp.StatusCode != http.StatusNoContent || body != "" || len(resp.TransferEncoding) != 0 {
		t.Errorf("nothing: %q, %v, %+v", body, err, resp)
	}
	send(t, conn, postTo("/v1/inject", "body"))
	if resp, _, err := answer(t, in); err != nil || resp.Header.Get("Set-Cookie") != "" || !strings.Contains(resp.Header.Get("Note"), "Set-Cookie") {
		t.Errorf("inject: %v, %+v", err, resp)
	}
	send(t, conn, postTo("/v1/unread", strings.Repeat("x", 9000)))
	if resp, _, err := answer(t, in); err != nil || resp.StatusCode != http.StatusUnauthorized || resp.Close {
		t.Errorf("a body that nobody read: %v, %+v", err, resp)
	}
	send(t, conn, postTo("/v1/a", "body"))
	if _, body, err := answer(t, in); err != nil || body != heard {
		t.Errorf("after it: %q, %v", body, err)
	}
	send(t, conn, strings.Replace(postTo("/v1/unread", "body"), "Length: 4", "Length: 999999", 1))
	if resp, _, err := answer(t, in); err != nil || resp.StatusCode != http.StatusUnauthorized || !resp.Close {
		t.Errorf("a large body that nobody read: %v, %+v", err, resp)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("the connection goes on: %v", err)
	}
	// Whoever sends more than anybody reads gets the answer nevertheless.
	large := strings.NewReader(strings.Repeat("x", 64<<20))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.addr+"/v1/unread", large)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(r); err != nil {
		t.Errorf("a very large body that nobody read: %v", err)
	} else if resp.Body.Close(); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a very large body that nobody read: %+v", resp)
	}
}

// large is more than the system takes for a connection that nobody reads.
var large = bytes.Repeat([]byte("0123456789abcdef"), 1<<20)

func TestServerWaitsForWhoReadsSlowly(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	conn, _ := h.dial(t)
	send(t, conn, postTo("/v1/stalled", "body"))
	if err := <-h.ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nobody read, and it ended with %v", err)
	}
	conn, in := h.dial(t)
	send(t, conn, postTo("/v1/large", "body"))
	if _, err := in.Peek(1); err != nil { // by now the handler waits for us, or soon will
		t.Fatal(err)
	}
	if _, body, err := answer(t, in); err != nil || body != string(large) {
		t.Errorf("%d bytes of %d, %v", len(body), len(large), err)
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
}

func TestAnEmptyWriteIsNone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	conn, in := h.dial(t)
	for range 2 { // the connection is good for another
		send(t, conn, postTo("/v1/empty", "body"))
		resp, body, err := answer(t, in)
		if err != nil || body != "ab" || resp.Header.Get("By") != "lean" || resp.Header.Get("Late") != "yes" {
			t.Fatalf("%+v %q, %v", resp, body, err)
		}
	}
}

func TestServerNeverShowsHalfAsWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	for _, path := range []string{"/v1/panic", "/v1/half", "/v1/short"} {
		conn, in := h.dial(t)
		send(t, conn, postTo(path, "body")+postTo("/v1/a", "body"))
		if resp, body, err := answer(t, in); err == nil {
			t.Errorf("%s: %+v %q", path, resp, body)
		}
		if _, err := io.Copy(io.Discard, in); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%s: the connection goes on: %v", path, err)
		}
	}
}

func TestServerNoticesThatACallerLeaves(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	conn, in := h.dial(t)
	send(t, conn, postTo("/v1/a", "body")) // an earlier request changes nothing
	if _, _, err := answer(t, in); err != nil {
		t.Fatal(err)
	}
	send(t, conn, postTo("/v1/wait", "body"))
	r := <-h.reached
	if err := r.Context().Err(); err != nil {
		t.Fatalf("cancelled before: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-h.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the context ended with %v", err)
	}
	conn, _ = h.dial(t) // gone before anyone looks
	send(t, conn, postTo("/v1/wait", "body"))
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	<-h.reached
	<-h.ended
}

func TestServerGivesUpOnSlowCallers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(s *http.Server) {
		s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
	})
	for name, text := range map[string]string{"says nothing": "", "half a head": "POST /v1/a HT", "half a body": strings.TrimSuffix(postTo("/v1/a", "body"), "dy")} {
		conn, in := h.dial(t)
		send(t, conn, text)
		if _, err := io.Copy(io.Discard, in); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestServerShutsDown(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	idle, idleIn := h.dial(t)
	send(t, idle, postTo("/v1/a", "body"))
	if _, _, err := answer(t, idleIn); err != nil {
		t.Fatal(err)
	}
	busy, busyIn := h.dial(t)
	send(t, busy, strings.Replace(postTo("/v1/a", "body"), "body", "", 1)) // it waits for its body
	other, otherIn := h.dial(t)
	send(t, other, postTo("/v1/wait", "body"))
	<-h.reached
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- h.Shutdown(ctx) }()
	if _, err := idleIn.ReadByte(); err != io.EOF {
		t.Errorf("an idle connection stays: %v", err)
	}
	send(t, busy, "body")
	if resp, body, err := answer(t, busyIn); err != nil || body != heard || !resp.Close {
		t.Errorf("a request under way: %q, %v", body, err)
	}
	select {
	case err := <-done:
		t.Fatalf("Shutdown did not wait: %v", err)
	default:
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	<-h.ended
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	_, _ = otherIn.ReadByte()
	if _, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.addr); err == nil {
		t.Error("the server still listens")
	}
}

func TestServerCutsOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	conn, in := h.dial(t)
	send(t, conn, postTo("/v1/wait", "body"))
	<-h.reached
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	<-h.ended
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection goes on")
	}
}

// FuzzPlain compares what is taken for plain with what the standard library reads.
func FuzzPlain(f *testing.F) {
	f.Add([]byte(postTo("/v1/a", "body")))
	f.Add([]byte("POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx"))
	s := &Server{Plain: func(string) bool { return true }}
	f.Fuzz(func(t *testing.T, in []byte) {
		a, ok := s.plain(in)
		if !ok {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			t.Fatalf("%q is plain, but %v", in, err)
		}
		if r.Method != http.MethodPost || r.URL.Path != a.path || r.RequestURI != a.path || r.URL.RawQuery != "" || r.Host != a.host ||
			r.ContentLength != a.length || len(r.TransferEncoding) > 0 || r.Close || len(r.Header) != len(a.header) {
			t.Fatalf("%q is read as %+v, not %+v", in, a, r)
		}
		for name, values := range r.Header {
			if strings.Join(a.header[name], "\n") != strings.Join(values, "\n") {
				t.Fatalf("%s: %q, not %q", name, a.header[name], values)
			}
		}
	})
}

func TestADateIsWrittenAsTheStandardLibraryDoes(t *testing.T) {
	t.Parallel()
	for at := time.Date(1999, time.December, 30, 0, 0, 0, 0, time.UTC); at.Year() < 2031; at = at.Add(41*time.Hour + 7*time.Minute + 59*time.Second) {
		if got := string(appendDate(nil, at)); got != at.Format(http.TimeFormat) {
			t.Fatalf("%q, want %q", got, at.Format(http.TimeFormat))
		}
	}
}
