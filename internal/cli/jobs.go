package cli

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/jobs"
)

func (e *env) jobsCommand() *cobra.Command {
	return group("jobs", "Show background work, and ask agents on a schedule", group("schedules", "List, make and remove schedules", e.schedulesList(), e.schedulesAdd(), e.schedulesRemove()))
}

const schedulesURL = "/api/v1/jobs/schedules"

func (e *env) schedulesList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what is done again and again",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			list, err := all[jobs.Schedule](cmd.Context(), c, schedulesURL)
			if err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]any{"schedules": list}, func() {
				if len(list) == 0 {
					p.line("No schedules yet. For example: fluxway jobs schedules add --agent assistant --cron '0 9 * * 1-5' \"What changed since yesterday?\"")
					return
				}
				var rows [][]string
				for _, s := range list {
					rows = append(rows, []string{string(s.ID), s.Name, s.Kind, s.Cron, s.TimeZone, when(s.NextAt, "off"), when(s.LastAt, "never")})
				}
				p.table([]string{"id", "name", "kind", "when", "zone", "next", "last"}, rows)
			})
		},
	}
}

func (e *env) schedulesAdd() *cobra.Command {
	var name, agent, cron, zone, project string
	cmd := &cobra.Command{
		Use:   "add MESSAGE",
		Short: "Have an agent asked again and again",
		Long: "Has an agent asked again and again, each time in a conversation of its own.\n\n" +
			"Nobody watches such a run: what would be asked is dealt with as guard.unattended says, refused unless that is changed.",
		Example: "  fluxway jobs schedules add --agent assistant --cron '0 9 * * 1-5' --time-zone Europe/Berlin \"What changed since yesterday?\"\n" +
			"  fluxway jobs schedules add --agent coder --cron '@every 6h' --name tests \"Run the tests and tell me what fails.\"",
		Args: oneArg("what to ask, in quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			body := map[string]any{
				"name": cmp.Or(name, agent+": "+shorten(args[0])), "kind": "runs.start", "cron": cron,
				"args": map[string]string{"agent": agent, "message": args[0], "project": project},
			}
			if zone != "" {
				body["time_zone"] = zone
			}
			var made jobs.Schedule
			if err := c.Do(cmd.Context(), "POST", schedulesURL, body, &made); err != nil {
				return err
			}
			p := e.printer()
			return p.value(made, func() {
				p.line("%s %s asks %s next at %s.", p.paint(green, "✓"), made.ID, agent, when(made.NextAt, "no time"))
			})
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "assistant", "whom to ask")
	cmd.Flags().StringVar(&cron, "cron", "", "when: five fields such as '0 9 * * 1-5', or @daily, or '@every 15m'")
	cmd.Flags().StringVar(&zone, "time-zone", "", "of the fields, such as Europe/Berlin (default: UTC)")
	cmd.Flags().StringVar(&name, "name", "", "what to call it (default: the agent and the beginning of the message)")
	cmd.Flags().StringVar(&project, "project", "", "the project to work in, by its id")
	_ = cmd.MarkFlagRequired("cron") // the flag is there
	return cmd
}

func (e *env) schedulesRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove SCHEDULE",
		Short: "Remove a schedule; what it started stays",
		Args:  oneArg("the schedule's id, as fluxway jobs schedules list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			if err := c.Do(cmd.Context(), "DELETE", schedulesURL+"/"+url.PathEscape(args[0]), nil, nil); err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]any{"removed": args[0]}, func() { p.line("%s removed.", p.paint(green, "✓")) })
		},
	}
}

// shorten is the beginning of a text, for a name.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
