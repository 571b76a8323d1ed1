package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/memory/chunks"
	"github.com/fluxway/fluxway/internal/memory/documents"
	"github.com/fluxway/fluxway/internal/store"
)

// indexKind is the job that reads a source.
const indexKind = "memory.index"

// piecesAtOnce is how many pieces of a document are written in one transaction.
const piecesAtOnce = 100

type indexArgs struct {
	Source ids.Source `json:"source"`
}

// Indexed is what came of reading a source.
type Indexed struct {
	Files   int `json:"files"`
	Read    int `json:"read"` // new or changed
	Failed  int `json:"failed"`
	Removed int `json:"removed"`
	Pieces  int `json:"pieces"`
}

func (m *Mind) indexJob(ctx context.Context, task *jobs.Task) (any, error) {
	var args indexArgs
	if err := task.Decode(&args); err != nil {
		return nil, err
	}
	return m.indexSource(ctx, args.Source, func(done, total int, file string) error {
		m.hub.Publish(task.Workspace, Channel, Progressed{args.Source, int64(done), int64(total), file})
		return task.Progress(ctx, int64(done), int64(total), file)
	})
}

// indexSource reads what changed of a source. A document is taken over whole or not at all: until its last
// piece is written its row has no hash, and whoever comes next reads it again.
func (m *Mind) indexSource(ctx context.Context, id ids.Source, progress func(done, total int, file string) error) (out Indexed, err error) {
	s, err := store.One[Source](ctx, m.db.Read(), selectAnySource, id)
	if errors.Is(err, store.ErrNoRows) {
		return out, nil // removed meanwhile
	}
	if err != nil {
		return out, err
	}
	if err := m.setState(ctx, s.ID, "indexing", ""); err != nil {
		return out, err
	}
	out, err = m.readSource(ctx, s, progress)
	if err != nil && context.Cause(ctx) != nil {
		return out, err // stopped: it goes on at the next start
	}
	state, message := "ready", ""
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		state, message = "failed", f.Message
	case err != nil:
		return out, err
	case out.Files > 0 && out.Failed == out.Files:
		state, message = "failed", "None of the files could be read."
	}
	doneErr := m.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, setSourceDone, state, message, time.Now(), time.Now(), s.ID); err != nil {
			return err
		}
		return m.say(ctx, tx, s.Workspace, SourceIndexed{s.ID, out.Files, out.Failed, out.Pieces, state})
	})
	return out, errors.Join(err, doneErr)
}

func (m *Mind) setState(ctx context.Context, id ids.Source, state, message string) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, setSourceState, state, message, time.Now(), id)
		return err
	})
}

func (m *Mind) readSource(ctx context.Context, s Source, progress func(done, total int, file string) error) (out Indexed, err error) {
	body := ""
	if s.Kind == TextSource {
		if body, err = store.One[string](ctx, m.db.Read(), selectBody, s.ID); err != nil {
			return out, err
		}
	}
	items, done, err := m.collect(ctx, s, body)
	defer done()
	if err != nil {
		return out, err
	}
	rows, err := store.All[File](ctx, m.db.Read(), selectFiles, s.ID)
	if err != nil {
		return out, err
	}
	known := make(map[string]File, len(rows))
	for _, f := range rows {
		known[f.Path] = f
	}
	for i, one := range items {
		if err := context.Cause(ctx); err != nil {
			return out, err
		}
		if err := progress(i, len(items), one.path); err != nil {
			return out, err
		}
		f, read, err := m.indexItem(ctx, s, one, known[one.path])
		if err != nil {
			return out, err
		}
		delete(known, one.path)
		out.Files++
		out.Pieces += int(f.Pieces)
		if read {
			out.Read++
		}
		if f.State == "failed" {
			out.Failed++
		}
	}
	for _, gone := range known {
		if err := m.removeFile(ctx, s.Workspace, gone.ID); err != nil {
			return out, err
		}
		out.Removed++
	}
	return out, progress(len(items), len(items), "")
}

// indexItem reads a document unless it is known to be the same. What is wrong with it is kept with it; an
// error is about the server.
func (m *Mind) indexItem(ctx context.Context, s Source, one item, known File) (File, bool, error) {
	if one.stamp != "" && known.Stamp == one.stamp && known.Hash != "" {
		return known, false, nil
	}
	f := File{ID: known.ID, Path: one.path, Stamp: one.stamp, State: "reading"}
	if f.ID == "" {
		f.ID = ids.New[ids.File]()
	}
	doc, err := m.readItem(ctx, one, &f)
	if err == nil && f.Hash == known.Hash {
		known.Stamp = f.Stamp
		return known, false, m.db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, restampFile, f.Stamp, f.ID)
			return err
		})
	}
	if context.Cause(ctx) != nil {
		return f, false, context.Cause(ctx)
	}
	if err != nil {
		return m.failFile(ctx, s, f, err)
	}
	return m.keepDocument(ctx, s, one, f, doc)
}

// readItem reads and hashes a document. One whose hash is known is still parsed only once: here.
func (m *Mind) readItem(ctx context.Context, one item, f *File) (documents.Document, error) {
	if one.err != nil {
		return documents.Document{}, one.err
	}
	in, shut, err := one.open()
	if err != nil {
		return documents.Document{}, err
	}
	defer shut()
	f.Size = in.Size
	doc, err := documents.Read(ctx, in, m.reader.Limits)
	f.Format, f.Title = doc.Format, doc.Title
	if err != nil {
		return doc, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(in.Data, 0, in.Size)); err != nil {
		return doc, unreadable(one.path, err)
	}
	f.Hash = hex.EncodeToString(h.Sum(nil))
	return doc, nil
}

// failFile keeps the reason; what was read of an older version goes.
func (m *Mind) failFile(ctx context.Context, s Source, f File, reason error) (File, bool, error) {
	why := fault.From(reason)
	f.State, f.Code, f.Error, f.Hint, f.Pieces = "failed", why.Code, why.Message, why.Hint, 0
	f.Hash = "failed" // it is tried again when it changes
	if why.Retryable || why.Code == "ocr_missing" || f.Stamp == "" {
		f.Hash = ""
	}
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		if err := m.dropThread(ctx, tx, s.Workspace, string(f.ID)); err != nil {
			return err
		}
		return m.putFile(ctx, tx, s, f)
	})
	return f, true, err
}

func (m *Mind) putFile(ctx context.Context, tx *store.Tx, s Source, f File) error {
	n, err := tx.Exec(ctx, upsertFile, f.ID, f.Path, f.Title, f.Format, f.Size, f.Stamp, f.Hash, f.State, f.Code, f.Error, f.Hint, f.Pieces, time.Now(), s.ID)
	if err != nil {
		return fmt.Errorf("keeping %s: %w", f.Path, err)
	}
	if n == 0 {
		return fault.New(fault.Gone, "source_removed", "The source was removed while it was read.")
	}
	return nil
}

// keepDocument writes the pieces of a document in steps that never hold up the writer for long.
func (m *Mind) keepDocument(ctx context.Context, s Source, one item, f File, doc documents.Document) (File, bool, error) {
	hash := f.Hash
	f.Hash = ""
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		if err := m.dropThread(ctx, tx, s.Workspace, string(f.ID)); err != nil {
			return err
		}
		return m.putFile(ctx, tx, s, f)
	})
	if err != nil {
		return f, false, err
	}
	pieces := m.pieces(s, one, f, doc)
	for start := 0; start < len(pieces); start += piecesAtOnce {
		if err := context.Cause(ctx); err != nil {
			return f, false, err
		}
		batch := pieces[start:min(start+piecesAtOnce, len(pieces))]
		if err := m.db.InTx(ctx, func(tx *store.Tx) error { return m.putNew(ctx, tx, batch...) }); err != nil {
			return f, false, err
		}
	}
	f.State, f.Hash, f.Pieces = "ready", hash, int64(len(pieces))
	return f, true, m.db.InTx(ctx, func(tx *store.Tx) error { return m.putFile(ctx, tx, s, f) })
}

// pieces cuts a document into what is found.
func (m *Mind) pieces(s Source, one item, f File, doc documents.Document) []text {
	now := time.Now()
	var list []text
	for i, c := range chunks.Cut(doc) {
		t := text{
			ID: string(ids.New[ids.Passage]()), Workspace: s.Workspace, Scope: s.Scope, Kind: KindKnowledge, Thread: string(f.ID), Seq: int64(i),
			Title: doc.Title, Text: c.Text, At: now,
			Place: Place{Source: s.ID, Path: one.path, URL: one.url, Page: c.Page, Line: c.Line, EndLine: c.EndLine, Heading: c.Heading},
		}
		if c.Heading != "" && c.Heading != doc.Title {
			t.Title = doc.Title + " > " + c.Heading
		}
		if c.Style == documents.Code {
			t.Language = words.Code
		}
		list = append(list, t)
	}
	return list
}
