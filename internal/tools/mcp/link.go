package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// State is how a connection stands.
type State string

// The states.
const (
	StateIdle     State = "idle"     // starts when it is needed
	StateStarting State = "starting" // being reached
	StateReady    State = "ready"    // answers
	StateWaiting  State = "waiting"  // failed; tried again later
	StateStopped  State = "stopped"  // by a person; starts when one says so
	StateSignIn   State = "needs_signin"
)

var errLost = errors.New("the server was lost")

// alone is how often a lost server is tried again by itself; after that, only when someone needs it.
const alone = 10

// link is one connection to a server.
type link struct {
	s    *server
	user ids.User // whose sign-in it uses; "": nobody's

	mu       sync.Mutex // guards the fields below
	state    State
	since    time.Time
	failure  error     // why it is not ready
	tries    int       // that failed in a row
	next     time.Time // not before
	again    *time.Timer
	attempt  chan struct{}           // closed when the attempt that is under way ends; nil: none is
	abort    context.CancelCauseFunc // of the attempt
	live     *live                   // nil: not connected
	protocol string
	program  string
	used     time.Time
	// subscribed counts who watches a resource, by the server's own address.
	subscribed map[string]int
	changing   chan struct{} // held by who changes what is watched
	wanting    chan string   // hears where a person has to sign in; nil: nobody is there to do so
	granted    []string      // what the sign-in in use may do
	scopes     []string      // what the next sign-in has to ask for besides
}

// live is a connection that stands.
type live struct {
	session *sdk.ClientSession
	up      chan struct{} // closed once session is set
	way     *dialled
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when it is gone and nothing of it runs any more
	ready   time.Time
	hush    sync.Once // closes it

	offering sync.Mutex // held while prompts and resources are listed; before mu

	mu       sync.Mutex // guards the fields below
	stopping bool
	calls    map[string]flying // by progress token
	nextCall int64
	listing  bool    // the tools are being listed
	relist   bool    // and have to be again
	offers   *offers // nil: not known, or not any more
}

// flying is a call that has not ended yet.
type flying struct {
	call   tools.Call
	held   *held // nil: nobody can be asked about it
	cancel context.CancelCauseFunc
}

// ensure gives a connection that stands, made now if need be.
func (l *link) ensure(ctx context.Context) (*live, error) {
	for range 2 {
		l.mu.Lock()
		if l.live != nil {
			v := l.live
			l.used = time.Now()
			l.mu.Unlock()
			return v, nil
		}
		if err := l.barred(); err != nil {
			l.mu.Unlock()
			return nil, err
		}
		attempt := l.begin()
		l.mu.Unlock()
		select {
		case <-attempt:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if err := l.failed(); err != nil {
			return nil, err
		}
	}
	return nil, l.unavailable(errors.New("it was lost at once"))
}

// barred says why no attempt may be made now; the caller holds the lock.
func (l *link) barred() error {
	def := l.s.definition()
	switch {
	case def.Disabled:
		return fault.New(fault.Unavailable, "mcp_disabled", "The MCP server %s is switched off.", def.Name)
	case l.state == StateStopped:
		return fault.New(fault.Unavailable, "mcp_stopped", "The MCP server %s was stopped.", def.Name).
			WithHint("Someone who may manage servers can start it: fluxway mcp start %s.", def.Name)
	case l.state == StateWaiting && l.attempt == nil && time.Now().Before(l.next):
		return l.unavailable(l.failure)
	}
	return nil
}

func (l *link) unavailable(err error) error {
	f := fault.New(fault.Unavailable, "mcp_unavailable", "The MCP server %s cannot be reached: %s.", l.s.key.name, sentence(err)).Because(err).
		WithHint("Its log says more: fluxway mcp logs %s.", l.s.key.name)
	if wait := time.Until(l.next); wait > 0 {
		f = f.RetryIn(wait.Round(time.Second))
	}
	return f
}

// sentence is the heart of an error without its full stop.
func sentence(err error) string {
	if err == nil {
		return "it is not known why"
	}
	var f *fault.Fault
	text := err.Error()
	if errors.As(err, &f) {
		text = f.Message
	}
	text = strings.TrimSuffix(strings.ToValidUTF8(text, "�"), ".")
	return text[:min(len(text), 300)]
}

func (l *link) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live != nil || l.failure == nil {
		return nil
	}
	var f *fault.Fault
	if errors.As(l.failure, &f) && f.Code != "mcp_not_started" {
		return l.failure
	}
	return l.unavailable(l.failure)
}

// begin starts an attempt unless one is under way; the caller holds the lock.
func (l *link) begin() chan struct{} {
	if l.attempt != nil {
		return l.attempt
	}
	done := make(chan struct{})
	l.attempt = done
	if l.again != nil {
		l.again.Stop()
		l.again = nil
	}
	l.turn(StateStarting, nil)
	ctx, cancel := context.WithCancelCause(l.s.m.running)
	l.abort = cancel
	l.s.m.wg.Go(func() {
		defer close(done)
		l.connect(ctx, cancel)
	})
	return done
}

// turn changes the state and tells; the caller holds the lock.
func (l *link) turn(state State, failure error) {
	l.failure = failure
	if l.state == state {
		return
	}
	l.state, l.since = state, time.Now()
	reason := ""
	if failure != nil {
		reason = sentence(failure)
		l.s.log.add("fluxway", string(state)+": "+reason)
	} else {
		l.s.log.add("fluxway", string(state))
	}
	if l.s.key.ws != "" {
		l.s.m.opts.Hub.Publish(l.s.key.ws, Channel, ServerStateChanged{l.s.key.name, state, reason})
	}
}

// connect makes one attempt.
func (l *link) connect(ctx context.Context, cancel context.CancelCauseFunc) {
	m := l.s.m
	def := l.s.definition()
	patience := m.opts.ConnectTime
	if l.askedFor() {
		patience = signInTime
	}
	late := fault.New(fault.Timeout, "mcp_slow_start", "The MCP server %s did not answer within %s.", def.Name, patience).
		WithHint("Its log says more: fluxway mcp logs %s.", def.Name)
	timer := time.AfterFunc(patience, func() { cancel(late) })
	var v *live
	err := def.ready()
	if err == nil {
		v, err = l.dial(ctx, cancel, def)
	}
	if err == nil {
		err = l.list(ctx, v)
	}
	if err == nil {
		l.resubscribe(ctx, v)
	}
	stopped := !timer.Stop()
	if err == nil && !stopped && context.Cause(ctx) == nil {
		l.stand(v)
		return
	}
	if cause := context.Cause(ctx); cause != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = cause
	}
	cancel(err)
	if v != nil {
		v.close()
		<-v.ended
		if v.way.pid != 0 && !errors.Is(err, late) && !errors.Is(err, errStopping) {
			err = fmt.Errorf("%w (%s%s)", err, v.way.how(), l.s.lastWords())
		}
	}
	l.fall(err)
}

// dial opens the way and shakes hands.
func (l *link) dial(ctx context.Context, cancel context.CancelCauseFunc, def Definition) (*live, error) {
	m := l.s.m
	var way *dialled
	var err error
	if def.Transport == Stdio {
		way, err = m.dialStdio(ctx, l.s, def)
	} else {
		way, err = m.dialWeb(ctx, l, def)
	}
	if err != nil {
		return nil, err
	}
	v := &live{way: way, cancel: cancel, up: make(chan struct{}), ended: make(chan struct{}), calls: map[string]flying{}}
	client, err := l.client(ctx, v)
	if err == nil {
		v.session, err = shake(ctx, client, way)
	}
	if err != nil {
		if better := refusedWeb(def, err); better != nil && def.Transport != Stdio {
			err = better
		}
		way.end()
		close(v.ended)
		return v, err
	}
	close(v.up)
	m.wg.Go(func() { l.watch(v) })
	return v, nil
}

// shake runs the SDK's handshake so that ctx ends it even where the SDK waits for a program that does not answer.
func shake(ctx context.Context, client *sdk.Client, way *dialled) (*sdk.ClientSession, error) {
	type outcome struct {
		session *sdk.ClientSession
		err     error
	}
	done := make(chan outcome, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		session, err := client.Connect(ctx, way.transport, nil)
		done <- outcome{session, err}
	})
	select {
	case o := <-done:
		return o.session, o.err
	case <-ctx.Done():
	}
	way.end()
	wg.Wait()
	if o := <-done; o.session != nil {
		_ = o.session.Close() // it came too late to be of use
	}
	return nil, context.Cause(ctx)
}

// watch waits for the end of a connection and clears up after it.
func (l *link) watch(v *live) {
	err := v.session.Wait()
	v.close()
	v.way.end()
	close(v.ended)
	l.lost(v, err)
}

// close ends a connection; watch notices.
func (v *live) close() {
	v.hush.Do(func() {
		if v.session == nil {
			return
		}
		v.cancel(errStopping)
		v.mu.Lock()
		for _, f := range v.calls { // the SDK waits for calls; a server that hangs would keep it waiting
			f.cancel(errLost)
		}
		v.mu.Unlock()
		if v.way.pid != 0 {
			v.way.end()
		}
		_ = v.session.Close() // whatever it says, it is over
	})
}

// stand makes a connection the link's.
func (l *link) stand(v *live) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempt = nil
	select {
	case <-v.ended: // lost again already
		l.wait(errors.New("it ended at once: " + v.way.how() + l.s.lastWords()))
		return
	default:
	}
	v.ready = time.Now()
	l.live, l.used = v, v.ready
	if r := v.session.InitializeResult(); r != nil {
		l.protocol = r.ProtocolVersion
		if r.ServerInfo != nil {
			l.program = strings.TrimSpace(r.ServerInfo.Name + " " + r.ServerInfo.Version)
		}
	}
	l.turn(StateReady, nil)
}

// fall ends an attempt that failed.
func (l *link) fall(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempt = nil
	switch {
	case errors.Is(err, errStopping):
		l.turn(StateIdle, nil)
	case fault.HasCode(err, "mcp_signin_needed"):
		l.turn(StateSignIn, err)
	default:
		l.wait(err)
	}
}

// wait counts a failure and plans the next attempt; the caller holds the lock.
func (l *link) wait(err error) {
	l.tries++
	pause := l.s.m.opts.Backoff.Wait(l.tries)
	l.next = time.Now().Add(pause)
	l.turn(StateWaiting, err)
	if l.tries > alone || l.s.m.running.Err() != nil {
		return
	}
	l.again = time.AfterFunc(pause, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.state == StateWaiting && l.live == nil && l.s.m.running.Err() == nil {
			l.begin()
		}
	})
}

// lost is what happens when a connection that stood ends.
func (l *link) lost(v *live, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live != v {
		return
	}
	l.live = nil
	v.mu.Lock()
	stopping := v.stopping
	v.mu.Unlock()
	if stopping || l.s.m.running.Err() != nil {
		return
	}
	if time.Since(v.ready) > l.s.m.opts.Backoff.Max {
		l.tries = 0 // it worked for a while: begin with short pauses again
	}
	l.wait(fmt.Errorf("it was lost: %s%s%s", v.way.how(), wordsOf(err), l.s.lastWords()))
}

func wordsOf(err error) string {
	if err == nil {
		return ""
	}
	return ": " + sentence(err)
}

// lastWords are the last thing the server said on stderr, which is mostly why.
func (s *server) lastWords() string {
	lines, _ := s.log.tail(0)
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-20; i-- {
		if lines[i].From == "stderr" && strings.TrimSpace(lines[i].Text) != "" {
			text := lines[i].Text
			return "; it said: " + text[:min(len(text), 200)]
		}
	}
	return ""
}

// stop ends the connection, or the attempt, and waits for it.
func (l *link) stop(state State, reason string) {
	l.mu.Lock()
	v, attempt, abort := l.live, l.attempt, l.abort
	if l.again != nil {
		l.again.Stop()
		l.again = nil
	}
	l.mu.Unlock()
	if attempt != nil && v == nil {
		abort(errStopping)
		<-attempt
		l.mu.Lock()
		v = l.live
		l.mu.Unlock()
	}
	if v != nil {
		v.mu.Lock()
		v.stopping = true
		v.mu.Unlock()
		v.close()
		<-v.ended
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again != nil {
		l.again.Stop()
		l.again = nil
	}
	l.live, l.tries, l.next = nil, 0, time.Time{}
	l.turn(state, nil)
	if reason != "" {
		l.s.log.add("fluxway", reason)
	}
}

func (l *link) unusedSince(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live == nil || l.live.way.pid == 0 || l.used.After(at) || len(l.subscribed) > 0 {
		return false
	}
	l.live.mu.Lock()
	defer l.live.mu.Unlock()
	return len(l.live.calls) == 0
}

// suspect checks a server that let a call run out of time: one that does not even answer a ping is ended, and started again.
func (l *link) suspect(v *live) {
	l.s.m.wg.Go(func() {
		ctx, cancel := context.WithTimeout(l.s.m.running, pingTime)
		defer cancel()
		err := v.session.Ping(ctx, nil)
		var answered *jsonrpc.Error // newer servers do not know pings any more, and say so
		if err == nil || errors.As(err, &answered) || l.s.m.running.Err() != nil {
			return
		}
		l.s.log.add("fluxway", "it does not answer; ending it")
		v.close()
	})
}

const pingTime = 5 * time.Second
