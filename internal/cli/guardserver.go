package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/projects"
)

func (e *env) guardPending() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List calls that wait for a person",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			query := url.Values{"state": {"asked"}, "limit": {"100"}}
			if !all {
				query.Set("kind", guard.KindAsk)
			}
			var list page.Page[guard.Approval]
			if err := c.Do(cmd.Context(), "GET", "/api/v1/guard/approvals?"+query.Encode(), nil, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(list, func() { printPending(p, list.Data) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also calls that were refused and may be let through")
	return cmd
}

func printPending(p printer, list []guard.Approval) {
	if len(list) == 0 {
		p.line("Nothing waits.")
		return
	}
	for _, a := range list {
		p.line("%s  %s by %s, %s", p.paint(yellow, a.Code), a.Tool, a.Agent, waits(a))
		switch {
		case a.Command != "":
			p.line("  %s", oneLine(a.Command))
		case a.Kind != guard.KindBudget: // there the reason says it all
			p.line("  %s", oneLine(a.Args))
		}
		p.line("  %s %s", a.Reason, p.paint(dim, "("+strings.TrimSpace(a.Severity+" "+a.Rule)+")"))
		if a.TwoPerson {
			p.line("  %s", p.paint(dim, "needs somebody other than the person who asked for the work; alone here: fluxway guard policy --two-person off"))
		}
	}
	p.line("")
	p.line("fluxway guard approve CODE lets one run; fluxway guard deny CODE does not.")
}

func waits(a guard.Approval) string {
	left := time.Until(a.Deadline).Round(time.Second)
	if a.Kind == guard.KindException {
		return "was refused; can be let through for " + left.String()
	}
	return "waits, " + left.String() + " left"
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 160 {
		return string(runes[:160]) + "…"
	}
	return text
}

func (e *env) guardAnswer(decision, short string) *cobra.Command {
	var scope, words, covers string
	var lasts time.Duration
	cmd := &cobra.Command{
		Use:   decision + " CODE",
		Short: short,
		Args:  oneArg("the code, as fluxway guard pending shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			body := map[string]any{"decision": decision, "words": words, "via": "cli"}
			if scope != "" {
				body["scope"] = scope
			}
			if covers != "" {
				body["covers"] = covers
			}
			if lasts > 0 {
				body["minutes"] = max(1, int(lasts/time.Minute))
			}
			var a guard.Approval
			if err := c.Do(cmd.Context(), "POST", "/api/v1/guard/approvals/"+url.PathEscape(args[0])+"/answer", body, &a); err != nil {
				return err
			}
			p := e.printer()
			return p.value(a, func() { p.line("%s %s is %s.", p.paint(green, "✓"), a.Code, a.State) })
		},
	}
	cmd.Flags().StringVar(&words, "words", "", "what the agent is told")
	if decision == "approve" {
		cmd.Flags().StringVar(&scope, "scope", "", "once, run, project, time or always (default: once)")
		cmd.Flags().StringVar(&covers, "covers", "", "call or tool: with a scope beyond once, this exact call or every call of the tool (default: call)")
		cmd.Flags().DurationVar(&lasts, "for", 0, "how long the scope lasts, such as 2h (default: 1h with time, 90 days with the others)")
	}
	return cmd
}

func (e *env) guardAllow() *cobra.Command {
	var dir, agent, tool, note string
	var lasts time.Duration
	var list bool
	cmd := &cobra.Command{
		Use:     "allow [COMMAND]",
		Short:   "Allow a command without asking, for a while",
		Example: "  fluxway guard allow 'make deploy' --dir . --for 2h\n  fluxway guard allow --tool github__create_issue\n  fluxway guard allow --list",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			p := e.printer()
			if list {
				var all page.Page[guard.Allowance]
				if err := c.Do(cmd.Context(), "GET", "/api/v1/guard/allowed?limit=500", nil, &all); err != nil {
					return err
				}
				return p.value(all, func() { printAllowed(p, all.Data) })
			}
			if len(args) == 0 && tool == "" {
				return usageError{errors.New("give the command as one argument, in quotes, or a tool with --tool")}
			}
			body := map[string]any{"agent": agent, "tool": tool, "note": note}
			if len(args) == 1 {
				body["command"] = args[0]
			}
			if dir != "" {
				if body["folder"], err = folder(dir); err != nil {
					return err
				}
			}
			if lasts > 0 {
				body["minutes"] = max(1, int(lasts/time.Minute))
			}
			var made guard.Allowance
			if err := c.Do(cmd.Context(), "POST", "/api/v1/guard/allowed", body, &made); err != nil {
				return err
			}
			return p.value(made, func() { p.line("%s allowed until %s.", p.paint(green, "✓"), when(made.ExpiresAt, "")) })
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "only in this folder (default: anywhere)")
	cmd.Flags().StringVar(&agent, "agent", "", "only for this agent (default: all)")
	cmd.Flags().StringVar(&tool, "tool", "", "every call of this tool, instead of a command")
	cmd.Flags().StringVar(&note, "note", "", "why")
	cmd.Flags().DurationVar(&lasts, "for", 0, "how long, such as 2h (default: 90 days)")
	cmd.Flags().BoolVar(&list, "list", false, "list what is allowed")
	return cmd
}

func printAllowed(p printer, list []guard.Allowance) {
	if len(list) == 0 {
		p.line("Nothing is allowed beyond the rules.")
		return
	}
	var rows [][]string
	for _, a := range list {
		rows = append(rows, []string{string(a.ID), a.Tool, oneLine(a.Shown), a.Agent, a.Folder, when(a.ExpiresAt, "")})
	}
	p.table([]string{"id", "tool", "what", "agent", "folder", "until"}, rows)
}

func (e *env) guardUndo() *cobra.Command {
	var run, turn string
	var yes bool
	cmd := &cobra.Command{
		Use:   "undo [CALL]",
		Short: "Undo what a call, a turn or a run did to files",
		Long: "Undo what a call, a turn or a run did to files.\n\nShows what would happen first; --yes does it. What changed since is never written over:\n" +
			"then nothing happens and the paths that stand in the way are named.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]string{"run": run, "turn": turn}
			if len(args) == 1 {
				body["call"] = args[0]
			}
			if body["call"] == "" && run == "" {
				return usageError{errors.New("give a call, as fluxway guard audit shows it, or --run")}
			}
			c, err := e.api()
			if err != nil {
				return err
			}
			path := "/api/v1/guard/undo/preview"
			if yes {
				path = "/api/v1/guard/undo"
			}
			var plan projects.Plan
			if err := c.Do(cmd.Context(), "POST", path, body, &plan); err != nil {
				return err
			}
			p := e.printer()
			return p.value(plan, func() { printPlan(p, plan) })
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "all of a run")
	cmd.Flags().StringVar(&turn, "turn", "", "with --run: only this turn")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return cmd
}

func printPlan(p printer, plan projects.Plan) {
	colours := map[projects.Action]string{projects.ActionRestore: green, projects.ActionRemove: yellow, projects.ActionNothing: dim, projects.ActionStuck: red}
	for _, s := range plan.Steps {
		p.line("%s %s  %s", p.paint(colours[s.Action], fmt.Sprintf("%-8s", s.Action)), s.Path, p.paint(dim, s.Is+" → "+s.Was))
		if s.Why != "" {
			p.line("         %s", s.Why)
		}
	}
	for _, n := range plan.Notes {
		p.line("%s %s", p.paint(yellow, "!"), n)
	}
	switch {
	case plan.Done:
		p.line("%s Undone. fluxway guard undo %s --yes takes it back.", p.paint(green, "✓"), plan.Call)
	case plan.Stuck > 0:
		p.line("It cannot be undone: %d paths stand in the way.", plan.Stuck)
	default:
		p.line("Nothing is changed yet; --yes does it.")
	}
}

func (e *env) guardAudit() *cobra.Command {
	query := url.Values{}
	var limit int
	var export string
	filters := map[string]*string{}
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "List calls of tools with their rulings, newest first",
		Example: "  fluxway guard audit --verdict refuse\n  fluxway guard audit --run run_01J… --export csv > calls.csv",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			for name, value := range filters {
				if *value != "" {
					query.Set(name, *value)
				}
			}
			if export != "" {
				query.Set("format", export)
				return e.download(cmd.Context(), c, "/api/v1/guard/audit/export?"+query.Encode(), "")
			}
			query.Set("limit", fmt.Sprint(limit))
			var list page.Page[guard.ToolCall]
			if err := c.Do(cmd.Context(), "GET", "/api/v1/guard/audit?"+query.Encode(), nil, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(list, func() { printCalls(p, list.Data) })
		},
	}
	for name, help := range map[string]string{
		"verdict": "allow, ask or refuse", "tool": "of this tool", "agent": "of this agent", "run": "of this run", "rule": "decided by this rule", "door": "that came in here: chat, api, mcp, hook, …",
	} {
		filters[name] = cmd.Flags().String(name, "", help)
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many, at most 500")
	cmd.Flags().StringVar(&export, "export", "", "csv or jsonl: write all to standard output")
	return cmd
}

func printCalls(p printer, list []guard.ToolCall) {
	if len(list) == 0 {
		p.line("No calls.")
		return
	}
	var rows [][]string
	for _, c := range list {
		rows = append(rows, []string{string(c.ID), when(c.At, ""), c.Agent, c.Tool, oneLine(c.Args), string(c.Verdict), string(c.Outcome), c.Rule})
	}
	p.table([]string{"id", "at", "agent", "tool", "arguments", "verdict", "outcome", "rule"}, rows)
}

// serverPatience is how long a hook waits for the server, whose own guard may take 10 seconds. A server that runs and does not
// answer by then stops the call.
const serverPatience = 15 * time.Second

// askServer has the server of this machine's data rule on the command of an outside agent, with the workspace's policy and
// earlier answers. Where none runs, the ruling stays as it is; one that cannot judge means no.
func (e *env) askServer(ctx context.Context, agent string, in hookInput, text string, local guard.CommandRuling) guard.CommandRuling {
	c, err := e.api()
	if err != nil {
		return local
	}
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	tool := in.Tool
	if tool == "" {
		tool = in.CopilotID
	}
	body := map[string]string{"command": text, "folder": in.Dir, "agent": agent, "tool": tool}
	var said struct{ Verdict, Rule, Reason, Code string }
	if err := c.Do(ctx, "POST", "/api/v1/guard/judge", body, &said); err != nil {
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
			return local // it has just stopped
		}
		return unanswered(local, err)
	}
	var verdict guard.Verdict
	if err := verdict.UnmarshalText([]byte(said.Verdict)); err != nil {
		return unanswered(local, err)
	}
	if verdict == guard.Allow && local.Verdict <= guard.Warn {
		return local // a warning stays one
	}
	local.Verdict = verdict
	if local.Rule != said.Rule {
		local.Rule, local.Effect, local.Alternative = said.Rule, said.Reason, ""
	}
	if said.Code != "" {
		local.Effect += " A person can let it through with: fluxway guard approve " + said.Code + "."
	}
	return local
}

// unanswered is the ruling when the server runs and cannot judge.
func unanswered(local guard.CommandRuling, err error) guard.CommandRuling {
	local.Verdict, local.Severity, local.Rule, local.Alternative = guard.Refuse, max(local.Severity, guard.High), "guard.unanswered", ""
	local.Effect = "The server on this machine could not judge the command: " + err.Error()
	return local
}
