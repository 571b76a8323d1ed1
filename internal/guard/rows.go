package guard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	journalEvery = 100 * time.Millisecond
	journalRows  = 512 // that wait at the most; then the one who adds the next writes them all
	journalGlob  = "calls-*.journal"
)

// journal keeps rows of calls in a file until the database takes them in groups: a commit costs more than most
// calls. What is in the file survives the process.
type journal struct {
	dir  string
	wake chan struct{} // holds one: there are rows

	flushing sync.Mutex // one flush at a time; before mu

	mu   sync.Mutex // guards the fields below
	file *os.File
	rows []journalRow
	line bytes.Buffer
}

// journalRow is a line of the file.
type journalRow struct {
	Workspace ids.Workspace `json:"workspace"`
	ToolCall
}

func newJournal(dir string) (*journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the journal: %w", err)
	}
	return &journal{dir: dir, wake: make(chan struct{}, 1)}, nil
}

// add keeps a row; it says how many wait.
func (j *journal) add(c ToolCall) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		f, err := os.OpenFile(filepath.Join(j.dir, "calls-"+string(ids.New[ids.ToolCall]())+".journal"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return 0, fmt.Errorf("beginning a journal of calls: %w", err)
		}
		j.file = f
	}
	row := journalRow{c.Workspace, c}
	j.line.Reset()
	if err := json.NewEncoder(&j.line).Encode(row); err != nil {
		return 0, fmt.Errorf("writing a call down: %w", err)
	}
	if _, err := j.file.Write(j.line.Bytes()); err != nil {
		return 0, fmt.Errorf("writing to the journal of calls: %w", err)
	}
	j.rows = append(j.rows, row)
	select {
	case j.wake <- struct{}{}:
	default:
	}
	return len(j.rows), nil
}

// take gives the rows that wait, and the file that holds them.
func (j *journal) take() ([]journalRow, *os.File) {
	j.mu.Lock()
	defer j.mu.Unlock()
	rows, file := j.rows, j.file
	j.rows, j.file = nil, nil
	return rows, file
}

// back puts rows that could not be written before those that came since.
func (j *journal) back(rows []journalRow) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rows = append(rows, j.rows...)
}

// Flush writes what waits in the journal into the database.
func (g *Guard) Flush(ctx context.Context) error {
	if g.journal == nil {
		return nil
	}
	g.journal.flushing.Lock()
	defer g.journal.flushing.Unlock()
	rows, file := g.journal.take()
	if len(rows) == 0 {
		return nil
	}
	if err := g.writeRows(ctx, rows); err != nil {
		g.journal.back(rows) // and the file stays, for the next start
		if file != nil {
			_ = file.Close()
		}
		return err
	}
	if file == nil {
		return nil
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return fmt.Errorf("ending a journal of calls: %w", err)
	}
	return nil
}

// writeRows writes rows in one transaction; of a call that began and ended meanwhile only the end.
func (g *Guard) writeRows(ctx context.Context, rows []journalRow) error {
	last := make(map[ids.ToolCall]int, len(rows))
	for i, r := range rows {
		last[r.ID] = i
	}
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		for i, r := range rows {
			if last[r.ID] != i {
				continue
			}
			r.ToolCall.Workspace = r.Workspace
			if err := insertCallRow(ctx, tx, r.ToolCall); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing the journal of calls: %w", err)
	}
	return nil
}

// replay writes what a process that died has left.
func (g *Guard) replay(ctx context.Context) error {
	if g.journal == nil {
		return nil
	}
	g.journal.flushing.Lock()
	defer g.journal.flushing.Unlock()
	files, err := filepath.Glob(filepath.Join(g.journal.dir, journalGlob))
	if err != nil {
		return err
	}
	g.journal.mu.Lock() // after the list, so that a file begun since is not on it
	current := ""
	if g.journal.file != nil {
		current = g.journal.file.Name()
	}
	g.journal.mu.Unlock()
	slices.Sort(files)
	for _, name := range files {
		if name == current {
			continue
		}
		rows, err := readJournal(name)
		if err != nil {
			return err
		}
		if err := g.writeRows(ctx, rows); err != nil {
			return err
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("ending a journal of calls: %w", err)
		}
	}
	return nil
}

// readJournal reads the whole lines of a file; the last may have been cut off with the process.
func readJournal(name string) ([]journalRow, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading a journal of calls: %w", err)
	}
	defer f.Close()
	var rows []journalRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r journalRow
		if json.Unmarshal(lines.Bytes(), &r) == nil && r.ID != "" {
			rows = append(rows, r)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading a journal of calls: %w", err)
	}
	return rows, nil
}

// keepJournal writes rows a moment after they came, until ctx ends.
func (g *Guard) keepJournal(ctx context.Context) {
	if g.journal == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := g.Flush(last); err != nil {
				g.log.ErrorContext(last, "calls stay in the journal until the next start", "part", "guard", "err", err)
			}
			return
		case <-g.journal.wake:
		}
		timer := time.NewTimer(journalEvery)
		select {
		case <-ctx.Done():
		case <-timer.C:
			if err := g.Flush(ctx); err != nil && ctx.Err() == nil {
				g.log.WarnContext(ctx, "calls wait in the journal", "part", "guard", "err", err)
			}
		}
		timer.Stop()
	}
}
