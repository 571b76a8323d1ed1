package conversations_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestMentions: whoever is concerned by a comment is told once, and nobody who may not see the conversation.
func TestMentions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, err := events.New(events.Options{DB: db})
		if err != nil {
			t.Fatal(err)
		}
		ctx, owner := t.Context(), someone(storetest.Workspace())
		ada, bob := someone(owner.Workspace), someone(owner.Workspace)
		logins := map[string]ids.User{"ada": ada.User, "bob.b": bob.User, "owner": owner.User}
		named := func(_ context.Context, ws ids.Workspace, login string) (ids.User, error) {
			if ws != owner.Workspace {
				t.Errorf("asked about another workspace")
			}
			return logins[login], nil
		}
		book, err := conversations.New(conversations.Options{DB: db, Hub: hub, Named: named})
		if err != nil {
			t.Fatal(err)
		}
		c := &chat{t: t, db: db, book: book, who: owner}
		created, err := book.Create(ctx, owner, "assistant", "Plans")
		if err != nil {
			t.Fatal(err)
		}
		c.id = created.ID
		message := c.say("a")
		remark := func(who conversations.Asker, text string) ids.Comment {
			t.Helper()
			made, err := book.Comment(ctx, who, c.id, message, text)
			if err != nil {
				t.Fatal(err)
			}
			return made.ID
		}
		told := func(who conversations.Asker) (texts []string) {
			t.Helper()
			list, err := hub.List(ctx, events.Query{Workspace: who.Workspace, Channels: []string{events.NotificationChannel(who.User)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range list.Data {
				if record.Kind == (conversations.CommentDeleted{}).Kind() {
					texts = append(texts, "taken back")
					continue
				}
				var said conversations.Mentioned
				if err := json.Unmarshal(record.Data, &said); err != nil || record.Kind != said.Kind() || said.Title != "Plans" {
					t.Errorf("%s %s, %v", record.Kind, record.Data, err)
				}
				texts = append(texts, said.Comment.Text)
			}
			return texts
		}

		remark(owner, "@ada cannot see this yet")
		if got := told(ada); len(got) != 0 {
			t.Errorf("told of a private conversation: %q", got)
		}
		shared := conversations.Shared
		if _, err := book.Update(ctx, owner, c.id, conversations.Change{Visibility: &shared}); err != nil {
			t.Fatal(err)
		}
		look := remark(owner, "Look, @Ada and (@bob.b), and @ada again; not mail@bob.b, not @nobody.")
		remark(ada, "Thanks, @owner. Not me: @ada")
		remark(bob, "Seen.")
		for name, want := range map[string]struct {
			who conversations.Asker
			n   int
		}{"ada": {ada, 1}, "bob": {bob, 1}, "the owner, named or not": {owner, 2}} {
			if got := told(want.who); len(got) != want.n {
				t.Errorf("%s was told %d times, not %d: %q", name, len(got), want.n, got)
			}
		}
		if err := book.Uncomment(ctx, ada, c.id, look); !fault.HasCode(err, "comment_not_found") {
			t.Errorf("another's comment is taken back: %v", err)
		}
		if err := book.Uncomment(ctx, owner, c.id, look); err != nil {
			t.Fatal(err)
		}
		for _, who := range []conversations.Asker{ada, bob} {
			if got := told(who); !slices.Contains(got, "taken back") {
				t.Errorf("not told that it was taken back: %q", got)
			}
		}
	})
}
