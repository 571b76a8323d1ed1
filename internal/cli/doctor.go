package cli

import (
	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/store"
)

func (e *env) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that could be wrong and say how to mend it",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, _, err := e.load(nil)
			findings := []store.Finding{settingsFinding(err)}
			if err == nil {
				findings = append(findings, app.Doctor(cmd.Context(), loaded)...)
			}
			wrong := 0
			for _, f := range findings {
				if !f.OK {
					wrong++
				}
			}
			p := e.printer()
			if err := p.value(map[string]any{"ok": wrong == 0, "findings": findings}, func() { printFindings(p, findings, wrong) }); err != nil {
				return err
			}
			if wrong > 0 {
				return problemsError{wrong}
			}
			return nil
		},
	}
}

func settingsFinding(err error) store.Finding {
	if err != nil {
		return store.Finding{Name: "settings", Detail: err.Error(), Fix: "Mend the lines named; fluxway config validate checks them again."}
	}
	return store.Finding{Name: "settings", OK: true, Detail: "valid"}
}

func printFindings(p printer, findings []store.Finding, wrong int) {
	for _, f := range findings {
		sign := p.paint(green, "✓")
		if !f.OK {
			sign = p.paint(red, "✗")
		}
		p.line("%s %s: %s", sign, p.paint(bold, f.Name), f.Detail)
		if !f.OK && f.Fix != "" {
			p.line("  %s %s", p.paint(yellow, "→"), f.Fix)
		}
	}
	if wrong == 0 {
		p.line("\nAll is well.")
	} else {
		p.line("\n%d of %d checks found something.", wrong, len(findings))
	}
}
