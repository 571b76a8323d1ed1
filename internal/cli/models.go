package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

func (e *env) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "models",
		Short:   "List the models that can be asked for",
		Example: "  fluxway models\n  fluxway models served ollama\n  fluxway models found",
		Args:    cobra.ArbitraryArgs,
	}
	on := e.onModels(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return on(cmd, e.modelsList)
	}
	list := &cobra.Command{Use: "list", Short: "The same as fluxway models", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error { return on(cmd, e.modelsList) }}
	cmd.AddCommand(list, e.modelsServed(on), e.modelsFound(on))
	return cmd
}

func (e *env) modelsList(ctx context.Context, m api.Models, ws ids.Workspace) error {
	all, err := m.Catalogue(ctx, ws)
	if err != nil {
		return err
	}
	p := e.printer()
	return p.value(map[string]any{"models": all}, func() {
		var rows [][]string
		for _, model := range all {
			mark := ""
			if model.Default {
				mark = "default"
			}
			rows = append(rows, []string{model.ID, tokens(model.Context), priceText(model), can(model), mark})
		}
		p.table([]string{"model", "context", "$ per million in / out", "can", ""}, rows)
		p.line("\nThese are of the providers at hand; fluxway auth shows all of those.")
	})
}

func tokens(n int64) string {
	switch {
	case n == 0:
		return "?"
	case n >= 1_000_000:
		return fmt.Sprintf("%.3gM", float64(n)/1e6)
	case n >= 1000:
		return strconv.FormatInt(n/1000, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}

// priceText never shows an unknown price as none.
func priceText(m api.Model) string {
	if len(m.Targets) > 0 {
		return "→ " + strings.Join(m.Targets, ", ")
	}
	if m.Price == nil {
		return "no price"
	}
	return dollars(m.Price.Input) + " / " + dollars(m.Price.Output)
}

func dollars(micros *int64) string {
	if micros == nil {
		return "?"
	}
	return strconv.FormatFloat(float64(*micros)/1e6, 'f', -1, 64)
}

func can(m api.Model) string {
	words := make([]string, len(m.Can))
	for i, c := range m.Can {
		words[i] = string(c)
	}
	return strings.Join(words, " ")
}

func (e *env) modelsServed(on onModels) *cobra.Command {
	return &cobra.Command{
		Use:   "served PROVIDER",
		Short: "Ask a provider which models it serves now",
		Args:  oneArg("the provider, such as ollama"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
				all, err := m.Served(ctx, ws, args[0])
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(map[string]any{"models": all}, func() {
					for _, listed := range all {
						p.line("%s/%s", args[0], listed.ID)
					}
				})
			})
		},
	}
}

func (e *env) modelsFound(on onModels) *cobra.Command {
	return &cobra.Command{
		Use:   "found",
		Short: "Look for model servers, sign-ins and keys on this machine",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return on(cmd, func(ctx context.Context, m api.Models, ws ids.Workspace) error {
				found, err := m.Found(ctx, ws)
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(found, func() { printFound(p, found) })
			})
		},
	}
}

func printFound(p printer, found api.FoundModels) {
	for _, k := range found.Keys {
		p.line("%s %s: a key in %s, in use", p.paint(green, "✓"), k.Title, k.Variable)
	}
	for _, l := range found.Logins {
		p.line("%s %s: %s%s", p.paint(green, "✓"), l.Title, l.State, use(l.Used, fmt.Sprintf("providers.%s.use_cli_login: true", l.Provider)))
	}
	for _, s := range found.Servers {
		p.line("%s %s at %s: %s%s", p.paint(green, "✓"), s.Title, s.BaseURL, names(s.Models), use(s.Used, fmt.Sprintf("providers.%s.enabled: true", s.Provider)))
	}
	if len(found.Keys)+len(found.Logins)+len(found.Servers) == 0 {
		p.line("Nothing found. The demonstration needs nothing: demo/assistant.")
	}
}

func use(used bool, setting string) string {
	if used {
		return ", in use"
	}
	return "; to use it, set " + setting
}

func names(models []providers.Listed) string {
	all := make([]string, len(models))
	for i, m := range models {
		all[i] = m.ID
	}
	if len(all) == 0 {
		return "no models"
	}
	return strings.Join(all, ", ")
}
