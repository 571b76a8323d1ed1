package conversations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Message is one thing said.
type Message struct {
	ID           ids.Message      `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation"`
	Parent       ids.Message      `db:"parent_id" json:"parent,omitempty"`
	Run          ids.Run          `db:"run_id" json:"run,omitempty"`
	Role         providers.Role   `db:"role" json:"role"`
	Author       string           `db:"author" json:"author"`
	State        MessageState     `db:"state" json:"state"`
	Model        string           `db:"model" json:"model,omitempty"`
	Parts        []providers.Part `db:"parts,json" json:"parts"`
	Usage        *providers.Usage `db:"usage,json" json:"usage,omitempty"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
}

// MessageState says whether a message is whole.
type MessageState string

// The states of a message.
const (
	Complete MessageState = "complete"
	Stopped  MessageState = "stopped" // someone stopped the answer; what came is kept
	Failed   MessageState = "failed"  // it broke off; what came is kept
)

// MaxMessage bounds the text of one message.
const MaxMessage = 4 << 20

// Add stores a message in the caller's transaction. ID and CreatedAt are set
// when they are empty.
func (b *Book) Add(ctx context.Context, tx *store.Tx, m Message) (Message, error) {
	if m.ID == "" {
		m.ID = ids.New[ids.Message]()
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.Now().UTC().Truncate(time.Microsecond)
	}
	var usage any
	if m.Usage != nil {
		usage = store.JSON(m.Usage)
	}
	_, err := tx.Exec(ctx, insertMessage, m.ID, m.Workspace, m.Conversation, m.Parent, m.Run, m.Role, m.Author, m.State, m.Model,
		store.JSON(m.Parts), usage, m.CreatedAt)
	if err != nil {
		return m, fmt.Errorf("adding a message: %w", err)
	}
	if _, err := tx.Exec(ctx, touchConversation, m.CreatedAt, m.Conversation, m.Workspace); err != nil {
		return m, fmt.Errorf("touching %s: %w", m.Conversation, err)
	}
	added := MessageAdded{ID: m.ID, Message: &m}
	if text, err := json.Marshal(m); err != nil || len(text) > maxEventMessage {
		added.Message = nil
	}
	return m, b.hub.Append(ctx, tx, m.Workspace, Channel(m.Conversation), added)
}

// Messages reads a conversation's messages, the newest first.
func (b *Book) Messages(ctx context.Context, who Asker, id ids.Conversation, q page.Query) (page.Page[Message], error) {
	if _, err := b.Get(ctx, who, id); err != nil {
		return page.Page[Message]{}, err
	}
	after, _, err := page.Decode[ids.Message](q.Cursor)
	if err != nil {
		return page.Page[Message]{}, err
	}
	rows, err := store.All[Message](ctx, b.db.Read(), listMessages, id, who.Workspace, after, after, q.Size()+1)
	if err != nil {
		return page.Page[Message]{}, fmt.Errorf("reading the messages of %s: %w", id, err)
	}
	return page.Of(q, rows, func(m Message) ids.Message { return m.ID }), nil
}

// Message reads one message of a conversation the asker may see.
func (b *Book) Message(ctx context.Context, who Asker, conversation ids.Conversation, id ids.Message) (Message, error) {
	if _, err := b.Get(ctx, who, conversation); err != nil {
		return Message{}, err
	}
	m, err := store.One[Message](ctx, b.db.Read(), selectMessage, id, conversation, who.Workspace)
	if errors.Is(err, store.ErrNoRows) {
		return m, fault.New(fault.NotFound, "message_not_found", "There is no message %s.", id).WithHint("Load the conversation again.")
	}
	return m, err
}

// History reads the last n messages of a conversation, oldest first, as a run
// needs them.
func (b *Book) History(ctx context.Context, ws ids.Workspace, id ids.Conversation, n int) ([]Message, error) {
	rows, err := store.All[Message](ctx, b.db.Read(), listMessages, id, ws, "", "", n)
	if err != nil {
		return nil, fmt.Errorf("reading the history of %s: %w", id, err)
	}
	for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows, nil
}
