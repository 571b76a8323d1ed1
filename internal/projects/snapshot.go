package projects

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// The states of a snapshot.
const (
	StateOpen   = "open" // the call runs, or the process died meanwhile
	StateKept   = "kept"
	StateUndone = "undone"
)

// Touched is what a call may change.
type Touched struct {
	Workspace    ids.Workspace
	Call         ids.ToolCall
	Run          ids.Run
	Turn         string
	Conversation ids.Conversation
	Agent        string
	Tool         string
	Folder       string   // of the project
	Paths        []string // absolute
	Anything     bool     // besides Paths, whatever lies in Folder
}

// Snapshot is what a call has changed, and what was there before.
type Snapshot struct {
	ID           ids.Snapshot     `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	Call         ids.ToolCall     `db:"call_id" json:"call"`
	Run          ids.Run          `db:"run_id" json:"run,omitempty"`
	Turn         string           `db:"turn" json:"turn,omitempty"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation,omitempty"`
	Agent        string           `db:"agent" json:"agent,omitempty"`
	Tool         string           `db:"tool" json:"tool"`
	Folder       string           `db:"folder" json:"folder"`
	State        string           `db:"state" json:"state"`
	Manifest     string           `db:"manifest" json:"-"`
	Changed      int64            `db:"changed" json:"changed"` // paths
	Notes        []string         `db:"notes,json" json:"notes"`
	At           time.Time        `db:"at" json:"at"`
	UndoneBy     ids.User         `db:"undone_by" json:"undone_by,omitempty"`
	UndoneAt     time.Time        `db:"undone_at" json:"undone_at,omitzero"`
}

// manifest is what there was before a call.
type manifest struct {
	Area  area    `json:"area"`
	Cut   bool    `json:"cut,omitempty"` // there was more than could be listed
	Files listing `json:"files"`
}

// difference is one path that a call has changed.
type difference struct {
	Path   string `db:"path"`
	Before entry  `db:"before,json"`
	After  entry  `db:"after,json"`
}

const maxManifest = 64 << 20

// Before keeps what a call may change, before it runs.
func (p *Projects) Before(ctx context.Context, t Touched) error {
	real, err := filepath.EvalSymlinks(t.Folder)
	if err != nil {
		return fmt.Errorf("finding the project folder: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return fmt.Errorf("opening the project folder: %w", err)
	}
	defer root.Close()
	a, notes := areaOf(root, real, t.Paths, t.Anything)
	found, err := p.scan(ctx, root, real, a, true)
	if err != nil {
		return err
	}
	notes = append(notes, found.notes()...)
	text, err := json.Marshal(manifest{a, found.beyond > 0, found.out})
	if err != nil {
		return fmt.Errorf("listing what there is: %w", err)
	}
	sum, _, ok, err := p.blobs.put(bytes.NewReader(text), maxManifest)
	if err != nil || !ok {
		return errors.Join(err, errors.New("keeping the list of what there is"))
	}
	id := ids.New[ids.Snapshot]()
	return p.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, insertSnapshot, id, t.Workspace, t.Call, t.Run, t.Turn, t.Conversation, t.Agent, t.Tool, real, sum, store.JSON(append([]string{}, notes...)), time.Now())
		if err != nil {
			return fmt.Errorf("keeping a snapshot: %w", err)
		}
		return nil
	})
}

// After notes what a call has really changed. A call that changed nothing leaves no snapshot.
func (p *Projects) After(ctx context.Context, ws ids.Workspace, call ids.ToolCall) error {
	open, err := store.All[Snapshot](ctx, p.db.Read(), selectCall, ws, call)
	if err != nil {
		return fmt.Errorf("reading a snapshot: %w", err)
	}
	for _, s := range open {
		if s.State != StateOpen {
			continue
		}
		if err := p.after(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (p *Projects) after(ctx context.Context, s Snapshot) error {
	diffs, notes, err := p.compare(ctx, s)
	if err != nil {
		return err
	}
	return p.db.InTx(ctx, func(tx *store.Tx) error {
		if len(diffs) == 0 {
			_, err := tx.Exec(ctx, dropSnapshot, s.ID)
			return err
		}
		for _, d := range diffs {
			if _, err := tx.Exec(ctx, insertChange, s.ID, s.Workspace, d.Path, store.JSON(d.Before), store.JSON(d.After)); err != nil {
				return fmt.Errorf("noting what a call has changed: %w", err)
			}
		}
		_, err := tx.Exec(ctx, closeSnapshot, len(diffs), store.JSON(notes), s.ID)
		return err
	})
}

// compare lists the area of an open snapshot again and says what differs.
func (p *Projects) compare(ctx context.Context, s Snapshot) ([]difference, []string, error) {
	text, err := p.blobs.get(s.Manifest)
	if err != nil {
		return nil, nil, fmt.Errorf("reading what there was: %w", err)
	}
	var was manifest
	if err := json.Unmarshal(text, &was); err != nil {
		return nil, nil, fmt.Errorf("reading what there was: %w", err)
	}
	root, err := os.OpenRoot(s.Folder)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the project folder: %w", err)
	}
	defer root.Close()
	now, err := p.scan(ctx, root, s.Folder, was.Area, false)
	if err != nil {
		return nil, nil, err
	}
	diffs, err := differences(was, now)
	if err != nil {
		return nil, nil, err
	}
	all := s.Notes
	for _, n := range now.notes() {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return diffs, all, nil
}

// differences compares a manifest with what stands there now. Where one of the two was cut, a path
// that only one of them has proves nothing by itself.
func differences(was manifest, now *scan) ([]difference, error) {
	var diffs []difference
	for name, before := range was.Files {
		if _, listed := now.out[name]; !listed && now.beyond > 0 {
			now.named++
			if err := now.alone(name); err != nil {
				return nil, err
			}
		}
		if after := now.out[name]; !before.same(after) {
			diffs = append(diffs, difference{name, before, after})
		}
	}
	for name, after := range now.out {
		if _, ok := was.Files[name]; !ok && !was.Cut {
			diffs = append(diffs, difference{name, entry{}, after})
		}
	}
	slices.SortFunc(diffs, func(a, b difference) int { return compareText(a.Path, b.Path) })
	return diffs, nil
}

// SnapshotFilter narrows a list of snapshots.
type SnapshotFilter struct {
	page.Query
	Run    ids.Run
	Folder string
}

// Snapshots lists snapshots, the newest first.
func (p *Projects) Snapshots(ctx context.Context, ws ids.Workspace, f SnapshotFilter) (page.Page[Snapshot], error) {
	after, _, err := page.Decode[string](f.Cursor)
	if err != nil {
		return page.Page[Snapshot]{}, err
	}
	rows, err := store.All[Snapshot](ctx, p.db.Read(), listSnapshots, ws, f.Run, f.Run, f.Folder, f.Folder, after, after, f.Size()+1)
	if err != nil {
		return page.Page[Snapshot]{}, fmt.Errorf("listing snapshots: %w", err)
	}
	return page.Of(f.Query, rows, func(s Snapshot) string { return string(s.ID) }), nil
}

// Snapshot is one snapshot.
func (p *Projects) Snapshot(ctx context.Context, ws ids.Workspace, id ids.Snapshot) (Snapshot, error) {
	s, err := store.One[Snapshot](ctx, p.db.Read(), selectSnapshot, ws, id)
	if errors.Is(err, store.ErrNoRows) {
		return s, fault.New(fault.NotFound, "snapshot_not_found", "There is no snapshot %s.", id).
			WithHint("It may have been too old to be kept; GET /api/v1/guard/snapshots lists them.")
	}
	if err != nil {
		return s, fmt.Errorf("reading a snapshot: %w", err)
	}
	return s, nil
}
