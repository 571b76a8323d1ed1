package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// watcher has sources read again when their files change.
type watcher struct {
	m       *Mind
	notify  *fsnotify.Watcher
	folders map[string][]Source      // what is watched, and for whom
	due     map[ids.Source]time.Time // changed, and to be read once it is quiet
	looked  time.Time
}

const (
	lookEvery   = 30 * time.Second // for sources that came or went on another server
	quietFor    = 500 * time.Millisecond
	mostWatched = 5000 // folders
)

func (m *Mind) newWatcher() (*watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil { // the system has no watches left: everything else works
		m.log.Warn("folders are not watched", "part", "memory", "err", err)
		return &watcher{m: m}, nil
	}
	return &watcher{m: m, notify: n, folders: map[string][]Source{}, due: map[ids.Source]time.Time{}}, nil
}

func (w *watcher) close() {
	if w.notify != nil {
		if err := w.notify.Close(); err != nil {
			w.m.log.Warn("watches not closed", "part", "memory", "err", err)
		}
	}
}

// changes is nil, and so never ready, where nothing can be watched.
func (w *watcher) changes() <-chan fsnotify.Event {
	if w.notify == nil {
		return nil
	}
	return w.notify.Events
}

// tend looks for new sources now and then, and has read what changed and is quiet again.
func (w *watcher) tend(ctx context.Context) {
	if w.notify == nil {
		return
	}
	if time.Since(w.looked) > lookEvery {
		w.look(ctx)
	}
	for id, at := range w.due {
		if time.Now().Before(at) {
			continue
		}
		err := w.m.reindexChanged(ctx, id)
		if errors.Is(err, errBusy) { // what changed may be read already: look again when it is through
			w.due[id] = time.Now().Add(quietFor)
			continue
		}
		delete(w.due, id)
		if err != nil && ctx.Err() == nil {
			w.m.log.WarnContext(ctx, "a changed source is not queued", "part", "memory", "source", id, "err", err)
		}
	}
}

// look finds out which folders to watch.
func (w *watcher) look(ctx context.Context) {
	if w.notify == nil {
		return
	}
	w.looked = time.Now()
	sources, err := store.All[Source](ctx, w.m.db.Read(), selectWatched)
	if err != nil {
		if ctx.Err() == nil {
			w.m.log.WarnContext(ctx, "watched sources not listed", "part", "memory", "err", err)
		}
		return
	}
	wanted := map[string][]Source{}
	for _, s := range sources {
		for _, folder := range w.foldersOf(s) {
			wanted[folder] = append(wanted[folder], s)
		}
	}
	for folder := range w.folders {
		if wanted[folder] == nil {
			_ = w.notify.Remove(folder) // it may be gone, which is as good
		}
	}
	for folder := range wanted {
		if w.folders[folder] == nil {
			if err := w.notify.Add(folder); err != nil {
				w.m.log.WarnContext(ctx, "a folder is not watched", "part", "memory", "folder", folder, "err", err)
				delete(wanted, folder)
			}
		}
	}
	w.folders = wanted
}

// foldersOf lists the folders of a source, since watches do not reach below.
func (w *watcher) foldersOf(s Source) []string {
	root := s.Location
	switch s.Kind {
	case FileSource:
		return []string{filepath.Dir(root)}
	case GlobSource:
		root, _ = globRoot(root)
	}
	if !filepath.IsAbs(root) {
		return nil
	}
	var list []string
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read cannot be watched
		case !d.IsDir():
			return nil
		case at != root && (strings.HasPrefix(d.Name(), ".") || skipped[d.Name()]):
			return filepath.SkipDir
		case len(list) >= mostWatched:
			return filepath.SkipAll
		}
		list = append(list, at)
		return nil
	})
	if err != nil {
		return nil
	}
	return list
}

// changed notes a change, to be looked at once it is quiet.
func (w *watcher) changed(ctx context.Context, event fsnotify.Event) {
	for _, s := range w.folders[filepath.Dir(event.Name)] {
		if s.Kind == FileSource && event.Name != s.Location {
			continue
		}
		w.due[s.ID] = time.Now().Add(quietFor - quietFor/20) // the timer that looks again may be a little early
	}
	if info, err := os.Stat(event.Name); err == nil && info.IsDir() && event.Has(fsnotify.Create) {
		w.look(ctx)
	}
}

// rewatch has the watcher look again, once what changed is committed.
func (m *Mind) rewatch(tx *store.Tx) {
	tx.AfterCommit(func() {
		select {
		case m.watch <- struct{}{}:
		default:
		}
	})
}

// reindexChanged queues a source on behalf of nobody.
func (m *Mind) reindexChanged(ctx context.Context, id ids.Source) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		list, err := store.All[Source](ctx, tx, selectAnySource, id)
		if err != nil || len(list) == 0 {
			return err
		}
		if list[0].State == "indexing" {
			return errBusy
		}
		return m.queueIndex(ctx, tx, list[0])
	})
}

var errBusy = errors.New("memory: the source is being read")
