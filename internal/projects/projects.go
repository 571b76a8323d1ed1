package projects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Options are what Projects needs.
type Options struct {
	DB    *store.DB   // required
	Hub   *events.Hub // required
	Blobs string      // the folder for the contents of files; required
	// Forbidden are folders that cannot be projects nor lie in one, such as the program's own data.
	Forbidden []string
	// Own is the folder in which each workspace has one, named as it, that our agents made themselves and that is trusted;
	// "": none have.
	Own string

	Keep       time.Duration // how long snapshots are kept; 0: 14 days
	TotalBytes int64         // of all contents kept; beyond it the oldest go; 0: 4 GB
	Limits     Limits
	Log        *slog.Logger // nil: silent
}

// Limits bound one snapshot. A zero is a sound default.
type Limits struct {
	Files      int   // listed in a project before a command; 0: 5000
	Bytes      int64 // of contents newly kept before one call; 0: 128 MB
	FileBytes  int64 // of one file in a project before a command; 0: 4 MB
	NamedFiles int   // under the paths that a call names; 0: 20000
	NamedBytes int64 // of one file that a call names; 0: 64 MB
}

// Projects keeps folders and their snapshots.
type Projects struct {
	db        *store.DB
	hub       *events.Hub
	log       *slog.Logger
	blobs     *blobs
	limits    Limits
	forbidden []string
	own       string

	undoing sync.Mutex // one undo at a time

	mu    sync.Mutex // guards the field below
	known map[string]*seen
}

const day = 24 * time.Hour

// New checks the options and makes the folder of contents.
func New(opts Options) (*Projects, error) {
	if opts.DB == nil || opts.Hub == nil || opts.Blobs == "" {
		return nil, errors.New("projects: Options.DB, Options.Hub and Options.Blobs are required")
	}
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(opts.Blobs, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of snapshots: %w", err)
	}
	l := opts.Limits
	l.Files, l.Bytes, l.FileBytes = cmp.Or(l.Files, 5000), cmp.Or(l.Bytes, 128<<20), cmp.Or(l.FileBytes, 4<<20)
	l.NamedFiles, l.NamedBytes = cmp.Or(l.NamedFiles, 20_000), cmp.Or(l.NamedBytes, 64<<20)
	p := &Projects{db: opts.DB, hub: opts.Hub, log: log, blobs: newBlobs(opts.Blobs, cmp.Or(opts.TotalBytes, 4<<30)), limits: l, own: opts.Own, known: make(map[string]*seen)}
	for _, dir := range append([]string{opts.Blobs}, opts.Forbidden...) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			p.forbidden = append(p.forbidden, real)
		}
	}
	opts.DB.AddRetention(store.Retention{Name: "projects_snapshots", Keep: cmp.Or(opts.Keep, 14*day), Prune: p.prune})
	return p, nil
}

// prune removes old snapshots, their changes first, and contents that none can need any more.
func (p *Projects) prune(ctx context.Context, before time.Time) (int64, error) {
	var sum int64
	for {
		var n int64
		err := p.db.InTx(ctx, func(tx *store.Tx) (err error) {
			if _, err = tx.Exec(ctx, pruneChanges, before, 100); err != nil {
				return err
			}
			n, err = tx.Exec(ctx, pruneSnapshots, before, 100)
			return err
		})
		if err != nil {
			return sum, err
		}
		if sum += n; n < 100 {
			return sum, p.blobs.prune(before)
		}
	}
}

// Project is a folder that agents work in.
type Project struct {
	ID        ids.Project   `db:"id" json:"id"`
	Workspace ids.Workspace `db:"workspace_id" json:"-"`
	Name      string        `db:"name" json:"name"`
	Folder    string        `db:"folder" json:"folder"`
	Trusted   bool          `db:"trusted" json:"trusted"` // commands may run in it without being asked about each
	CreatedBy ids.User      `db:"created_by" json:"created_by"`
	CreatedAt time.Time     `db:"created_at" json:"created_at"`
	UpdatedAt time.Time     `db:"updated_at" json:"updated_at"`
}

// NewProject is what a project is made of.
type NewProject struct {
	Name    string // "": the folder's
	Folder  string // absolute
	Trusted bool
	By      ids.User
}

// Create makes a folder a project.
func (p *Projects) Create(ctx context.Context, ws ids.Workspace, n NewProject) (Project, error) {
	folder, err := p.check(n.Folder)
	if err != nil {
		return Project{}, err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	made := Project{
		ID: ids.New[ids.Project](), Workspace: ws, Name: cmp.Or(strings.TrimSpace(n.Name), filepath.Base(folder)), Folder: folder, Trusted: n.Trusted,
		CreatedBy: n.By, CreatedAt: now, UpdatedAt: now,
	}
	err = p.db.InTx(ctx, func(tx *store.Tx) error {
		rows, err := tx.Exec(ctx, insertProject, made.ID, ws, made.Name, made.Folder, made.Trusted, made.CreatedBy, made.CreatedAt, made.UpdatedAt)
		if err != nil {
			return fmt.Errorf("making a project: %w", err)
		}
		if rows == 0 {
			return fault.New(fault.Conflict, "project_exists", "There is a project with this folder or this name already.").
				WithHint("Use that one, or give this one another name.").WithParam("folder")
		}
		return p.hub.Append(ctx, tx, ws, Channel, Created{made.ID, made.Name, n.By})
	})
	return made, err
}

// check finds out whether a folder can be a project and where it really is.
func (p *Projects) check(folder string) (string, error) {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "bad_folder", format, args...).WithParam("folder").WithHint("Name a folder of this machine, from its root: /home/me/code/app.")
	}
	if !filepath.IsAbs(folder) || strings.ContainsRune(folder, 0) {
		return "", bad("%q is not an absolute path.", folder)
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", bad("There is no folder %s.", folder)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", bad("%s is not a folder.", folder)
	}
	if real == string(filepath.Separator) {
		return "", bad("The root of the machine cannot be a project.")
	}
	for _, f := range p.forbidden {
		if inside(real, f) || inside(f, real) {
			return "", bad("%s holds the program's own data, or lies in it.", folder)
		}
	}
	return real, nil
}

// inside compares by element.
func inside(root, name string) bool {
	rel, err := filepath.Rel(root, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// List gives the projects of a workspace by name.
func (p *Projects) List(ctx context.Context, ws ids.Workspace) ([]Project, error) {
	rows, err := store.All[Project](ctx, p.db.Read(), listProjects, ws)
	if err != nil {
		return nil, fmt.Errorf("listing projects: %w", err)
	}
	return rows, nil
}

// Get is one project.
func (p *Projects) Get(ctx context.Context, ws ids.Workspace, id ids.Project) (Project, error) {
	return p.one(ctx, p.db.Read(), ws, id)
}

// Find is one project by its id or its name.
func (p *Projects) Find(ctx context.Context, ws ids.Workspace, ref string) (Project, error) {
	if strings.HasPrefix(ref, ids.Project("").Prefix()+"_") {
		return p.Get(ctx, ws, ids.Project(ref))
	}
	got, err := store.One[Project](ctx, p.db.Read(), selectName, ws, ref)
	if errors.Is(err, store.ErrNoRows) {
		return got, noProject(ref)
	}
	if err != nil {
		return got, fmt.Errorf("reading a project: %w", err)
	}
	return got, nil
}

func noProject(ref string) error {
	return fault.New(fault.NotFound, "project_not_found", "There is no project %s.", ref).WithHint("GET /api/v1/projects lists them.")
}

func (p *Projects) one(ctx context.Context, q store.Querier, ws ids.Workspace, id ids.Project) (Project, error) {
	got, err := store.One[Project](ctx, q, selectProject, ws, id)
	if errors.Is(err, store.ErrNoRows) {
		return got, noProject(string(id))
	}
	if err != nil {
		return got, fmt.Errorf("reading a project: %w", err)
	}
	return got, nil
}

// Trusted says whether commands may run in a folder without being asked about each: one of a project that somebody
// trusts, or one of our own.
func (p *Projects) Trusted(ctx context.Context, ws ids.Workspace, folder string) (bool, error) {
	trusted, _, err := p.Trust(ctx, ws, folder)
	return trusted, err
}

// Trust is Trusted, and whether the folder is known at all: nobody has said anything about one that lies in no project.
func (p *Projects) Trust(ctx context.Context, ws ids.Workspace, folder string) (trusted, known bool, err error) {
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
		got, err := store.One[Project](ctx, p.db.Read(), selectFolder, ws, dir)
		if err == nil {
			return got.Trusted, true, nil
		}
		if !errors.Is(err, store.ErrNoRows) {
			return false, false, fmt.Errorf("looking up a project: %w", err)
		}
		if p.own != "" && dir == filepath.Join(p.own, string(ws)) {
			return true, true, nil
		}
		if filepath.Dir(dir) == dir {
			return false, false, nil
		}
	}
}

// Change is what can be changed of a project; nil: it stays.
type Change struct {
	Name    *string
	Trusted *bool
}

// Update changes a project.
func (p *Projects) Update(ctx context.Context, ws ids.Workspace, id ids.Project, c Change) (Project, error) {
	var got Project
	err := p.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if got, err = p.one(ctx, tx, ws, id); err != nil {
			return err
		}
		if c.Name != nil {
			got.Name = cmp.Or(strings.TrimSpace(*c.Name), got.Name)
		}
		if c.Trusted != nil {
			got.Trusted = *c.Trusted
		}
		taken, err := store.One[int64](ctx, tx, countNamesakes, ws, got.Name, id)
		if err != nil {
			return err
		}
		if taken > 0 {
			return fault.New(fault.Conflict, "project_exists", "There is a project called %s already.", got.Name).WithParam("name").WithHint("Choose another name.")
		}
		got.UpdatedAt = time.Now().UTC().Truncate(time.Microsecond)
		if _, err := tx.Exec(ctx, updateProject, got.Name, got.Trusted, got.UpdatedAt, ws, id); err != nil {
			return fmt.Errorf("changing a project: %w", err)
		}
		return p.hub.Append(ctx, tx, ws, Channel, Changed{id, got.Name, got.Trusted})
	})
	return got, err
}

// Delete makes a folder an ordinary one again; nothing in it changes.
func (p *Projects) Delete(ctx context.Context, ws ids.Workspace, id ids.Project) error {
	return p.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := p.one(ctx, tx, ws, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, deleteProject, ws, id); err != nil {
			return fmt.Errorf("removing a project: %w", err)
		}
		return p.hub.Append(ctx, tx, ws, Channel, Removed{id})
	})
}
