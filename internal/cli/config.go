package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/config"
)

func (e *env) configCommand() *cobra.Command {
	return group("config", "Show and check the settings", e.configShow(), e.configValidate(), e.configSchema(), e.configReference())
}

func (e *env) configShow() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the settings and where each value came from",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			loaded, _, err := e.load(nil)
			if err != nil {
				return err
			}
			p := e.printer()
			values := loaded.Values()
			return p.value(map[string]any{"file": loaded.Path, "values": values}, func() {
				p.line("%s %s\n", p.paint(dim, "file:"), loaded.Path)
				var rows [][]string
				for _, v := range values {
					if all || v.Origin.Source != config.FromDefault {
						rows = append(rows, []string{v.Key, v.Value, v.Origin.String()})
					}
				}
				if len(rows) == 0 {
					p.line("Everything is as it comes. --all lists every setting.")
					return
				}
				p.table([]string{"setting", "value", "from"}, rows)
				if !all {
					p.line("\nThe rest are defaults; --all lists them too.")
				}
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what was left at its default")
	return cmd
}

func (e *env) configValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate [file]",
		Short: "Check the settings and list every problem with its line",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if _, err := os.Stat(args[0]); err != nil {
					return usageError{err}
				}
				e.flags.config = args[0]
			}
			loaded, _, err := e.load(nil)
			p := e.printer()
			var problems config.Problems
			if err != nil && !errors.As(err, &problems) {
				return err
			}
			out := struct {
				Valid    bool             `json:"valid"`
				Problems []config.Problem `json:"problems"`
				Warnings []config.Problem `json:"warnings"`
			}{err == nil, problems, nil}
			if loaded != nil {
				out.Warnings = loaded.Warnings
			}
			if err := p.value(out, func() {
				for _, problem := range problems {
					p.line("%s %s", p.paint(red, "✗"), problem)
				}
				for _, warning := range out.Warnings {
					p.line("%s %s", p.paint(yellow, "!"), warning)
				}
				if out.Valid {
					p.line("%s %s is fine.", p.paint(green, "✓"), loaded.Path)
				}
			}); err != nil {
				return err
			}
			if len(problems) > 0 {
				return problemsError{len(problems)}
			}
			return nil
		},
	}
}

func (e *env) configSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the settings file, for editors",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := e.streams.Out.Write(config.Schema())
			return err
		},
	}
}

func (e *env) configReference() *cobra.Command {
	return &cobra.Command{
		Use:   "reference",
		Short: "Print every setting with its meaning, as Markdown",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := e.streams.Out.Write(config.Reference())
			return err
		},
	}
}
