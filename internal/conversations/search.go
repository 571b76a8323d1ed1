package conversations

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	maxWords = 64 << 10 // how much of one message can be found
	maxTerms = 16       // how many words of a query are looked for
)

// learn makes the text of a message findable.
func (b *Book) learn(ctx context.Context, tx *store.Tx, m *Message) error {
	text := Said(m.Parts)
	if text == "" {
		return nil
	}
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "")
	}
	if _, err := tx.Exec(ctx, insertWords, number(m.ID), m.Workspace, m.Conversation, m.ID, words.Join(text)); err != nil {
		return fmt.Errorf("making %s findable: %w", m.ID, err)
	}
	return nil
}

// number is the same for a message in every database.
func number(id ids.Message) int64 {
	sum := sha256.Sum256([]byte(id))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// gap is between the texts of a message.
const gap = "\n\n"

// Said is what people read of a message: its texts, a blank line between them.
func Said(parts []providers.Part) string {
	if len(parts) == 1 && parts[0].Kind == providers.PartText {
		return parts[0].Text
	}
	size := 0
	for i := range parts {
		if p := &parts[i]; p.Kind == providers.PartText && p.Text != "" {
			size += len(p.Text) + len(gap)
		}
	}
	var text strings.Builder
	text.Grow(size)
	for i := range parts {
		p := &parts[i]
		if p.Kind != providers.PartText || p.Text == "" {
			continue
		}
		if text.Len() > 0 {
			text.WriteString(gap)
		}
		text.WriteString(p.Text)
	}
	return text.String()
}

// Found is a message that fits a search.
type Found struct {
	Message      ids.Message      `db:"message_id" json:"message"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation"`
	Title        string           `db:"title" json:"title"`
	Role         providers.Role   `db:"role" json:"role"`
	Author       string           `db:"author" json:"author"`
	Parts        []providers.Part `db:"parts,json" json:"-"`
	Snippet      string           `json:"snippet" doc:"The words around what was found."`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
}

// Search finds messages with all the words, in what the asker may see; the last
// word may be unfinished. An empty conversation means all of them.
func (b *Book) Search(ctx context.Context, who Asker, in ids.Conversation, query string, limit int) ([]Found, error) {
	terms := words.Cut(query)
	terms = terms[:min(len(terms), maxTerms)]
	if len(terms) == 0 {
		return nil, nil
	}
	engine := b.db.Engine().Name
	rows, err := store.All[Found](ctx, b.db.Read(), searchBy[engine], who.Workspace, who.User, in, in, match(engine, terms), limit)
	if err != nil {
		return nil, fmt.Errorf("searching messages: %w", err)
	}
	for i := range rows {
		rows[i].Snippet = snippet(Said(rows[i].Parts), terms)
	}
	return rows, nil
}

// match asks an engine for all the terms, the last as a beginning.
func match(engine string, terms []string) string {
	if engine == "postgres" {
		return strings.Join(terms, " & ") + ":*"
	}
	return `"` + strings.Join(terms, `" "`) + `" *`
}

// The characters shown before and after what was found.
const (
	before = 40
	after  = 120
)

// snippet is one line around the first of the terms.
func snippet(text string, terms []string) string {
	lower := strings.ToLower(text)
	at := 0
	if len(lower) == len(text) { // else the places do not fit each other
		for _, t := range terms {
			if i := strings.Index(lower, strings.ToLower(t)); i >= 0 {
				at = i
				break
			}
		}
	}
	from := back(text, at, before)
	to := from
	for n := 0; to < len(text) && n < before+after; n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	line := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		line = "…" + line
	}
	if to < len(text) {
		line += "…"
	}
	return line
}

// back goes some characters towards the beginning.
func back(text string, at, characters int) int {
	for ; at > 0 && characters > 0; characters-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}
