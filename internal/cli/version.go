package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

func (e *env) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which version this is",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			p := e.printer()
			shown := struct {
				Build
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{e.build, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return p.value(shown, func() {
				p.line("fluxway %s (%s, %s) %s %s", e.build.Version, e.build.Commit, e.build.Date, shown.Go, shown.Platform)
			})
		},
	}
}
