package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/guard"
)

const guardHelp = `The guard reads a shell command the way a shell would and says what may happen:

  allow    run it
  warn     run it, and know what it does
  ask      a person should decide
  refuse   do not run it

What is not understood is asked, never allowed. Exit codes of check and explain:
0 for allow and warn, 3 for refuse, 7 for ask.`

// guardCommand is fluxway guard. What judges needs no server; what is about approvals, the journal and undo asks the one
// that runs.
func (e *env) guardCommand() *cobra.Command {
	cmd := group("guard", "Judge shell commands, answer approvals, undo what agents did")
	cmd.Long = guardHelp
	var packs string
	cmd.PersistentFlags().StringVar(&packs, "packs", "", "a folder of packs of your own, besides the built-in ones")
	cmd.AddCommand(e.guardCheck(&packs), e.guardExplain(&packs), e.guardScan(&packs), e.guardPacks(&packs), e.guardHook(&packs),
		e.guardPending(), e.guardAnswer("approve", "Let a call run that waits, or that was refused"), e.guardAnswer("deny", "Say no to a call that waits"),
		e.guardAllow(), e.guardUndo(), e.guardAudit(), e.guardPolicy())
	return cmd
}

// verdictError makes the exit code say the verdict; it was printed already.
type verdictError struct{ verdict guard.Verdict }

// Error is the verdict.
func (v verdictError) Error() string { return "the command is judged: " + v.verdict.String() }

// code is what scripts see.
func (v verdictError) code() int {
	switch v.verdict {
	case guard.Refuse:
		return exitRefused
	case guard.Ask:
		return exitProblems
	}
	return exitOK
}

func (e *env) commandGuard(packs string) (*guard.Commands, error) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		home = ""
	}
	return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}, Home: filepath.ToSlash(home)}, packs)
}

// folder is where a command would run: the flag, or here.
func folder(flag string) (string, error) {
	abs, err := filepath.Abs(flag)
	if err != nil {
		return "", fmt.Errorf("finding the folder %s: %w", flag, err)
	}
	return filepath.ToSlash(abs), nil
}

func (e *env) guardCheck(packs *string) *cobra.Command {
	return e.judging(packs, "check", "Say whether a command may run", func(p printer, text string, r guard.CommandRuling) {
		printRuling(p, text, r)
	})
}

func (e *env) guardExplain(packs *string) *cobra.Command {
	return e.judging(packs, "explain", "Say how the guard came to its verdict", func(p printer, text string, r guard.CommandRuling) {
		for _, s := range r.Trail {
			p.line("%s%s", strings.Repeat("  ", s.Depth), s.Says)
		}
		for _, c := range r.Commands {
			p.line("%s %s", p.paint(colourOf(c.Verdict), fmt.Sprintf("%-6s", c.Verdict)), strings.Join(c.Argv, " "))
		}
		printRuling(p, text, r)
	})
}

// judging is a command that judges one command and exits with the verdict.
func (e *env) judging(packs *string, name, short string, people func(printer, string, guard.CommandRuling)) *cobra.Command {
	var dir, shell string
	cmd := &cobra.Command{
		Use:   name + " COMMAND",
		Short: short,
		Long:  short + ".\n\n" + guardHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("give the command as one argument, in quotes")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			commands, err := e.commandGuard(*packs)
			if err != nil {
				return err
			}
			where, err := folder(dir)
			if err != nil {
				return err
			}
			ruling := commands.Judge(cmd.Context(), guard.Command{Text: args[0], Dir: where, Shell: shell})
			p := e.printer()
			if err := p.value(ruling, func() { people(p, args[0], ruling) }); err != nil {
				return err
			}
			if v := (verdictError{ruling.Verdict}); v.code() != exitOK {
				return v
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the folder it would run in")
	cmd.Flags().StringVar(&shell, "shell", "bash", "the shell it is written for: bash, sh, zsh, mksh")
	return cmd
}

func colourOf(v guard.Verdict) string {
	switch v {
	case guard.Refuse:
		return red
	case guard.Ask, guard.Warn:
		return yellow
	}
	return green
}

func printRuling(p printer, text string, r guard.CommandRuling) {
	head := r.Verdict.String()
	if r.Rule != "" {
		head += " (" + r.Severity.String() + ", " + r.Rule + ")"
	}
	p.line("%s", p.paint(colourOf(r.Verdict), head))
	if r.Effect != "" {
		p.line("  %s", r.Effect)
	}
	if r.Match != "" && r.Match != text {
		p.line("  %s %s", p.paint(dim, "because of:"), r.Match)
	}
	if r.Alternative != "" {
		p.line("  %s %s", p.paint(dim, "safer:"), r.Alternative)
	}
}

// scanned is the ruling on one command of a file.
type scanned struct {
	File   string              `json:"file"`
	Line   int                 `json:"line"`
	Name   string              `json:"name"`
	Ruling guard.CommandRuling `json:"ruling"`
}

func (e *env) guardScan(packs *string) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "scan FILE…",
		Short: "Judge every command of scripts, Makefiles, package.json and CI files",
		Long:  "Judge every command of scripts, Makefiles, package.json, Dockerfiles and YAML of CI systems.\n\nExits with 7 if a command is asked or refused.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			commands, err := e.commandGuard(*packs)
			if err != nil {
				return err
			}
			found := []scanned{}
			wrong, judged := 0, 0
			for _, file := range args {
				list, err := e.scanFile(cmd, commands, file)
				if err != nil {
					return err
				}
				judged += len(list)
				for _, s := range list {
					if s.Ruling.Verdict >= guard.Ask {
						wrong++
					}
					if all || s.Ruling.Verdict > guard.Allow {
						found = append(found, s)
					}
				}
			}
			p := e.printer()
			if err := p.value(map[string]any{"judged": judged, "findings": found}, func() { printScan(p, judged, found) }); err != nil {
				return err
			}
			if wrong > 0 {
				return problemsError{wrong}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what is allowed")
	return cmd
}

func (e *env) scanFile(cmd *cobra.Command, commands *guard.Commands, file string) ([]scanned, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usageError{err}
	}
	snippets, err := guard.CommandsIn(file, text)
	if err != nil {
		return nil, fmt.Errorf("scanning %s: %w", file, err)
	}
	where, err := folder(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	var out []scanned
	for _, s := range snippets {
		r := commands.Judge(cmd.Context(), guard.Command{Text: s.Text, Dir: where})
		line := s.Line + strings.Count(s.Text[:r.Span.Start], "\n")
		r.Trail = nil
		out = append(out, scanned{File: file, Line: line, Name: s.Name, Ruling: r})
	}
	return out, nil
}

func printScan(p printer, judged int, found []scanned) {
	for _, s := range found {
		p.line("%s:%d: %s %s", s.File, s.Line, p.paint(colourOf(s.Ruling.Verdict), s.Ruling.Verdict.String()), p.paint(dim, s.Name+" "+s.Ruling.Rule))
		if s.Ruling.Effect != "" {
			p.line("  %s", s.Ruling.Effect)
		}
	}
	p.line("%d texts judged, %d worth a look.", judged, len(found))
}

func (e *env) guardPacks(packs *string) *cobra.Command {
	return &cobra.Command{
		Use:   "packs",
		Short: "List the packs of rules and check them",
		Long:  "List the packs of rules and check them: every example of a pack must be judged as it says.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			list, err := guard.Packs(*packs)
			if err == nil {
				_, err = e.commandGuard(*packs)
			}
			if err != nil {
				return usageError{err}
			}
			p := e.printer()
			return p.value(map[string]any{"packs": list}, func() {
				var rows [][]string
				for _, pack := range list {
					rows = append(rows, []string{pack.ID, pack.Family, fmt.Sprint(len(pack.Rules)), pack.About})
				}
				p.table([]string{"pack", "family", "rules", "about"}, rows)
			})
		},
	}
}
