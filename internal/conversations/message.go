package conversations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/events"
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
	Notes        *Notes           `db:"notes,json" json:"notes,omitempty"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
	// Versions is how many messages answer the same one, this included.
	Versions int `db:"versions" json:"versions,omitempty"`
	// Opens says that the message stands at the beginning, whatever was said before.
	Opens bool `json:"-"`
}

// Notes is what is kept with a message and was not said.
type Notes struct {
	Recalled    []Recalled `json:"recalled,omitempty" doc:"What the agent remembered when it answered."`
	Suggestions []string   `json:"suggestions,omitempty" doc:"What one could ask next."`
	Cost        *int64     `json:"cost_micros,omitempty" doc:"What the answer cost in micro-dollars; left out when unknown."`
	Calls       []CallNote `json:"calls,omitempty" doc:"Of the tool calls in parts, in their order: what is known beside the result."`
}

// CallNote is what is known of a tool call beside what went in and came out.
type CallNote struct {
	Call      string          `json:"call" doc:"The id of its parts."`
	Title     string          `json:"title,omitempty"`
	Code      string          `json:"code,omitempty" doc:"Of the error."`
	StartedAt time.Time       `json:"started_at,omitzero"`
	TookMs    int64           `json:"took_ms"`
	Meta      json.RawMessage `json:"meta,omitempty" doc:"What the tool says about the result, as a diff; left out when it is long."`
}

// Recalled is something remembered, with where it came from.
type Recalled struct {
	ID     string  `json:"id"`
	Kind   string  `json:"kind"` // fact, knowledge
	Text   string  `json:"text"`
	Source string  `json:"source,omitempty" doc:"Where it stands, for people."`
	Score  float64 `json:"score,omitempty"`
	// Conversation and Message are where it was said, if it was.
	Conversation ids.Conversation `json:"conversation,omitempty"`
	Message      ids.Message      `json:"message,omitempty"`
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

// Add stores a message in the caller's transaction and makes it the newest one
// that is shown. ID, CreatedAt and Parent are set when they are empty.
func (b *Book) Add(ctx context.Context, tx *store.Tx, m Message) (Message, error) {
	if m.ID == "" {
		m.ID = ids.New[ids.Message]()
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = time.Now().UTC().Truncate(time.Microsecond)
	}
	if m.Parent == "" && !m.Opens {
		head, err := store.One[ids.Message](ctx, tx, selectHead, m.Conversation, m.Workspace)
		if err != nil && !errors.Is(err, store.ErrNoRows) {
			return m, fmt.Errorf("reading the head of %s: %w", m.Conversation, err)
		}
		m.Parent = head
	}
	w, err := m.write()
	if err != nil {
		return m, err
	}
	if err := b.insert(ctx, tx, &m, &w); err != nil {
		return m, err
	}
	if _, err := tx.Exec(ctx, touchConversation, m.CreatedAt, m.ID, m.Conversation, m.Workspace); err != nil {
		return m, fmt.Errorf("touching %s: %w", m.Conversation, err)
	}
	return m, b.added(ctx, tx, &m, &w)
}

// added says that a message was added, with the message unless it is long.
func (b *Book) added(ctx context.Context, tx *store.Tx, m *Message, w *written) error {
	if len(w.fact) <= maxEventMessage {
		return b.hub.AppendEncoded(tx, m.Workspace, Channel(m.Conversation), []events.Encoded{{Kind: MessageAdded{}.Kind(), Data: w.fact}})
	}
	return b.hub.Append(ctx, tx, m.Workspace, Channel(m.Conversation), MessageAdded{ID: m.ID})
}

func (b *Book) insert(ctx context.Context, tx *store.Tx, m *Message, w *written) error {
	_, err := tx.Exec(ctx, insertMessage, m.ID, m.Workspace, m.Conversation, m.Parent, m.Run, m.Role, m.Author, m.State, m.Model,
		w.parts, w.usage, w.notes, m.CreatedAt)
	if err != nil {
		return fmt.Errorf("adding a message: %w", err)
	}
	return b.learn(ctx, tx, m)
}

// Annotate replaces the notes of a message.
func (b *Book) Annotate(ctx context.Context, tx *store.Tx, ws ids.Workspace, conversation ids.Conversation, id ids.Message, notes Notes) error {
	f := Annotated{id, notes}
	fact, err := b.hub.Encode(f)
	if err != nil {
		return err
	}
	n, err := tx.Exec(ctx, updateNotes, f.notesIn(fact.Data), id, conversation, ws)
	if err != nil || n == 0 { // deleted meanwhile
		return err
	}
	return b.hub.AppendEncoded(tx, ws, Channel(conversation), []events.Encoded{fact})
}

// Messages reads the branch of a conversation that is shown, the newest message first.
func (b *Book) Messages(ctx context.Context, who Asker, id ids.Conversation, q page.Query) (page.Page[Message], error) {
	c, err := b.Get(ctx, who, id)
	if err != nil {
		return page.Page[Message]{}, err
	}
	after, more, err := page.Decode[ids.Message](q.Cursor)
	if err != nil {
		return page.Page[Message]{}, err
	}
	from, extra := c.Head, 0
	if more {
		from, extra = after, 1 // the path begins at the message read last
	}
	rows, err := store.All[Message](ctx, b.db.Read(), selectPath, from, id, who.Workspace, q.Size()+extra)
	if err != nil {
		return page.Page[Message]{}, fmt.Errorf("reading the messages of %s: %w", id, err)
	}
	return page.Of(q, rows[min(extra, len(rows)):], func(m Message) ids.Message { return m.ID }), nil
}

// Message reads one message of a conversation the asker may see.
func (b *Book) Message(ctx context.Context, who Asker, conversation ids.Conversation, id ids.Message) (Message, error) {
	if _, err := b.Get(ctx, who, conversation); err != nil {
		return Message{}, err
	}
	return b.message(ctx, who.Workspace, conversation, id)
}

func (b *Book) message(ctx context.Context, ws ids.Workspace, conversation ids.Conversation, id ids.Message) (Message, error) {
	m, err := store.One[Message](ctx, b.db.Read(), selectMessage, id, conversation, ws)
	if errors.Is(err, store.ErrNoRows) {
		return m, messageNotFound(id)
	}
	return m, err
}

// Has says whether a conversation has a message.
func (b *Book) Has(ctx context.Context, tx *store.Tx, ws ids.Workspace, conversation ids.Conversation, id ids.Message) (bool, error) {
	_, err := store.One[Message](ctx, tx, selectMessage, id, conversation, ws)
	if errors.Is(err, store.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Show makes the branch of a message the one that is shown, up to its newest message.
func (b *Book) Show(ctx context.Context, tx *store.Tx, ws ids.Workspace, conversation ids.Conversation, id ids.Message) (Conversation, error) {
	c, err := store.One[Conversation](ctx, tx, selectForWork, conversation, ws)
	if errors.Is(err, store.ErrNoRows) {
		return c, notFound(conversation)
	}
	if err != nil {
		return c, fmt.Errorf("reading %s: %w", conversation, err)
	}
	path, err := store.All[ids.Message](ctx, tx, selectPathIDs, c.Head, conversation, ws)
	if err != nil || slices.Contains(path, id) {
		return c, err // it is shown already
	}
	if c.Head, err = store.One[ids.Message](ctx, tx, selectTip, id); err != nil {
		return c, fmt.Errorf("reading the branch of %s: %w", id, err)
	}
	return c, b.write(ctx, tx, c)
}

// Path reads the last n messages that led to one, itself included, oldest first.
func (b *Book) Path(ctx context.Context, ws ids.Workspace, id ids.Conversation, to ids.Message, n int) ([]Message, error) {
	rows, err := store.All[Message](ctx, b.db.Read(), selectPath, to, id, ws, n-1)
	if err != nil {
		return nil, fmt.Errorf("reading what led to %s: %w", to, err)
	}
	slices.Reverse(rows)
	return rows, nil
}

// Versions reads the messages that answer the same one as id does, oldest first.
func (b *Book) Versions(ctx context.Context, who Asker, conversation ids.Conversation, id ids.Message) ([]MessageVersion, error) {
	m, err := b.Message(ctx, who, conversation, id)
	if err != nil {
		return nil, err
	}
	rows, err := store.All[MessageVersion](ctx, b.db.Read(), listVersions, conversation, who.Workspace, m.Parent)
	if err != nil {
		return nil, fmt.Errorf("reading the versions of %s: %w", id, err)
	}
	for i := range rows {
		if rows[i].Tip, err = store.One[ids.Message](ctx, b.db.Read(), selectTip, rows[i].ID); err != nil {
			return nil, fmt.Errorf("reading the branch of %s: %w", rows[i].ID, err)
		}
	}
	return rows, nil
}

// MessageVersion is one of several messages in the same place.
type MessageVersion struct {
	ID        ids.Message  `db:"id" json:"id"`
	Tip       ids.Message  `json:"tip" doc:"The newest message of its branch: the head that shows it."`
	Author    string       `db:"author" json:"author"`
	State     MessageState `db:"state" json:"state"`
	Model     string       `db:"model" json:"model,omitempty"`
	CreatedAt time.Time    `db:"created_at" json:"created_at"`
}

// branch checks that a head belongs to the conversation; empty goes back to before the first message.
func (b *Book) branch(ctx context.Context, tx *store.Tx, c Conversation, head ids.Message) (ids.Message, error) {
	if head == "" {
		return "", nil
	}
	_, err := store.One[Message](ctx, tx, selectMessage, head, c.ID, c.Workspace)
	if errors.Is(err, store.ErrNoRows) {
		return "", messageNotFound(head).WithParam("head")
	}
	return head, err
}

func messageNotFound(id ids.Message) *fault.Fault {
	return fault.New(fault.NotFound, "message_not_found", "There is no message %s.", id).WithHint("Load the conversation again.")
}

// History reads the last n messages of the branch that is shown, oldest first.
func (b *Book) History(ctx context.Context, ws ids.Workspace, id ids.Conversation, n int) ([]Message, error) {
	head, err := store.One[ids.Message](ctx, b.db.Read(), selectHead, id, ws)
	if err != nil {
		return nil, fmt.Errorf("reading the head of %s: %w", id, err)
	}
	return b.Path(ctx, ws, id, head, n)
}
