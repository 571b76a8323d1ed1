package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/tools"
)

func (e *env) mcpCommand() *cobra.Command {
	return group("mcp", "Manage MCP servers, and be one", e.mcpList(), e.mcpAdd(), e.mcpRemove(),
		e.mcpDo("start", "Start a server now and wait until it has said what it has"), e.mcpDo("stop", "Stop a server until it is started again"),
		e.mcpDo("restart", "Stop a server and start it again"), e.mcpLogs(), e.mcpTools(), e.mcpConsent(), e.mcpSignIn(), e.mcpCall(), e.mcpServe(), e.mcpNew())
}

func serverURL(name string, more ...string) string {
	path := "/api/v1/mcp/servers/" + url.PathEscape(name)
	for _, m := range more {
		path += "/" + m
	}
	return path
}

func (e *env) mcpList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "MCP servers and how they stand", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		list, err := all[api.MCPServer](cmd.Context(), c, "/api/v1/mcp/servers")
		if err != nil {
			return err
		}
		p := e.printer()
		return p.value(map[string]any{"servers": list}, func() {
			if len(list) == 0 {
				p.line("No MCP servers yet. For example: fluxway mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes")
				return
			}
			var rows [][]string
			for _, s := range list {
				rows = append(rows, []string{s.Name, s.State, s.Transport, fmt.Sprint(s.Tools), waitingText(s), s.Reason})
			}
			p.table([]string{"server", "state", "over", "tools", "", ""}, rows)
		})
	}}
}

func waitingText(s api.MCPServer) string {
	if s.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%d wait for consent", s.Waiting)
}

func (e *env) mcpAdd() *cobra.Command {
	var address, transport, file string
	var env, headers, secrets, allow, deny []string
	var signIn bool
	cmd := &cobra.Command{
		Use:   "add NAME [-- COMMAND [ARGUMENT…]]",
		Short: "Add an MCP server: a program, or a URL",
		Example: "  fluxway mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes\n" +
			"  fluxway mcp add github --url https://api.githubcopilot.com/mcp/ --header 'Authorization=Bearer ${TOKEN}' --secret TOKEN=@token.txt\n" +
			"  fluxway mcp add --file ~/.config/claude/mcp.json",
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&address, "url", "", "where a remote server is reached")
	cmd.Flags().StringVar(&transport, "transport", "", "stdio, http or sse; found out if left out")
	cmd.Flags().StringVar(&file, "file", "", "a JSON file with mcpServers, all of which are added")
	cmd.Flags().StringArrayVar(&env, "env", nil, "NAME=value for the program; ${NAME} stands for a secret")
	cmd.Flags().StringArrayVar(&headers, "header", nil, "NAME=value sent to a remote server; ${NAME} stands for a secret")
	cmd.Flags().StringArrayVar(&secrets, "secret", nil, "NAME=value, or NAME=@file; stored encrypted and never shown again")
	cmd.Flags().StringSliceVar(&allow, "allow", nil, "patterns of its tools that may be used")
	cmd.Flags().StringSliceVar(&deny, "deny", nil, "patterns of its tools that may not")
	cmd.Flags().BoolVar(&signIn, "sign-in", false, "each person signs in there")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file != "" {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			var added page.Page[api.MCPServer]
			return e.addServers(cmd, "/api/v1/mcp/servers/import", map[string]any{"text": string(text)}, &added, func() []api.MCPServer { return added.Data })
		}
		body := map[string]any{"sign_in": signIn}
		if err := addBody(body, args, address, transport, env, headers, secrets); err != nil {
			return err
		}
		if len(allow) > 0 {
			body["allow"] = allow
		}
		if len(deny) > 0 {
			body["deny"] = deny
		}
		var added api.MCPServer
		return e.addServers(cmd, "/api/v1/mcp/servers", body, &added, func() []api.MCPServer { return []api.MCPServer{added} })
	}
	return cmd
}

func addBody(body map[string]any, args []string, address, transport string, env, headers, secrets []string) error {
	if len(args) == 0 || address == "" && len(args) < 2 || address != "" && len(args) > 1 {
		return usageError{errors.New("give a name, and either a command after -- or --url")}
	}
	body["name"] = args[0]
	if address != "" {
		body["url"] = address
	} else {
		body["command"], body["args"] = args[1], args[2:]
	}
	if transport != "" {
		body["transport"] = transport
	}
	for key, list := range map[string][]string{"env": env, "headers": headers, "secrets": secrets} {
		table := map[string]string{}
		for _, item := range list {
			name, value, ok := strings.Cut(item, "=")
			if !ok {
				return usageError{fmt.Errorf("%s is not NAME=value", name)}
			}
			if path, isFile := strings.CutPrefix(value, "@"); isFile && key == "secrets" {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				value = strings.TrimSpace(string(text))
			}
			table[name] = value
		}
		if len(table) > 0 {
			body[key] = table
		}
	}
	return nil
}

// addServers sends servers and tells which were added, which are in answer then.
func (e *env) addServers(cmd *cobra.Command, route string, body map[string]any, answer any, list func() []api.MCPServer) error {
	c, err := e.api()
	if err != nil {
		return err
	}
	if err := c.Do(cmd.Context(), "POST", route, body, answer); err != nil {
		return err
	}
	p, added := e.printer(), list()
	return p.value(map[string]any{"servers": added}, func() {
		for _, s := range added {
			p.line("Added %s. It starts when it is needed; fluxway mcp start %s tries it now.", s.Name, s.Name)
		}
	})
}

func (e *env) mcpRemove() *cobra.Command {
	return &cobra.Command{Use: "remove SERVER", Short: "Forget a server, its secrets and what was agreed to", Args: oneArg("the server"), RunE: func(cmd *cobra.Command, args []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		if err := c.Do(cmd.Context(), "DELETE", serverURL(args[0]), nil, nil); err != nil {
			return err
		}
		p := e.printer()
		return p.value(map[string]string{"removed": args[0]}, func() { p.line("Removed %s.", args[0]) })
	}}
}

func (e *env) mcpDo(verb, short string) *cobra.Command {
	return &cobra.Command{Use: verb + " SERVER", Short: short, Args: oneArg("the server"), RunE: func(cmd *cobra.Command, args []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		var s api.MCPServer
		if err := c.Do(cmd.Context(), "POST", serverURL(args[0], verb), nil, &s); err != nil {
			return err
		}
		p := e.printer()
		return p.value(s, func() { p.line("%s is %s, with %d tools. %s", s.Name, s.State, s.Tools, waitingText(s)) })
	}}
}

func (e *env) mcpLogs() *cobra.Command {
	return &cobra.Command{Use: "logs SERVER", Short: "The last lines a server wrote", Args: oneArg("the server"), RunE: func(cmd *cobra.Command, args []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		var logs api.MCPLogs
		if err := c.Do(cmd.Context(), "GET", serverURL(args[0], "logs"), nil, &logs); err != nil {
			return err
		}
		p := e.printer()
		return p.value(logs, func() {
			for _, l := range logs.Lines {
				p.line("%s %-7s %s", l.At.Local().Format("15:04:05"), l.From, l.Text)
			}
		})
	}}
}

func (e *env) mcpTools() *cobra.Command {
	var force bool
	cmd := &cobra.Command{Use: "tools SERVER", Short: "The tools of a server, and which wait for consent", Args: oneArg("the server"), RunE: func(cmd *cobra.Command, args []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		var list page.Page[api.MCPTool]
		if err := c.Do(cmd.Context(), "GET", serverURL(args[0], "tools")+fmt.Sprintf("?limit=500&force=%v", force), nil, &list); err != nil {
			return err
		}
		p := e.printer()
		return p.value(map[string]any{"tools": list.Data}, func() {
			for _, t := range list.Data {
				first, _, _ := strings.Cut(t.Description, "\n")
				p.line("%-9s %-40s %s", t.State, t.Name, first)
				if t.Diff != "" {
					p.line("%s", t.Diff)
				}
			}
		})
	}}
	cmd.Flags().BoolVar(&force, "force", false, "ask the server now")
	return cmd
}

func (e *env) mcpConsent() *cobra.Command {
	return &cobra.Command{
		Use: "consent SERVER [TOOL…]", Short: "Agree to what a server now says of its tools", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var list page.Page[api.MCPTool]
			if err := c.Do(cmd.Context(), "POST", serverURL(args[0], "consent"), map[string]any{"tools": args[1:]}, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]any{"tools": list.Data}, func() { p.line("Agreed; %s has %d tools.", args[0], len(list.Data)) })
		},
	}
}

func (e *env) mcpSignIn() *cobra.Command {
	return &cobra.Command{Use: "signin SERVER", Short: "Sign in at a remote server", Args: oneArg("the server"), RunE: func(cmd *cobra.Command, args []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		var out api.MCPSignIn
		if err := c.Do(cmd.Context(), "POST", serverURL(args[0], "signin"), nil, &out); err != nil {
			return err
		}
		p := e.printer()
		return p.value(out, func() {
			if out.Done {
				p.line("You are signed in at %s.", args[0])
				return
			}
			p.line("Open this page in a browser on this machine:\n\n  %s", out.URL)
		})
	}}
}

func (e *env) mcpCall() *cobra.Command {
	return &cobra.Command{
		Use: "call TOOL [ARGUMENTS]", Short: "Call a tool, through the guard like an agent", Example: "  fluxway mcp call files__list_directory '{\"path\":\"/home/me/notes\"}'",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			body := map[string]any{"arguments": json.RawMessage("{}")}
			if len(args) > 1 {
				if !json.Valid([]byte(args[1])) {
					return usageError{errors.New("the arguments are not JSON")}
				}
				body["arguments"] = json.RawMessage(args[1])
			}
			var r tools.Result
			if err := c.Do(cmd.Context(), "POST", "/api/v1/tools/"+url.PathEscape(args[0])+"/call", body, &r); err != nil {
				return err
			}
			p := e.printer()
			if err := p.value(r, func() {
				p.line("%s", r.Text())
				if r.Needs != nil {
					p.line("%s", r.Needs.Question)
				}
			}); err != nil {
				return err
			}
			if r.IsError || r.Needs != nil {
				return errCallFailed
			}
			return nil
		},
	}
}

var errCallFailed = errors.New("the call did not succeed")
