// Command probe is the client that the official conformance suite drives: a thin program over our MCP client. The suite
// starts it once per scenario, with the address of its server, and watches what arrives there.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/mcp"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// fresh names the variable that says where a database is that nobody has used yet; each scenario works on a copy.
const fresh = "FLUXWAY_PROBE_DATABASE"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: probe URL, with MCP_CONFORMANCE_SCENARIO set; or probe prepare, with "+fresh+" set")
		os.Exit(2)
	}
	do := func(ctx context.Context) error { return run(ctx, os.Args[1]) }
	if os.Args[1] == "prepare" {
		do = prepare
	}
	if err := do(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// told is what the suite says about a scenario.
type told struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

// probe is one manager with one server.
type probe struct {
	m    *mcp.Manager
	box  *tools.Toolbox
	ws   ids.Workspace
	user ids.User
}

const server = "suite"

func run(ctx context.Context, address string) (err error) {
	dir, err := os.MkdirTemp("", "fluxway-probe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p, end, err := open(ctx, dir)
	if err != nil {
		return err
	}
	defer end()
	var about told
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &about); err != nil {
			return fmt.Errorf("reading what the suite says: %w", err)
		}
	}
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	def := mcp.Definition{Name: server, URL: address, SignIn: strings.HasPrefix(scenario, "auth/"), Timeout: 20 * time.Second, ClientID: about.ClientID}
	if about.ClientSecret != "" {
		def.Secrets = map[string]secret.Text{"CLIENT_SECRET": secret.New(about.ClientSecret)}
	}
	if scenario == "auth/basic-cimd" {
		def.ClientID = "https://conformance-test.local/client-metadata.json"
	}
	if err := p.m.Add(ctx, p.ws, def); err != nil {
		return err
	}
	if def.SignIn {
		if err := p.signIn(ctx); err != nil {
			return err
		}
	}
	if err := p.m.Start(ctx, p.ws, server, p.user); err != nil {
		return err
	}
	return p.play(ctx, scenario, about)
}

// prepare makes the database that the scenarios copy.
func prepare(ctx context.Context) error {
	db, err := database(ctx, os.Getenv(fresh))
	if err != nil {
		return err
	}
	return db.Close()
}

func database(ctx context.Context, path string) (*store.DB, error) {
	engine, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return nil, err
	}
	return db, db.Migrate(ctx)
}

func open(ctx context.Context, dir string) (*probe, func(), error) {
	path := filepath.Join(dir, "probe.db")
	text, err := os.ReadFile(os.Getenv(fresh))
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, nil, err
	}
	db, err := database(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		return nil, nil, err
	}
	keys, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		return nil, nil, err
	}
	box, err := tools.New(tools.Options{Gate: toolstest.Open()})
	if err != nil {
		return nil, nil, err
	}
	m, err := mcp.New(mcp.Options{
		DB: db, Hub: hub, Box: keys, Toolbox: box, Callback: "http://localhost:3000/callback", Asker: willing{}, ConnectTime: 20 * time.Second,
	})
	if err != nil {
		return nil, nil, err
	}
	end := func() {
		m.Close()
		_ = db.Close() // the folder is deleted
	}
	return &probe{m, box, ids.New[ids.Workspace](), ids.New[ids.User]()}, end, nil
}

// willing is a person who agrees to everything and fills in what has no default.
type willing struct{}

// Ask agrees.
func (willing) Ask(_ context.Context, _ mcp.From, q mcp.Question) (mcp.Answer, error) {
	content := map[string]any{}
	if strings.Contains(string(q.Schema), `"confirmed"`) {
		content["confirmed"] = true
	}
	return mcp.Answer{Action: "accept", Content: content}, nil
}

// signIn signs in, and once more if the server changed its mind meanwhile.
func (p *probe) signIn(ctx context.Context) error {
	err := p.browse(ctx)
	if fault.HasCode(err, "mcp_signin_needed") {
		return p.browse(ctx)
	}
	return err
}

// browse is a person with a browser: the suite's page sends it back at once.
func (p *probe) browse(ctx context.Context) error {
	page, err := p.m.BeginSignIn(ctx, p.ws, server, p.user)
	if err != nil || page == "" {
		return err
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := browser.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		return err
	}
	q := back.Query()
	_, err = p.m.FinishSignIn(ctx, q.Get("state"), q.Get("code"), q.Get("iss"))
	return err
}

// play does what a scenario wants to see.
func (p *probe) play(ctx context.Context, scenario string, about told) error {
	list, err := p.m.Tools(ctx, p.ws, server, p.user, mcp.Force)
	if fault.HasCode(err, "mcp_signin_needed") { // what a person does who reads that
		if err = p.signIn(ctx); err == nil {
			list, err = p.m.Tools(ctx, p.ws, server, p.user, mcp.Force)
		}
	}
	if err != nil {
		return err
	}
	switch scenario {
	case "initialize", "request-metadata", "json-schema-ref-no-deref":
		return nil
	case "http-custom-headers":
		for _, c := range about.ToolCalls {
			if err := p.call(ctx, list, c.Name, c.Arguments); err != nil {
				return err
			}
		}
		return nil
	case "json-schema-2020-12-preservation":
		return p.echoSchema(ctx, list)
	}
	arguments := map[string]string{"add_numbers": `{"a":5,"b":3}`}
	if scenario == "http-invalid-tool-headers" {
		arguments[""] = `{"region":"us-west1"}`
	}
	for _, t := range list {
		args, ok := arguments[t.Tool]
		if !ok {
			args = arguments[""]
		}
		if err := p.call(ctx, list, t.Tool, json.RawMessage(args)); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema tells the suite what arrived here of a schema.
func (p *probe) echoSchema(ctx context.Context, list []mcp.ServerTool) error {
	for _, t := range list {
		if t.Tool == "json_schema_2020_12_tool" {
			args, err := json.Marshal(map[string]any{"schema": t.Schema})
			if err != nil {
				return err
			}
			return p.call(ctx, list, "json_schema_echo", args)
		}
	}
	return errors.New("the suite's tool is not there")
}

// call calls a tool by the name its server gives it. That it is refused may be what the suite wants to see.
func (p *probe) call(ctx context.Context, list []mcp.ServerTool, name string, args json.RawMessage) error {
	belt, err := p.box.In(p.ws, tools.All())
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.Tool != name || t.State != mcp.ToolReady {
			continue
		}
		call := tools.Call{Tool: t.Name, User: p.user, Args: args}
		r, err := belt.Call(ctx, call)
		if err == nil && r.Code == "mcp_signin_needed" {
			if err = p.signIn(ctx); err == nil {
				r, err = belt.Call(ctx, call)
			}
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %s %s\n", name, r.Code, r.Text())
	}
	return nil
}
