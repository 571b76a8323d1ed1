package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/store"
)

// register tells the store what grows by itself, and who must hear of a restore.
func (a *App) register() {
	keep := a.cfg.Retention
	a.db.AddRetention(store.Retention{Name: "events_events", Prune: func(ctx context.Context, _ time.Time) (int64, error) { return a.hub.Prune(ctx) }})
	a.db.AddRetention(store.Retention{Name: "jobs_jobs", Keep: keep.Jobs.Std(), Prune: a.queue.Prune})
	a.db.OnRestore(store.RestoreHook{Name: "models", Done: func(context.Context) { a.models.forgetAll() }})
	a.db.OnRestore(store.RestoreHook{Name: "identity", Done: func(context.Context) { a.directory.Forget() }})
}

const backupKind = "store.backup"

// backupKind is the job that the schedule of backups starts.
func (a *App) backupKind() jobs.Kind {
	return jobs.Kind{Name: backupKind, Concurrency: 1, Attempts: 3, Schedule: plainly, Run: func(ctx context.Context, task *jobs.Task) (any, error) {
		path := filepath.Join(a.data.Backups(), store.BackupName(scheduledName))
		progress := func(p store.Progress) {
			if err := task.Progress(ctx, p.Rows, 0, p.Table); err != nil {
				a.log.WarnContext(ctx, "progress of a backup not saved", "part", "app", "err", err)
			}
		}
		manifest, err := a.db.Backup(ctx, store.BackupOptions{Path: path, Progress: progress})
		if err != nil {
			return nil, err
		}
		removed, err := pruneBackups(a.data.Backups(), a.settings.State().Running.Backup.Keep)
		return map[string]any{"file": path, "manifest": manifest, "removed": removed}, err
	}}
}

// plainly is the schedule of work that is told nothing.
func plainly(context.Context, ids.Workspace, json.RawMessage) (any, error) { return struct{}{}, nil }

// scheduledName marks backups that the schedule made: only those are deleted.
const scheduledName = "scheduled"

// pruneBackups deletes the oldest scheduled backups but for keep.
func pruneBackups(dir string, keep int) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, scheduledName+"-*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(found) // their names hold the time
	var removed []string
	for _, path := range found[:max(0, len(found)-keep)] {
		if err := os.Remove(path); err != nil {
			return removed, fmt.Errorf("removing an old backup: %w", err)
		}
		removed = append(removed, filepath.Base(path))
	}
	return removed, nil
}

// keepSchedules makes the stored schedule of backups be the configured one.
func (a *App) keepSchedules(ctx context.Context, cfg config.Config) error {
	spec, zone := cfg.Backup.Schedule, "UTC"
	if rest, ok := strings.CutPrefix(spec, "CRON_TZ="); ok {
		zone, spec, _ = strings.Cut(rest, " ")
	}
	err := a.queue.KeepSchedule(ctx, jobs.Schedule{
		Name: "backup", Kind: backupKind, Cron: cmp.Or(strings.TrimSpace(spec), "@yearly"), TimeZone: zone, Enabled: cfg.Backup.Schedule != "",
	})
	if err != nil {
		return fmt.Errorf("keeping the schedule of backups: %w", err)
	}
	return nil
}

// reloadOnSignal reads the settings again on SIGHUP.
func (a *App) reloadOnSignal(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hangups:
			change, err := a.settings.Reload(ctx)
			if err != nil {
				a.log.ErrorContext(ctx, "settings not reloaded; the old ones stay", "part", "config", "err", err)
				continue
			}
			a.log.InfoContext(ctx, "settings reloaded", "part", "config", "change", change.String())
		}
	}
}
