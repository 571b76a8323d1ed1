package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/store"
)

func (e *env) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup [file]",
		Short: "Write all data to one file, while the server runs or not",
		Long: "Writes every row, as of one moment, to an archive that can be restored into SQLite or PostgreSQL.\n" +
			"Without a file it goes to the backups folder in the data folder. The archive holds sealed secrets;\n" +
			"keep secret.key of the data folder too, apart from it.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.local(cmd.Context(), func(ctx context.Context, l *app.Local) error {
				path := filepath.Join(l.Data.Backups(), store.BackupName("backup"))
				if len(args) == 1 {
					path = args[0]
				}
				manifest, err := l.DB.Backup(ctx, store.BackupOptions{Path: path, Progress: e.progress("backing up")})
				if errors.Is(err, os.ErrExist) {
					return usageError{fmt.Errorf("%s exists already; choose another name", path)}
				}
				if err != nil {
					return err
				}
				p := e.printer()
				return p.value(map[string]any{"file": path, "manifest": manifest}, func() {
					p.line("%s %s", p.paint(green, "✓"), path)
				})
			})
		},
	}
}

func (e *env) restoreCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Replace all data by a backup, while the server runs or not",
		Long: "Replaces every row by those of a backup. What is there now is backed up first, so a restore can be\n" +
			"undone with another one.",
		Args: oneArg("the backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			manifest, err := store.VerifyBackup(cmd.Context(), path)
			if err != nil {
				return err
			}
			question := fmt.Sprintf("Replace everything by the backup of %s?", manifest.CreatedAt.Local().Format("2006-01-02 15:04"))
			if err := e.confirm(yes, question); err != nil {
				return err
			}
			return e.restore(cmd.Context(), path)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// restore goes through the running server, which must empty its caches, or
// works on the data itself when none runs.
func (e *env) restore(ctx context.Context, path string) error {
	loaded, _, err := e.load(nil)
	if err != nil {
		return err
	}
	data := app.Data{Dir: loaded.Config.Data}
	p := e.printer()
	if data.Serving() {
		c, err := client.New(client.Options{Socket: data.Socket()})
		if err != nil {
			return err
		}
		var out map[string]any
		if err := c.Do(ctx, "POST", "/api/v1/system/restore", map[string]string{"file": path}, &out); err != nil {
			return err
		}
		return p.value(out, func() {
			p.line("%s Restored; what was there before is in %v", p.paint(green, "✓"), out["safety"])
		})
	}
	return e.local(ctx, func(ctx context.Context, l *app.Local) error {
		done, err := l.DB.Restore(ctx, store.RestoreOptions{Path: path, Safety: l.Data.Backups(), Progress: e.progress("restoring")})
		if err != nil {
			return err
		}
		return p.value(done, func() {
			p.line("%s Restored %d rows; what was there before is in %s", p.paint(green, "✓"), done.Rows, done.Safety)
		})
	})
}

// confirm asks on a terminal; without one it refuses unless --yes was given.
func (e *env) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if !onTerminal(e.streams.In) {
		return usageError{errors.New("there is no terminal to ask on; say --yes if you mean it")}
	}
	fmt.Fprintf(e.streams.Err, "%s [y/N] ", question)
	var answer string
	if _, err := fmt.Fscanln(e.streams.In, &answer); err != nil || (answer != "y" && answer != "Y" && answer != "yes") {
		return errors.New("nothing was changed")
	}
	return nil
}

// progress shows how far a long piece of work is, on a terminal only.
func (e *env) progress(doing string) func(store.Progress) {
	if !onTerminal(e.streams.Err) || e.flags.json {
		return nil
	}
	return func(p store.Progress) {
		fmt.Fprintf(e.streams.Err, "\r\x1b[K%s %s: %d rows", doing, p.Table, p.Rows)
		if p.Table == "" {
			fmt.Fprintln(e.streams.Err)
		}
	}
}
