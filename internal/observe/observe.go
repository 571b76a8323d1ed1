package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

// Options say where log lines, spans and metrics go.
type Options struct {
	Service string // "" : fluxway
	Version string // shown in spans and in fluxway_build_info
	Log     LogOptions

	OTLPEndpoint string                 // base URL such as http://127.0.0.1:4318; "": no export
	OTLPHeaders  map[string]secret.Text // sent with every export
	OTLPClient   *http.Client           // nil: one with a timeout of 10 s

	CaptureContent bool // see SetContent
	QueueSize      int  // finished spans kept per destination; 0: 4096
}

// Observe makes loggers, spans and instruments. All methods work on a nil
// *Observe, which records nothing, so that a part can be used without one.
type Observe struct {
	opts     Options
	log      *slog.Logger
	level    *slog.LevelVar
	registry *prometheus.Registry
	dropped  *Counter
	failed   *Counter
	content  atomic.Bool
	recent   recent
	// listeners are the pipes of those who want spans; nil while nobody does.
	listeners atomic.Pointer[[]*pipe]

	mu          sync.Mutex // guards the fields below
	instruments map[string]any
	pipes       []*pipe
	running     bool
}

// New checks the options and builds everything; Run must be started for spans
// to leave the process.
func New(opts Options) (*Observe, error) {
	if opts.Service == "" {
		opts.Service = "fluxway"
	}
	if opts.QueueSize <= 0 {
		opts.QueueSize = 4096
	}
	o := &Observe{
		opts:        opts,
		level:       new(slog.LevelVar),
		registry:    prometheus.NewRegistry(),
		instruments: map[string]any{},
	}
	o.level.Set(opts.Log.Level)
	o.content.Store(opts.CaptureContent)
	handler, err := newHandler(opts.Log, o.level, &o.recent)
	if err != nil {
		return nil, err
	}
	o.log = slog.New(handler)
	o.registerProcess()
	o.dropped = o.Counter("telemetry_spans_dropped_total", "Finished spans thrown away because a destination was too slow.", "destination")
	o.failed = o.Counter("telemetry_exports_failed_total", "Batches of spans that a destination did not take.", "destination")
	if opts.OTLPEndpoint != "" {
		if err := checkEndpoint(opts.OTLPEndpoint); err != nil {
			return nil, err
		}
		o.listen("otlp", newExporter(opts))
	}
	return o, nil
}

// Log is the logger every part is given.
func (o *Observe) Log() *slog.Logger {
	if o == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.log
}

// SetLevel changes what is logged, at once.
func (o *Observe) SetLevel(level slog.Level) {
	if o != nil {
		o.level.Set(level)
	}
}

// Level is what is logged now.
func (o *Observe) Level() slog.Level {
	if o == nil {
		return slog.LevelInfo
	}
	return o.level.Level()
}

// Attach adds a destination for finished spans. It must come before Run.
func (o *Observe) Attach(name string, sink Sink) error {
	o.mu.Lock()
	running := o.running
	o.mu.Unlock()
	if running {
		return errors.New("observe: Attach after Run")
	}
	o.listen(name, toSink{sink})
	return nil
}

// listen adds a queue before the destination and turns recording on.
func (o *Observe) listen(name string, to destination) {
	p := &pipe{
		name:    name,
		to:      to,
		limit:   o.opts.QueueSize,
		wake:    make(chan struct{}, 1),
		dropped: o.dropped.With(name),
		failed:  o.failed.With(name),
		log:     o.log,
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pipes = append(o.pipes, p)
	pipes := slices.Clone(o.pipes)
	o.listeners.Store(&pipes)
}

// Run carries finished spans to their destinations until ctx ends, then
// flushes what is queued, for at most five seconds.
func (o *Observe) Run(ctx context.Context) error {
	o.mu.Lock()
	if o.running {
		o.mu.Unlock()
		return errors.New("observe: Run called twice")
	}
	o.running = true
	pipes := o.pipes
	o.mu.Unlock()
	var wg sync.WaitGroup
	for _, p := range pipes {
		wg.Go(func() { p.run(ctx) })
	}
	wg.Wait()
	<-ctx.Done()
	return nil
}

func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return fmt.Errorf("observe: OTLP endpoint: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("observe: OTLP endpoint %q is not an http or https URL", Redact(endpoint))
	}
	return nil
}
