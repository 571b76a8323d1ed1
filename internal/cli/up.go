package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/web"
)

func (e *env) upCommand() *cobra.Command {
	var listen, publicURL, logLevel string
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start the server",
		Long: "Starts the server. The first start makes the data folder and prints a link with a one-time code\n" +
			"for the first administrator. Ctrl+C stops it; nothing acknowledged is lost.",
		Example: "  fluxway up\n  fluxway up --listen 127.0.0.1:8080",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, sources, err := e.load(map[string]string{"listen": listen, "public_url": publicURL, "log.level": logLevel})
			if err != nil {
				return err
			}
			for _, w := range loaded.Warnings {
				fmt.Fprintln(e.streams.Err, "warning:", w)
			}
			a, err := app.New(cmd.Context(), app.Options{Sources: sources, Loaded: loaded, Version: e.build.Version, Web: web.Dist()})
			if err != nil {
				return err
			}
			return a.Run(cmd.Context(), e.banner)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "the address and port (or FLUXWAY_LISTEN; default 127.0.0.1:7777)")
	cmd.Flags().StringVar(&publicURL, "public-url", "", "the URL people reach this server under, behind a proxy")
	cmd.Flags().StringVar(&logLevel, "log-level", "", "debug, info, warn or error")
	return cmd
}

// banner is the first thing someone sees: where to go, and where things are.
func (e *env) banner(s app.Started) {
	p := e.printer()
	if p.json {
		_ = p.value(map[string]string{"url": s.URL, "setup": s.Setup, "data": s.Data, "database": s.Database, "version": e.build.Version}, nil)
		return
	}
	p.line("")
	p.line("  %s %s", p.paint(bold, "Fluxway"), p.paint(dim, e.build.Version))
	p.line("")
	if s.Setup != "" {
		p.line("  %s  %s", p.paint(dim, "Set up"), p.paint(blue, s.Setup))
	} else {
		p.line("  %s    %s", p.paint(dim, "Open"), p.paint(blue, s.URL))
	}
	p.line("  %s    %s", p.paint(dim, "Data"), s.Data)
	p.line("  %s    Ctrl+C", p.paint(dim, "Stop"))
	p.line("")
}
