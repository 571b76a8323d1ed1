package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// Place says where in its source a passage stands, to cite it by.
type Place struct {
	Conversation ids.Conversation `json:"conversation,omitempty"`
	Message      ids.Message      `json:"message,omitempty"`
	Run          ids.Run          `json:"run,omitempty"`
	Source       ids.Source       `json:"source,omitempty"`
	Path         string           `json:"path,omitempty"`
	URL          string           `json:"url,omitempty"`
	Page         int              `json:"page,omitempty"`
	Line         int              `json:"line,omitempty"` // the first, from 1
	EndLine      int              `json:"end_line,omitempty"`
	Heading      string           `json:"heading,omitempty"`
	Author       string           `json:"author,omitempty"` // of a turn: user or agent
}

// text is one piece that can be found by its words and its meaning.
type text struct {
	Num       int64         `db:"num"`
	ID        string        `db:"id"`
	Workspace ids.Workspace `db:"workspace_id"`
	Scope
	Kind     Kind           `db:"kind"`
	Space    string         `db:"space"`
	Thread   string         `db:"thread"`
	Seq      int64          `db:"seq"`
	Title    string         `db:"title"`
	Place    Place          `db:"place,json"`
	Text     string         `db:"text"`
	Words    string         `db:"words"`
	Length   int64          `db:"length"`
	Language words.Language `db:"language"`
	Embedder string         `db:"embedder"`
	At       time.Time      `db:"at"`
}

// longestWords bounds the words a piece is found by.
const longestWords = 4000

// prepare works out what a text is found by.
func (t *text) prepare() {
	list := words.Cut(t.Title + "\n" + t.Text)
	if len(list) > longestWords {
		list = list[:longestWords]
	}
	t.Words, t.Length = strings.Join(list, " "), int64(len(list))
	t.Space = space(t.Workspace, t.Scope, t.Kind)
	if t.Language == "" {
		t.Language = words.Guess(t.Text)
	}
}

// numbers gives texts numbers that rise: the time, and a few bits of this process.
type numbers struct {
	mu   sync.Mutex // guards last
	last int64
	own  int64 // differs between processes, most of the time
}

const ownBits = 12

func (n *numbers) next() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	num := time.Now().UnixMicro()<<ownBits | n.own
	if num <= n.last {
		num = n.last + 1<<ownBits
	}
	n.last = num
	return num
}

// put adds texts of one space, or replaces those of the same ids. They can be
// found by their words as soon as the transaction is committed, and by their
// meaning once the job that embeds them was there.
func (m *Mind) put(ctx context.Context, tx *store.Tx, list ...text) error {
	for _, t := range list {
		if err := m.drop(ctx, tx, t.Workspace, t.ID); err != nil {
			return err
		}
	}
	return m.putNew(ctx, tx, list...)
}

// putNew is put for texts of any spaces whose ids are new.
func (m *Mind) putNew(ctx context.Context, tx *store.Tx, list ...text) error {
	if len(list) == 0 {
		return nil
	}
	grown := map[string]*growth{}
	for i := range list {
		t := &list[i]
		t.prepare()
		place, err := json.Marshal(t.Place)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertText, m.numbers.next(), t.ID, t.Workspace, t.User, t.Agent, t.Project, t.Kind, t.Space, t.Thread, t.Seq,
			t.Title, string(place), t.Text, t.Words, t.Length, t.Language, "", t.At); err != nil {
			return fmt.Errorf("keeping %s findable: %w", t.ID, err)
		}
		g := grown[t.Space]
		if g == nil {
			g = &growth{of: t}
			grown[t.Space] = g
		}
		g.texts++
		g.words += t.Length
	}
	for name, g := range grown {
		_, err := tx.Exec(ctx, growSpace, name, g.of.Workspace, g.of.User, g.of.Agent, g.of.Project, g.of.Kind, g.texts, g.words)
		if err != nil {
			return fmt.Errorf("counting %s: %w", name, err)
		}
	}
	return m.embedLater(ctx, tx)
}

// growth is how much is added to the space of a text.
type growth struct {
	of           *text
	texts, words int64
}

// dropped is what is known of a text that goes.
type dropped struct {
	ID     string `db:"id"`
	Space  string `db:"space"`
	Length int64  `db:"length"`
}

// drop takes texts out of every index; those that are not there are ignored.
func (m *Mind) drop(ctx context.Context, tx *store.Tx, ws ids.Workspace, list ...string) error {
	for _, id := range list {
		rows, err := store.All[dropped](ctx, tx, selectDropped, id, ws)
		if err != nil {
			return err
		}
		if err := m.dropRows(ctx, tx, ws, rows); err != nil {
			return fmt.Errorf("dropping %s: %w", id, err)
		}
	}
	return nil
}

// dropThread takes all pieces of a file or conversation out.
func (m *Mind) dropThread(ctx context.Context, tx *store.Tx, ws ids.Workspace, thread string) error {
	rows, err := store.All[dropped](ctx, tx, selectThread, thread, ws)
	if err != nil {
		return err
	}
	if err := m.dropRows(ctx, tx, ws, rows); err != nil {
		return fmt.Errorf("dropping the pieces of %s: %w", thread, err)
	}
	return nil
}

func (m *Mind) dropRows(ctx context.Context, tx *store.Tx, ws ids.Workspace, rows []dropped) error {
	gone := map[string][]string{}
	for _, r := range rows {
		if _, err := tx.Exec(ctx, deleteText, r.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, shrinkSpace, 1, r.Length, r.Space); err != nil {
			return err
		}
		gone[r.Space] = append(gone[r.Space], r.ID)
	}
	if m.index == nil {
		return nil
	}
	for name, list := range gone {
		if err := m.index.Delete(ctx, tx, Partition{Workspace: ws, Scope: name}, list...); err != nil {
			return err
		}
	}
	return nil
}
