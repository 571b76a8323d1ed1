package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	keepNotes = 180 * 24 * time.Hour
	maxNotes  = 200 // in one conversation
)

// notes is what an agent writes down for itself, by conversation.
type notes struct{ db *store.DB }

func newNotes(db *store.DB) notes {
	for name, statement := range map[string]string{"tools_todos": pruneTodos, "tools_scratch": pruneNotes} {
		db.AddRetention(store.Retention{Name: name, Keep: keepNotes, Prune: func(ctx context.Context, before time.Time) (int64, error) {
			return db.Prune(ctx, statement, before)
		}})
	}
	return notes{db}
}

func (n notes) tools() []tools.Tool {
	changes := func(name, title string) tools.Spec {
		return tools.Spec{Name: name, Title: title, Level: tools.Public, Repeatable: true}
	}
	looks := func(name, title string) tools.Spec {
		return tools.Spec{Name: name, Title: title, Level: tools.Public, ReadOnly: true, Repeatable: true}
	}
	return []tools.Tool{
		define(changes("todo_write", "Write the to-do list"),
			`{"items":{"type":"array","maxItems":100,"items":{"type":"object","additionalProperties":false,"required":["text","state"],
			  "properties":{"text":{"type":"string","minLength":1,"maxLength":1000},"state":{"enum":["pending","active","done"]}}}}}`, []string{"items"}, scoped(n.writeTodos)),
		define(looks("todo_read", "Read the to-do list"), `{}`, nil, scoped(n.readTodos)),
		define(changes("scratch_write", "Keep a note"),
			`{"name":{"type":"string","minLength":1,"maxLength":100},"text":{"type":"string","maxLength":200000}}`, []string{"name", "text"}, scoped(n.writeNote)),
		define(looks("scratch_read", "Read a note"), `{"name":{"type":"string","maxLength":100}}`, nil, scoped(n.readNote)),
	}
}

// scoped refuses a call that belongs to no conversation and no run, which would share its notes with strangers.
func scoped[T any](do func(context.Context, tools.Call, T) (tools.Result, error)) func(context.Context, tools.Call, T) (tools.Result, error) {
	return func(ctx context.Context, call tools.Call, args T) (tools.Result, error) {
		if call.Scope() == "" || call.Workspace == "" {
			return tools.Result{}, fault.New(fault.Conflict, "no_conversation", "Notes belong to a conversation, and there is none here.")
		}
		return do(ctx, call, args)
	}
}

// todo is one thing to do.
type todo struct {
	Text  string `db:"text" json:"text"`
	State string `db:"state" json:"state"`
}

type todoArgs struct {
	Items []todo `json:"items"`
}

func (n notes) writeTodos(ctx context.Context, call tools.Call, a todoArgs) (tools.Result, error) {
	now := time.Now()
	err := n.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, deleteTodos, call.Workspace, call.Scope()); err != nil {
			return err
		}
		for i, item := range a.Items {
			if _, err := tx.Exec(ctx, insertTodo, call.Workspace, call.Scope(), i, item.Text, item.State, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return tools.Result{}, fmt.Errorf("writing the list: %w", err)
	}
	return todoList(a.Items), nil
}

func (n notes) readTodos(ctx context.Context, call tools.Call, _ none) (tools.Result, error) {
	items, err := store.All[todo](ctx, n.db.Read(), selectTodos, call.Workspace, call.Scope())
	if err != nil {
		return tools.Result{}, fmt.Errorf("reading the list: %w", err)
	}
	return todoList(items), nil
}

var marks = map[string]string{"pending": "[ ] ", "active": "[>] ", "done": "[x] "}

func todoList(items []todo) tools.Result {
	if len(items) == 0 {
		return tools.Says("[Nothing to do.]")
	}
	var b strings.Builder
	for _, i := range items {
		b.WriteString(marks[i.State] + i.Text + "\n")
	}
	r := tools.Says(strings.TrimSuffix(b.String(), "\n"))
	r.Meta = map[string]any{"todos": items}
	return r
}

type noteArgs struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// note is one line of the list of notes.
type note struct {
	Name string `db:"name"`
	Size int64  `db:"size"`
}

func (n notes) writeNote(ctx context.Context, call tools.Call, a noteArgs) (tools.Result, error) {
	says := fmt.Sprintf("Kept %q.", a.Name)
	err := n.db.InTx(ctx, func(tx *store.Tx) error {
		if a.Text == "" {
			says = fmt.Sprintf("Removed %q.", a.Name)
			_, err := tx.Exec(ctx, deleteNote, call.Workspace, call.Scope(), a.Name)
			return err
		}
		if _, err := tx.Exec(ctx, upsertNote, call.Workspace, call.Scope(), a.Name, a.Text, time.Now()); err != nil {
			return err
		}
		list, err := store.All[note](ctx, tx, selectNotes, call.Workspace, call.Scope())
		if err == nil && len(list) > maxNotes {
			err = fault.New(fault.Exhausted, "too_many_notes", "There are %d notes already.", maxNotes).WithHint("Remove some by writing them with an empty text.")
		}
		return err
	})
	if err != nil {
		return tools.Result{}, fmt.Errorf("keeping a note: %w", err)
	}
	return tools.Says(says), nil
}

func (n notes) readNote(ctx context.Context, call tools.Call, a noteArgs) (tools.Result, error) {
	if a.Name != "" {
		text, err := store.One[string](ctx, n.db.Read(), selectNote, call.Workspace, call.Scope(), a.Name)
		if errors.Is(err, store.ErrNoRows) {
			return tools.Result{}, fault.New(fault.NotFound, "note_not_found", "There is no note called %q.", a.Name).WithParam("name").
				WithHint("Call without a name to see all names.")
		}
		if err != nil {
			return tools.Result{}, fmt.Errorf("reading a note: %w", err)
		}
		return tools.Says(text), nil
	}
	list, err := store.All[note](ctx, n.db.Read(), selectNotes, call.Workspace, call.Scope())
	if err != nil {
		return tools.Result{}, fmt.Errorf("listing notes: %w", err)
	}
	if len(list) == 0 {
		return tools.Says("[No notes.]"), nil
	}
	var b strings.Builder
	for _, one := range list {
		fmt.Fprintf(&b, "%s (%d characters)\n", one.Name, one.Size)
	}
	return tools.Says(strings.TrimSuffix(b.String(), "\n")), nil
}
