// Package nats carries events between processes through a NATS server.
//
// In:    the server's URL, and messages of the hub.
// Out:   an events.Fanout on core NATS: fast, and allowed to lose messages, since cursors show what is missing.
// Keeps: nothing.
// Says:  nothing of its own.
// Not here: what the messages hold (events); the server.
package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Options say which server and which subjects.
type Options struct {
	URL    string       // required; nats://[user:password@]host:port, several divided by commas
	Prefix string       // of the subjects, one per workspace; "": fluxway.events
	Log    *slog.Logger // nil: silent
}

// Fanout is a connection to a NATS server.
type Fanout struct {
	prefix string
	conn   *nats.Conn
	resume chan struct{} // the connection is there again
}

// queueBytes and queueMessages bound what waits here for the hub; beyond, messages are dropped.
const (
	queueBytes    = 32 << 20
	queueMessages = 64 << 10
)

// Open connects. A server that is away later is waited for, without losing facts.
func Open(opts Options) (*Fanout, error) {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &Fanout{prefix: cmp.Or(opts.Prefix, "fluxway.events"), resume: make(chan struct{}, 1)}
	conn, err := nats.Connect(opts.URL,
		nats.Name("fluxway"),
		nats.NoEcho(), // our own messages are in our log already
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250*time.Millisecond),
		nats.ReconnectBufSize(1<<20), // more would be old news by then
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("connection to NATS lost; events of other processes come with a delay", "part", "events", "err", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			log.Info("connection to NATS is back", "part", "events")
			select {
			case f.resume <- struct{}{}:
			default:
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Warn("trouble with NATS", "part", "events", "err", err)
		}),
	)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "nats_unreachable", "The NATS server does not answer.").
			WithHint("Check that it runs and that events.nats_url is right.").Because(hidePassword(err, opts.URL))
	}
	f.conn = conn
	return f, nil
}

// Close ends the connection.
func (f *Fanout) Close() { f.conn.Close() }

// Send publishes a message on the workspace's subject.
func (f *Fanout) Send(ws ids.Workspace, message []byte) error {
	return f.conn.Publish(f.prefix+"."+string(ws), message)
}

// MaxBytes is what the server takes.
func (f *Fanout) MaxBytes() int { return int(f.conn.MaxPayload()) }

// Receive takes the messages of all workspaces.
func (f *Fanout) Receive(ctx context.Context, listening func(), take func(ws ids.Workspace, message []byte)) error {
	sub, err := f.conn.Subscribe(f.prefix+".*", func(m *nats.Msg) {
		take(ids.Workspace(strings.TrimPrefix(m.Subject, f.prefix+".")), m.Data)
	})
	if err != nil {
		return fmt.Errorf("subscribing to %s.*: %w", f.prefix, err)
	}
	ended := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(ended) })
	if err := sub.SetPendingLimits(queueMessages, queueBytes); err != nil {
		return errors.Join(err, sub.Unsubscribe())
	}
	if f.flush(ctx) == nil { // else the server is away, and resume will say when it is back
		listening()
	}
	f.follow(ctx, listening)
	// The handler must not run any more when Receive returns.
	if sub.Unsubscribe() == nil {
		<-ended
	}
	return nil
}

// flush waits until the server has what was sent.
func (f *Fanout) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return f.conn.FlushWithContext(ctx)
}

// follow says so each time the connection is there again.
func (f *Fanout) follow(ctx context.Context, listening func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.resume:
			listening()
		}
	}
}

// hidePassword keeps the URL, which may hold one, out of an error.
func hidePassword(err error, url string) error {
	return errors.New(strings.ReplaceAll(err.Error(), url, "the NATS server"))
}
