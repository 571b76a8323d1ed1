package browser

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
)

// maxRefusals is how many are told of one call.
const maxRefusals = 5

// proxy is the only way out of a browser context. It speaks HTTP and CONNECT, which WebSockets use too.
type proxy struct {
	net    *safenet.Dialer
	allow  func(ctx context.Context, host, port string) error
	plain  *http.Transport
	server *http.Server
	addr   string
	wg     sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	refused []*fault.Fault
	tunnels map[net.Conn]bool // taken over from the server, which does not close them
	closed  bool
}

func newProxy(dialer *safenet.Dialer, allow func(ctx context.Context, host, port string) error, log *slog.Logger) (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{net: dialer, allow: allow, plain: dialer.Transport(), addr: listener.Addr().String(), tunnels: make(map[net.Conn]bool)}
	p.plain.DisableCompression = true // the browser decides what it can read
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	p.wg.Go(func() {
		if err := p.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("a browser's proxy ended", "part", "tools", "err", err)
		}
	})
	return p, nil
}

// close ends every connection through the proxy and waits for them.
func (p *proxy) close() {
	_ = p.server.Close() // it closes connections; what they carried is of no use any more
	p.mu.Lock()
	p.closed = true
	for c := range p.tunnels {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
	p.plain.CloseIdleConnections()
}

// ServeHTTP passes on a request that may be made, and hangs up on one that may not: an answer of ours would look like the page's.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	if !r.URL.IsAbs() || r.URL.Scheme != "http" { // somebody who takes us for a website
		http.Error(w, "This is a proxy.", http.StatusBadRequest)
		return
	}
	port := r.URL.Port()
	if port == "" {
		port = "80"
	}
	if err := p.allow(r.Context(), r.URL.Hostname(), port); err != nil {
		p.hangUp(err)
	}
	p.pass(w, r)
}

// hopByHop are headers that speak to us and not to the server.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func (p *proxy) pass(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, name := range strings.Split(r.Header.Get("Connection"), ",") {
		out.Header.Del(strings.TrimSpace(name))
	}
	for _, name := range hopByHop {
		out.Header.Del(name)
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header.Set("User-Agent", "") // none, rather than Go's
	}
	resp, err := p.plain.RoundTrip(out)
	if err != nil {
		p.hangUp(err)
	}
	defer resp.Body.Close()
	for _, name := range hopByHop {
		resp.Header.Del(name)
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	flush := http.NewResponseController(w)
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			_ = flush.Flush() // events of a page must not wait for more of them
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// hangUp notes why and closes the connection without a word.
func (p *proxy) hangUp(err error) {
	p.note(err)
	panic(http.ErrAbortHandler)
}

// note keeps what people and models should hear of: refusals, and names that do not exist.
func (p *proxy) note(err error) {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.refused {
		if known.Message == f.Message {
			return
		}
	}
	if len(p.refused) < maxRefusals {
		p.refused = append(p.refused, f)
	}
}

// refusals gives what was refused since it was last asked.
func (p *proxy) refusals() []*fault.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.refused
	p.refused = nil
	return list
}

func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, "no port", http.StatusBadRequest)
		return
	}
	err = p.allow(r.Context(), host, port)
	var there net.Conn
	if err == nil {
		there, err = p.net.DialContext(r.Context(), "tcp", r.Host)
	}
	if err != nil { // a browser never shows the body of this answer
		p.note(err)
		http.Error(w, "refused", http.StatusBadGateway)
		return
	}
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	if !p.keep(here, there) {
		return
	}
	defer p.forget(here, there)
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(there, buffered) // either side may hang up at any time
		closeWrite(there)
	})
	_, _ = io.Copy(here, there)
	closeWrite(here)
	both.Wait()
}

func closeWrite(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.CloseWrite() // the other side sees the end, or is gone
	}
}

// keep notes the ends of a tunnel, to close them; false: the proxy is closed, and they are.
func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.closed {
			_ = c.Close()
			continue
		}
		p.tunnels[c] = true
	}
	return !p.closed
}

func (p *proxy) forget(conns ...net.Conn) {
	for _, c := range conns {
		_ = c.Close() // both ends have seen the other's
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.tunnels, c)
	}
}
