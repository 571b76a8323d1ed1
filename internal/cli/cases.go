package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/runs"
)

func (e *env) casesCommand() *cobra.Command {
	return group("cases", "Keep runs as test cases, and try them again", e.casesList(), e.casesKeep(), e.casesRun(), e.casesRemove())
}

const casesURL = "/api/v1/cases"

func (e *env) casesList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List test cases, with how each last went",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			list, err := all[runs.Case](cmd.Context(), c, casesURL)
			if err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]any{"cases": list}, func() {
				if len(list) == 0 {
					p.line("No test cases yet. Keep one from a trace, or: fluxway cases keep RUN")
					return
				}
				var rows [][]string
				for _, k := range list {
					verdict, model := "never tried", k.Model
					if k.Last != nil {
						verdict, model = string(k.Last.Verdict), k.Last.Model
					}
					rows = append(rows, []string{string(k.ID), shorten(k.Name), k.Agent, model, verdict})
				}
				p.table([]string{"id", "name", "agent", "model", "last"}, rows)
			})
		},
	}
}

func (e *env) casesKeep() *cobra.Command {
	var name string
	var contains []string
	cmd := &cobra.Command{
		Use:   "keep RUN",
		Short: "Keep a finished run as a test case",
		Long: "Keeps a finished run as a test case: what was asked, what its tools gave, and what it called and answered.\n" +
			"From then on the same calls are expected, and the same answer, or one that has the phrases of --contains.",
		Args: oneArg("the run's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var kept runs.Case
			if err := c.Do(cmd.Context(), "POST", casesURL, map[string]any{"run": args[0], "name": name, "contains": contains}, &kept); err != nil {
				return err
			}
			p := e.printer()
			return p.value(kept, func() {
				p.line("%s %s keeps %q; fluxway cases run %s tries it.", p.paint(green, "✓"), kept.ID, kept.Name, kept.ID)
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what to call it (default: the beginning of what was asked)")
	cmd.Flags().StringArrayVar(&contains, "contains", nil, "a phrase the answer must have, instead of being the same; may be given again")
	return cmd
}

func (e *env) casesRun() *cobra.Command {
	var model string
	cmd := &cobra.Command{
		Use:   "run [CASE...]",
		Short: "Try test cases, all of them if none is named",
		Long: "Tries test cases one after the other, with the agents as they are now. No tool does anything: each call gets the\n" +
			"result that was recorded. Exit code 7 says that at least one differs from what is expected.",
		Example: "  fluxway cases run\n  fluxway cases run --model openai/gpt-5-mini\n  fluxway cases run case_01J… --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			list, err := all[runs.Case](cmd.Context(), c, casesURL)
			if err != nil {
				return err
			}
			if list, err = named(list, args); err != nil {
				return err
			}
			return e.tryAll(cmd.Context(), c, list, model)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "the model, as provider/model (default: the one each was kept with)")
	return cmd
}

// named picks cases by id or name, in the order they were kept.
func named(list []runs.Case, names []string) ([]runs.Case, error) {
	slices.Reverse(list)
	for _, name := range names {
		if !slices.ContainsFunc(list, func(k runs.Case) bool { return string(k.ID) == name || k.Name == name }) {
			return nil, fault.New(fault.NotFound, "case_not_found", "There is no case %s.", name).WithHint("fluxway cases list shows yours.")
		}
	}
	if len(names) == 0 {
		return list, nil
	}
	return slices.DeleteFunc(list, func(k runs.Case) bool {
		return !slices.Contains(names, string(k.ID)) && !slices.Contains(names, k.Name)
	}), nil
}

// tryAll tries cases one after the other and says how each went.
func (e *env) tryAll(ctx context.Context, c *client.Client, list []runs.Case, model string) error {
	p := e.printer()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	ends, err := c.Stream(ctx, "GET", "/api/v1/events/stream?channels="+url.QueryEscape("runs/*"), nil) // before the first is tried: no end is missed
	if err != nil {
		return err
	}
	defer ends.Close()
	wrong := 0
	for i := range list {
		if list[i], err = tryOne(ctx, c, ends, list[i].ID, model); err != nil {
			return err
		}
		if list[i].Last == nil || list[i].Last.Verdict != runs.VerdictPassed {
			wrong++
		}
		if !p.json {
			tellTrial(p, list[i])
		}
	}
	err = p.value(map[string]any{"cases": list, "passed": len(list) - wrong, "differ": wrong}, func() {
		p.line("%s", strconv.Itoa(len(list)-wrong)+" of "+strconv.Itoa(len(list))+" passed.")
	})
	if err == nil && wrong > 0 {
		return problemsError{wrong}
	}
	return err
}

func tryOne(ctx context.Context, c *client.Client, ends *client.Events, id ids.Case, model string) (k runs.Case, err error) {
	var trial runs.Trial
	if err := c.Do(ctx, "POST", casesURL+"/"+string(id)+"/run", map[string]any{"model": model}, &trial); err != nil {
		return k, err
	}
	for over := false; !over; {
		ev, err := ends.Next()
		if errors.Is(err, io.EOF) {
			return k, fault.New(fault.Unavailable, "stream_ended", "The server ended the stream before the case was through.").WithHint("fluxway cases list shows how it went.")
		}
		if err != nil {
			return k, err
		}
		over = endsRun(ev, trial.Run)
	}
	return k, c.Do(ctx, "GET", casesURL+"/"+string(id), nil, &k)
}

// endsRun says whether an event is the end of a run.
func endsRun(ev client.Event, run ids.Run) bool {
	switch ev.Kind {
	case runs.RunFinished{}.Kind(), runs.RunFailed{}.Kind(), runs.RunCancelled{}.Kind():
	default:
		return false
	}
	var envelope struct {
		Data facts `json:"data"`
	}
	return json.Unmarshal(ev.Data, &envelope) == nil && envelope.Data.Run == run
}

func tellTrial(p printer, k runs.Case) {
	if k.Last == nil {
		return
	}
	if k.Last.Verdict == runs.VerdictPassed {
		p.line("%s %s (%s)", p.paint(green, "✓"), k.Name, k.Last.Model)
		return
	}
	p.line("%s %s (%s)", p.paint(red, "✗"), k.Name, k.Last.Model)
	for _, d := range k.Last.Differences {
		p.line("    %s", d.Text)
	}
}

func (e *env) casesRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove CASE",
		Short: "Forget a test case; the runs stay",
		Args:  oneArg("the case's id, as fluxway cases list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			if err := c.Do(cmd.Context(), "DELETE", casesURL+"/"+url.PathEscape(args[0]), nil, nil); err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]any{"removed": args[0]}, func() { p.line("%s removed.", p.paint(green, "✓")) })
		},
	}
}
