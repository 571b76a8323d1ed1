package memory

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/store"
)

// SourceKind is what sort of place knowledge is read from.
type SourceKind string

// The kinds of sources.
const (
	FileSource   SourceKind = "file"
	FolderSource SourceKind = "folder"
	GlobSource   SourceKind = "glob"
	URLSource    SourceKind = "url"
	TextSource   SourceKind = "text" // pasted
	GitSource    SourceKind = "git"
)

// SourceOptions narrow what is read of a source.
type SourceOptions struct {
	Include []string `json:"include,omitempty"` // globs over paths below the folder; none: all that can be read
	Exclude []string `json:"exclude,omitempty"`
	Branch  string   `json:"branch,omitempty"` // of a repository
}

// Source is where knowledge is read from.
type Source struct {
	ID        ids.Source    `db:"id" json:"id"`
	Workspace ids.Workspace `db:"workspace_id" json:"-"`
	Scope
	Kind      SourceKind    `db:"kind" json:"kind"`
	Location  string        `db:"location" json:"location,omitempty"`
	Title     string        `db:"title" json:"title"`
	Options   SourceOptions `db:"options,json" json:"options"`
	Watch     bool          `db:"watch" json:"watch"`
	State     string        `db:"state" json:"state"` // queued, indexing, ready, failed
	Error     string        `db:"error" json:"error,omitempty"`
	CreatedBy ids.User      `db:"created_by" json:"created_by,omitempty"`
	CreatedAt time.Time     `db:"created_at" json:"created_at"`
	UpdatedAt time.Time     `db:"updated_at" json:"updated_at"`
	IndexedAt time.Time     `db:"indexed_at" json:"indexed_at,omitzero"`
	Files     int64         `db:"files" json:"files"`
	Failed    int64         `db:"failed" json:"failed"`
	Pieces    int64         `db:"pieces" json:"pieces"`
}

// NewSource is something to read.
type NewSource struct {
	Scope
	Kind     SourceKind // "": told by Location
	Location string
	Title    string
	Text     string // of a TextSource
	SourceOptions
	Watch bool
	// Local says that the caller is on this machine and may read any folder here that the server may.
	Local bool
}

const longestPaste = 8 << 20

// AddSource keeps a source and has it read in the background.
func (m *Mind) AddSource(ctx context.Context, o Owner, in NewSource) (Source, error) {
	if err := o.sees(in.Scope); err != nil {
		return Source{}, err
	}
	if err := m.checkSource(&in); err != nil {
		return Source{}, err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	s := Source{
		ID: ids.New[ids.Source](), Workspace: o.Workspace, Scope: in.Scope, Kind: in.Kind, Location: in.Location, Title: in.Title, Options: in.SourceOptions,
		Watch: in.Watch, State: "queued", CreatedBy: o.User, CreatedAt: now, UpdatedAt: now,
	}
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, insertSource, s.ID, s.Workspace, s.User, s.Agent, s.Project, s.Kind, s.Location, s.Title, store.JSON(s.Options), in.Text, s.Watch,
			s.State, "", s.CreatedBy, s.CreatedAt, s.UpdatedAt); err != nil {
			return err
		}
		if err := m.queueIndex(ctx, tx, s); err != nil {
			return err
		}
		m.rewatch(tx)
		return m.say(ctx, tx, s.Workspace, SourceAdded{s.ID})
	})
	if err != nil {
		return Source{}, fmt.Errorf("adding a source: %w", err)
	}
	return s, nil
}

func (m *Mind) queueIndex(ctx context.Context, tx *store.Tx, s Source) error {
	_, err := m.queue.Enqueue(ctx, tx, jobs.Request{Workspace: s.Workspace, Kind: indexKind, Args: indexArgs{s.ID}, UniqueKey: string(s.ID)})
	return err
}

// checkSource finds out what a source is, and refuses what cannot or must not be read.
func (m *Mind) checkSource(in *NewSource) error {
	if in.Kind == "" {
		in.Kind = kindOfLocation(*in)
	}
	for _, glob := range append(in.Include[:len(in.Include):len(in.Include)], in.Exclude...) {
		if _, err := globPattern(glob); err != nil {
			return fault.New(fault.Invalid, "bad_glob", "%q is not a pattern for paths.", glob).WithParam("include")
		}
	}
	switch in.Kind {
	case TextSource:
		return m.checkText(in)
	case URLSource, GitSource:
		if in.Kind == GitSource && filepath.IsAbs(in.Location) {
			break
		}
		return m.checkURL(in)
	case FileSource, FolderSource, GlobSource:
	default:
		return fault.New(fault.Invalid, "unknown_source", "There is no kind of source %q.", in.Kind).WithParam("kind").
			WithHint("The kinds are file, folder, glob, url, text and git.")
	}
	in.Location = filepath.Clean(in.Location)
	if !filepath.IsAbs(in.Location) {
		return fault.New(fault.Invalid, "path_not_absolute", "The path must begin at the root.").WithParam("location").WithHint("Write it as /home/anna/notes.")
	}
	if in.Title == "" {
		in.Title = filepath.Base(in.Location)
	}
	root := in.Location
	if in.Kind == GlobSource {
		root, _ = globRoot(in.Location)
	}
	return m.mayRead(root, in.Local)
}

func kindOfLocation(in NewSource) SourceKind {
	at := in.Location
	switch {
	case in.Text != "":
		return TextSource
	case strings.HasSuffix(at, ".git") || strings.HasPrefix(at, "git@"):
		return GitSource
	case strings.HasPrefix(at, "http://"), strings.HasPrefix(at, "https://"):
		return URLSource
	case strings.ContainsAny(at, "*?["):
		return GlobSource
	}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		return FolderSource
	}
	return FileSource
}

func (m *Mind) checkText(in *NewSource) error {
	switch {
	case strings.TrimSpace(in.Text) == "":
		return fault.New(fault.Invalid, "text_missing", "There is no text.").WithParam("text")
	case len(in.Text) > longestPaste:
		return fault.New(fault.TooLarge, "text_too_long", "Pasted text has at most %d MB.", longestPaste>>20).WithParam("text").WithHint("Put it into a file.")
	}
	in.Location = ""
	if in.Title == "" {
		line, _, _ := strings.Cut(strings.TrimSpace(in.Text), "\n")
		in.Title = cut(strings.TrimLeft(line, "# "), 80)
	}
	return nil
}

func (m *Mind) checkURL(in *NewSource) error {
	if m.net == nil {
		return fault.New(fault.Unsupported, "no_network", "This server reads nothing from the web.")
	}
	if in.Kind == GitSource && !strings.HasPrefix(in.Location, "https://") && !strings.HasPrefix(in.Location, "http://") {
		return fault.New(fault.Unsupported, "git_address", "Repositories are read over https, or from a folder of this machine.").WithParam("location")
	}
	u, err := safenet.Parse(in.Location)
	if err != nil {
		return err
	}
	in.Location = u.String()
	if in.Title == "" {
		in.Title = u.Host + strings.TrimSuffix(u.EscapedPath(), "/")
		if plain, err := url.PathUnescape(in.Title); err == nil {
			in.Title = plain
		}
	}
	return nil
}

// mayRead refuses folders that are never read, and those a caller from elsewhere was not given.
func (m *Mind) mayRead(path string, local bool) error {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) && local {
		return fault.New(fault.NotFound, "path_not_found", "There is nothing at %s.", path).WithParam("location")
	}
	if err != nil {
		real = path
	}
	for _, folder := range m.rules.Forbidden {
		if within(real, realPath(folder)) {
			return fault.New(fault.Forbidden, "path_forbidden", "%s holds the server's own data and is never read.", path).WithParam("location")
		}
	}
	if local {
		return nil
	}
	for _, folder := range m.rules.Folders {
		if within(real, realPath(folder)) {
			if err != nil {
				return fault.New(fault.NotFound, "path_not_found", "There is nothing at %s.", path).WithParam("location")
			}
			return nil
		}
	}
	return fault.New(fault.Forbidden, "path_not_allowed", "Knowledge may not be read from there.").WithParam("location").
		WithHint("An administrator can allow the folder in memory.folders, or add it with fluxway knowledge add on the server itself.")
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Source reads one that someone may see.
func (m *Mind) Source(ctx context.Context, o Owner, id ids.Source) (Source, error) {
	return m.source(ctx, m.db.Read(), o, id)
}

func (m *Mind) source(ctx context.Context, q store.Querier, o Owner, id ids.Source) (Source, error) {
	s, err := store.One[Source](ctx, q, selectSource, id, o.Workspace, o.User)
	if errors.Is(err, store.ErrNoRows) {
		return s, fault.New(fault.NotFound, "source_not_found", "There is no source %s.", id).WithHint("List the sources.")
	}
	return s, err
}

// Sources lists what someone may see, newest first.
func (m *Mind) Sources(ctx context.Context, o Owner, q page.Query) (page.Page[Source], error) {
	after, _, err := page.Decode[string](q.Cursor)
	if err != nil {
		return page.Page[Source]{}, err
	}
	rows, err := store.All[Source](ctx, m.db.Read(), listSources, o.Workspace, o.User, after, after, q.Size()+1)
	if err != nil {
		return page.Page[Source]{}, fmt.Errorf("listing sources: %w", err)
	}
	return page.Of(q, rows, func(s Source) string { return string(s.ID) }), nil
}

// Reindex has a source read again: what changed, or everything.
func (m *Mind) Reindex(ctx context.Context, o Owner, id ids.Source, everything bool) (Source, error) {
	var s Source
	err := m.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if s, err = m.source(ctx, tx, o, id); err != nil {
			return err
		}
		if everything {
			if _, err := tx.Exec(ctx, staleFiles, id); err != nil {
				return err
			}
		}
		s.State = "queued"
		if _, err := tx.Exec(ctx, setSourceState, s.State, s.Error, time.Now(), id); err != nil {
			return err
		}
		return m.queueIndex(ctx, tx, s)
	})
	if err != nil {
		return Source{}, err
	}
	return s, nil
}

// SourceChange is what to change of a source; nil leaves as it is.
type SourceChange struct {
	Title            *string
	Watch            *bool
	Include, Exclude *[]string
	Branch           *string
	Text             *string // of a TextSource
}

// ChangeSource edits a source; it is read again where other documents belong to it now.
func (m *Mind) ChangeSource(ctx context.Context, o Owner, id ids.Source, change SourceChange) (Source, error) {
	var s Source
	err := m.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if s, err = m.source(ctx, tx, o, id); err != nil {
			return err
		}
		body, read, err := m.changed(ctx, tx, &s, change)
		if err != nil {
			return err
		}
		s.UpdatedAt = time.Now().UTC().Truncate(time.Microsecond)
		if _, err := tx.Exec(ctx, updateSource, s.Title, s.Watch, store.JSON(s.Options), body, s.State, s.UpdatedAt, s.ID); err != nil {
			return err
		}
		m.rewatch(tx)
		if !read {
			return nil
		}
		return m.queueIndex(ctx, tx, s)
	})
	if err != nil {
		return Source{}, err
	}
	return s, nil
}

// changed lays a change over a source, and says whether it must be read again. body is the text of one that was pasted.
func (m *Mind) changed(ctx context.Context, q store.Querier, s *Source, change SourceChange) (body string, read bool, err error) {
	if body, err = store.One[string](ctx, q, selectBody, s.ID); err != nil {
		return "", false, err
	}
	in := NewSource{Kind: s.Kind, Location: s.Location, Title: s.Title, Text: body, SourceOptions: s.Options, Local: true}
	if change.Title != nil {
		in.Title = strings.TrimSpace(*change.Title)
	}
	if change.Watch != nil {
		s.Watch = *change.Watch
	}
	if change.Include != nil {
		in.Include, read = *change.Include, true
	}
	if change.Exclude != nil {
		in.Exclude, read = *change.Exclude, true
	}
	if change.Branch != nil {
		in.Branch, read = *change.Branch, true
	}
	if change.Text != nil {
		if s.Kind != TextSource {
			return "", false, fault.New(fault.Conflict, "not_pasted", "Only pasted text can be changed here.").WithParam("text").WithHint("Change the file, then index again.")
		}
		in.Text, read = *change.Text, true
	}
	if err := m.checkSource(&in); err != nil {
		return "", false, err
	}
	s.Title, s.Options = in.Title, in.SourceOptions
	if read {
		s.State = "queued"
	}
	return in.Text, read, nil
}

// RemoveSource deletes a source and what was read of it; the files themselves stay.
func (m *Mind) RemoveSource(ctx context.Context, o Owner, id ids.Source) error {
	files, err := store.All[ids.File](ctx, m.db.Read(), selectFileIDs, id)
	if err != nil {
		return err
	}
	if _, err := m.Source(ctx, o, id); err != nil {
		return err
	}
	for _, file := range files { // each in its own transaction: a source may be large
		if err := m.removeFile(ctx, o.Workspace, file); err != nil {
			return err
		}
	}
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		rest, err := store.All[ids.File](ctx, tx, selectFileIDs, id) // read meanwhile
		if err != nil {
			return err
		}
		for _, file := range rest {
			if err := m.dropThread(ctx, tx, o.Workspace, string(file)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, deleteSource, id); err != nil {
			return err
		}
		m.rewatch(tx)
		return m.say(ctx, tx, o.Workspace, SourceRemoved{id})
	})
}

func (m *Mind) removeFile(ctx context.Context, ws ids.Workspace, id ids.File) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		if err := m.dropThread(ctx, tx, ws, string(id)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, deleteFile, id)
		return err
	})
}

// File is one document of a source, and what came of reading it.
type File struct {
	ID        ids.File  `db:"id" json:"id"`
	Path      string    `db:"path" json:"path"`
	Title     string    `db:"title" json:"title,omitempty"`
	Format    string    `db:"format" json:"format,omitempty"`
	Size      int64     `db:"size" json:"size"`
	State     string    `db:"state" json:"state"` // ready, failed or reading
	Code      string    `db:"code" json:"code,omitempty"`
	Error     string    `db:"error" json:"error,omitempty"`
	Hint      string    `db:"hint" json:"hint,omitempty"`
	Pieces    int64     `db:"pieces" json:"pieces"`
	IndexedAt time.Time `db:"indexed_at" json:"indexed_at"`
	Stamp     string    `db:"stamp" json:"-"`
	Hash      string    `db:"hash" json:"-"`
}

// FileFilter narrows a list of files.
type FileFilter struct {
	page.Query
	State string // "": all
}

// Files lists the documents of a source by path.
func (m *Mind) Files(ctx context.Context, o Owner, id ids.Source, f FileFilter) (page.Page[File], error) {
	if _, err := m.Source(ctx, o, id); err != nil {
		return page.Page[File]{}, err
	}
	after, _, err := page.Decode[string](f.Cursor)
	if err != nil {
		return page.Page[File]{}, err
	}
	rows, err := store.All[File](ctx, m.db.Read(), listFiles, id, f.State, f.State, after, f.Size()+1)
	if err != nil {
		return page.Page[File]{}, fmt.Errorf("listing the files of %s: %w", id, err)
	}
	return page.Of(f.Query, rows, func(f File) string { return f.Path }), nil
}
