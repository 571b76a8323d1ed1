package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/memory"
)

func (e *env) memoryCommand() *cobra.Command {
	return group("memory", "Search, add to and forget what agents remember",
		e.memorySearch(), e.memoryAdd(), e.memoryForget(), e.memoryStats(), e.memoryExport(), e.memoryImport(), e.memoryMigrate())
}

func (e *env) memorySearch() *cobra.Command {
	var limit int
	var kinds []string
	var explain bool
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Search facts, documents, the graph and what was said",
		Args:  someArgs("what to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			in := map[string]any{"query": strings.Join(args, " "), "limit": limit, "explain": explain}
			if len(kinds) > 0 {
				in["kinds"] = kinds
			}
			var answer memory.Answer
			if err := c.Do(cmd.Context(), "POST", "/api/v1/memory/search", in, &answer); err != nil {
				return err
			}
			p := e.printer()
			return p.value(answer, func() { p.found(answer) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many, at most 100")
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "fact, knowledge, entity, turn or profile (default: all)")
	cmd.Flags().BoolVar(&explain, "explain", false, "say how each score came about")
	return cmd
}

// found prints what a search found.
func (p printer) found(answer memory.Answer) {
	if len(answer.Found) == 0 {
		p.line("Nothing is known about that.")
	}
	for _, f := range answer.Found {
		text := strings.Join(strings.Fields(f.Text), " ")
		if len([]rune(text)) > 200 {
			text = string([]rune(text)[:200]) + "…"
		}
		p.line("%s %s %s", p.paint(green, fmt.Sprintf("%.2f", f.Score)), f.Kind, strings.TrimSpace(f.Title+" "+f.Source.String()))
		p.line("     %s", text)
		if e := f.Explain; e != nil {
			p.line("     words %.2f (%.2f), meaning %.2f (cosine %.3f, weight %.1f), beside it %.2f, boost %.2f, %s", e.ByWords, e.Words, e.ByMeaning, e.Cosine, e.Weight, e.Around, e.Boost, e.Language)
		}
	}
	if answer.Degraded != "" {
		p.line("%s Found by words alone: %s.", p.paint(yellow, "!"), answer.Degraded)
	}
}

func (e *env) memoryAdd() *cobra.Command {
	var scope, agent, project string
	var pin bool
	cmd := &cobra.Command{
		Use:     "add FACT…",
		Short:   "Remember a fact",
		Example: "  fluxway memory add The deploy branch is main --scope workspace",
		Args:    someArgs("the fact"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			in := map[string]any{"text": strings.Join(args, " "), "pinned": pin}
			for name, value := range map[string]string{"scope": scope, "agent": agent, "project": project} {
				if value != "" {
					in[name] = value
				}
			}
			var f memory.AddedFact
			if err := c.Do(cmd.Context(), "POST", "/api/v1/memory/facts", in, &f); err != nil {
				return err
			}
			p := e.printer()
			return p.value(f, func() { p.line("%s %s: %s (%s)", p.paint(green, "✓"), f.Outcome, f.Text, f.ID) })
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "user, workspace, agent or project (default: user)")
	cmd.Flags().StringVar(&agent, "agent", "", "for this agent")
	cmd.Flags().StringVar(&project, "project", "", "for the project of this id")
	cmd.Flags().BoolVar(&pin, "pin", false, "recall it before every turn")
	return cmd
}

func (e *env) memoryForget() *cobra.Command {
	return &cobra.Command{
		Use:   "forget FACT-ID",
		Short: "Forget a fact and its history for good",
		Args:  oneArg("the fact's id, as fluxway memory search --json shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			return e.remove(cmd.Context(), c, "/api/v1/memory/facts/"+url.PathEscape(args[0]), args[0])
		},
	}
}

func (e *env) memoryStats() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "How much is known, and by which means it is found",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var s memory.Stats
			if err := c.Do(cmd.Context(), "GET", "/api/v1/memory/stats", nil, &s); err != nil {
				return err
			}
			p := e.printer()
			return p.value(s, func() {
				p.line("Facts: %d, %d to review, %d past.", s.Facts[memory.Active], s.Facts[memory.Review], s.Facts[memory.Past])
				p.line("Findable: %d facts, %d pieces of documents, %d entities, %d turns.", s.Texts[memory.KindFact], s.Texts[memory.KindKnowledge], s.Texts[memory.KindEntity], s.Texts[memory.KindTurn])
				if s.Serving == "" {
					p.line("By words alone.")
					return
				}
				p.line("By words and by meaning (%s, %d vectors, %d texts wait).", s.Serving, s.Vectors, s.Waiting)
				if s.Building != "" {
					p.line("%s is taking over.", s.Building)
				}
			})
		},
	}
}

func (e *env) memoryExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export [file]",
		Short: "Write facts, graph and profile as JSON lines",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			return e.download(cmd.Context(), c, "/api/v1/memory/export", strings.Join(args, ""))
		},
	}
}

// largestImport is what one request may carry.
const largestImport = 60 << 20

func (e *env) memoryImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: `Take over an export, or a file with one {"text":…} per line`,
		Args:  oneArg("a file of JSON lines"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := os.ReadFile(args[0])
			if err != nil {
				return usageError{err}
			}
			if len(text) > largestImport {
				return usageError{errors.New(args[0] + " is too large for one import; split it")}
			}
			c, err := e.api()
			if err != nil {
				return err
			}
			var done memory.Imported
			if err := c.Do(cmd.Context(), "POST", "/api/v1/memory/import", map[string]string{"lines": string(text)}, &done); err != nil {
				return err
			}
			p := e.printer()
			return p.value(done, func() {
				p.line("%s %d facts added, %d known already, %d replaced others, %d to review; %d entities, %d relations, %d fields.", p.paint(green, "✓"),
					done.Facts[memory.Added], done.Facts[memory.Merged], done.Facts[memory.Replaced], done.Facts[memory.Queued], done.Entities, done.Relations, done.Fields)
				for _, r := range done.Refused {
					p.line("%s line %d: %s", p.paint(yellow, "!"), r.Line, r.Reason)
				}
			})
		},
	}
}

// someArgs refuses a command without what it is about.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{errors.New(cmd.CommandPath() + " needs " + what)}
		}
		return nil
	}
}
