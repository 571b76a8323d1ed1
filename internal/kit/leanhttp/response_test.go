package leanhttp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/leanhttp"
)

// canned is a connection whose server says the same to everyone, in pieces of
// one size, and then hangs up.
type canned struct {
	net.Conn
	text string
	step int
}

func (c *canned) Write(p []byte) (int, error) { return len(p), nil }
func (c *canned) Close() error                { return nil }

func (c *canned) Read(p []byte) (int, error) {
	if c.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.step)], c.text)
	c.text = c.text[n:]
	return n, nil
}

// ask reads an answer with small buffers.
func ask(t testing.TB, text string, step int) (resp *http.Response, body string, err error) {
	t.Helper()
	tr := &leanhttp.Transport{Next: http.DefaultTransport, Dial: func(context.Context, string, string) (net.Conn, error) {
		return &canned{text: text, step: step}, nil
	}}
	req, err := http.NewRequestWithContext(context.Background(), "GET", "http://vendor.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err = tr.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	var all strings.Builder
	buf := make([]byte, step+6)
	for {
		n, err := resp.Body.Read(buf)
		all.Write(buf[:n])
		if err == io.EOF {
			return resp, all.String(), nil
		}
		if err != nil {
			return resp, all.String(), err
		}
	}
}

// standard is the same by the standard library.
func standard(text string) (*http.Response, string, error) {
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
	for err == nil && resp.StatusCode < 200 {
		return nil, "", io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

var answers = map[string]string{
	"a length":            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
	"a length, cut off":   "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
	"no reason":           "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	"until the end":       "HTTP/1.0 200 OK\r\n\r\nall of it",
	"chunks":              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;note=1\r\n0123456789\r\n0\r\n\r\n",
	"chunks with trailer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-T: y\r\n\r\n",
	"chunks, cut off":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	"a chunk, cut off":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
	"no chunk's size":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhello",
	"a bad chunk's size":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello",
	"a huge chunk's size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello",
	"a longer chunk":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
	"repeated fields":     "HTTP/1.1 404 Not Found\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nX-Empty:\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nno",
	"two lengths":         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nno",
	"a negative length":   "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nno",
	"not a field":         "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
	"no name":             "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
	"not HTTP":            "SSH-2.0-OpenSSH\r\n\r\n",
	"a bad status":        "HTTP/1.1 2xx OK\r\n\r\n",
	"nothing":             "",
	"half a head":         "HTTP/1.1 200 OK\r\nContent-",
	"another coding":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\nx",
}

func compare(t *testing.T, text string, step int) {
	t.Helper()
	want, wantBody, wantErr := standard(text)
	got, body, err := ask(t, text, step)
	if (err == nil) != (wantErr == nil) {
		t.Errorf("pieces of %d: %v, want %v\n%q", step, err, wantErr, text)
		return
	}
	if err != nil {
		return
	}
	if body != wantBody || got.StatusCode != want.StatusCode || got.ContentLength != want.ContentLength {
		t.Errorf("pieces of %d: %d %q, want %d %q", step, got.StatusCode, body, want.StatusCode, wantBody)
	}
	want.Header.Del("Content-Length") // the standard library makes one of two
	got.Header.Del("Content-Length")
	if diff := cmp.Diff(want.Header, got.Header); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnswersAreReadAsTheStandardLibraryDoes(t *testing.T) {
	t.Parallel()
	for name, text := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := 1; step < 40; step++ {
				compare(t, text, step)
			}
		})
	}
}

func TestAnAnswerMayBeAnnounced(t *testing.T) {
	t.Parallel()
	for step := 1; step < 40; step++ {
		resp, body, err := ask(t, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", step)
		if err != nil || resp.StatusCode != 200 || body != "ok" || resp.Header.Get("Link") != "" {
			t.Errorf("%+v, %q, %v", resp, body, err)
		}
	}
}

func TestAFieldsNameHasNoSpace(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"A b: x", "A : x", " folded: x"} {
		if resp, _, err := ask(t, "HTTP/1.1 200 OK\r\nX: y\r\n"+field+"\r\n\r\n", 4096); err == nil {
			t.Errorf("%q was read: %v", field, resp.Header)
		}
	}
}

func TestAHeadHasAnEnd(t *testing.T) {
	t.Parallel()
	if _, _, err := ask(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 1<<20), 4096); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Error(err)
	}
}

// FuzzChunks: what we take for a whole body the standard library takes for the
// same one, however it is cut; of a trailer we read nothing.
func FuzzChunks(f *testing.F) {
	for _, text := range answers {
		if _, chunks, ok := strings.Cut(text, "chunked\r\n\r\n"); ok {
			f.Add(chunks, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, chunks string, step uint8) {
		text := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
		_, want, wantErr := standard(text)
		if _, got, err := ask(t, text, int(step)+1); err == nil && got != want {
			t.Errorf("%q in pieces of %d: %q; want %q, %v", chunks, step, got, want, wantErr)
		}
	})
}
