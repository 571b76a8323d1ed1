package providerstest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
)

// FakeKey is the credential that fakes accept.
const FakeKey = "test-key"

// Reply is what a fake vendor does with one request, in nobody's dialect.
type Reply struct {
	Thinks    string
	Signature string // seals what it thinks, or its first call where the vendor does it so
	Redacted  string // sealed reasoning
	Says      string
	Calls     []Call
	Stop      providers.StopReason // "": by what it does
	Usage     providers.Usage      // zero: counted from the bytes

	Status  int // not 0: refuse with it
	Code    string
	Message string
	Header  map[string]string

	FailAfter int  // > 0: an error event after so many frames
	CutAfter  int  // > 0: the connection is cut after so many frames
	EndAfter  int  // > 0: the answer ends in good order after so many frames
	HoldAfter int  // > 0: silence after so many frames, until the client goes
	KeepAlive bool // comments or pings between frames
	Unknown   bool // events nobody knows between frames
	Gzip      bool
	Pieces    int // into how many a call's arguments are cut; 0: 3
}

// Call is a tool call a fake makes.
type Call struct{ ID, Name, Args string }

// Seen is a request a fake received.
type Seen struct {
	Path   string
	Header http.Header
	Body   []byte
}

// Fake is a vendor on this machine. It speaks the vendor's published wire
// format and counts the tokens it would bill.
type Fake struct {
	URL   string
	Close func() // stops listening; done by itself when the test ends

	t       testing.TB
	dialect func(path string) dialect
	extra   func(w http.ResponseWriter, r *http.Request, body []byte) bool
	gone    chan struct{} // a token for each client that left during a hold

	mu      sync.Mutex // guards the fields below
	replies []Reply
	seen    []Seen
	counted providers.Usage
	keys    map[string]bool
}

// dialect writes replies as one vendor does.
type dialect interface {
	frames(r *Reply, model string) []string
	whole(r *Reply, model string) string
	failure(r *Reply) string
	refusal(r *Reply) string
	unknown() string
	keepAlive() string
	contentType() string
	key(h http.Header) string
}

func newFake(t testing.TB, choose func(path string) dialect, extra func(http.ResponseWriter, *http.Request, []byte) bool) *Fake {
	f := &Fake{t: t, dialect: choose, extra: extra, gone: make(chan struct{}, 64), keys: map[string]bool{FakeKey: true}}
	server := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(server.Close)
	f.URL, f.Close = server.URL, server.Close
	return f
}

// Will queues replies; without any left the fake says a short sentence.
func (f *Fake) Will(replies ...Reply) *Fake {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies = append(f.replies, replies...)
	return f
}

// Accept makes the fake take another key.
func (f *Fake) Accept(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys[key] = true
}

// Seen are the requests so far.
func (f *Fake) Seen() []Seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Seen(nil), f.seen...)
}

// Counted is what the vendor would bill for every answer it gave.
func (f *Fake) Counted() providers.Usage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counted
}

// Left waits until a client left during a hold.
func (f *Fake) Left() <-chan struct{} { return f.gone }

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.mu.Lock()
	f.seen = append(f.seen, Seen{r.URL.Path, r.Header.Clone(), body})
	f.mu.Unlock()
	d := f.dialect(r.URL.Path)
	if d == nil {
		if f.extra == nil || !f.extra(w, r, body) {
			http.NotFound(w, r)
		}
		return
	}
	reply := f.next(d, r, body)
	for k, v := range reply.Header {
		w.Header().Set(k, v)
	}
	if reply.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status)
		fmt.Fprint(w, d.refusal(&reply))
		return
	}
	model := modelOf(r, body)
	if reply.Usage.Zero() {
		reply.Usage = providers.Usage{Input: max(1, int64(len(body))/4), Output: max(1, int64(len(reply.Says))/4)}
	}
	f.mu.Lock()
	f.counted = f.counted.Plus(reply.Usage)
	f.mu.Unlock()
	if !streams(r, body) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, d.whole(&reply, model))
		return
	}
	f.stream(w, r, d, &reply, model)
}

func (f *Fake) next(d dialect, r *http.Request, body []byte) Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	if key := d.key(r.Header); !f.keys[key] && key != "-" {
		return Reply{Status: 401, Code: "authentication_error", Message: "invalid key"}
	}
	if len(f.replies) == 0 {
		return Reply{Says: "Hello from a fake vendor."}
	}
	reply := f.replies[0]
	f.replies = f.replies[1:]
	return reply
}

func (f *Fake) stream(w http.ResponseWriter, r *http.Request, d dialect, reply *Reply, model string) {
	w.Header().Set("Content-Type", d.contentType())
	var out io.Writer = w
	flush := func() { _ = http.NewResponseController(w).Flush() }
	if reply.Gzip {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			f.t.Error("the client does not take gzip")
		}
		w.Header().Set("Content-Encoding", "gzip")
		gz := gzip.NewWriter(w)
		defer gz.Close()
		out = gz
		flush = func() { _ = gz.Flush(); _ = http.NewResponseController(w).Flush() }
	}
	for i, frame := range d.frames(reply, model) {
		switch {
		case reply.FailAfter > 0 && i == reply.FailAfter:
			_, _ = io.WriteString(out, d.failure(reply))
			flush()
			return
		case reply.CutAfter > 0 && i == reply.CutAfter:
			flush()
			panic(http.ErrAbortHandler)
		case reply.EndAfter > 0 && i == reply.EndAfter:
			flush()
			return
		case reply.HoldAfter > 0 && i == reply.HoldAfter:
			flush()
			<-r.Context().Done()
			f.gone <- struct{}{}
			return
		}
		if reply.KeepAlive {
			_, _ = io.WriteString(out, d.keepAlive())
		}
		if reply.Unknown {
			_, _ = io.WriteString(out, d.unknown())
		}
		_, _ = io.WriteString(out, frame)
		flush()
	}
}

func modelOf(r *http.Request, body []byte) string {
	if model, ok := rawjson.String(body, "model"); ok {
		return model
	}
	_, model, _ := strings.Cut(r.URL.Path, "/models/")
	model, _, _ = strings.Cut(model, ":")
	return model
}

func streams(r *http.Request, body []byte) bool {
	if strings.Contains(r.URL.Path, ":") {
		return strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
	}
	flag := string(rawjson.Find(body, "stream"))
	return flag == "true" || (flag == "" && strings.HasSuffix(r.URL.Path, "/api/chat"))
}

// pieces cuts a text into n parts, between any two characters, as vendors do
// with arguments.
func pieces(s string, n int) []string {
	if n <= 0 {
		n = 3
	}
	rest := []rune(s)
	var out []string
	for i := n; i > 0 && len(rest) > 0; i-- {
		cut := max(1, len(rest)/i)
		out = append(out, string(rest[:cut]))
		rest = rest[cut:]
	}
	return out
}

// words cuts a text after its spaces.
func words(s string) []string { return strings.SplitAfter(s, " ") }

func (r *Reply) stop() providers.StopReason {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return providers.StopTools
	}
	return providers.StopEnd
}

func bearer(h http.Header) string {
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}
