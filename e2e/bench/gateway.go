package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The bars of gateway.
const (
	passBar   = 1.0  // CPU per request against ReverseProxy, passed through
	turnBar   = 2.0  // the same, translated
	firstBar  = 1.0  // added time to first token against ReverseProxy
	tokenBar  = 1.5  // CPU per relayed token against the raw relay
	streamBar = 30.0 // kB per live stream
	live      = 500  // paced streams
)

// relays are the servers of the lane, all before the same vendor.
type relays struct {
	vendor, ours, proxy, raw *hubProcess
	asked                    atomic.Int64 // answers that ours gave in full
	wrong                    atomic.Int64
}

func startRelays(ctx context.Context, b *bench) (*relays, error) {
	r := new(relays)
	var err error
	if r.vendor, err = startHub(ctx, "vendor"); err != nil {
		return r, err
	}
	if r.ours, err = startHub(ctx, "gateway", mustDir(b), r.vendor.address); err != nil {
		return r, err
	}
	if r.proxy, err = startHub(ctx, "reverseproxy", r.vendor.address); err != nil {
		return r, err
	}
	r.raw, err = startHub(ctx, "rawrelay", r.vendor.address)
	return r, err
}

func (r *relays) stop() {
	for _, p := range []*hubProcess{r.ours, r.proxy, r.raw, r.vendor} {
		if p != nil {
			p.stop()
		}
	}
}

func gatewayLane(ctx context.Context, b *bench) error {
	r, err := startRelays(ctx, b)
	defer r.stop()
	if err != nil {
		return err
	}
	for _, clients := range []int{1, 32} {
		for _, stream := range []bool{false, true} {
			if err := r.requests(ctx, b, clients, stream); err != nil {
				return err
			}
		}
	}
	if err := r.firstTokens(ctx, b); err != nil {
		return err
	}
	if err := r.ours.burst(int(r.asked.Load())); err != nil {
		r.wrong.Add(1)
	}
	if err := r.paced(ctx, b); err != nil {
		return err
	}
	b.must("answers that differ from the vendor's, or are not in the ledger", int(r.wrong.Load()))
	return nil
}

// requestText is what every client sends, to whichever server.
func requestText(p *hubProcess, model string, stream bool, extra string) []byte {
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 8) + extra
	body := fmt.Sprintf(`{"model":%q,"stream":%v,"stream_options":{"include_usage":true},"max_tokens":100,"messages":[{"role":"system","content":"You are brief."},{"role":"user","content":%q}]}`, model, stream, words)
	if !stream {
		body = strings.Replace(body, `"stream_options":{"include_usage":true},`, "", 1)
	}
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", p.address, p.key, len(body), body)
}

// requests compares the CPU of whole answers.
func (r *relays) requests(ctx context.Context, b *bench, clients int, stream bool) error {
	kind := "whole"
	want := int64(len(chatWhole))
	if stream {
		kind, want = "streamed", int64(vendorTokens*len(chatToken)+len(chatEnd))
	}
	for _, tt := range []struct {
		name, model string
		want        int64
		bar         float64
	}{{"pass-through", "acme/gpt-test", want, passBar}, {"translated", "anthropic/claude-test", 0, turnBar}} {
		o, n, err := b.alternate(
			func() (sample, error) {
				s, err := r.load(ctx, b, r.ours, requestText(r.ours, tt.model, stream, ""), clients, tt.want)
				r.asked.Add(int64(s.ops))
				return s, err
			},
			func() (sample, error) {
				return r.load(ctx, b, r.proxy, requestText(r.proxy, "gpt-test", stream, ""), clients, want)
			})
		if err != nil {
			return err
		}
		label := fmt.Sprintf("%s, %s, %d clients", tt.name, kind, clients)
		b.judge("CPU per request, "+label+", beside ReverseProxy", "µs", o, n, sample.perOp, tt.bar, 0)
		b.judge("requests/s, "+label, "/s", o, n, sample.perSecond, 0, 0)
	}
	raw, n, err := b.alternate(
		func() (sample, error) {
			return r.load(ctx, b, r.raw, requestText(r.raw, "gpt-test", stream, ""), clients, want)
		},
		func() (sample, error) {
			return r.load(ctx, b, r.proxy, requestText(r.proxy, "gpt-test", stream, ""), clients, want)
		})
	if err != nil {
		return err
	}
	b.judge(fmt.Sprintf("the raw relay, %s, %d clients, beside ReverseProxy", kind, clients), "µs", raw, n, sample.perOp, 0, 0)
	return nil
}

// load asks over kept connections for one slice; want is the body's length, 0: any.
func (r *relays) load(ctx context.Context, b *bench, p *hubProcess, request []byte, clients int, want int64) (sample, error) {
	var s sample
	cpu, err := preciseCPU(p.cmd.Process.Pid)
	if err != nil {
		return s, err
	}
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range clients {
		wg.Go(func() {
			if err := r.askAll(ctx, p, request, began.Add(b.slice), want, &done); err != nil {
				failed.Store(&err)
			}
		})
	}
	wg.Wait()
	s.wall, s.ops = time.Since(began), float64(done.Load())
	if err := failed.Load(); err != nil {
		return s, *err
	}
	now, err := preciseCPU(p.cmd.Process.Pid)
	s.cpu = now - cpu
	return s, err
}

func (r *relays) askAll(ctx context.Context, p *hubProcess, request []byte, until time.Time, want int64, done *atomic.Int64) error {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for time.Now().Before(until) && ctx.Err() == nil {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || want > 0 && n != want {
			r.wrong.Add(1)
		}
		done.Add(1)
	}
	return nil
}

// firstTokens compares what each adds to the time until the first token of a
// vendor that thinks first, as they all do; ours writes the ledger meanwhile.
func (r *relays) firstTokens(ctx context.Context, b *bench) error {
	micros := func(s sample) float64 { return float64(s.wall.Nanoseconds()) / 1000 }
	for _, tt := range []struct {
		name, model string
		bar         float64
	}{{"pass-through", "acme/gpt-test", firstBar}, {"translated", "anthropic/claude-test", 0}} {
		var o, n []sample
		for range b.rounds {
			ours, proxy, err := r.added(ctx, b, tt.model)
			if err != nil {
				return err
			}
			o, n = append(o, sample{ops: 1, wall: ours}), append(n, sample{ops: 1, wall: proxy})
		}
		b.judge("added time to first token, "+tt.name+", beside ReverseProxy", "µs", o, n, micros, tt.bar, 0)
	}
	return nil
}

// turnLength is how many requests are asked of one server before it is the next one's turn: the wait for a thinking
// vendor is a thousand times what is measured, so that all must meet the same moments of the machine.
const turnLength = 5

// added is what ours and the proxy add to the vendor's own time: the difference of medians of one round, in which they
// and the vendor take turns, each round in another order.
func (r *relays) added(ctx context.Context, b *bench, model string) (ours, proxy time.Duration, err error) {
	sides := []*asker{{p: r.vendor, model: "gpt-test"}, {p: r.ours, model: model}, {p: r.proxy, model: "gpt-test"}}
	for _, a := range sides {
		if err := a.dial(); err != nil {
			return 0, 0, err
		}
		defer a.conn.Close()
	}
	for until := time.Now().Add(4 * b.slice); time.Now().Before(until); {
		for _, i := range rand.Perm(len(sides)) {
			for range turnLength {
				if err := errors.Join(sides[i].first(), ctx.Err()); err != nil {
					return 0, 0, err
				}
			}
		}
	}
	r.asked.Add(int64(len(sides[1].times)))
	direct := sides[0].median()
	return max(sides[1].median()-direct, time.Microsecond), max(sides[2].median()-direct, time.Microsecond), nil
}

// asker is one client who waits for first tokens.
type asker struct {
	p       *hubProcess
	model   string
	conn    net.Conn
	in      *bufio.Reader
	request []byte
	times   []time.Duration
}

func (a *asker) dial() (err error) {
	a.conn, err = net.Dial("tcp", a.p.address)
	a.in, a.request = bufio.NewReader(a.conn), requestText(a.p, a.model, true, "thinks")
	return err
}

// first asks once and notes when the first byte of the answer came.
func (a *asker) first() error {
	began := time.Now()
	if _, err := a.conn.Write(a.request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(a.in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var first [1]byte
	if _, err := io.ReadFull(resp.Body, first[:]); err != nil {
		return err
	}
	a.times = append(a.times, time.Since(began))
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func (a *asker) median() time.Duration {
	slices.Sort(a.times)
	return a.times[len(a.times)/2]
}

// paced keeps many slow streams open and measures what they cost.
func (r *relays) paced(ctx context.Context, b *bench) error {
	ours, oursMem, err := r.open(ctx, r.ours, "acme/gpt-test")
	if err != nil {
		return err
	}
	o, err := ours.slices(ctx, b)
	if err = errors.Join(err, ours.close(ctx)); err != nil {
		return err
	}
	raw, rawMem, err := r.open(ctx, r.raw, "gpt-test")
	if err != nil {
		return err
	}
	n, err := raw.slices(ctx, b)
	if err = errors.Join(err, raw.close(ctx)); err != nil {
		return err
	}
	proxy, proxyMem, err := r.open(ctx, r.proxy, "gpt-test")
	if err != nil {
		return err
	}
	x, err := proxy.slices(ctx, b)
	if err = errors.Join(err, proxy.close(ctx)); err != nil {
		return err
	}
	b.judge(fmt.Sprintf("CPU per relayed token, %d paced streams, beside the raw relay", live), "µs", o, n, sample.perOp, tokenBar, 0)
	b.judge(fmt.Sprintf("CPU per relayed token, %d paced streams, beside ReverseProxy", live), "µs", o, x, sample.perOp, 0, 0)
	b.limit(fmt.Sprintf("memory per live stream, %d, beside ReverseProxy", live), "kB", oursMem, proxyMem, streamBar)
	b.limit("memory per live stream of the raw relay", "kB", rawMem, 0, streamBar)
	b.lines[len(b.lines)-1].Bar, b.lines[len(b.lines)-1].Verdict = "", "shown"
	return nil
}

// flock is many open streams of one server.
type flock struct {
	p      *hubProcess
	conns  []net.Conn
	tokens atomic.Int64
	wg     sync.WaitGroup
}

func (r *relays) open(ctx context.Context, p *hubProcess, model string) (*flock, float64, error) {
	warm := &flock{p: p} // pools and tables that exist once
	if err := warm.join(50, requestText(p, model, true, "paced")); err != nil {
		return nil, 0, err
	}
	if err := warm.close(ctx); err != nil {
		return nil, 0, err
	}
	before, err := p.heap()
	if err != nil {
		return nil, 0, err
	}
	f := &flock{p: p}
	if err := f.join(live, requestText(p, model, true, "paced")); err != nil {
		return nil, 0, err
	}
	if err := f.all(ctx); err != nil {
		return nil, 0, err
	}
	after, err := p.heap()
	return f, float64(after-before) / live / 1000, err
}

func (f *flock) join(n int, request []byte) error {
	for range n {
		conn, err := net.Dial("tcp", f.p.address)
		if err != nil {
			return err
		}
		if _, err := conn.Write(request); err != nil {
			return err
		}
		f.conns = append(f.conns, conn)
		f.wg.Go(func() { f.count(conn) })
		time.Sleep(time.Millisecond / 2) // they come one by one
	}
	return nil
}

// all waits until every stream has had a token or two.
func (f *flock) all(ctx context.Context) error {
	for f.tokens.Load() < int64(2*len(f.conns)) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(vendorPace):
		}
	}
	return nil
}

// count reads until the stream is closed.
func (f *flock) count(conn net.Conn) {
	buf := make([]byte, 4<<10)
	for {
		n, err := conn.Read(buf)
		f.tokens.Add(int64(strings.Count(string(buf[:n]), " token")))
		if err != nil {
			return
		}
	}
}

// slices measures CPU per token a few times.
func (f *flock) slices(ctx context.Context, b *bench) ([]sample, error) {
	var all []sample
	for range b.rounds {
		cpu, err := preciseCPU(f.p.cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		tokens, began := f.tokens.Load(), time.Now()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(b.slice):
		}
		now, err := preciseCPU(f.p.cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		all = append(all, sample{ops: float64(f.tokens.Load() - tokens), cpu: now - cpu, wall: time.Since(began)})
	}
	return all, nil
}

func (f *flock) close(ctx context.Context) error {
	for _, c := range f.conns {
		c.Close()
	}
	f.wg.Wait()
	return ctx.Err()
}
