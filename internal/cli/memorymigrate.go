package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/memory"
)

func (e *env) memoryMigrate() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "migrate --from DATABASE",
		Short: "Copy vectors from another database after its backup was restored here",
		Long: "Moving between SQLite and PostgreSQL takes a backup of the one and a restore into the other. Rows move with\n" +
			"the backup; vectors are kept in a form of each engine's own, and would be worked out again in the background.\n" +
			"This copies them instead. It may be repeated, and the server may run on PostgreSQL meanwhile.",
		Example: "  fluxway backup all.fluxway-backup\n  FLUXWAY_DATABASE_URL=postgres://… fluxway restore all.fluxway-backup\n" +
			"  FLUXWAY_DATABASE_URL=postgres://… fluxway memory migrate --from ~/.local/share/fluxway/fluxway.db",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				return usageError{errors.New("--from names the database to copy from: its file, or a postgres:// URL")}
			}
			return e.local(cmd.Context(), func(ctx context.Context, l *app.Local) error {
				done, err := l.CopyVectors(ctx, from, func(memory.Copied) {})
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(done, func() {
					p.line("%s %d vectors copied; %d belong to texts that are not here.", p.paint(green, "✓"), done.Vectors, done.Skipped)
				})
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "an SQLite file or a postgres:// URL")
	return cmd
}
