package conversations_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func newBook(t *testing.T, db *store.DB) *conversations.Book {
	t.Helper()
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := store.NewBodies(store.BodiesOptions{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	book, err := conversations.New(conversations.Options{DB: db, Hub: hub, Bodies: bodies})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func someone(ws ids.Workspace) conversations.Asker {
	return conversations.Asker{Workspace: ws, User: ids.New[ids.User]()}
}

func TestWhoMaySee(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		book, ctx := newBook(t, db), t.Context()
		ws := storetest.Workspace()
		owner, colleague, stranger := someone(ws), someone(ws), someone(storetest.Workspace())
		c, err := book.Create(ctx, owner, "assistant", "Plans")
		if err != nil {
			t.Fatal(err)
		}
		sees := func(who conversations.Asker) bool {
			_, err := book.Get(ctx, who, c.ID)
			if err != nil && !fault.HasCode(err, "conversation_not_found") {
				t.Fatal(err)
			}
			list, err := book.List(ctx, who, conversations.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			if (len(list.Data) == 1) != (err == nil && len(list.Data) == 1) {
				t.Error("List and Get disagree")
			}
			return len(list.Data) == 1
		}
		if !sees(owner) || sees(colleague) || sees(stranger) {
			t.Error("a private conversation is seen by its owner only")
		}
		shared := conversations.Shared
		if _, err := book.Update(ctx, colleague, c.ID, conversations.Change{Visibility: &shared}); !fault.HasCode(err, "conversation_not_found") {
			t.Errorf("a colleague shared a private conversation: %v", err)
		}
		if _, err := book.Update(ctx, owner, c.ID, conversations.Change{Visibility: &shared}); err != nil {
			t.Fatal(err)
		}
		if !sees(colleague) || sees(stranger) {
			t.Error("a shared conversation is seen by the workspace only")
		}
		title := "Mine now"
		if _, err := book.Update(ctx, colleague, c.ID, conversations.Change{Title: &title}); !fault.HasCode(err, "not_owner") {
			t.Errorf("a colleague renamed it: %v", err)
		}
		if err := book.Delete(ctx, colleague, c.ID); !fault.HasCode(err, "not_owner") {
			t.Errorf("a colleague deleted it: %v", err)
		}
		if err := book.Delete(ctx, owner, c.ID); err != nil || sees(owner) {
			t.Errorf("deleting: %v", err)
		}
	})
}

func TestListSearchesPagesAndArchives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		book, ctx, who := newBook(t, db), t.Context(), someone(storetest.Workspace())
		for _, title := range []string{"Alpha 100%", "Beta", "Gamma_one", "alphabet"} {
			if _, err := book.Create(ctx, who, "assistant", title); err != nil {
				t.Fatal(err)
			}
		}
		for search, want := range map[string]int{"": 4, "alpha": 2, "100%": 1, "%": 1, "_": 1, "delta": 0} {
			list, err := book.List(ctx, who, conversations.Filter{Search: search})
			if err != nil || len(list.Data) != want {
				t.Errorf("search %q found %d, %v; want %d", search, len(list.Data), err, want)
			}
		}
		var seen []string
		cursor := ""
		for {
			list, err := book.List(ctx, who, conversations.Filter{Query: page.Query{Limit: 1, Cursor: cursor}})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list.Data {
				seen = append(seen, c.Title)
			}
			if cursor = list.NextCursor; !list.HasMore {
				break
			}
		}
		if strings.Join(seen, ", ") != "alphabet, Gamma_one, Beta, Alpha 100%" {
			t.Errorf("page by page: %v", seen)
		}
		yes := true
		list, err := book.List(ctx, who, conversations.Filter{Search: "beta"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := book.Update(ctx, who, list.Data[0].ID, conversations.Change{Archived: &yes}); err != nil {
			t.Fatal(err)
		}
		for archived, want := range map[bool]int{true: 1, false: 3} {
			if list, err := book.List(ctx, who, conversations.Filter{Archived: archived}); err != nil || len(list.Data) != want {
				t.Errorf("archived=%v: %d, %v; want %d", archived, len(list.Data), err, want)
			}
		}
	})
}

func TestMessages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		book, ctx, who := newBook(t, db), t.Context(), someone(storetest.Workspace())
		c, err := book.Create(ctx, who, "assistant", "Talk")
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{"one", "two", strings.Repeat("long ", 20_000)}
		for _, text := range texts {
			err := db.InTx(ctx, func(tx *store.Tx) error {
				_, err := book.Add(ctx, tx, conversations.Message{Workspace: who.Workspace, Conversation: c.ID, Role: providers.RoleUser,
					Author: string(who.User), State: conversations.Complete, Parts: []providers.Part{providers.Text(text)}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		newest, err := book.Messages(ctx, who, c.ID, page.Query{Limit: 2})
		if err != nil || len(newest.Data) != 2 || !newest.HasMore || newest.Data[1].Parts[0].Text != "two" {
			t.Errorf("newest first: %d messages, %v", len(newest.Data), err)
		}
		history, err := book.History(ctx, who.Workspace, c.ID, 10)
		if err != nil || len(history) != 3 || history[0].Parts[0].Text != "one" {
			t.Errorf("history: %d messages, %v", len(history), err)
		}
		if _, err := book.Messages(ctx, someone(who.Workspace), c.ID, page.Query{}); !fault.HasCode(err, "conversation_not_found") {
			t.Errorf("someone else read them: %v", err)
		}
		if m, err := book.Message(ctx, who, c.ID, history[2].ID); err != nil || m.Parts[0].Text != texts[2] {
			t.Errorf("reading a long one by its id: %v", err)
		}
	})
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      "New chat",
		" \n\t ":                "New chat",
		"Hello  there\nfriend":  "Hello there friend",
		strings.Repeat("é", 90): strings.Repeat("é", 79) + "…",
	} {
		if got := conversations.Title(text); got != want {
			t.Errorf("Title(%.20q) = %q, want %q", text, got, want)
		}
	}
	if got := conversations.Title(strings.Repeat("word ", 40)); utf8.RuneCountInString(got) > 81 || !strings.HasSuffix(got, "word…") {
		t.Errorf("a long text gives %q", got)
	}
}
