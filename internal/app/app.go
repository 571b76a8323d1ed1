package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // schedules and budgets name time zones, also where the system has none

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/nats"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/plugins"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/browser"
	"github.com/fluxway/fluxway/internal/tools/builtin"
	"github.com/fluxway/fluxway/internal/tools/mcp"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// Options are what an App is built from.
type Options struct {
	Sources config.Sources // required: where the settings came from, to read them again
	Loaded  *config.Loaded // required
	Version string
	Web     fs.FS // the built web UI; nil: none
	// Commands gives the judge of shell commands, once there is one to judge; nil: the built-in rules and those of the settings.
	Commands func() (*guard.Commands, error)
	Patience time.Duration // how long the guard may take over one call before it is refused; 0: 10 s
}

// App is a server with all its parts.
type App struct {
	opts    Options
	cfg     config.Config
	data    Data
	release func() // of the data folder's lock

	observe       *observe.Observe
	log           *slog.Logger
	settings      *config.Reloader
	db            *store.DB
	bodies        *store.Bodies
	hub           *events.Hub
	fanout        *nats.Fanout // nil: this is the only process
	queue         *jobs.Queue
	directory     *identity.Directory
	box           *seal.Box
	models        *models
	conversations *conversations.Book
	agents        *agents.Roster
	router        *agents.Router
	runs          *runs.Desk
	catalogue     *providers.Catalogue
	ledger        *costs.Ledger
	guard         *guard.Guard
	push          *push.Herald
	projects      *projects.Projects
	memory        *memory.Mind
	embedder      memory.Embedder // nil: there is none
	toolbox       *tools.Toolbox
	sandbox       *sandbox.Sandbox
	browser       *browser.Browser
	rooms         *builtin.Rooms
	mcp           *mcp.Manager
	plugins       *plugins.Manager
	server        *api.Server
}

// New builds all parts, from the lowest up. Nothing runs yet.
func New(ctx context.Context, opts Options) (*App, error) {
	if opts.Loaded == nil {
		return nil, errors.New("app: Options.Loaded is nil")
	}
	a := &App{opts: opts, cfg: opts.Loaded.Config, data: Data{opts.Loaded.Config.Data}}
	for _, build := range []func(context.Context) error{
		a.openData, a.openObserve, a.openStore, a.openEvents, a.openJobs, a.openIdentity, a.openCosts, a.openMemory, a.openGuard, a.openPlugins, a.openTools, a.openWork, a.openPush, a.loadPlugins, a.openSettings, a.openServer,
	} {
		if err := build(ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

func (a *App) openData(context.Context) (err error) {
	if err := a.data.open(); err != nil {
		return err
	}
	a.release, err = a.data.claim()
	return err
}

func (a *App) openObserve(context.Context) error {
	level, err := observe.ParseLevel(a.cfg.Log.Level)
	if err != nil {
		return err
	}
	a.observe, err = observe.New(observe.Options{
		Version:      a.opts.Version,
		Log:          observe.LogOptions{Level: level, Format: a.cfg.Log.Format, NoColor: a.cfg.Log.Color == "never"},
		OTLPEndpoint: a.cfg.Telemetry.OTLPEndpoint, OTLPHeaders: a.cfg.Telemetry.OTLPHeaders, CaptureContent: a.cfg.Telemetry.CaptureContent,
	})
	a.log = a.observe.Log()
	return err
}

func (a *App) openStore(ctx context.Context) error {
	engine, err := openEngine(a.cfg, a.data)
	if err != nil {
		return err
	}
	if a.db, err = store.New(store.Options{Engine: engine, Log: a.log, Backups: a.data.Backups()}); err != nil {
		return err
	}
	if err := a.db.Migrate(ctx); err != nil {
		return err
	}
	keep := a.cfg.Retention.Bodies.Std()
	a.bodies, err = store.NewBodies(store.BodiesOptions{DB: a.db, Keep: map[string]time.Duration{"tool_result": keep, "attachment": keep, "transcript": keep}})
	return err
}

func (a *App) openEvents(context.Context) (err error) {
	opts := events.Options{
		DB: a.db, Log: a.log, Observe: a.observe, TotalBytes: a.cfg.Events.Memory.Int64(), LogTTL: a.cfg.Events.MemoryAge.Std(),
		Classes: classes(a.cfg.Retention),
	}
	if u := a.cfg.Events.NATSURL.Reveal(); u != "" {
		if a.fanout, err = nats.Open(nats.Options{URL: u, Log: a.log}); err != nil {
			return err
		}
		opts.Fanout = a.fanout
	}
	a.hub, err = events.New(opts)
	return err
}

// classes are the default classes, kept as long as the settings say.
func classes(keep config.Retention) []events.Class {
	all := events.DefaultClasses()
	lives := map[string]time.Duration{"output": keep.EventsOutput.Std(), "durable": keep.EventsDurable.Std(), "facts": keep.Events.Std()}
	for i := range all {
		if life, ok := lives[all[i].Name]; ok {
			all[i].Keep = life
		}
	}
	return all
}

// alone says whether this process is the only one that works on the database: a
// file belongs to whoever holds its folder's lock.
func (a *App) alone() bool { return a.db.Engine().Path != "" }

func (a *App) openJobs(context.Context) (err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	worker := fmt.Sprintf("%s/%d/%s", host, os.Getpid(), ids.New[ids.Job]())
	a.queue, err = jobs.New(jobs.Options{DB: a.db, Hub: a.hub, Log: a.log, Worker: worker, Sole: a.alone(), Concurrency: a.cfg.Jobs.Concurrency})
	if err != nil {
		return err
	}
	if err := a.queue.Define(a.forgetKind()); err != nil {
		return err
	}
	return a.queue.Define(a.backupKind())
}

func (a *App) openIdentity(context.Context) error {
	var err error
	if a.box, err = openBox(a.cfg, a.data); err != nil {
		return err
	}
	opts := identity.Options{
		DB: a.db, Box: a.box, Events: a.hub, Log: a.log, Deleted: a.workspaceDeleted, Removed: a.userRemoved,
		SessionIdle:    time.Duration(a.cfg.Security.SessionDays) * 24 * time.Hour,
		AuditRetention: a.cfg.Retention.Audit.Std(),
	}
	if a.cfg.OIDC.Issuer != "" {
		role, err := identity.ParseRole(a.cfg.OIDC.DefaultRole)
		if err != nil {
			return err
		}
		opts.OIDC = &identity.OIDCOptions{
			Name: a.cfg.OIDC.Name, IssuerURL: a.cfg.OIDC.Issuer, ClientID: a.cfg.OIDC.ClientID, ClientSecret: a.cfg.OIDC.ClientSecret,
			RedirectURL: a.URL() + "/api/v1/oidc/callback", AutoCreate: a.cfg.OIDC.AutoCreate, Role: role, Domains: a.cfg.OIDC.Domains,
		}
	}
	a.directory, err = identity.New(opts)
	return err
}

func (a *App) openCosts(context.Context) (err error) {
	if a.catalogue, err = providers.NewCatalogue(nil); err != nil {
		return err
	}
	opts := costs.Options{DB: a.db, Hub: a.hub, Catalogue: a.catalogue, Log: a.log, Observe: a.observe, Sole: a.alone(), Premium: premium}
	if opts.Sole {
		opts.Journal = a.data.journal()
	}
	a.ledger, err = costs.New(opts)
	return err
}

// premium says what a request costs where requests are counted.
func premium(provider, model string) (milli int64, counts bool) {
	if provider != copilot.Vendor {
		return 0, false
	}
	return copilot.Multiplier(model), true
}

func (a *App) openWork(ctx context.Context) (err error) {
	if a.conversations, err = conversations.New(conversations.Options{DB: a.db, Hub: a.hub, Bodies: a.bodies, Deleted: a.conversationDeleted, Named: a.directory.Named}); err != nil {
		return err
	}
	keeper, err := providers.NewKeeper(providers.KeeperOptions{DB: a.db, Hub: a.hub, Box: a.box})
	if err != nil {
		return err
	}
	a.models, err = newModels(ctx, modelsOptions{
		Keeper: keeper, Catalogue: a.catalogue, Loaded: a.opts.Loaded, Observe: a.observe, Log: a.log, Shared: !a.alone(), Agents: agentModels{a}, Embed: a.meaningOf,
		Around: func(provider string, m providers.Model) providers.Model { return costs.Meter(a.ledger, provider, m) },
	})
	if err != nil {
		return err
	}
	if err := a.openAgents(); err != nil {
		return err
	}
	return a.openRuns()
}

func (a *App) openSettings(context.Context) (err error) {
	a.settings, err = config.NewReloader(config.ReloaderOptions{Sources: a.opts.Sources, Loaded: a.opts.Loaded, Log: a.log})
	if err != nil {
		return err
	}
	a.settings.Subscribe(a.apply)
	return nil
}

// apply takes over what may change while the server runs.
func (a *App) apply(ctx context.Context, cfg config.Config) {
	if level, err := observe.ParseLevel(cfg.Log.Level); err == nil {
		a.observe.SetLevel(level)
	}
	a.observe.SetCaptureContent(cfg.Telemetry.CaptureContent)
	if err := a.models.configure(ctx, cfg, a.settings.State().Loaded.Origins); err != nil {
		a.log.ErrorContext(ctx, "providers and models not changed", "part", "app", "err", err)
	}
	if err := a.configureAgents(cfg); err != nil {
		a.log.ErrorContext(ctx, "agents of the settings not changed", "part", "app", "err", err)
	}
	if err := a.guard.Configure(policyOf(cfg)); err != nil {
		a.log.ErrorContext(ctx, "the policy of the guard not changed", "part", "app", "err", err)
	}
	if err := a.keepSchedules(ctx, cfg); err != nil {
		a.log.ErrorContext(ctx, "backup schedule not changed", "part", "app", "err", err)
	}
}

func (a *App) openServer(context.Context) error {
	proxies, err := prefixes(a.cfg.Security.TrustedProxies)
	if err != nil {
		return err
	}
	hosts := a.cfg.Security.AllowedHosts
	if u, err := url.Parse(a.cfg.PublicURL); err == nil && u.Host != "" {
		hosts = append(hosts, u.Hostname())
	}
	a.server, err = api.New(api.Options{
		DB: a.db, Directory: a.directory, Hub: a.hub, Observe: a.observe, Log: a.log, Version: a.opts.Version,
		Jobs: a.queue, Conversations: a.conversations, Agents: a.agents, Router: a.router, Runs: a.runs, Costs: a.ledger, Guard: a.guard, Push: a.push, Projects: a.projects, Memory: a.memory,
		Tools: a.toolbox, MCP: mcpDesk{a.mcp}, Upstream: a.mcp, Plugins: a.plugins, AgentCaller: agentCaller{a.runs, a.conversations}, Settings: settings{a.settings, a.opts.Sources}, Models: a.models, Gateway: gateway{a.models},
		Listen: a.cfg.Listen, PublicURL: a.cfg.PublicURL, Hosts: hosts, TrustedProxies: proxies, Web: a.opts.Web,
		BodyLimit: a.cfg.Limits.Body.Int64(), Timeout: a.cfg.Limits.RequestTimeout.Std(),
		PerIdentity: api.Rate{PerMinute: a.cfg.Limits.PerIdentity}, PerAddress: api.Rate{PerMinute: a.cfg.Limits.PerIP},
		Control: a.data.Socket(), DataDir: a.data.Dir, Backups: a.data.Backups(),
	})
	return err
}

func prefixes(texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil {
			all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("security.trusted_proxies: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// URL is where people reach the server.
func (a *App) URL() string {
	if a.cfg.PublicURL != "" {
		return strings.TrimRight(a.cfg.PublicURL, "/")
	}
	host, port, err := net.SplitHostPort(a.cfg.Listen)
	if err != nil {
		return "http://" + a.cfg.Listen
	}
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Started is what the first lines on the screen say.
type Started struct {
	URL      string // where to open it
	Setup    string // the one-time link of a server without users; "" once there is one
	Data     string
	Database string
}

// Run serves until ctx ends. ready is called once requests are answered.
func (a *App) Run(ctx context.Context, ready func(Started)) error {
	defer a.Close()
	if err := a.keepSchedules(ctx, a.cfg); err != nil {
		return err
	}
	a.register()
	group := lifecycle.Group{Grace: 15 * time.Second}
	group.Add("observe", a.observe)
	group.Add("store", a.db)
	group.Add("events", a.hub)
	group.Add("identity", a.directory)
	group.Add("costs", a.ledger)
	group.Add("guard", a.guard)
	group.Add("memory", a.memory)
	group.Add("plugins", a.plugins)
	group.Add("runs", a.runs)
	group.Add("jobs", a.queue)
	group.Add("models", a.models)
	group.Add("mcp", a.mcp)
	group.Add("browser", a.browser)
	group.Add("sandboxes", a.rooms)
	group.Add("config", a.settings)
	group.Add("reload", lifecycle.Func(a.reloadOnSignal))
	group.Add("api", a.server)
	group.Add("ready", lifecycle.Func(func(ctx context.Context) error { return a.announce(ctx, ready) }))
	group.Add("release", lifecycle.Func(a.settle))
	return group.Run(ctx)
}

// settle makes the idle server as small as its work needs.
func (a *App) settle(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(lifecycle.Settle * 3 / 2):
	}
	if err := releaseStart(); err != nil {
		a.log.DebugContext(ctx, "memory of the start not given back", "part", "app", "err", err)
	}
	<-ctx.Done()
	return nil
}

func (a *App) announce(ctx context.Context, ready func(Started)) error {
	addr, err := a.server.Addr(ctx)
	if err != nil {
		return nil // the api part says why it does not listen
	}
	started := Started{URL: a.URL(), Data: a.data.Dir, Database: a.db.Engine().Name + " " + a.db.Engine().Where}
	if strings.HasSuffix(a.cfg.Listen, ":0") && a.cfg.PublicURL == "" {
		started.URL = "http://" + addr.String()
	}
	code, err := a.directory.NewSetupCode(ctx)
	if err != nil {
		return err
	}
	if code != "" { // in the fragment, which browsers keep to themselves
		started.Setup = started.URL + "/setup#code=" + code
	}
	ready(started)
	return nil
}

// Close gives everything back; Run does it too.
func (a *App) Close() error {
	var errs []error
	if a.fanout != nil {
		a.fanout.Close()
		a.fanout = nil
	}
	if a.db != nil {
		errs = append(errs, a.db.Close())
		a.db = nil
	}
	if a.release != nil {
		a.release()
		a.release = nil
	}
	return errors.Join(errs...)
}
