package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/kit/page"
)

func (e *env) agentsCommand() *cobra.Command {
	return group("agents", "List, make and change agents",
		e.agentsList(), e.agentsShow(), e.agentsCreate(), e.agentsEdit(), e.agentsDelete(), e.agentsVersions(), e.agentsRollback(), e.agentsExport(), e.agentsImport())
}

func agentURL(name string, rest ...string) string {
	return "/api/v1/agents/" + url.PathEscape(name) + strings.Join(rest, "")
}

// onAPI runs f with a client of the server on this machine.
func (e *env) onAPI(f func(ctx context.Context, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := e.api()
		if err != nil {
			return err
		}
		return f(cmd.Context(), c, args)
	}
}

func (e *env) agentsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the agents", Args: noArgs,
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, _ []string) error {
			var list page.Page[agents.Agent]
			if err := c.Do(ctx, "GET", "/api/v1/agents?limit=500", nil, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(list, func() {
				var rows [][]string
				for _, a := range list.Data {
					rows = append(rows, []string{a.Name, a.Model, string(a.Origin), cutTo(a.Description, 70)})
				}
				p.table([]string{"name", "model", "from", "what for"}, rows)
			})
		}),
	}
}

func (e *env) agentsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show AGENT", Short: "Show an agent's definition", Args: oneArg("the agent's name"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			var a agents.Agent
			if err := c.Do(ctx, "GET", agentURL(args[0]), nil, &a); err != nil {
				return err
			}
			p := e.printer()
			if p.json {
				return p.value(a, nil)
			}
			p.line("%s", p.paint(dim, fmt.Sprintf("# from the %s, version %d; the model in use is %s", a.Origin, a.Version, a.Model)))
			return e.download(ctx, c, agentURL(args[0], "/export"), "")
		}),
	}
}

func (e *env) agentsCreate() *cobra.Command {
	fields, change := agentFlags()
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make an agent", Args: oneArg("the agent's name"),
		Example: "  fluxway agents create ops --description \"Looks after servers\" --instructions-file ops.md --tools 'run_*,read_*'",
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			body, err := fields()
			if err != nil {
				return err
			}
			body["name"] = args[0]
			var made agents.Saved
			if err := c.Do(ctx, "POST", "/api/v1/agents", body, &made); err != nil {
				return err
			}
			return e.saved(made, "is made")
		}),
	}
	change(cmd)
	return cmd
}

func (e *env) agentsEdit() *cobra.Command {
	fields, change := agentFlags()
	var patch string
	cmd := &cobra.Command{
		Use: "edit AGENT", Short: "Change an agent; a preset becomes the workspace's own by it", Args: oneArg("the agent's name"),
		Example: "  fluxway agents edit coder --model anthropic/claude-opus-5-5\n  fluxway agents edit coder --patch '{\"limits\":{\"turns\":20},\"persona\":null}'",
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			body, err := fields()
			if err != nil {
				return err
			}
			if patch != "" {
				if len(body) > 0 {
					return usageError{errors.New("--patch stands alone")}
				}
				if err := json.Unmarshal([]byte(patch), &body); err != nil {
					return usageError{fmt.Errorf("--patch is not a JSON object: %w", err)}
				}
			}
			if len(body) == 0 {
				return usageError{errors.New("nothing to change; fluxway agents edit --help lists what can be")}
			}
			var changed agents.Saved
			if err := c.Do(ctx, "PATCH", agentURL(args[0]), body, &changed); err != nil {
				return err
			}
			return e.saved(changed, fmt.Sprintf("is at version %d", changed.Version))
		}),
	}
	change(cmd)
	cmd.Flags().StringVar(&patch, "patch", "", "a merge patch in JSON; null takes a field back")
	return cmd
}

// agentFlags are the flags of a definition; fields gives those that were used.
func agentFlags() (fields func() (map[string]any, error), add func(*cobra.Command)) {
	var cmd *cobra.Command
	texts := map[string]*string{}
	lists := map[string]*[]string{}
	add = func(c *cobra.Command) {
		cmd = c
		for name, help := range map[string]string{
			"title": "what it is called on screens", "description": "what it is for", "model": "provider/model (empty: the workspace's)", "instructions": "what it is told",
			"instructions-file": "a file with its instructions; - reads standard input", "persona": "how it speaks", "hue": "its colour",
		} {
			texts[name] = c.Flags().String(name, "", help)
		}
		for name, help := range map[string]string{
			"tools": "patterns of the tools it may use, with commas", "deny-tools": "patterns of tools it may not use", "helpers": "agents it may hand work to", "users": "who may use it (empty: everyone)",
		} {
			lists[name] = c.Flags().StringSlice(name, nil, help)
		}
	}
	fields = func() (map[string]any, error) {
		body := map[string]any{}
		for name, v := range texts {
			if cmd.Flags().Changed(name) && name != "instructions-file" {
				body[name] = *v
			}
		}
		if file := *texts["instructions-file"]; file != "" {
			text, err := readAll(file, cmd.InOrStdin())
			if err != nil {
				return nil, err
			}
			body["instructions"] = string(text)
		}
		filter := map[string]any{}
		for name, v := range lists {
			if !cmd.Flags().Changed(name) {
				continue
			}
			switch name {
			case "tools":
				filter["allow"] = *v
			case "deny-tools":
				filter["deny"] = *v
			default:
				body[name] = *v
			}
		}
		if len(filter) > 0 {
			body["tools"] = filter
		}
		return body, nil
	}
	return fields, add
}

// readAll reads a file, or standard input for -.
func readAll(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(in, 2*agents.MaxFile))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usageError{err}
	}
	return text, nil
}

func (e *env) saved(a agents.Saved, what string) error {
	p := e.printer()
	return p.value(a, func() {
		p.line("%s %s %s.", p.paint(green, "✓"), a.Name, what)
		for _, w := range a.Warnings {
			p.line("%s %s %s", p.paint(yellow, "!"), w.Message, w.Hint)
		}
	})
}

func (e *env) agentsDelete() *cobra.Command {
	return &cobra.Command{
		Use: "delete AGENT", Short: "Take an agent out of the workspace; its versions stay", Args: oneArg("the agent's name"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			return e.remove(ctx, c, agentURL(args[0]), args[0])
		}),
	}
}

func (e *env) agentsVersions() *cobra.Command {
	var compare string
	cmd := &cobra.Command{
		Use: "versions AGENT", Short: "List what an agent was, or compare two versions", Args: oneArg("the agent's name"),
		Example: "  fluxway agents versions coder\n  fluxway agents versions coder --compare 1,3",
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			if compare != "" {
				return e.compareVersions(ctx, c, args[0], compare)
			}
			var list page.Page[agents.Version]
			if err := c.Do(ctx, "GET", agentURL(args[0], "/versions?limit=500"), nil, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(list, func() {
				var rows [][]string
				for _, v := range list.Data {
					rows = append(rows, []string{strconv.Itoa(v.Number), when(v.At, ""), string(v.Change), string(v.User)})
				}
				if len(rows) == 0 {
					p.line("%s was never changed.", args[0])
					return
				}
				p.table([]string{"version", "at", "change", "by"}, rows)
			})
		}),
	}
	cmd.Flags().StringVar(&compare, "compare", "", "two versions, such as 1,3; 0 is the preset")
	return cmd
}

func (e *env) compareVersions(ctx context.Context, c *client.Client, name, versions string) error {
	from, to, ok := strings.Cut(versions, ",")
	if !ok {
		return usageError{errors.New("--compare takes two versions, such as 1,3")}
	}
	query := url.Values{"from": {strings.TrimSpace(from)}, "to": {strings.TrimSpace(to)}}
	var got agents.Compared
	if err := c.Do(ctx, "GET", agentURL(name, "/compare?", query.Encode()), nil, &got); err != nil {
		return err
	}
	p := e.printer()
	return p.value(got, func() {
		if len(got.Differences) == 0 {
			p.line("They are the same.")
		}
		for _, d := range got.Differences {
			p.line("%s", p.paint(bold, d.Field))
			p.line("%s", p.paint(red, "- "+shownValue(d.From)))
			p.line("%s", p.paint(green, "+ "+shownValue(d.To)))
		}
	})
}

func shownValue(v any) string {
	if s, ok := v.(string); ok {
		return harmless(s)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func (e *env) agentsRollback() *cobra.Command {
	return &cobra.Command{
		Use: "rollback AGENT VERSION", Short: "Make an earlier version the present one; 0 is the preset or the settings",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{errors.New(cmd.CommandPath() + " takes the agent's name and a version")}
			}
			return nil
		},
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return usageError{fmt.Errorf("%q is not a version; fluxway agents versions %s lists them", args[1], args[0])}
			}
			var back agents.Saved
			if err := c.Do(ctx, "POST", agentURL(args[0], "/rollback"), map[string]int{"version": n}, &back); err != nil {
				return err
			}
			return e.saved(back, fmt.Sprintf("is as it was at version %d", n))
		}),
	}
}

func (e *env) agentsExport() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "export [AGENT…]", Short: "Write agents as YAML (or JSON with --json); without names, those the workspace made or changed",
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			query := url.Values{}
			if len(args) > 0 {
				query.Set("agents", strings.Join(args, ","))
			}
			if e.flags.json {
				query.Set("format", "json")
			}
			return e.download(ctx, c, "/api/v1/agents/export?"+query.Encode(), output)
		}),
	}
	cmd.Flags().StringVar(&output, "output", "", "the file to write (default: standard output)")
	return cmd
}

func (e *env) agentsImport() *cobra.Command {
	var replace, dry bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take over the agents of a file: ours, MUXI's or Fluxmaster's, YAML or JSON", Args: oneArg("the file; - reads standard input"),
		RunE: e.onAPI(func(ctx context.Context, c *client.Client, args []string) error {
			text, err := readAll(args[0], e.streams.In)
			if err != nil {
				return err
			}
			var done agents.Imported
			if err := c.Do(ctx, "POST", "/api/v1/agents/import", map[string]any{"text": string(text), "replace": replace, "dry_run": dry}, &done); err != nil {
				return err
			}
			p := e.printer()
			return p.value(done, func() {
				would := ""
				if done.DryRun {
					would = "would be "
				}
				for _, a := range done.Agents {
					p.line("%s %s %s%s (%s)", p.paint(green, "✓"), a.Name, would, a.Outcome, a.Style)
					for _, w := range a.Warnings {
						p.line("  %s %s %s", p.paint(yellow, "!"), w.Message, w.Hint)
					}
				}
				for _, n := range done.NotUnderstood {
					p.line("%s %s %s: %s", p.paint(yellow, "!"), n.Agent, n.Field, n.Message)
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&replace, "replace", false, "change agents of the same name")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	return cmd
}
