package conversations

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Comment is a person's remark on a message; agents do not read it.
type Comment struct {
	ID           ids.Comment      `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation"`
	Message      ids.Message      `db:"message_id" json:"message"`
	User         ids.User         `db:"user_id" json:"user"`
	Text         string           `db:"text" json:"text"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
}

// MaxComment bounds the text of one comment.
const MaxComment = 4 << 10

// Comment remarks on a message of a conversation the asker may see. Its owner and those the text names (@login) who may see it
// are told.
func (b *Book) Comment(ctx context.Context, who Asker, conversation ids.Conversation, message ids.Message, text string) (Comment, error) {
	about, err := b.Get(ctx, who, conversation)
	if err != nil {
		return Comment{}, err
	}
	if _, err := b.message(ctx, who.Workspace, conversation, message); err != nil {
		return Comment{}, err
	}
	if text = strings.TrimSpace(text); text == "" || len(text) > MaxComment {
		return Comment{}, fault.New(fault.Invalid, "bad_comment", "A comment has between 1 and %d bytes.", MaxComment).WithParam("text").WithHint("Write a sentence or two.")
	}
	c := Comment{
		ID: ids.New[ids.Comment](), Workspace: who.Workspace, Conversation: conversation, Message: message, User: who.User, Text: text,
		CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	told, err := b.concerned(ctx, about, c)
	if err != nil {
		return Comment{}, err
	}
	return c, b.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, insertComment, c.ID, c.Workspace, c.Conversation, c.Message, c.User, c.Text, c.CreatedAt); err != nil {
			return fmt.Errorf("commenting on %s: %w", message, err)
		}
		for _, user := range told {
			if err := b.hub.Append(ctx, tx, who.Workspace, events.NotificationChannel(user), Mentioned{c, about.Title}); err != nil {
				return err
			}
		}
		return b.hub.Append(ctx, tx, who.Workspace, Channel(conversation), Commented{c})
	})
}

// mention is a login behind an @ that begins a word, and maxMentions how many of a comment are looked up.
var mention = regexp.MustCompile(`(?:^|[\s(,;:])@([a-z0-9][a-z0-9._@+-]{0,63})`)

const maxMentions = 20

// concerned lists who is told of a comment: the owner of the conversation and who is named in it, but for who wrote it. Who
// may not see the conversation is not told that it exists.
func (b *Book) concerned(ctx context.Context, about Conversation, c Comment) ([]ids.User, error) {
	var told []ids.User
	tell := func(user ids.User) {
		if user != "" && user != c.User && !slices.Contains(told, user) && (user == about.User || about.Visibility == Shared) {
			told = append(told, user)
		}
	}
	tell(about.User)
	if b.named == nil {
		return told, nil
	}
	for _, found := range mention.FindAllStringSubmatch(strings.ToLower(c.Text), maxMentions) {
		user, err := b.named(ctx, c.Workspace, strings.TrimRight(found[1], "._@+-")) // the end of a sentence is not part of a name
		if err != nil {
			return nil, fmt.Errorf("looking for @%s: %w", found[1], err)
		}
		tell(user)
	}
	return told, nil
}

// Comments reads all remarks on a conversation, oldest first.
func (b *Book) Comments(ctx context.Context, who Asker, conversation ids.Conversation) ([]Comment, error) {
	if _, err := b.Get(ctx, who, conversation); err != nil {
		return nil, err
	}
	rows, err := store.All[Comment](ctx, b.db.Read(), listComments, conversation, who.Workspace)
	if err != nil {
		return nil, fmt.Errorf("reading the comments of %s: %w", conversation, err)
	}
	return rows, nil
}

// Uncomment takes a remark back; only who made it may. Whoever was told of it is told of that too.
func (b *Book) Uncomment(ctx context.Context, who Asker, conversation ids.Conversation, id ids.Comment) error {
	about, err := b.Get(ctx, who, conversation)
	if err != nil {
		return err
	}
	c, err := store.One[Comment](ctx, b.db.Read(), selectComment, id, conversation, who.Workspace, who.User)
	if errors.Is(err, store.ErrNoRows) {
		return commentNotFound(id)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", id, err)
	}
	told, err := b.concerned(ctx, about, c)
	if err != nil {
		return err
	}
	return b.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, deleteComment, id, conversation, who.Workspace, who.User)
		if err != nil {
			return fmt.Errorf("deleting %s: %w", id, err)
		}
		if n == 0 {
			return commentNotFound(id)
		}
		for _, user := range told {
			if err := b.hub.Append(ctx, tx, who.Workspace, events.NotificationChannel(user), CommentDeleted{id}); err != nil {
				return err
			}
		}
		return b.hub.Append(ctx, tx, who.Workspace, Channel(conversation), CommentDeleted{id})
	})
}

func commentNotFound(id ids.Comment) error {
	return fault.New(fault.NotFound, "comment_not_found", "There is no comment %s of yours.", id).WithHint("Load the comments again.")
}
