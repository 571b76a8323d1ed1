package conversations

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	// Format names the files that Export writes.
	Format = "fluxway.conversation"
	// FormatVersion is the newest version; older ones are read too.
	FormatVersion = 1
	// MaxImport bounds the messages of one file.
	MaxImport = 50_000
)

// Exported is a whole conversation, with every branch, as it is exported.
type Exported struct {
	Format      string         `json:"format"`
	Version     int            `json:"version"`
	ExportedAt  time.Time      `json:"exported_at"`
	Title       string         `json:"title"`
	Agent       string         `json:"agent"`
	Summary     string         `json:"summary,omitempty"`
	Head        ids.Message    `json:"head,omitempty"`
	CreatedAt   time.Time      `json:"created_at"`
	Messages    []Message      `json:"messages"`
	Attachments []ExportedFile `json:"attachments,omitempty"`
}

// ExportedFile is an attachment inside an export.
type ExportedFile struct {
	ID        ids.Attachment `json:"id"`
	Name      string         `json:"name"`
	MediaType string         `json:"media_type"`
	Data      []byte         `json:"data,omitempty"`  // left out when it is not kept any more
	Given     bool           `json:"given,omitempty"` // by a tool: of any type
}

// Export reads a whole conversation that the asker may see.
func (b *Book) Export(ctx context.Context, who Asker, id ids.Conversation) (Exported, error) {
	c, err := b.Get(ctx, who, id)
	if err != nil {
		return Exported{}, err
	}
	f := Exported{Format: Format, Version: FormatVersion, ExportedAt: time.Now().UTC().Truncate(time.Second), Title: c.Title, Agent: c.Agent,
		Summary: c.Summary, Head: c.Head, CreatedAt: c.CreatedAt}
	if f.Messages, err = store.All[Message](ctx, b.db.Read(), listAllMessages, id, who.Workspace, MaxImport); err != nil {
		return f, fmt.Errorf("reading the messages of %s: %w", id, err)
	}
	list, err := store.All[Attachment](ctx, b.db.Read(), listAttachments, id, who.Workspace)
	if err != nil {
		return f, fmt.Errorf("reading the attachments of %s: %w", id, err)
	}
	for _, a := range list {
		_, content, err := b.content(ctx, who.Workspace, a.ID)
		if err != nil && !isNotFound(err) {
			return f, err
		}
		f.Attachments = append(f.Attachments, ExportedFile{a.ID, a.Name, a.MediaType, content, a.Run != ""})
	}
	return f, nil
}

// Import makes a conversation of a file; it belongs to the asker, and so does
// everything a person said in it.
func (b *Book) Import(ctx context.Context, who Asker, f Exported) (Conversation, error) {
	if err := f.check(); err != nil {
		return Conversation{}, err
	}
	packed, err := b.pack(f.Attachments)
	if err != nil {
		return Conversation{}, err
	}
	var c Conversation
	err = b.db.InTx(ctx, func(tx *store.Tx) error {
		if c, err = b.Open(ctx, tx, who, f.Agent, f.Title); err != nil {
			return err
		}
		files := make(map[string]string, len(packed))
		for i, p := range packed {
			a := Attachment{ID: ids.New[ids.Attachment](), Workspace: who.Workspace, User: who.User, Conversation: c.ID, Name: fileName(f.Attachments[i].Name),
				MediaType: p.MediaType, Size: p.Size, Body: p.ID, CreatedAt: c.CreatedAt}
			if err := b.keep(ctx, tx, a, p); err != nil {
				return err
			}
			files[scheme+string(f.Attachments[i].ID)] = scheme + string(a.ID)
		}
		c.Summary = f.Summary
		if c.Head, err = b.importMessages(ctx, tx, who, c, f, files); err != nil {
			return err
		}
		return b.write(ctx, tx, c)
	})
	return c, err
}

// pack prepares the contents before the transaction; what was not kept is left out.
func (b *Book) pack(list []ExportedFile) (map[int]store.Packed, error) {
	packed := make(map[int]store.Packed, len(list))
	if b.bodies == nil {
		return packed, nil
	}
	for i, a := range list {
		if len(a.Data) == 0 {
			continue
		}
		kind, err := judge(a.Name, a.MediaType, a.Data)
		if err != nil && a.Given {
			kind, _ = givenType(a.MediaType, a.Data)
			err = nil
		}
		if err != nil {
			return nil, err
		}
		if packed[i], err = b.bodies.Pack(store.NewBody{Kind: "attachment", MediaType: kind, Content: a.Data}); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// importMessages gives every message a new id, in the order of the old ones.
func (b *Book) importMessages(ctx context.Context, tx *store.Tx, who Asker, c Conversation, f Exported, files map[string]string) (head ids.Message, err error) {
	renamed := make(map[ids.Message]ids.Message, len(f.Messages))
	for _, m := range f.Messages {
		old := m.ID
		m.ID, m.Workspace, m.Conversation, m.Run = ids.New[ids.Message](), who.Workspace, c.ID, ""
		m.Parent = renamed[m.Parent]
		if m.Role == providers.RoleUser {
			m.Author = string(who.User)
		}
		refer(m.Parts, files)
		if m.CreatedAt.IsZero() {
			m.CreatedAt = c.CreatedAt
		}
		w, err := m.write()
		if err != nil {
			return "", err
		}
		if err := b.insert(ctx, tx, &m, &w); err != nil {
			return "", err
		}
		renamed[old], head = m.ID, m.ID
	}
	if to, ok := renamed[f.Head]; ok {
		head = to
	}
	return head, nil
}

// refer lets parts refer to the files as they are called now.
func refer(parts []providers.Part, files map[string]string) {
	for i := range parts {
		if u, ok := files[parts[i].URL]; ok {
			parts[i].URL = u
		}
		refer(parts[i].Parts, files)
	}
}

// check finds what is wrong with a file before anything is written.
func (f *Exported) check() error {
	bad := func(param, format string, args ...any) error {
		return fault.New(fault.Invalid, "bad_import", format, args...).WithParam(param).WithHint("Import a file that was exported as JSON.")
	}
	switch {
	case f.Format != Format:
		return bad("format", "The file is not an exported conversation.")
	case f.Version < 1:
		return bad("version", "The file has no version.")
	case f.Version > FormatVersion:
		return fault.New(fault.Invalid, "import_too_new", "The file has version %d; this server reads up to %d.", f.Version, FormatVersion).WithParam("version").WithHint("Update Fluxway.")
	case len(f.Messages) > MaxImport:
		return bad("messages", "The file has %d messages; the most is %d.", len(f.Messages), MaxImport)
	}
	slices.SortStableFunc(f.Messages, func(a, b Message) int { return strings.Compare(string(a.ID), string(b.ID)) })
	seen := make(map[ids.Message]*Message, len(f.Messages))
	for i := range f.Messages {
		m := &f.Messages[i]
		at := "messages[" + strconv.Itoa(i) + "]"
		switch {
		case m.ID == "" || seen[m.ID] != nil:
			return bad(at+".id", "A message has no id of its own.")
		case m.Role != providers.RoleUser && m.Role != providers.RoleModel:
			return bad(at+".role", "%q is not a role.", m.Role)
		case m.State != Complete && m.State != Stopped && m.State != Failed:
			return bad(at+".state", "%q is not a state.", m.State)
		case m.Parent != "" && seen[m.Parent] == nil:
			return bad(at+".parent", "The message answers %s, which does not come before it.", m.Parent)
		}
		if id, ok := Dangling(m.Parts); ok && m.State == Complete {
			return fault.New(fault.Invalid, "dangling_tool_call", "The call %s of a tool has no result.", id).WithParam(at + ".parts").
				WithHint("Add the result behind the call, or remove the call.")
		}
		seen[m.ID] = m
	}
	return nil
}

// Dangling finds a tool call without its result: models refuse such a history.
func Dangling(parts []providers.Part) (id string, found bool) {
	open := make(map[string]bool)
	for _, p := range parts {
		switch p.Kind {
		case providers.PartToolCall:
			open[p.ID] = true
		case providers.PartToolResult:
			delete(open, p.ID)
		}
	}
	for id := range open {
		return id, true
	}
	return "", false
}

// Markdown writes the branch that is shown for people: front matter, then what was said.
func (b *Book) Markdown(ctx context.Context, who Asker, id ids.Conversation, w io.Writer) error {
	c, err := b.Get(ctx, who, id)
	if err != nil {
		return err
	}
	list, err := b.Path(ctx, who.Workspace, id, c.Head, MaxImport)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "---\ntitle: %s\nagent: %s\ncreated_at: %s\nupdated_at: %s\nmessages: %d\nformat: %s\nversion: %d\n---\n\n# %s\n",
		strconv.Quote(c.Title), strconv.Quote(c.Agent), c.CreatedAt.Format(time.RFC3339), c.UpdatedAt.Format(time.RFC3339), len(list),
		Format+"+markdown", FormatVersion, c.Title)
	for _, m := range list {
		m.markdown(&text)
		if _, err := io.WriteString(w, text.String()); err != nil {
			return err
		}
		text.Reset()
	}
	_, err = io.WriteString(w, text.String())
	return err
}

func (m *Message) markdown(b *strings.Builder) {
	who := "You"
	if m.Role == providers.RoleModel {
		who = m.Author
	}
	fmt.Fprintf(b, "\n## %s · %s\n", who, m.CreatedAt.Format("2006-01-02 15:04"))
	for _, p := range m.Parts {
		switch p.Kind {
		case providers.PartText:
			fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(p.Text))
		case providers.PartToolCall:
			fmt.Fprintf(b, "\n> Used **%s** with `%s`\n", p.Name, strings.ReplaceAll(string(p.Args), "`", "'"))
		case providers.PartImage, providers.PartDocument, providers.PartAudio:
			fmt.Fprintf(b, "\n> Attached %s\n", p.Name)
		}
	}
	if m.State != Complete {
		fmt.Fprintf(b, "\n_(%s)_\n", m.State)
	}
}
