package api

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// MCP is the manager of MCP servers; app gives it.
type MCP interface {
	Servers(ctx context.Context, who MCPCaller) ([]MCPServer, error)
	Server(ctx context.Context, who MCPCaller, name string) (MCPServer, error)
	AddServer(ctx context.Context, who MCPCaller, in NewMCPServer) error
	// ImportServers adds servers as other programs keep them, and gives their names.
	ImportServers(ctx context.Context, who MCPCaller, text string) ([]string, error)
	ChangeServer(ctx context.Context, who MCPCaller, name string, in MCPServerChange) error
	RemoveServer(ctx context.Context, who MCPCaller, name string) error
	StartServer(ctx context.Context, who MCPCaller, name string) error
	StopServer(ctx context.Context, who MCPCaller, name string) error
	RestartServer(ctx context.Context, who MCPCaller, name string) error
	ServerLogs(ctx context.Context, who MCPCaller, name string, last int) (MCPLogs, error)
	ServerTools(ctx context.Context, who MCPCaller, name string, force bool) ([]MCPTool, error)
	Consent(ctx context.Context, who MCPCaller, name string, names []string) ([]MCPTool, error)
	BeginSignIn(ctx context.Context, who MCPCaller, name string) (page string, err error)
	FinishSignIn(ctx context.Context, state, code, issuer string) (server string, err error)
	SignOut(ctx context.Context, who MCPCaller, name string) error
}

// MCPCaller is for whom a server is looked at.
type MCPCaller struct {
	Workspace ids.Workspace
	User      ids.User
}

// MCPServer is an MCP server, never with a secret.
type MCPServer struct {
	Name           string                                `json:"name" doc:"Its tools are called name__tool."`
	Source         string                                `json:"source" enum:"stored,settings,plugin" doc:"settings: it is changed in the settings file and belongs to every workspace. plugin: it comes and goes with one."`
	Plugin         string                                `json:"plugin,omitempty" doc:"The plugin that gives it."`
	Transport      string                                `json:"transport" enum:"stdio,http,sse"`
	Command        string                                `json:"command,omitempty"`
	Args           []string                              `json:"args,omitempty"`
	Env            map[string]string                     `json:"env,omitempty" doc:"${NAME} stands for a secret of the server, or a variable of ours."`
	Folder         string                                `json:"folder,omitempty"`
	URL            string                                `json:"url,omitempty"`
	Headers        map[string]string                     `json:"headers,omitempty"`
	SignIn         bool                                  `json:"sign_in" doc:"Each person signs in there."`
	ClientID       string                                `json:"client_id,omitempty"`
	Secrets        []string                              `json:"secrets" doc:"The names of its secrets; the values are never shown."`
	Allow          []string                              `json:"allow,omitempty"`
	Deny           []string                              `json:"deny,omitempty"`
	Defaults       map[string]map[string]json.RawMessage `json:"defaults,omitempty"`
	Level          string                                `json:"level" enum:"public,restricted,dangerous"`
	Levels         map[string]string                     `json:"levels,omitempty"`
	ReadOnly       []string                              `json:"read_only,omitempty"`
	TimeoutSeconds float64                               `json:"timeout_seconds,omitempty"`
	Disabled       bool                                  `json:"disabled"`
	Sampling       string                                `json:"sampling" enum:"ask,allow,off" doc:"Whether it may use our models; ask: the person of the run says so each time."`
	Roots          bool                                  `json:"roots" doc:"It is told the folders of the projects."`

	SignedIn     bool      `json:"signed_in" doc:"You are signed in there."`
	SignInEnds   time.Time `json:"sign_in_ends,omitzero" doc:"Until when your sign-in is good."`
	SignInRenews bool      `json:"sign_in_renews" doc:"It is renewed by itself then."`

	State     string    `json:"state" enum:"idle,starting,ready,waiting,stopped,needs_signin" doc:"idle: it starts when it is needed; waiting: it failed and is tried again; needs_signin: you have to sign in there."`
	Reason    string    `json:"reason,omitempty" doc:"Why it is not ready."`
	Hint      string    `json:"hint,omitempty" doc:"What to do about it."`
	Since     time.Time `json:"since"`
	NextTry   time.Time `json:"next_try,omitzero"`
	Tries     int       `json:"tries" doc:"Attempts that failed in a row."`
	PID       int       `json:"pid,omitempty"`
	Protocol  string    `json:"protocol,omitempty" doc:"The version that was agreed on last."`
	Program   string    `json:"program,omitempty" doc:"What the server calls itself."`
	Calls     int       `json:"calls" doc:"Under way now."`
	Tools     int       `json:"tools" doc:"That agents can use."`
	Waiting   int       `json:"waiting" doc:"Tools that wait for consent."`
	ListedAt  time.Time `json:"listed_at,omitzero" doc:"When it last said which tools it has."`
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// NewMCPServer is a server to be added.
type NewMCPServer struct {
	Name string `json:"name" required:"true" max:"32" doc:"Small letters, digits and hyphens."`
	MCPServerChange
}

// MCPServerChange changes a server; what is left out stays.
type MCPServerChange struct {
	Transport      *string                                `json:"transport" enum:"stdio,http,sse" doc:"If left out: stdio with a command, http with a URL."`
	Command        *string                                `json:"command" max:"4096"`
	Args           *[]string                              `json:"args"`
	Env            *map[string]string                     `json:"env" doc:"Values may hold ${NAME} for a secret of the server or a variable of ours."`
	Folder         *string                                `json:"folder" max:"4096"`
	URL            *string                                `json:"url" max:"4096"`
	Headers        *map[string]string                     `json:"headers" doc:"Values may hold ${NAME}."`
	Secrets        map[string]secret.Text                 `json:"secrets" doc:"Stored encrypted and never shown again; an empty value forgets one."`
	SignIn         *bool                                  `json:"sign_in"`
	ClientID       *string                                `json:"client_id" max:"512"`
	Allow          *[]string                              `json:"allow" doc:"Patterns over the server's tool names; none: all."`
	Deny           *[]string                              `json:"deny" doc:"They win over allow."`
	Defaults       *map[string]map[string]json.RawMessage `json:"defaults" doc:"By a pattern of tools: arguments for where the model gives none."`
	Level          *string                                `json:"level" enum:"public,restricted,dangerous"`
	Levels         *map[string]string                     `json:"levels" doc:"By a pattern of tools."`
	ReadOnly       *[]string                              `json:"read_only" doc:"Patterns of tools that only look; the server's own word is not taken."`
	TimeoutSeconds *float64                               `json:"timeout_seconds" min:"0" max:"3600"`
	Disabled       *bool                                  `json:"disabled"`
	Sampling       *string                                `json:"sampling" enum:"ask,allow,off" doc:"Whether it may use our models; ask, if left out: the person of the run says so each time."`
	Roots          *bool                                  `json:"roots" doc:"It is told the folders of the projects; true if left out."`
}

// MCPTool is a tool of a server.
type MCPTool struct {
	Name        string          `json:"name" doc:"What agents call it."`
	Tool        string          `json:"tool" doc:"What the server calls it."`
	State       string          `json:"state" enum:"ready,new,changed,gone,denied,unusable" doc:"new and changed wait for consent; until then agents do not have the tool."`
	Reason      string          `json:"reason,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Level       string          `json:"level" enum:"public,restricted,dangerous"`
	Diff        string          `json:"diff,omitempty" doc:"From what was agreed to, to what the server says now: lines that begin with - and +."`
}

// MCPLogs are the last lines of a server.
type MCPLogs struct {
	Lines []MCPLine `json:"lines" doc:"The oldest first."`
	Total int64     `json:"total" doc:"How many there were since the program started."`
}

// MCPLine is one line of a server's log.
type MCPLine struct {
	At   time.Time `json:"at"`
	From string    `json:"from" enum:"stderr,stdout,server,fluxway" doc:"stdout: what was no message; server: what it logged through the protocol."`
	Text string    `json:"text"`
}

// mcpAPI is the MCP servers of a workspace.
type mcpAPI struct{ mcp MCP }

// startTime is how long a server may take to start.
const startTime = 90 * time.Second

func (a mcpAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/mcp/servers", "mcp:read", "MCP servers, whether they are ready, and what to do if not.", handler(a.list)},
		{"POST", "/api/v1/mcp/servers", "mcp:write", "Add an MCP server; it starts when it is needed.", handler(a.add, status(201))},
		{"POST", "/api/v1/mcp/servers/import", "mcp:write", "Add MCP servers as other programs keep them: all of them, or none.", handler(a.importAll, status(201))},
		{"GET", "/api/v1/mcp/servers/{server}", "mcp:read", "One server.", handler(a.get)},
		{"PATCH", "/api/v1/mcp/servers/{server}", "mcp:write", "Change a server; what runs with the old settings ends.", handler(a.change)},
		{"DELETE", "/api/v1/mcp/servers/{server}", "mcp:write", "Forget a server, its secrets and what was agreed to.", handler(a.remove)},
		{"POST", "/api/v1/mcp/servers/{server}/start", "mcp:write", "Start a server now and wait until it has said what it has.", handler(a.start, timeout(startTime))},
		{"POST", "/api/v1/mcp/servers/{server}/stop", "mcp:write", "Stop a server; calls do not start it again.", handler(a.stop, timeout(startTime))},
		{"POST", "/api/v1/mcp/servers/{server}/restart", "mcp:write", "Stop a server and start it again.", handler(a.restart, timeout(startTime))},
		{"GET", "/api/v1/mcp/servers/{server}/logs", "mcp:read", "The last lines a server wrote.", handler(a.logs)},
		{"GET", "/api/v1/mcp/servers/{server}/tools", "mcp:read", "The tools of a server, as it said within the last minute or, with force, as it says now.", handler(a.tools, timeout(startTime))},
		{"POST", "/api/v1/mcp/servers/{server}/consent", "mcp:write", "Agree to what a server now says of its tools.", handler(a.consent)},
		{"POST", "/api/v1/mcp/servers/{server}/signin", "mcp:use", "Begin to sign in at a remote server.", handler(a.signIn, rotates, timeout(startTime))},
		{"DELETE", "/api/v1/mcp/servers/{server}/signin", "mcp:use", "Forget the caller's sign-in at a remote server.", handler(a.signOut)},
		{"GET", "/api/v1/mcp/callback", public, "Where a browser comes back to after a sign-in at a remote server.", door(a.callback, media("text/html"), looseQuery, timeout(startTime))},
	}
}

func mcpCaller(ctx context.Context) MCPCaller {
	id := identity.From(ctx)
	return MCPCaller{id.Workspace, id.User}
}

func (a mcpAPI) list(ctx context.Context, in listQuery) (page.Page[MCPServer], error) {
	all, err := a.mcp.Servers(ctx, mcpCaller(ctx))
	return pieceOf(in, all, err, func(s MCPServer) string { return s.Name })
}

type serverPath struct {
	Server string `path:"server"`
}

func (a mcpAPI) get(ctx context.Context, in serverPath) (MCPServer, error) {
	return a.mcp.Server(ctx, mcpCaller(ctx), in.Server)
}

func (a mcpAPI) add(ctx context.Context, in NewMCPServer) (MCPServer, error) {
	if err := a.mcp.AddServer(ctx, mcpCaller(ctx), in); err != nil {
		return MCPServer{}, err
	}
	return a.mcp.Server(ctx, mcpCaller(ctx), in.Name)
}

type importServersRequest struct {
	Text string `json:"text" required:"true" max:"262144" doc:"JSON: {\"mcpServers\": {\"name\": {\"command\", \"args\", \"env\"} or {\"url\", \"headers\"}}}. What may be secret in it is stored encrypted."`
}

func (a mcpAPI) importAll(ctx context.Context, in importServersRequest) (page.Page[MCPServer], error) {
	names, err := a.mcp.ImportServers(ctx, mcpCaller(ctx), in.Text)
	if err != nil {
		return page.Page[MCPServer]{}, err
	}
	var out []MCPServer
	for _, name := range names {
		s, err := a.mcp.Server(ctx, mcpCaller(ctx), name)
		if err != nil {
			return page.Page[MCPServer]{}, err
		}
		out = append(out, s)
	}
	return whole(out, nil)
}

type changeServerRequest struct {
	serverPath
	MCPServerChange
}

func (a mcpAPI) change(ctx context.Context, in changeServerRequest) (MCPServer, error) {
	return a.after(ctx, in.serverPath, a.mcp.ChangeServer(ctx, mcpCaller(ctx), in.Server, in.MCPServerChange))
}

// after shows a server as it is after something was done to it.
func (a mcpAPI) after(ctx context.Context, in serverPath, err error) (MCPServer, error) {
	if err != nil {
		return MCPServer{}, err
	}
	return a.mcp.Server(ctx, mcpCaller(ctx), in.Server)
}

func (a mcpAPI) remove(ctx context.Context, in serverPath) (nothing, error) {
	return nothing{}, a.mcp.RemoveServer(ctx, mcpCaller(ctx), in.Server)
}

func (a mcpAPI) start(ctx context.Context, in serverPath) (MCPServer, error) {
	return a.after(ctx, in, a.mcp.StartServer(ctx, mcpCaller(ctx), in.Server))
}

func (a mcpAPI) stop(ctx context.Context, in serverPath) (MCPServer, error) {
	return a.after(ctx, in, a.mcp.StopServer(ctx, mcpCaller(ctx), in.Server))
}

func (a mcpAPI) restart(ctx context.Context, in serverPath) (MCPServer, error) {
	return a.after(ctx, in, a.mcp.RestartServer(ctx, mcpCaller(ctx), in.Server))
}

type logsRequest struct {
	serverPath
	Last int `query:"last" min:"1" max:"500" doc:"How many lines; all that are kept if left out."`
}

func (a mcpAPI) logs(ctx context.Context, in logsRequest) (MCPLogs, error) {
	return a.mcp.ServerLogs(ctx, mcpCaller(ctx), in.Server, in.Last)
}

type serverToolsRequest struct {
	serverPath
	listQuery
	Force bool `query:"force" doc:"Ask the server now."`
}

func (a mcpAPI) tools(ctx context.Context, in serverToolsRequest) (page.Page[MCPTool], error) {
	all, err := a.mcp.ServerTools(ctx, mcpCaller(ctx), in.Server, in.Force)
	return pieceOf(in.listQuery, all, err, func(t MCPTool) string { return t.Tool })
}

type consentRequest struct {
	serverPath
	Tools []string `json:"tools" doc:"As the server calls them; none: all that wait, and those that are gone are forgotten."`
}

func (a mcpAPI) consent(ctx context.Context, in consentRequest) (page.Page[MCPTool], error) {
	return whole(a.mcp.Consent(ctx, mcpCaller(ctx), in.Server, in.Tools))
}

// MCPSignIn is where to go on with a sign-in.
type MCPSignIn struct {
	URL  string `json:"url,omitempty" doc:"The page to open."`
	Done bool   `json:"done" doc:"You are signed in already."`
}

func (a mcpAPI) signIn(ctx context.Context, in serverPath) (MCPSignIn, error) {
	address, err := a.mcp.BeginSignIn(ctx, mcpCaller(ctx), in.Server)
	return MCPSignIn{address, err == nil && address == ""}, err
}

func (a mcpAPI) signOut(ctx context.Context, in serverPath) (nothing, error) {
	return nothing{}, a.mcp.SignOut(ctx, mcpCaller(ctx), in.Server)
}

type callbackQuery struct {
	State  string `query:"state" max:"1024"`
	Code   string `query:"code" max:"4096"`
	Issuer string `query:"iss" max:"1024"`
	Error  string `query:"error" max:"256"`
}

// callback knows who it is for by the state alone, which only the person's browser and the remote server have seen.
func (a mcpAPI) callback(c *call, in callbackQuery) error {
	name, err := "", error(fault.New(fault.Invalid, "signin_refused", "The sign-in was refused there: %s.", in.Error))
	if in.Error == "" {
		name, err = a.mcp.FinishSignIn(c.ctx, in.State, in.Code, in.Issuer)
	}
	title, text, code := "Signed in", "You are signed in at "+name+". You can close this page.", http.StatusOK
	if err != nil {
		f := fault.From(err)
		title, text, code = "Not signed in", f.Message+" "+f.Hint, f.Status()
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	c.w.WriteHeader(code)
	_, err = fmt.Fprintf(c.w, "<!doctype html><meta charset=utf-8><title>%s</title><body style='font-family:sans-serif;margin:3rem'><h1>%s</h1><p>%s</p>\n",
		html.EscapeString(title), html.EscapeString(title), html.EscapeString(text))
	return err
}
