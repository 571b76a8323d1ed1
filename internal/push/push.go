package push

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/push/webpush"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
)

// seats is the part of identity.Directory that knows who sits where.
type seats interface {
	Seats(ctx context.Context, ws ids.Workspace) ([]identity.Seat, error)
	Seat(ctx context.Context, session ids.Session) (identity.Seat, bool, error)
	NameOf(ctx context.Context, ws ids.Workspace, user ids.User) (string, error)
}

// questions is the part of guard.Guard that knows what is asked.
type questions interface {
	Approval(ctx context.Context, ws ids.Workspace, id ids.Approval) (guard.Approval, error)
}

// desk is the part of runs.Desk that knows what a run waits for.
type desk interface {
	Of(ctx context.Context, ws ids.Workspace, id ids.Run) (runs.Run, error)
}

// Options are what a Herald needs.
type Options struct {
	DB        *store.DB       // required
	Hub       *events.Hub     // required
	Jobs      *jobs.Queue     // required; New defines its kinds of job there
	Box       *seal.Box       // required: seals what must not be read in the database
	Directory seats           // required
	Guard     questions       // required
	Runs      desk            // required
	Net       *safenet.Dialer // required: how push services are reached
	// Agent is how people call an agent; nil: by its name.
	Agent func(ctx context.Context, ws ids.Workspace, name string) string
	// Contact is where the maker of a push service finds whoever runs this server: an https or mailto address.
	Contact   string
	Transport *http.Transport  // nil: that of Net
	Backoff   retry.Policy     // between attempts to reach a push service; zero: that of jobs
	Now       func() time.Time // nil: time.Now
	Log       *slog.Logger     // nil: silent
}

// Herald knows the devices and the wishes, and sends.
type Herald struct {
	opts   Options
	db     *store.DB
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex // guards the fields below
	key     *webpush.Key
	anyone  bool      // somebody has subscribed
	checked time.Time // when that was looked up
}

const (
	announceKind = "push.announce"
	sendKind     = "push.send"
	sendTimeout  = 20 * time.Second
	attempts     = 20
)

// New checks the options, begins to hear, and defines the kinds of job.
func New(opts Options) (*Herald, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Jobs == nil || opts.Box == nil || opts.Directory == nil || opts.Guard == nil || opts.Runs == nil || opts.Net == nil {
		return nil, errors.New("push: Options is missing a required part")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	client := opts.Net.Client(0)
	if opts.Transport != nil {
		client.Transport = opts.Transport
	}
	client.Timeout = sendTimeout
	h := &Herald{opts: opts, db: opts.DB, client: client, now: opts.Now, log: opts.Log}
	opts.Hub.Hear(h.hear, heard...)
	opts.DB.OnRestore(store.RestoreHook{Name: "push", Done: func(context.Context) { h.forget() }})
	opts.DB.AddRetention(store.Retention{Name: "push_shown", Prune: func(ctx context.Context, _ time.Time) (int64, error) { return h.Prune(ctx) }})
	if err := opts.Jobs.Define(jobs.Kind{Name: announceKind, Run: h.announce}); err != nil {
		return nil, err
	}
	return h, opts.Jobs.Define(jobs.Kind{Name: sendKind, Concurrency: 8, Attempts: attempts, Backoff: opts.Backoff, Timeout: 2 * sendTimeout, Run: h.deliver})
}

// anyoneLife is how long a subscription made by another process may go unnoticed by one that had none.
const anyoneLife = 10 * time.Second

// somebody says whether anybody has subscribed. Most servers have nobody, and facts come often.
func (h *Herald) somebody(ctx context.Context) (bool, error) {
	now := time.Now()
	h.mu.Lock()
	anyone, fresh := h.anyone, now.Sub(h.checked) < anyoneLife
	h.mu.Unlock()
	if fresh {
		return anyone, nil
	}
	n, err := store.One[int](ctx, h.db.Read(), countAnyone)
	if err != nil {
		return false, fmt.Errorf("looking for subscriptions: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.anyone, h.checked = n > 0, now
	return h.anyone, nil
}

// forget drops what is remembered of the database.
func (h *Herald) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.key, h.checked = nil, time.Time{}
}

// Prune deletes what is worth nothing any more: subscriptions whose session has ended, and notes of what was shown.
func (h *Herald) Prune(ctx context.Context) (int64, error) {
	rows, err := store.All[subscription](ctx, h.db.Read(), selectSubscriptions)
	if err != nil {
		return 0, fmt.Errorf("listing subscriptions: %w", err)
	}
	var gone []ids.Subscription
	for _, s := range rows {
		_, open, err := h.opts.Directory.Seat(ctx, s.Session)
		if err != nil {
			return 0, err
		}
		if !open {
			gone = append(gone, s.ID)
		}
	}
	var n int64
	err = h.db.InTx(ctx, func(tx *store.Tx) error {
		n = 0
		for _, id := range gone {
			if err := h.drop(ctx, tx, id); err != nil {
				return err
			}
			n++
		}
		old, err := tx.Exec(ctx, deleteOldShown, h.now())
		n += old
		return err
	})
	return n, err
}
