package leanhttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Server answers the plainest requests itself: a POST over HTTP/1.1 to one of its
// paths, whose head comes in one piece and whose body has a length. A connection
// that brings anything else is handed over to Rest, with every byte it brought,
// and stays there. Its fields are set before the first use.
//
// A handler may read the body only in its own goroutine and before it returns.
type Server struct {
	Rest  *http.Server           // required; its handler and its times hold here too
	Plain func(path string) bool // required: which paths are answered here

	closing atomic.Bool
	dated   atomic.Pointer[dated]

	mu       sync.Mutex // guards the fields below
	listener net.Listener
	links    map[*link]struct{}
	watch    *watch
	ended    chan struct{} // closed when the last link has gone after closing; nil: not asked for
}

// Serve answers until Shutdown or Close, and then returns http.ErrServerClosed.
// Where callers who leave cannot be seen all is left to Rest.
func (s *Server) Serve(l net.Listener) error {
	w, err := newWatch()
	if err != nil {
		return s.Rest.Serve(l)
	}
	if !s.open(l, w) {
		w.stop()
		_ = l.Close() // nobody was let in
		return http.ErrServerClosed
	}
	rest := &handover{addr: l.Addr(), conns: make(chan net.Conn), over: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(w.run)
	wg.Go(func() { _ = s.Rest.Serve(rest) }) // it ends with us
	err = s.accept(l, rest, &wg)
	rest.close()
	s.begin() // without callers the watch ends, too
	wg.Wait()
	return err
}

// open says whether anybody may be let in.
func (s *Server) open(l net.Listener, w *watch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		return false
	}
	s.listener, s.watch, s.links = l, w, map[*link]struct{}{}
	return true
}

// accept starts a goroutine for every connection.
func (s *Server) accept(l net.Listener, rest *handover, wg *sync.WaitGroup) error {
	var pause time.Duration
	for {
		conn, err := l.Accept()
		if s.closing.Load() {
			if err == nil {
				_ = conn.Close()
			}
			return http.ErrServerClosed
		}
		if err != nil {
			if passing(err) {
				pause = min(max(2*pause, 5*time.Millisecond), time.Second)
				time.Sleep(pause)
				continue
			}
			return err
		}
		pause = 0
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			rest.give(conn)
			continue
		}
		k := &link{s: s, rest: rest, conn: tcp}
		k.sense, err = newSense(tcp)
		if err == nil && s.join(k) {
			wg.Go(k.serve)
		} else {
			_ = conn.Close()
		}
	}
}

// passing says whether a listener may accept again after a while.
func passing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, syscall.ENOBUFS)
}

func (s *Server) join(k *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		return false
	}
	s.links[k] = struct{}{}
	return true
}

func (s *Server) leave(k *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.links, k)
	s.endIfEmpty()
}

// endIfEmpty is called with the lock held.
func (s *Server) endIfEmpty() {
	if s.ended == nil || len(s.links) > 0 {
		return
	}
	select {
	case <-s.ended:
		return
	default:
	}
	close(s.ended)
	if s.watch != nil {
		s.watch.stop()
	}
}

// begin begins to close: nobody new comes in, and whoever waits is sent away.
func (s *Server) begin() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing.Store(true)
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	if s.listener != nil {
		_ = s.listener.Close() // it may be closed already
	}
	for k := range s.links {
		if k.state.CompareAndSwap(linkIdle, linkClosed) {
			_ = k.conn.Close() // whoever reads there finds out
		}
	}
	s.endIfEmpty()
	return s.ended
}

// Shutdown takes nobody new and waits until everybody has their answer, or ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	ended := s.begin()
	if err := s.Rest.Shutdown(ctx); err != nil {
		return err
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close cuts everybody off.
func (s *Server) Close() error {
	s.begin()
	s.mu.Lock()
	for k := range s.links {
		_ = k.conn.Close() // whoever writes there finds out
		k.gone()
	}
	s.mu.Unlock()
	return s.Rest.Close()
}

// dated is the header Date of one second.
type dated struct {
	second int64
	text   string
}

func (s *Server) date(now time.Time) string {
	d := s.dated.Load()
	if second := now.Unix(); d == nil || d.second != second {
		d = &dated{second, string(appendDate(make([]byte, 0, len(http.TimeFormat)), now.UTC()))}
		s.dated.Store(d)
	}
	return d.text
}

// appendDate writes a time as http.TimeFormat does, whose general way is long for who waits.
func appendDate(to []byte, t time.Time) []byte {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	two := func(n int) { to = append(to, byte('0'+n/10), byte('0'+n%10)) }
	to = append(append(to, t.Weekday().String()[:3]...), ", "...)
	two(day)
	to = append(append(append(to, ' '), month.String()[:3]...), ' ')
	two(year / 100)
	two(year % 100)
	to = append(to, ' ')
	two(hour)
	to = append(to, ':')
	two(minute)
	to = append(to, ':')
	two(second)
	return append(to, " GMT"...)
}

// handover is the listener of Rest: what it accepts was begun here.
type handover struct {
	addr  net.Addr
	conns chan net.Conn
	over  chan struct{}
	once  sync.Once
}

// Accept waits for the next one.
func (h *handover) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.over:
		return nil, net.ErrClosed
	}
}

// Close ends it.
func (h *handover) Close() error {
	h.close()
	return nil
}

// Addr is where the connections come in.
func (h *handover) Addr() net.Addr { return h.addr }

func (h *handover) close() { h.once.Do(func() { close(h.over) }) }

func (h *handover) give(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.over:
		_ = c.Close() // nobody is left to answer
	}
}
