package conversations_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// chat is a conversation under test.
type chat struct {
	t    *testing.T
	db   *store.DB
	book *conversations.Book
	who  conversations.Asker
	id   ids.Conversation
}

func newChat(t *testing.T, db *store.DB) *chat {
	t.Helper()
	c := &chat{t: t, db: db, book: newBook(t, db), who: someone(storetest.Workspace())}
	created, err := c.book.Create(t.Context(), c.who, "assistant", "Plans")
	if err != nil {
		t.Fatal(err)
	}
	c.id = created.ID
	return c
}

func (c *chat) add(m conversations.Message) ids.Message {
	c.t.Helper()
	m.Workspace, m.Conversation, m.State = c.who.Workspace, c.id, conversations.Complete
	if m.Role == "" {
		m.Role = providers.RoleUser
	}
	var err error
	if m, err = inTx(c, func(tx *store.Tx) (conversations.Message, error) { return c.book.Add(c.t.Context(), tx, m) }); err != nil {
		c.t.Fatal(err)
	}
	return m.ID
}

func inTx[T any](c *chat, do func(tx *store.Tx) (T, error)) (out T, err error) {
	err = c.db.InTx(c.t.Context(), func(tx *store.Tx) error {
		out, err = do(tx)
		return err
	})
	return out, err
}

func (c *chat) say(text string) ids.Message {
	c.t.Helper()
	return c.add(conversations.Message{Parts: []providers.Part{providers.Text(text)}})
}

// shown is the branch as a client reads it page by page, oldest first.
func (c *chat) shown() string {
	c.t.Helper()
	var texts []string
	q := page.Query{Limit: 2}
	for {
		p, err := c.book.Messages(c.t.Context(), c.who, c.id, q)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, m := range p.Data {
			texts = append([]string{m.Parts[0].Text}, texts...)
		}
		if !p.HasMore {
			return strings.Join(texts, " ")
		}
		q.Cursor = p.NextCursor
	}
}

func (c *chat) show(head ids.Message) error {
	_, err := c.book.Update(c.t.Context(), c.who, c.id, conversations.Change{Head: &head})
	return err
}

func TestBranches(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newChat(t, db)
		a, b := c.say("a"), c.say("b")
		c.say("c")
		d := c.say("d")
		if got := c.shown(); got != "a b c d" {
			t.Fatalf("shown: %s", got)
		}
		c.add(conversations.Message{Parent: b, Parts: []providers.Part{providers.Text("C")}})
		c.say("D")
		if got := c.shown(); got != "a b C D" {
			t.Fatalf("after an edit: %s", got)
		}
		versions, err := c.book.Versions(t.Context(), c.who, c.id, ids.Message(must(c.book.History(t.Context(), c.who.Workspace, c.id, 10))[2].ID))
		if err != nil || len(versions) != 2 || versions[0].Tip != d {
			t.Fatalf("versions %+v, %v", versions, err)
		}
		if err := c.show(versions[0].Tip); err != nil {
			t.Fatal(err)
		}
		if got := c.shown(); got != "a b c d" {
			t.Errorf("back on the first branch: %s", got)
		}
		c.add(conversations.Message{Opens: true, Parts: []providers.Part{providers.Text("A")}})
		if got := c.shown(); got != "A" {
			t.Errorf("the first message said anew: %s", got)
		}
		if err := c.show(a); err != nil {
			t.Fatal(err)
		}
		if got := c.shown(); got != "a" {
			t.Errorf("after going back: %s", got)
		}
		if err := c.show(ids.New[ids.Message]()); !fault.HasCode(err, "message_not_found") {
			t.Errorf("a foreign head: %v", err)
		}
		path, err := c.book.Path(t.Context(), c.who.Workspace, c.id, d, 2)
		if err != nil || len(path) != 2 || path[1].ID != d || path[0].Parts[0].Text != "c" {
			t.Errorf("the path to d: %+v, %v", path, err)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSearch(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newChat(t, db)
		c.say("The budget resets at midnight, and two connections race.")
		c.say("予算は真夜中にリセットされます")
		c.say("Nothing of interest here; Café crème.")
		found := func(who conversations.Asker, query string) int {
			t.Helper()
			list, err := c.book.Search(t.Context(), who, "", query, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				if f.Snippet == "" || f.Conversation != c.id {
					t.Errorf("%q found %+v", query, f)
				}
			}
			return len(list)
		}
		for query, want := range map[string]int{
			"budget": 1, "BUDGET midn": 1, "resets budget": 1, "budget interest": 0, "真夜中": 1, "リセット": 1, "夜": 1, "中夜": 0, "": 0, `"*`: 0,
			`budget" OR "interest`: 0, "race'": 1, "(budget": 1, "budget & !x": 0, "here café": 1,
		} {
			if got := found(c.who, query); got != want {
				t.Errorf("%q found %d, want %d", query, got, want)
			}
		}
		if found(someone(c.who.Workspace), "budget") != 0 || found(someone(storetest.Workspace()), "budget") != 0 {
			t.Error("another person's private words were found")
		}
		if err := c.book.Delete(t.Context(), c.who, c.id); err != nil {
			t.Fatal(err)
		}
		if found(c.who, "budget") != 0 {
			t.Error("deleted words were found")
		}
	})
}

var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00")

func TestAttachments(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newChat(t, db)
		ctx := t.Context()
		image, err := c.book.Attach(ctx, c.who, `C:\pictures\..\p.png`, "image/png", pixel)
		if err != nil || image.Name != "p.png" || image.MediaType != "image/png" {
			t.Fatalf("%+v, %v", image, err)
		}
		note, err := c.book.Attach(ctx, c.who, "n.json", "application/json", []byte(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		use := func(who conversations.Asker, list ...ids.Attachment) ([]providers.Part, error) {
			return inTx(c, func(tx *store.Tx) ([]providers.Part, error) { return c.book.Use(ctx, tx, who, c.id, list) })
		}
		if _, err := use(someone(c.who.Workspace), image.ID); !fault.HasCode(err, "attachment_not_found") {
			t.Errorf("another person's file: %v", err)
		}
		parts, err := use(c.who, image.ID, note.ID)
		if err != nil || len(parts) != 2 || parts[0].Kind != providers.PartImage || len(parts[0].Data) != 0 {
			t.Fatalf("%+v, %v", parts, err)
		}
		loaded, err := c.book.Load(ctx, c.who.Workspace, append([]providers.Part{providers.Text("look")}, parts...))
		if err != nil || len(loaded) != 3 || !bytes.Equal(loaded[1].Data, pixel) || !strings.Contains(loaded[2].Text, `{"a":1}`) {
			t.Errorf("%+v, %v", loaded, err)
		}
		if _, _, err := c.book.Attachment(ctx, someone(c.who.Workspace), image.ID); !fault.HasCode(err, "attachment_not_found") {
			t.Errorf("read by someone else: %v", err)
		}
		for name, content := range map[string][]byte{"x.exe": []byte("MZ\x90\x00\x03\x00\x00\x00\x04"), "lie.png": []byte("not a picture"), "none": nil} {
			if _, err := c.book.Attach(ctx, c.who, name, "image/png", content); err == nil {
				t.Errorf("%s was taken", name)
			}
		}
		if err := c.book.Delete(ctx, c.who, c.id); err != nil {
			t.Fatal(err)
		}
		gone, err := c.book.Load(ctx, c.who.Workspace, parts)
		if err != nil || !strings.Contains(gone[0].Text, "not kept any more") {
			t.Errorf("after deleting: %+v, %v", gone, err)
		}
	})
}

func TestExportImport(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newChat(t, db)
		ctx := t.Context()
		image, err := c.book.Attach(ctx, c.who, "p.png", "", pixel)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := inTx(c, func(tx *store.Tx) ([]providers.Part, error) {
			return c.book.Use(ctx, tx, c.who, c.id, []ids.Attachment{image.ID})
		})
		if err != nil {
			t.Fatal(err)
		}
		first := c.add(conversations.Message{Parts: append([]providers.Part{providers.Text("a")}, parts...)})
		c.say("b")
		c.add(conversations.Message{Parent: first, Role: providers.RoleModel, Author: "assistant", Parts: []providers.Part{providers.Text("B")}})
		file, err := c.book.Export(ctx, c.who, c.id)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		var read conversations.Exported
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		other := someone(storetest.Workspace())
		made, err := c.book.Import(ctx, other, read)
		if err != nil {
			t.Fatal(err)
		}
		copied := &chat{t: t, db: db, book: c.book, who: other, id: made.ID}
		if got := copied.shown(); got != "a B" {
			t.Errorf("imported: %s", got)
		}
		path := must(c.book.History(ctx, other.Workspace, made.ID, 10))
		loaded, err := c.book.Load(ctx, other.Workspace, path[0].Parts)
		if err != nil || !bytes.Equal(loaded[1].Data, pixel) {
			t.Errorf("the picture did not come along: %+v, %v", loaded, err)
		}
		var md strings.Builder
		if err := c.book.Markdown(ctx, c.who, c.id, &md); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"title: \"Plans\"", "## You", "## assistant", "\nB\n", "Attached p.png"} {
			if !strings.Contains(md.String(), want) {
				t.Errorf("no %q in\n%s", want, md.String())
			}
		}
	})
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	book := newBook(t, db)
	msg := func(id, parent, role string, parts ...providers.Part) conversations.Message {
		return conversations.Message{ID: ids.Message(id), Parent: ids.Message(parent), Role: providers.Role(role), State: conversations.Complete, Parts: parts}
	}
	file := func(list ...conversations.Message) conversations.Exported {
		return conversations.Exported{Format: conversations.Format, Version: 1, Messages: list}
	}
	newer := file()
	newer.Version = 99
	for code, files := range map[string][]conversations.Exported{
		"bad_import": {
			{}, {Format: conversations.Format}, file(msg("", "", "user")), file(msg("a", "", "user"), msg("a", "", "user")),
			file(msg("a", "", "king")), file(msg("a", "z", "user")), file(msg("a", "b", "user"), msg("b", "a", "user")),
		},
		"import_too_new":     {newer},
		"dangling_tool_call": {file(msg("a", "", "assistant", providers.Part{Kind: providers.PartToolCall, ID: "c1", Name: "x"}))},
	} {
		for i, f := range files {
			if _, err := book.Import(t.Context(), someone(storetest.Workspace()), f); !fault.HasCode(err, code) {
				t.Errorf("%s %d: %v", code, i, err)
			}
		}
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newChat(t, db)
		ctx, m := t.Context(), c.say("a")
		made, err := c.book.Comment(ctx, c.who, c.id, m, " Well said. ")
		if err != nil || made.Text != "Well said." {
			t.Fatalf("%+v, %v", made, err)
		}
		stranger := someone(c.who.Workspace)
		if _, err := c.book.Comment(ctx, stranger, c.id, m, "x"); !fault.HasCode(err, "conversation_not_found") {
			t.Errorf("a stranger commented: %v", err)
		}
		shared := conversations.Shared
		if _, err := c.book.Update(ctx, c.who, c.id, conversations.Change{Visibility: &shared}); err != nil {
			t.Fatal(err)
		}
		if err := c.book.Uncomment(ctx, stranger, c.id, made.ID); !fault.HasCode(err, "comment_not_found") {
			t.Errorf("a colleague deleted it: %v", err)
		}
		if err := c.book.Uncomment(ctx, c.who, c.id, made.ID); err != nil {
			t.Fatal(err)
		}
		if list, err := c.book.Comments(ctx, stranger, c.id); err != nil || len(list) != 0 {
			t.Errorf("%+v, %v", list, err)
		}
	})
}
