package conversations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// Visibility says who in the workspace may see a conversation.
type Visibility string

// The visibilities.
const (
	Private Visibility = "private"   // its owner
	Shared  Visibility = "workspace" // everyone in the workspace
)

// Conversation is what was said, kept.
type Conversation struct {
	ID         ids.Conversation `db:"id" json:"id"`
	Workspace  ids.Workspace    `db:"workspace_id" json:"-"`
	User       ids.User         `db:"user_id" json:"user"`
	Agent      string           `db:"agent" json:"agent"`
	Title      string           `db:"title" json:"title"`
	Visibility Visibility       `db:"visibility" json:"visibility"`
	Pinned     bool             `db:"pinned" json:"pinned"`
	Archived   bool             `db:"archived" json:"archived"`
	Head       ids.Message      `db:"head_id" json:"head,omitempty" doc:"The newest message of the branch that is shown."`
	Summary    string           `db:"summary" json:"summary,omitempty"`
	Project    string           `db:"project" json:"project,omitempty" doc:"The project its agent works in."`
	CreatedAt  time.Time        `db:"created_at" json:"created_at"`
	UpdatedAt  time.Time        `db:"updated_at" json:"updated_at"`
}

// Asker is who wants to see or change something.
type Asker struct {
	Workspace ids.Workspace
	User      ids.User
}

// Options are what a Book needs.
type Options struct {
	DB     *store.DB     // required
	Hub    *events.Hub   // required
	Bodies *store.Bodies // for attachments; nil: there are none
	// Deleted hears of a conversation that is going, in the transaction that deletes it; nil: nobody listens.
	Deleted func(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation) error
	// Named finds a member of a workspace by login, "" for nobody; nil: nobody can be mentioned.
	Named func(ctx context.Context, ws ids.Workspace, login string) (ids.User, error)
}

// Book holds all conversations.
type Book struct {
	db     *store.DB
	hub    *events.Hub
	bodies *store.Bodies

	deleted func(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation) error
	named   func(ctx context.Context, ws ids.Workspace, login string) (ids.User, error)
}

// New makes a Book.
func New(opts Options) (*Book, error) {
	if opts.DB == nil || opts.Hub == nil {
		return nil, errors.New("conversations: Options.DB and Options.Hub are required")
	}
	b := &Book{db: opts.DB, hub: opts.Hub, bodies: opts.Bodies, deleted: opts.Deleted, named: opts.Named}
	if b.bodies != nil {
		b.db.AddRetention(store.Retention{Name: "conversations_attachments", Prune: b.pruneLoose})
	}
	return b, nil
}

// Open adds a conversation in the caller's transaction.
func (b *Book) Open(ctx context.Context, tx *store.Tx, who Asker, agent, title string) (Conversation, error) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	c := Conversation{
		ID: ids.New[ids.Conversation](), Workspace: who.Workspace, User: who.User, Agent: agent,
		Title: Title(title), Visibility: Private, CreatedAt: now, UpdatedAt: now,
	}
	_, err := tx.Exec(ctx, insertConversation, c.ID, c.Workspace, c.User, c.Agent, c.Title, c.Visibility, c.Pinned, c.Archived,
		c.Head, c.Summary, c.Project, c.CreatedAt, c.UpdatedAt)
	if err != nil {
		return c, fmt.Errorf("opening a conversation: %w", err)
	}
	return c, b.hub.Append(ctx, tx, c.Workspace, Channel(c.ID), Created{c})
}

// Create opens a conversation in a transaction of its own.
func (b *Book) Create(ctx context.Context, who Asker, agent, title string) (c Conversation, err error) {
	err = b.db.InTx(ctx, func(tx *store.Tx) error {
		c, err = b.Open(ctx, tx, who, agent, title)
		return err
	})
	return c, err
}

// Get reads a conversation that the asker may see; any other is not found.
func (b *Book) Get(ctx context.Context, who Asker, id ids.Conversation) (Conversation, error) {
	return b.get(ctx, b.db.Read(), who, id)
}

func (b *Book) get(ctx context.Context, q store.Querier, who Asker, id ids.Conversation) (Conversation, error) {
	c, err := store.One[Conversation](ctx, q, selectConversation, id, who.Workspace, who.User)
	if errors.Is(err, store.ErrNoRows) {
		return c, notFound(id)
	}
	if err != nil {
		return c, fmt.Errorf("reading %s: %w", id, err)
	}
	return c, nil
}

// Filter narrows a list of conversations.
type Filter struct {
	page.Query
	Search   string // words in the title
	Archived bool
}

type key struct {
	At int64            `json:"at"`
	ID ids.Conversation `json:"id"`
}

// List reads the conversations the asker may see, the last used first.
func (b *Book) List(ctx context.Context, who Asker, f Filter) (page.Page[Conversation], error) {
	after, _, err := page.Decode[key](f.Cursor)
	if err != nil {
		return page.Page[Conversation]{}, err
	}
	like := "%" + likeEscape.Replace(strings.ToLower(f.Search)) + "%"
	rows, err := store.All[Conversation](ctx, b.db.Read(), listConversations, who.Workspace, f.Archived, who.User,
		f.Search, like, after.At, after.At, after.At, after.ID, f.Size()+1)
	if err != nil {
		return page.Page[Conversation]{}, fmt.Errorf("listing conversations: %w", err)
	}
	return page.Of(f.Query, rows, func(c Conversation) key { return key{c.UpdatedAt.UnixMicro(), c.ID} }), nil
}

var likeEscape = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// Change is what may be changed; nil leaves a field as it is.
type Change struct {
	Title      *string     `json:"title,omitempty"`
	Visibility *Visibility `json:"visibility,omitempty"`
	Pinned     *bool       `json:"pinned,omitempty"`
	Archived   *bool       `json:"archived,omitempty"`
	Summary    *string     `json:"summary,omitempty"`
	Project    *string     `json:"project,omitempty"`
	// Head shows another branch, or goes back to an earlier message of this one.
	Head *ids.Message `json:"head,omitempty"`
}

// Update changes a conversation; only its owner may.
func (b *Book) Update(ctx context.Context, who Asker, id ids.Conversation, change Change) (c Conversation, err error) {
	if change.Visibility != nil && *change.Visibility != Private && *change.Visibility != Shared {
		return c, fault.New(fault.Invalid, "bad_visibility", "%q is not a visibility.", *change.Visibility).WithParam("visibility").WithHint("Use private or workspace.")
	}
	err = b.db.InTx(ctx, func(tx *store.Tx) error {
		if c, err = b.get(ctx, tx, who, id); err != nil {
			return err
		}
		if c.User != who.User {
			return fault.New(fault.Forbidden, "not_owner", "Only its owner can change this conversation.").WithHint("Ask them, or start your own.")
		}
		if change.Title != nil {
			c.Title = Title(*change.Title)
		}
		c.Visibility = *cmp.Or(change.Visibility, &c.Visibility)
		c.Pinned = *cmp.Or(change.Pinned, &c.Pinned)
		c.Archived = *cmp.Or(change.Archived, &c.Archived)
		c.Summary = *cmp.Or(change.Summary, &c.Summary)
		c.Project = *cmp.Or(change.Project, &c.Project)
		if change.Head != nil {
			if c.Head, err = b.branch(ctx, tx, c, *change.Head); err != nil {
				return err
			}
		}
		return b.write(ctx, tx, c)
	})
	return c, err
}

func (b *Book) write(ctx context.Context, tx *store.Tx, c Conversation) error {
	_, err := tx.Exec(ctx, updateConversation, c.Title, c.Visibility, c.Pinned, c.Archived, c.Head, c.Summary, c.Project, c.UpdatedAt, c.ID, c.Workspace, c.User)
	if err != nil {
		return fmt.Errorf("changing %s: %w", c.ID, err)
	}
	return b.hub.Append(ctx, tx, c.Workspace, Channel(c.ID), Changed{c})
}

// Entitle gives a conversation the title and summary that were made for it, if
// it still has the one it began with.
func (b *Book) Entitle(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation, from, title, summary string) error {
	c, err := store.One[Conversation](ctx, tx, selectForWork, id, ws)
	if errors.Is(err, store.ErrNoRows) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", id, err)
	}
	if c.Title == Title(from) && title != "" {
		c.Title = Title(title)
	}
	c.Summary = cmp.Or(summary, c.Summary)
	return b.write(ctx, tx, c)
}

// Delete removes a conversation and its messages for good; only its owner may.
func (b *Book) Delete(ctx context.Context, who Asker, id ids.Conversation) error {
	return b.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := b.get(ctx, tx, who, id); err != nil {
			return err
		}
		if err := b.empty(ctx, tx, who.Workspace, id); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, deleteConversation, id, who.Workspace, who.User)
		if err != nil {
			return fmt.Errorf("deleting %s: %w", id, err)
		}
		if n == 0 {
			return fault.New(fault.Forbidden, "not_owner", "Only its owner can delete this conversation.").WithHint("Ask them.")
		}
		if b.deleted != nil {
			if err := b.deleted(ctx, tx, who.Workspace, id); err != nil {
				return fmt.Errorf("telling that %s is deleted: %w", id, err)
			}
		}
		return b.hub.Append(ctx, tx, who.Workspace, Channel(id), Deleted{id})
	})
}

// empty deletes what belongs to a conversation.
func (b *Book) empty(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation) error {
	if b.bodies != nil {
		bodies, err := store.All[ids.Body](ctx, tx, listBodies, id, ws)
		if err != nil {
			return fmt.Errorf("reading the attachments of %s: %w", id, err)
		}
		if err := b.bodies.Delete(ctx, tx, ws, bodies...); err != nil {
			return err
		}
	}
	for _, statement := range []string{deleteMessages, deleteWords, deleteComments, deleteAttachments} {
		if _, err := tx.Exec(ctx, statement, id, ws); err != nil {
			return fmt.Errorf("deleting what belongs to %s: %w", id, err)
		}
	}
	return nil
}

// maxTitle is in characters.
const maxTitle = 80

// Title makes a title of the first words of a text.
func Title(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "New chat"
	}
	title := words[0]
	for _, w := range words[1:] {
		if utf8.RuneCountInString(title)+1+utf8.RuneCountInString(w) > maxTitle {
			return clip(title) + "…"
		}
		title += " " + w
	}
	return clip(title)
}

func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxTitle {
		return s
	}
	return string([]rune(s)[:maxTitle-1]) + "…"
}

func notFound(id ids.Conversation) error {
	return fault.New(fault.NotFound, "conversation_not_found", "There is no conversation %s.", id).
		WithHint("GET /api/v1/conversations lists the ones you can see.")
}

// Gone says whether a conversation was deleted meanwhile.
func (b *Book) Gone(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation) (bool, error) {
	n, err := store.One[int](ctx, tx, countConversation, id, ws)
	return n == 0, err
}
