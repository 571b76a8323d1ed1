package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/leanhttp"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/plugins"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Options are what a Server needs.
type Options struct {
	DB            *store.DB           // required
	Directory     *identity.Directory // required
	Hub           *events.Hub         // required
	Jobs          *jobs.Queue         // nil: no routes for it; so for those below
	Conversations *conversations.Book
	Agents        *agents.Roster // chats need Runs besides
	Router        *agents.Router // with Agents
	Runs          *runs.Desk
	Costs         *costs.Ledger
	Guard         *guard.Guard
	Push          *push.Herald
	Projects      *projects.Projects
	Memory        *memory.Mind
	Tools         *tools.Toolbox
	MCP           MCP      // of the servers whose tools are in Tools
	Upstream      Upstream // what those servers have besides tools, for our own MCP server; nil: nothing
	Plugins       *plugins.Manager
	AgentCaller   AgentCaller // nil: agents are no tools of our own MCP server
	Settings      Settings
	Models        Models
	Gateway       Gateway          // for the doors in other vendors' dialects
	Observe       *observe.Observe // nil: nothing is traced or counted
	Log           *slog.Logger     // nil: silent
	Version       string           // shown at /version

	Listen         string         // "": 127.0.0.1:7777
	PublicURL      string         // how browsers reach the server, if through a proxy or tunnel: their cookies and Origin follow it
	Hosts          []string       // names this server answers to, besides localhost, this machine's name and addresses
	TrustedProxies []netip.Prefix // whose X-Forwarded-For and X-Forwarded-Proto are believed
	Web            fs.FS          // the built web UI; nil: a page that says how to build it

	BodyLimit   int64         // bytes of a request; 0: 1 MiB
	Timeout     time.Duration // of a request that is no stream; 0: 60 s
	Drain       time.Duration // how long requests may take to end when the server stops; 0: 8 s
	PerIdentity Rate          // 0: 6000 a minute
	PerAddress  Rate          // 0: 12000 a minute

	Control string  // path of a socket for commands on this machine, who need no key; "": none
	DataDir string  // shown with its free space
	Backups string  // folder of backups; "": none through the API
	Checks  []Check // besides the database, for /readyz and /api/v1/system
}

// Check is something that must work for the server to be ready.
type Check struct {
	Name string
	Run  func(ctx context.Context) error
}

// Server answers HTTP.
type Server struct {
	opts      Options
	db        *store.DB
	directory *identity.Directory
	hub       *events.Hub
	observe   *observe.Observe
	log       *slog.Logger
	started   time.Time

	routes     []route
	router     router
	hosts      hosts
	publicHost string // of PublicURL
	secureHost string // the same, if browsers come there over TLS
	origins    *http.CrossOriginProtection
	perAddress *limiter[netip.Addr]
	perCaller  *limiter[string]
	site       site
	panics     observe.Count
	flights    flights
	streams    *streams
	visible    sights
	mode       atomic.Pointer[modeState]
	stopping   context.Context // ends when streams must leave
	stop       context.CancelCauseFunc
	openapi    func() []byte
	docs       func() []byte

	address atomic.Pointer[net.TCPAddr]
	bound   chan struct{}
	bind    sync.Once
}

// New checks the options and works out all routes. Handler can serve at once;
// Run listens.
func New(opts Options) (*Server, error) {
	switch {
	case opts.DB == nil:
		return nil, errors.New("api: Options.DB is nil")
	case opts.Directory == nil:
		return nil, errors.New("api: Options.Directory is nil")
	case opts.Hub == nil:
		return nil, errors.New("api: Options.Hub is nil")
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	opts.Listen = cmp.Or(opts.Listen, "127.0.0.1:7777")
	opts.Version = cmp.Or(opts.Version, "dev")
	opts.BodyLimit = cmp.Or(opts.BodyLimit, 1<<20)
	opts.Timeout = cmp.Or(opts.Timeout, time.Minute)
	opts.Drain = cmp.Or(opts.Drain, 8*time.Second)
	s := &Server{
		opts: opts, db: opts.DB, directory: opts.Directory, hub: opts.Hub, observe: opts.Observe, log: opts.Log, started: time.Now().UTC(),
		origins:    http.NewCrossOriginProtection(),
		perAddress: newLimiter[netip.Addr](opts.PerAddress, 12000),
		perCaller:  newLimiter[string](opts.PerIdentity, 6000),
		site:       site{files: opts.Web},
		panics:     opts.Observe.Counter("http_panics_total", "Handlers that panicked.").With(),
		bound:      make(chan struct{}),
	}
	s.stopping, s.stop = context.WithCancelCause(context.Background())
	s.streams = newStreams(s)
	s.mode.Store(&modeState{Normal, s.started})
	if err := s.setHosts(); err != nil {
		return nil, err
	}
	s.routes = s.table()
	if err := s.prepare(); err != nil {
		return nil, err
	}
	s.describe()
	return s, nil
}

func (s *Server) setHosts() error {
	names := append([]string(nil), s.opts.Hosts...)
	if s.opts.PublicURL != "" {
		u, err := url.Parse(s.opts.PublicURL)
		if err != nil || u.Host == "" {
			return fmt.Errorf("api: Options.PublicURL %q is not a URL", s.opts.PublicURL)
		}
		if err := s.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return fmt.Errorf("api: Options.PublicURL: %w", err)
		}
		names = append(names, u.Hostname())
		s.publicHost = u.Host
		if u.Scheme == "https" {
			s.secureHost = u.Host
		}
	}
	if host, _, err := net.SplitHostPort(s.opts.Listen); err == nil {
		names = append(names, host)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name, name+".local")
	}
	s.hosts = newHosts(names...)
	return nil
}

// table is every route of the parts that are there.
func (s *Server) table() []route {
	var all []route
	all = append(all, systemAPI{s}.routes()...)
	all = append(all, postureAPI{s}.routes()...)
	all = append(all, identityAPI{s, s.directory}.routes()...)
	all = append(all, passkeysAPI{identityAPI{s, s.directory}, s, s.directory}.routes()...)
	all = append(all, eventsAPI{s, s.hub}.routes()...)
	if s.opts.Conversations != nil {
		all = append(all, conversationsAPI{s, s.opts.Conversations}.routes()...)
	}
	if s.opts.Agents != nil {
		all = append(all, rosterAPI{s.opts.Agents, s.opts.Router}.routes()...)
	}
	if s.opts.Agents != nil && s.opts.Runs != nil {
		all = append(all, agentsAPI{s, s.opts.Agents, s.opts.Runs}.routes()...)
		all = append(all, runsAPI{s.opts.Runs}.routes()...)
		all = append(all, casesAPI{s.opts.Runs}.routes()...)
	}
	if s.opts.Jobs != nil {
		all = append(all, jobsAPI{s.opts.Jobs}.routes()...)
	}
	if s.opts.Costs != nil {
		all = append(all, costsAPI{s.opts.Costs}.routes()...)
	}
	if s.opts.Guard != nil {
		all = append(all, guardAPI{s, s.opts.Guard, s.opts.Tools}.routes()...)
	}
	if s.opts.Push != nil {
		all = append(all, pushAPI{s.opts.Push}.routes()...)
	}
	if s.opts.Projects != nil {
		all = append(all, projectsAPI{s.opts.Projects}.routes()...)
	}
	if s.opts.Memory != nil {
		all = append(all, memoryAPI{s.opts.Memory}.routes()...)
		all = append(all, knowledgeAPI{s.opts.Memory}.routes()...)
	}
	if s.opts.Models != nil {
		all = append(all, providersAPI{s.opts.Models}.routes()...)
	}
	if s.opts.Tools != nil {
		all = append(all, toolsAPI{s.opts.Tools}.routes()...)
		all = append(all, newMCPDoor(s, s.opts.Tools).routes()...)
	}
	if s.opts.MCP != nil {
		all = append(all, mcpAPI{s.opts.MCP}.routes()...)
	}
	if s.opts.Plugins != nil {
		all = append(all, pluginsAPI{s.opts.Plugins}.routes()...)
	}
	if s.opts.Settings != nil {
		all = append(all, configAPI{s.opts.Settings}.routes()...)
	}
	if s.opts.Gateway != nil {
		all = append(all, doorsAPI{s, s.opts.Gateway}.routes()...)
	}
	return all
}

// describe has the documents made when they are first asked for.
func (s *Server) describe() {
	doc := sync.OnceValue(func() ordered { return document(s.routes, s.opts.Version) })
	s.openapi = sync.OnceValue(func() []byte { return indented(doc()) })
	s.docs = sync.OnceValue(func() []byte { return reference(doc(), s.opts.Version) })
}

// prepare turns routes into endpoints.
func (s *Server) prepare() error {
	took := s.observe.Histogram("http_request_seconds", "How long requests took.", "route", "status")
	classes := [...]string{"", "1xx", "2xx", "3xx", "4xx", "5xx"}
	for _, r := range s.routes {
		if r.Permission != public && r.Permission != signedIn && !identity.KnownPermission(r.Permission) {
			return fmt.Errorf("api: %s needs the permission %q, which does not exist", r.name(), r.Permission)
		}
		if err := r.prepare(); err != nil {
			return err
		}
		e := &endpoint{
			route: r, name: r.name(), action: auditAction(r.Method, r.Pattern), mutates: r.mutates(), replays: r.replayable(),
			limit: cmp.Or(r.Action.limit, s.opts.BodyLimit), timeout: cmp.Or(r.Action.timeout, s.opts.Timeout), door: r.Action.raw,
		}
		e.tooLong = timedOut(e.timeout)
		for i := 1; i < len(classes); i++ { // made when first needed: most of a thousand are never seen
			e.took[i] = sync.OnceValue(func() observer { return took.With(e.name, classes[i]) })
		}
		if err := s.router.add(e); err != nil {
			return err
		}
	}
	return nil
}

// Handler serves everything, for tests and for other listeners.
func (s *Server) Handler() http.Handler { return s }

// Addr is where the server listens, once Run does; it waits for that.
func (s *Server) Addr(ctx context.Context) (*net.TCPAddr, error) {
	select {
	case <-s.bound:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if a := s.address.Load(); a != nil {
		return a, nil
	}
	return nil, errors.New("api: the server does not listen")
}

// Run listens until ctx ends, then drains: new work is refused, streams are
// told to leave, requests may finish.
func (s *Server) Run(ctx context.Context) error {
	defer s.bind.Do(func() { close(s.bound) })
	listener, err := s.listen(ctx)
	if err != nil {
		return err
	}
	server := &leanhttp.Server{Plain: s.plain, Rest: &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		WriteTimeout: s.opts.Timeout + writeGrace, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}}
	failed := make(chan error, 2)
	var wg sync.WaitGroup
	servers := []stopper{server}
	if s.opts.Control != "" {
		local, err := s.listenControl(ctx)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		control := s.control()
		servers = append(servers, control)
		wg.Go(func() { failed <- control.Serve(local) })
	}
	wg.Go(func() { failed <- server.Serve(listener) })
	wg.Go(func() { s.streams.keep(s.stopping) })
	wg.Go(func() { s.keepHouse(s.stopping) })
	s.address.Store(listener.Addr().(*net.TCPAddr))
	s.bind.Do(func() { close(s.bound) })
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	s.SetMode(Draining)
	s.stop(errStopping)
	for _, server := range servers {
		err = errors.Join(err, s.shutDown(server))
	}
	wg.Wait()
	return err
}

var errStopping = errors.New("the server is stopping")

// stopper is a server of either kind.
type stopper interface {
	Shutdown(ctx context.Context) error
	Close() error
}

func (s *Server) shutDown(server stopper) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.Drain)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests cut off", "after", s.opts.Drain)
		err = server.Close()
	}
	s.streams.wait()
	return err
}

// listen refuses an address that others can reach while nobody needs to prove
// who they are.
func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	open, err := s.directory.SetupNeeded(ctx)
	if err != nil {
		return nil, err
	}
	if err := CheckBind(s.opts.Listen, !open); err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.opts.Listen)
	if err != nil {
		return nil, cannotListen(s.opts.Listen, err)
	}
	return listener, nil
}

// keepHouse forgets old idempotency keys.
func (s *Server) keepHouse(ctx context.Context) {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		if err := s.sweepKeys(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "old idempotency keys not removed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// RouteInfo is what tests and tools may know about a route.
type RouteInfo struct {
	Method, Pattern, Permission, Summary string
	Public                               bool  // needs no identity
	Mutates                              bool  // is written to the audit
	Body                                 bool  // takes a JSON body
	Stream                               bool  // writes its answer itself
	Limit                                int64 // bytes of the largest body; 0: the server's own limit
}

// Routes lists all routes, in the order of the table.
func (s *Server) Routes() []RouteInfo {
	list := make([]RouteInfo, 0, len(s.routes))
	for _, r := range s.routes {
		list = append(list, RouteInfo{
			Method: r.Method, Pattern: r.Pattern, Permission: r.Permission, Summary: r.Summary, Public: r.Permission == public,
			Mutates: r.mutates(), Body: r.Action.input.body, Stream: r.Action.raw, Limit: r.Action.limit,
		})
	}
	return list
}
