package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// systemAPI is the server itself: probes, documents, mode, backups.
type systemAPI struct{ s *Server }

func (a systemAPI) routes() []route {
	return []route{
		{"GET", "/livez", public, "Whether the process lives.", handler(a.live, whileDown)},
		{"GET", "/readyz", public, "Whether new work is taken.", handler(a.ready, whileDown)},
		{"GET", "/healthz", public, "Whether everything that must work does.", handler(a.health, whileDown)},
		{"GET", "/version", public, "What runs here.", handler(a.version, whileDown)},
		{"GET", "/metrics", "system:read", "Metrics in the text format of Prometheus.", door(a.metrics, whileDown, media("text/plain"))},
		{"GET", "/openapi.json", public, "This description.", door(a.openapi, whileDown, media("application/json"))},
		{"GET", "/docs", public, "The API reference as a page.", door(a.reference, whileDown, media("text/html"))},
		{"GET", "/api/v1/system", "system:read", "Health, versions, disk, database and what is going on.", handler(a.system, whileDown)},
		{"POST", "/api/v1/system/mode", "system:write", "Take new work, or not.", handler(a.setMode, whileDown)},
		{"GET", "/api/v1/system/backups", "system:write", "Backups in the data directory, newest first.", handler(a.backups, whileDown)},
		{"POST", "/api/v1/system/backups", "system:write", "Take a backup now, beside the running work.", handler(a.backup, status(201), whileDown, timeout(time.Hour))},
		{"POST", "/api/v1/system/restore", "system:write", "Replace everything by a backup; what is there now is backed up first.", handler(a.restore, rotates, whileDown, timeout(time.Hour))},
	}
}

// Status is a short yes or no.
type Status struct {
	Status string       `json:"status" enum:"ok,failing,maintenance,draining"`
	Checks []CheckState `json:"checks,omitempty"`
}

// CheckState is how one check went.
type CheckState struct {
	Name    string `json:"name"`
	Status  string `json:"status" enum:"ok,failing"`
	Message string `json:"message,omitempty" doc:"Why it fails; only for those who may read it."`
}

func (a systemAPI) live(context.Context, none) (Status, error) { return Status{Status: "ok"}, nil }

func (a systemAPI) ready(ctx context.Context, _ none) (reply[Status], error) {
	if mode, _ := a.s.Mode(); mode != Normal {
		return reply[Status]{Body: Status{Status: string(mode)}, Status: http.StatusServiceUnavailable}, nil
	}
	return a.health(ctx, none{})
}

func (a systemAPI) health(ctx context.Context, _ none) (reply[Status], error) {
	out := reply[Status]{Body: Status{Status: "ok", Checks: a.s.check(ctx)}}
	for i := range out.Body.Checks {
		out.Body.Checks[i].Message = "" // strangers read this
		if out.Body.Checks[i].Status != "ok" {
			out.Body.Status, out.Status = "failing", http.StatusServiceUnavailable
		}
	}
	return out, nil
}

const checkTimeout = 5 * time.Second

// check runs all checks at once.
func (s *Server) check(ctx context.Context) []CheckState {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	all := append([]Check{{"database", s.checkDatabase}}, s.opts.Checks...)
	results := make([]CheckState, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() {
			results[i] = CheckState{Name: c.Name, Status: "ok"}
			if err := c.Run(ctx); err != nil {
				results[i].Status, results[i].Message = "failing", fault.From(err).Message
				s.log.WarnContext(ctx, "check failed", "check", c.Name, "err", err)
			}
		})
	}
	wg.Wait()
	return results
}

func (s *Server) checkDatabase(ctx context.Context) error {
	_, err := store.One[int](ctx, s.db.Read(), `SELECT 1`)
	return err
}

// Version is what runs.
type Version struct {
	Version   string `json:"version"`
	GoVersion string `json:"go_version"`
}

func (a systemAPI) version(context.Context, none) (Version, error) {
	return Version{Version: a.s.opts.Version, GoVersion: runtime.Version()}, nil
}

func (a systemAPI) metrics(c *call, _ none) error {
	a.s.observe.MetricsHandler().ServeHTTP(c.w, c.r)
	return nil
}

func (a systemAPI) openapi(c *call, in none) error   { return a.s.serveOpenAPI(c, in) }
func (a systemAPI) reference(c *call, in none) error { return a.s.serveReference(c, in) }

// System is the state of the server.
type System struct {
	Version   string           `json:"version"`
	GoVersion string           `json:"go_version"`
	StartedAt time.Time        `json:"started_at"`
	Mode      Mode             `json:"mode" enum:"normal,maintenance,draining"`
	ModeSince time.Time        `json:"mode_since"`
	Checks    []CheckState     `json:"checks"`
	Database  DatabaseState    `json:"database"`
	DataDir   string           `json:"data_dir,omitempty"`
	Disk      *Disk            `json:"disk,omitempty"`
	Counts    map[string]int64 `json:"counts" doc:"What is going on now: open sockets and streams, goroutines, bytes of memory."`
}

// DatabaseState is where rows are kept.
type DatabaseState struct {
	Engine string `json:"engine"`
	Where  string `json:"where"`
	Size   int64  `json:"size_bytes"`
}

// Disk is the space where the data directory lies.
type Disk struct {
	Free  uint64 `json:"free_bytes"`
	Total uint64 `json:"total_bytes"`
}

func (a systemAPI) system(ctx context.Context, _ none) (System, error) {
	engine := a.s.db.Engine()
	size, err := engine.Size(ctx)
	if err != nil {
		return System{}, fmt.Errorf("measuring the database: %w", err)
	}
	out := System{
		Version: a.s.opts.Version, GoVersion: runtime.Version(), StartedAt: a.s.started, Checks: a.s.check(ctx),
		Database: DatabaseState{Engine: engine.Name, Where: engine.Where, Size: size}, Counts: a.s.counts(),
		DataDir: a.s.opts.DataDir,
	}
	out.Mode, out.ModeSince = a.s.Mode()
	if a.s.opts.DataDir != "" {
		if out.Disk, err = diskOf(a.s.opts.DataDir); err != nil {
			return System{}, fmt.Errorf("looking at the disk of %s: %w", a.s.opts.DataDir, err)
		}
	}
	return out, nil
}

func (s *Server) counts() map[string]int64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	sockets, sse := s.streams.count()
	return map[string]int64{
		"sockets": sockets, "event_streams": sse, "goroutines": int64(runtime.NumGoroutine()), "memory_bytes": int64(memory.Sys - memory.HeapReleased),
	}
}

type modeRequest struct {
	Mode string `json:"mode" required:"true" enum:"normal,maintenance,draining"`
}

// ModeState is whether new work is taken, and since when.
type ModeState struct {
	Mode  Mode      `json:"mode" enum:"normal,maintenance,draining"`
	Since time.Time `json:"mode_since"`
}

// setMode answers with what it changed; how the server fares is GET /system.
func (a systemAPI) setMode(ctx context.Context, in modeRequest) (ModeState, error) {
	before, now := a.s.changeMode(Mode(in.Mode))
	if now != before {
		a.s.log.InfoContext(ctx, "mode changed", "mode", in.Mode)
	}
	callOf(ctx).changed(modeRequest{string(before.mode)}, modeRequest{string(now.mode)})
	return now.public(), nil
}

// Backup is one archive of all rows.
type Backup struct {
	ID        string    `json:"id" doc:"The name of its file."`
	Path      string    `json:"path"`
	Size      int64     `json:"size_bytes"`
	CreatedAt time.Time `json:"created_at"`
}

func (a systemAPI) backups(context.Context, none) (page.Page[Backup], error) {
	if a.s.opts.Backups == "" {
		return page.Page[Backup]{}, noBackups()
	}
	entries, err := os.ReadDir(a.s.opts.Backups)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return page.Page[Backup]{}, fmt.Errorf("listing backups: %w", err)
	}
	list := []Backup{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), store.BackupSuffix) || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		b, err := backupAt(filepath.Join(a.s.opts.Backups, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) { // removed since
			continue
		}
		if err != nil {
			return page.Page[Backup]{}, err
		}
		list = append(list, b)
	}
	slices.SortFunc(list, func(x, y Backup) int { return y.CreatedAt.Compare(x.CreatedAt) })
	return page.Page[Backup]{Data: list}, nil
}

func (a systemAPI) backup(ctx context.Context, _ none) (Backup, error) {
	if a.s.opts.Backups == "" {
		return Backup{}, noBackups()
	}
	path := filepath.Join(a.s.opts.Backups, store.BackupName("asked"))
	if _, err := a.s.db.Backup(ctx, store.BackupOptions{Path: path}); err != nil {
		return Backup{}, err
	}
	return backupAt(path)
}

type restoreRequest struct {
	Name string `json:"name" max:"255" doc:"A backup of the list."`
	File string `json:"file" max:"4096" doc:"Any file of the server's machine; only for commands on that machine."`
}

// Restored is what a restore did.
type Restored struct {
	Rows    int64    `json:"rows"`
	Safety  string   `json:"safety" doc:"The backup of what was there before."`
	Skipped []string `json:"skipped" doc:"Tables and columns that only the other database engine has."`
}

func (a systemAPI) restore(ctx context.Context, in restoreRequest) (Restored, error) {
	path, err := a.archive(ctx, in)
	if err != nil {
		return Restored{}, err
	}
	done, err := a.s.db.Restore(ctx, store.RestoreOptions{Path: path, Safety: a.s.opts.Backups})
	if err != nil {
		return Restored{}, err
	}
	return Restored{Rows: done.Rows, Safety: done.Safety, Skipped: append([]string{}, done.Skipped...)}, nil
}

// archive is the file that a restore names: one of the backups folder, or, for
// whoever owns the machine, any.
func (a systemAPI) archive(ctx context.Context, in restoreRequest) (string, error) {
	if a.s.opts.Backups == "" {
		return "", noBackups()
	}
	switch {
	case (in.Name == "") == (in.File == ""):
		return "", fault.New(fault.Invalid, "no_backup_named", "Name one backup.").WithParam("name").WithHint("GET /api/v1/system/backups lists them.")
	case in.File != "" && identity.From(ctx).Via != identity.ViaLocal:
		return "", fault.New(fault.Forbidden, "local_only", "Only a command on the server's machine may name a file.").
			WithParam("file").WithHint("Run fluxway restore there, or restore one of the listed backups by name.")
	case in.File != "":
		return in.File, nil
	case filepath.Base(in.Name) != in.Name || !strings.HasSuffix(in.Name, store.BackupSuffix):
		return "", noSuchBackup(in.Name)
	}
	path := filepath.Join(a.s.opts.Backups, in.Name)
	if _, err := os.Stat(path); err != nil {
		return "", noSuchBackup(in.Name)
	}
	return path, nil
}

func noSuchBackup(name string) error {
	return fault.New(fault.NotFound, "backup_not_found", "There is no backup %s.", cut(name)).WithParam("name").WithHint("GET /api/v1/system/backups lists them.")
}

func backupAt(path string) (Backup, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Backup{}, fmt.Errorf("looking at a backup: %w", err)
	}
	return Backup{ID: filepath.Base(path), Path: path, Size: info.Size(), CreatedAt: info.ModTime().UTC()}, nil
}

func noBackups() error {
	return fault.New(fault.Conflict, "no_backup_folder", "This server has no folder for backups.").WithHint("Start it with a data directory, or use `fluxway backup --to FILE`.")
}
