package config

import "github.com/fluxway/fluxway/internal/kit/secret"

// Config is every setting of the program. Its tags are the one source of
// defaults, validation, documentation and JSON Schema:
//
//	yaml     the key
//	doc      what it does, a sentence or two
//	default  the value when nothing else says so
//	env      the variable; FLUXWAY_ and the path in capitals if left out
//	also     further variables that count; NAME=value: any text in NAME means value
//	live     "true": a change takes effect without a restart
//	secret   "true": never shown; "url": shown without the password in it
//	enum     the values allowed, with | between them
//	min, max the bounds of a number, duration or size
//	format   the shape of a text, of each text in a list: see formats
//	keys     the shape of the keys of a table
type Config struct {
	Listen    string    `yaml:"listen" default:"127.0.0.1:7777" format:"hostport" doc:"The address and port the server listens on. An address other than loopback is refused until a user or key exists."`
	PublicURL string    `yaml:"public_url" format:"http_url" doc:"The URL people reach this server under, if it is behind a proxy or tunnel; links and cookies follow it."`
	Data      string    `yaml:"data" env:"FLUXWAY_HOME" format:"path" doc:"The folder for the database, files and backups. Left out: fluxway in $XDG_DATA_HOME, or in ~/.local/share."`
	Database  Database  `yaml:"database" doc:"Where rows are kept."`
	Events    Events    `yaml:"events" doc:"How events are kept and passed on."`
	Log       Log       `yaml:"log" doc:"What the program writes about itself."`
	Telemetry Telemetry `yaml:"telemetry" doc:"Traces for an outside observer."`
	Limits    Limits    `yaml:"limits" doc:"How much one caller may ask for."`
	Retention Retention `yaml:"retention" doc:"How long things are kept; what is older is deleted."`
	Security  Security  `yaml:"security" doc:"Who may reach the server and how people sign in."`
	OIDC      OIDC      `yaml:"oidc" doc:"Single sign-on with an OpenID Connect issuer."`
	Backup    Backup    `yaml:"backup" doc:"Copies of the database, taken while the server runs."`
	Jobs      Jobs      `yaml:"jobs" doc:"Background work."`
	Guard     Guard     `yaml:"guard" doc:"What agents may do without being asked about. A workspace can choose its own policy instead."`
	Memory    Memory    `yaml:"memory" doc:"What agents remember, and how it is found again."`

	Providers map[string]Provider `yaml:"providers" keys:"provider" live:"true" doc:"Who serves models, by name: a known one such as openai or anthropic, or any name for another OpenAI-compatible server. The usual variables of the known ones count too."`
	Models    Models              `yaml:"models" doc:"Which models are used, and how."`
	Agents    map[string]Agent    `yaml:"agents" keys:"agent" live:"true" doc:"Agents that every workspace has, by name. What is left out is taken from the preset of that name, if there is one. A workspace's own changes win."`
	Routing   Routing             `yaml:"routing" doc:"Which agent takes a message that names none."`
	Tools     Tools               `yaml:"tools" doc:"What agents can use."`
	Plugins   Plugins             `yaml:"plugins" doc:"Folders that add to what there is."`
}

// Plugins says where plugins are, besides those that were installed.
type Plugins struct {
	Folders []string `yaml:"folders" format:"path" doc:"Folders with a plugin.yaml, each a plugin of this server. They give nothing until somebody has enabled them."`
}

// Tools says what agents can use.
type Tools struct {
	CommandNetwork bool                 `yaml:"command_network" default:"false" doc:"Commands may ask for the network, which is judged and shown like the rest of the call. Off: they never have it."`
	Unconfined     bool                 `yaml:"unconfined" default:"false" doc:"Commands run even where this machine cannot keep them away from other files."`
	PrivateHosts   []string             `yaml:"private_hosts" doc:"What fetching and HTTP tools may reach although it is not public: an address, a network, a name, or one of them with a port."`
	Browser        string               `yaml:"browser" format:"path" doc:"The Chromium that agents browse with. Left out: the first of the usual names that is installed."`
	MCPServers     map[string]MCPServer `yaml:"mcp_servers" keys:"server" doc:"MCP servers that every workspace has, by name; their tools are called name__tool. Workspaces add their own on the page Tools or with fluxway mcp add."`
	MCPFile        string               `yaml:"mcp_file" format:"path" doc:"A JSON file with the servers of other programs, in the usual shape of mcpServers; they are added to mcp_servers."`
}

// MCPServer is an MCP server that every workspace has.
type MCPServer struct {
	Enabled      bool                   `yaml:"enabled" default:"true" doc:"Off: it is not started and has no tools."`
	Transport    string                 `yaml:"transport" enum:"stdio|http|sse" doc:"Left out: stdio with a command, http with a url."`
	Command      string                 `yaml:"command" doc:"The program, for stdio."`
	Args         []string               `yaml:"args" doc:"Its arguments."`
	Env          map[string]secret.Text `yaml:"env" secret:"true" keys:"variable" doc:"Variables it is given; of ours it gets only those about paths, languages and proxies."`
	Folder       string                 `yaml:"folder" format:"path" doc:"Where the program runs."`
	URL          string                 `yaml:"url" format:"http_url" doc:"Where it is reached, for http and sse."`
	Headers      map[string]secret.Text `yaml:"headers" secret:"true" keys:"header" doc:"Headers sent with every request."`
	SignIn       bool                   `yaml:"sign_in" default:"false" doc:"Each person signs in there with OAuth, and their agents use that."`
	ClientID     string                 `yaml:"client_id" doc:"How its sign-in knows us. Left out: we introduce ourselves."`
	ClientSecret secret.Text            `yaml:"client_secret" secret:"true" doc:"That client's secret, if it has one."`
	Allow        []string               `yaml:"allow" doc:"Patterns of its tools that may be used; none: all."`
	Deny         []string               `yaml:"deny" doc:"Patterns of its tools that may not; they win over allow."`
	Level        string                 `yaml:"level" default:"restricted" enum:"public|restricted|dangerous" doc:"How much harm its tools can do."`
	ReadOnly     []string               `yaml:"read_only" doc:"Patterns of its tools that only look. What the server says of itself is not believed."`
	Timeout      Duration               `yaml:"timeout" default:"60s" min:"1s" max:"1h" doc:"How long a call may take."`
	Sampling     string                 `yaml:"sampling" default:"ask" enum:"ask|allow|off" doc:"Whether it may use our models; ask: the person of the run says so each time."`
	Roots        bool                   `yaml:"roots" default:"true" doc:"It is told the folders of the projects."`
}

// Agent is an agent that every workspace has.
type Agent struct {
	Title            string   `yaml:"title" live:"true" doc:"What it is called on screens."`
	Description      string   `yaml:"description" live:"true" doc:"What it is for; routing and other agents go by it."`
	Model            string   `yaml:"model" format:"target" live:"true" doc:"Its model, as provider/model or a route. Left out: models.default."`
	Instructions     string   `yaml:"instructions" live:"true" doc:"What it is told to do and how."`
	InstructionsFile string   `yaml:"instructions_file" format:"path" live:"true" doc:"A file with its instructions, instead of instructions; it is read with the settings."`
	Persona          string   `yaml:"persona" live:"true" doc:"How it speaks."`
	Tools            []string `yaml:"tools" live:"true" doc:"The tools it may use, as patterns over names: git_*, or * for all."`
	DenyTools        []string `yaml:"deny_tools" live:"true" doc:"Tools it may not use; they win over tools."`
	Helpers          []string `yaml:"helpers" live:"true" doc:"Agents it may hand work to, as patterns over names."`
	Users            []string `yaml:"users" live:"true" doc:"Who may use it, by user name. Empty: everyone."`
	Hue              string   `yaml:"hue" enum:"iris|azure|teal|green|lime|amber|coral|pink" live:"true" doc:"Its colour."`
	Recall           bool     `yaml:"recall" default:"true" live:"true" doc:"It is reminded of facts that fit the question."`
	Remember         bool     `yaml:"remember" default:"true" live:"true" doc:"Facts are learned from what was said to it."`
	Knowledge        []string `yaml:"knowledge" live:"true" doc:"Sources it may search, as patterns over names."`
	Temperature      Decimal  `yaml:"temperature" live:"true" doc:"How freely the model chooses its words, 0 to 2."`
	TopP             Decimal  `yaml:"top_p" live:"true" doc:"The share of likely words the model chooses from, up to 1."`
	MaxTokens        int      `yaml:"max_tokens" min:"0" live:"true" doc:"The longest answer of one turn."`
	Effort           string   `yaml:"effort" enum:"none|minimal|low|medium|high|max" live:"true" doc:"How hard the model thinks."`
	MaxTurns         int      `yaml:"max_turns" min:"0" max:"1000" live:"true" doc:"Model calls in one run; 0: 50."`
	MaxToolCalls     int      `yaml:"max_tool_calls" min:"0" max:"10000" live:"true" doc:"Tool calls in one run; 0: 200."`
	MaxHelpers       int      `yaml:"max_helpers" min:"0" max:"64" live:"true" doc:"Helpers in one run; 0: 8."`
	MaxDepth         int      `yaml:"max_depth" min:"0" max:"5" live:"true" doc:"Helpers of helpers; 0: 2."`
	MaxTime          Duration `yaml:"max_time" min:"0s" max:"7d" live:"true" doc:"Wall time of one run; 0s: 30 minutes."`
	MaxMoney         Dollars  `yaml:"max_money" live:"true" doc:"Dollars that one run may spend. Left out: no limit of its own."`
	Window           int      `yaml:"window" min:"0" max:"1000" live:"true" doc:"Messages of the conversation it sees as a helper."`
}

// Routing says which agent takes a message that names none.
type Routing struct {
	Default    string   `yaml:"default" default:"assistant" format:"agent" doc:"Who takes what fits nobody."`
	Model      string   `yaml:"model" format:"target" live:"true" doc:"The model that chooses, as provider/model or a route. Left out: a small one of the provider that models.default is of. none: words alone decide."`
	Remembered Duration `yaml:"remembered" default:"1h" min:"1s" max:"30d" doc:"How long a choice holds for the same text; a change of any agent ends it at once."`
	Timeout    Duration `yaml:"timeout" default:"3s" min:"100ms" max:"1m" doc:"How long the model may take to choose."`
}

// Provider is someone who serves models.
type Provider struct {
	Enabled     bool                   `yaml:"enabled" default:"true" live:"true" doc:"Off: it is not asked, whatever else is set."`
	Key         secret.Text            `yaml:"key" secret:"true" live:"true" doc:"The API key."`
	KeyFile     string                 `yaml:"key_file" format:"path" live:"true" doc:"A file that holds the key, instead of key; it is read with the settings."`
	Keys        map[string]secret.Text `yaml:"keys" secret:"true" keys:"name" live:"true" doc:"More keys, by a name to show. They are used after key, in the order of their names, when one before is refused or limited."`
	BaseURL     string                 `yaml:"base_url" format:"http_url" live:"true" doc:"Where it is reached, if not at its usual address."`
	API         string                 `yaml:"api" enum:"responses|chat" live:"true" doc:"What OpenAI and its kin are spoken to with. Left out: responses for openai, chat for the others."`
	Headers     map[string]secret.Text `yaml:"headers" secret:"true" keys:"header" live:"true" doc:"Headers sent with every request, to OpenAI-compatible servers only."`
	Keyless     bool                   `yaml:"keyless" default:"false" live:"true" doc:"This OpenAI-compatible server takes requests without a key."`
	UseCLILogin bool                   `yaml:"use_cli_login" default:"false" live:"true" doc:"Use the sign-in of the Claude CLI (anthropic) or the Codex CLI (openai) of the user this program runs as."`
}

// Models says which models are used, and how.
type Models struct {
	Default           string                `yaml:"default" format:"target" live:"true" doc:"The model of agents that name none, as provider/model or a route. Left out: a good one of the first provider that has a key, else the demonstration."`
	FirstTokenTimeout Duration              `yaml:"first_token_timeout" default:"3m" min:"1s" max:"1h" live:"true" doc:"How long a model may stay silent before it is given up and the next one is tried."`
	Retries           int                   `yaml:"retries" default:"2" min:"0" max:"10" live:"true" doc:"How often a call that failed for a passing reason is repeated, before the next model of a route is tried."`
	CatalogueFile     string                `yaml:"catalogue_file" format:"path" live:"true" doc:"A catalogue of models and prices to use instead of the one in the program."`
	CatalogueURL      string                `yaml:"catalogue_url" format:"http_url" live:"true" doc:"Where a newer catalogue of models and prices is fetched. Left out: it is not."`
	CatalogueRefresh  Duration              `yaml:"catalogue_refresh" default:"1d" min:"1h" live:"true" doc:"How often it is fetched from catalogue_url."`
	Upgrades          map[string]string     `yaml:"upgrades" keys:"model" format:"model" live:"true" doc:"For a provider/model, the one with a larger context window that takes over when a conversation has grown too long for it."`
	Cache             ModelCache            `yaml:"cache" doc:"Answers that are given again without asking a model."`
	Routes            map[string]Route      `yaml:"routes" keys:"provider" live:"true" doc:"Models of your own making: a name that stands for one or several others."`
	Known             map[string]KnownModel `yaml:"known" keys:"model" live:"true" doc:"What is known of a model, by provider/model, over what the catalogue says; for new models and agreed prices."`
}

// ModelCache says when an answer is given again.
type ModelCache struct {
	Enabled  bool     `yaml:"enabled" default:"false" live:"true" doc:"Answers a question that means nearly the same as an earlier one of the same person without asking again, if the model, its instructions and everything said before are equal. A wrong answer is possible. Requests with tools are always asked. While this is on, requests are translated instead of passed on as they are."`
	Likeness int      `yaml:"likeness" default:"98" min:"80" max:"100" live:"true" doc:"How alike two questions must be, in percent."`
	Size     int      `yaml:"size" default:"1000" min:"1" max:"100000" live:"true" doc:"How many answers of each provider are kept, in memory only."`
	Life     Duration `yaml:"life" default:"1h" min:"1s" max:"30d" live:"true" doc:"How long an answer is given again."`
}

// Route is a name that stands for one or several models.
type Route struct {
	Targets []string       `yaml:"targets" format:"target" live:"true" doc:"The models, as provider/model or the name of another route: the first, then its fallbacks."`
	Choose  string         `yaml:"choose" default:"order" enum:"order|weighted|cheapest" live:"true" doc:"order: as written. weighted: at random by weight. cheapest: by the price of each request, among those that can do it."`
	Weights map[string]int `yaml:"weights" keys:"target" min:"1" max:"1000000" live:"true" doc:"With weighted: how often each target comes first; 1 if left out."`
}

// KnownModel is what is known of a model over what the catalogue says.
type KnownModel struct {
	Name       string   `yaml:"name" live:"true" doc:"What to call it."`
	Context    int      `yaml:"context" min:"0" live:"true" doc:"Its context window in tokens."`
	MaxOutput  int      `yaml:"max_output" min:"0" live:"true" doc:"Its longest answer in tokens."`
	Can        []string `yaml:"can" format:"capability" live:"true" doc:"What it can do: tools, vision, documents, audio, reasoning, json, cache, embeddings, transcription, speech."`
	Input      Dollars  `yaml:"input" live:"true" doc:"Dollars per million tokens of input."`
	CacheRead  Dollars  `yaml:"cache_read" live:"true" doc:"Dollars per million tokens of input the provider had cached."`
	CacheWrite Dollars  `yaml:"cache_write" live:"true" doc:"Dollars per million tokens of input written to the provider's cache."`
	Output     Dollars  `yaml:"output" live:"true" doc:"Dollars per million tokens of output."`
	Reasoning  Dollars  `yaml:"reasoning" live:"true" doc:"Dollars per million tokens of reasoning; as output if left out."`
}

// Database says where rows are kept.
type Database struct {
	URL secret.Text `yaml:"url" secret:"url" format:"postgres_url" doc:"A postgres:// URL. Left out: an SQLite file in the data folder."`
}

// Events says how events are kept and passed on.
type Events struct {
	NATSURL   secret.Text `yaml:"nats_url" secret:"url" format:"nats_url" doc:"A nats:// URL that several servers on one PostgreSQL share. Left out: events stay in this process."`
	Memory    Bytes       `yaml:"memory" default:"64MB" min:"1MB" max:"64GB" doc:"How much of the recent events is held in memory, for subscribers that reconnect; older ones are read from the database."`
	MemoryAge Duration    `yaml:"memory_age" default:"10m" min:"10s" max:"1d" doc:"How long an event stays in memory."`
}

// Log says what the program writes about itself.
type Log struct {
	Level  string `yaml:"level" default:"info" enum:"debug|info|warn|error" live:"true" doc:"The least important lines to write."`
	Format string `yaml:"format" default:"auto" enum:"auto|text|json" doc:"text for people, json for machines; auto is text on a terminal."`
	Color  string `yaml:"color" default:"auto" enum:"auto|never" also:"NO_COLOR=never" doc:"auto is colour on a terminal only."`
}

// Telemetry says who may watch.
type Telemetry struct {
	OTLPEndpoint   string                 `yaml:"otlp_endpoint" format:"http_url" also:"OTEL_EXPORTER_OTLP_ENDPOINT" doc:"The base URL of an OTLP/HTTP receiver, such as http://127.0.0.1:4318. Left out: nothing is exported."`
	OTLPHeaders    map[string]secret.Text `yaml:"otlp_headers" secret:"true" keys:"header" doc:"Headers sent to that receiver, such as an authorization."`
	CaptureContent bool                   `yaml:"capture_content" default:"false" live:"true" doc:"Put what was said (prompts, answers, tool arguments) on spans. It may be private."`
}

// Limits says how much one caller may ask for.
type Limits struct {
	Body           Bytes    `yaml:"body" default:"10MB" min:"1KB" max:"1GB" doc:"The largest request body."`
	PerIdentity    int      `yaml:"per_identity" default:"6000" min:"1" max:"1000000" doc:"Requests per minute of one user or key."`
	PerIP          int      `yaml:"per_ip" default:"12000" min:"1" max:"1000000" doc:"Requests per minute of one address, whoever asks."`
	RequestTimeout Duration `yaml:"request_timeout" default:"60s" min:"1s" max:"1h" doc:"How long a request may take; streams are not counted."`
}

// Retention says how long things are kept.
type Retention struct {
	Events        Duration `yaml:"events" default:"90d" min:"1h" doc:"Events, unless one of the next two says otherwise."`
	EventsOutput  Duration `yaml:"events_output" default:"1d" min:"1h" doc:"Events that carry output: of runs, of terminals, measurements."`
	EventsDurable Duration `yaml:"events_durable" default:"400d" min:"1d" doc:"Events people must be able to look up: identity, approvals, mail, notifications, guard, costs."`
	Audit         Duration `yaml:"audit" default:"400d" min:"1d" doc:"The audit log."`
	Jobs          Duration `yaml:"jobs" default:"14d" min:"1h" doc:"Finished jobs."`
	Bodies        Duration `yaml:"bodies" default:"90d" min:"1h" doc:"Large bodies: tool results, attachments, transcripts."`
	Calls         Duration `yaml:"calls" default:"400d" min:"1d" doc:"The journal of tool calls, and approvals."`
	Snapshots     Duration `yaml:"snapshots" default:"14d" min:"1h" doc:"What files were before agents changed them; older changes cannot be undone."`
}

// Security says who may reach the server and how people sign in.
type Security struct {
	AllowedHosts   []string    `yaml:"allowed_hosts" format:"host" doc:"Host names the server answers to, besides loopback and the one in public_url; *.example.com covers names one level down."`
	TrustedProxies []string    `yaml:"trusted_proxies" format:"cidr" doc:"Addresses or networks whose X-Forwarded-For is believed."`
	SealingKey     secret.Text `yaml:"sealing_key" secret:"true" doc:"The key that seals stored secrets, 32 bytes in base64. Left out: secret.key in the data folder. Servers that share a database need the same one."`
	SessionDays    int         `yaml:"session_days" default:"7" min:"1" max:"365" doc:"How long someone stays signed in without a visit."`
}

// OIDC is single sign-on with an OpenID Connect issuer; on once issuer is set.
type OIDC struct {
	Issuer       string      `yaml:"issuer" format:"http_url" doc:"The issuer's URL. Left out: people sign in with a password."`
	ClientID     string      `yaml:"client_id" doc:"The client the issuer knows this server as."`
	ClientSecret secret.Text `yaml:"client_secret" secret:"true" doc:"That client's secret; a public client has none."`
	Name         string      `yaml:"name" default:"Single sign-on" doc:"What the sign-in button says."`
	DefaultRole  string      `yaml:"default_role" default:"viewer" enum:"viewer|operator|admin" doc:"The role of someone who signs in for the first time."`
	Domains      []string    `yaml:"domains" format:"host" doc:"The only mail domains whose verified addresses get a user; empty: all."`
	AutoCreate   bool        `yaml:"auto_create" default:"false" doc:"Make a user for someone the issuer knows and this server does not."`
}

// Backup is copies of the database.
type Backup struct {
	Schedule string `yaml:"schedule" default:"0 3 * * *" format:"cron" live:"true" doc:"When, as a cron line, with CRON_TZ=Europe/Berlin before it for a time zone. Empty: only by hand."`
	Keep     int    `yaml:"keep" default:"7" min:"1" max:"1000" live:"true" doc:"How many copies to keep."`
}

// Memory is what agents remember, and how it is found again.
type Memory struct {
	Learn      bool     `yaml:"learn" default:"true" doc:"Facts are learned from conversations. Everyone can say no for themselves."`
	LearnEvery int      `yaml:"learn_every" default:"1" min:"1" max:"100" doc:"How many exchanges of a conversation are learned from at a time."`
	LearnModel string   `yaml:"learn_model" format:"target" doc:"The model that finds facts in conversations, as provider/model. Left out: plain rules find them, without a model."`
	Confidence int      `yaml:"confidence" default:"70" min:"1" max:"100" doc:"Percent. What is learned with less waits for someone to review it."`
	Turns      bool     `yaml:"turns" default:"true" doc:"What was said in a conversation can be found from the others of the same user."`
	Keep       Duration `yaml:"keep" default:"365d" min:"1d" doc:"How long something learned is kept without being used; what was pinned or written down stays."`
	Deny       []string `yaml:"deny" doc:"Words and names: what holds one is never remembered. Secrets never are."`
	Graph      string   `yaml:"graph" default:"lasting" enum:"lasting|session" doc:"lasting: agents keep one knowledge graph per user. session: one per conversation, which ends with it."`
	Embedder   string   `yaml:"embedder" default:"built-in" doc:"What finds texts by their meaning: built-in, off, or an embedding model as provider/model."`
	Folders    []string `yaml:"folders" format:"path" doc:"Folders that knowledge may be read from by people who are not on this machine. Commands on this machine may read any."`
}

// Guard is what agents may do without being asked about.
type Guard struct {
	Mode                string   `yaml:"mode" default:"standard" enum:"standard|careful|locked" live:"true" doc:"standard: each call is judged by what it would do. careful: whatever changes something is asked. locked: agents look and change nothing."`
	Deadline            Duration `yaml:"deadline" default:"15m" min:"1s" max:"30d" live:"true" doc:"How long a question waits for an answer."`
	Unattended          string   `yaml:"unattended" default:"refuse" enum:"refuse|wait|allowed" live:"true" doc:"Runs that nobody watches. refuse: what would be asked is refused. wait: they wait for a person. allowed: they change only what is on the list of what is allowed."`
	UnattendedDeadline  Duration `yaml:"unattended_deadline" default:"1d" min:"1s" max:"30d" live:"true" doc:"How long a question of such a run waits, with wait."`
	TwoPerson           bool     `yaml:"two_person" default:"true" live:"true" doc:"What is critical has to be approved by somebody other than the person who asked for the work."`
	ApprovalLife        Duration `yaml:"approval_life" default:"1h" min:"1m" max:"30d" doc:"How long an approval waits to be used."`
	AllowedLife         Duration `yaml:"allowed_life" default:"90d" min:"1h" max:"3650d" doc:"How long an answer of always counts."`
	CallsPerMinute      int      `yaml:"calls_per_minute" default:"6000" min:"1" max:"20000" live:"true" doc:"Tool calls of one workspace within any minute."`
	AgentCallsPerMinute int      `yaml:"agent_calls_per_minute" default:"1200" min:"1" max:"20000" live:"true" doc:"Tool calls of one agent within any minute."`
	Secrets             string   `yaml:"secrets" default:"ask" enum:"allow|ask|refuse" live:"true" doc:"When the arguments of a tool that talks to others hold what looks like a secret. Stored ones are always refused."`
	AllowHosts          []string `yaml:"allow_hosts" live:"true" doc:"Host names, * for a part, that tools may talk to; others are asked once there is one. None: all."`
	DenyHosts           []string `yaml:"deny_hosts" live:"true" doc:"Host names that tools may not talk to."`
	DenyPaths           []string `yaml:"deny_paths" format:"path" live:"true" doc:"Files and folders that tools may not touch, inside a project too."`
	Packs               string   `yaml:"packs" format:"path" doc:"A folder of packs of rules of your own about commands."`
	SnapshotBytes       Bytes    `yaml:"snapshot_bytes" default:"4GB" min:"1MB" max:"1TB" doc:"How much of files is kept for undoing; beyond it the oldest go."`
}

// Jobs is background work.
type Jobs struct {
	Concurrency map[string]int `yaml:"concurrency" keys:"name" min:"1" max:"256" doc:"How many jobs of one kind run at the same time, by kind."`
}
