package conversations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// Attachment is a file that belongs to a message.
type Attachment struct {
	ID           ids.Attachment   `db:"id" json:"id"`
	Workspace    ids.Workspace    `db:"workspace_id" json:"-"`
	User         ids.User         `db:"user_id" json:"user"`
	Conversation ids.Conversation `db:"conversation_id" json:"conversation,omitempty"`
	Name         string           `db:"name" json:"name"`
	MediaType    string           `db:"media_type" json:"media_type"`
	Size         int64            `db:"size" json:"size"`
	Body         ids.Body         `db:"body_id" json:"-"`
	CreatedAt    time.Time        `db:"created_at" json:"created_at"`
	Run          ids.Run          `db:"run_id" json:"run,omitempty" doc:"The run whose tool gave it; left out when a person sent it."`
}

const (
	// MaxAttachment bounds one file.
	MaxAttachment = 20 << 20
	// MaxAttachments bounds the files of one message.
	MaxAttachments = 16
	maxFileName    = 200
	// loose is how long a file waits for a message.
	loose = 24 * time.Hour
	// scheme marks a part whose content is an attachment.
	scheme = "attachment:"
)

// kinds are the media types that models can be shown, besides text.
var kinds = map[string]providers.PartKind{
	"image/png": providers.PartImage, "image/jpeg": providers.PartImage, "image/gif": providers.PartImage, "image/webp": providers.PartImage,
	"application/pdf": providers.PartDocument,
	"audio/mpeg":      providers.PartAudio, "audio/wav": providers.PartAudio, "audio/wave": providers.PartAudio, "audio/webm": providers.PartAudio,
	"audio/ogg": providers.PartAudio, "audio/mp4": providers.PartAudio, "audio/flac": providers.PartAudio,
}

// texts are the types that are text without saying so.
var texts = map[string]bool{
	"application/json": true, "application/xml": true, "application/yaml": true, "application/x-yaml": true, "application/toml": true,
	"application/javascript": true, "application/x-sh": true, "application/sql": true, "application/x-ndjson": true,
}

// Attach keeps a file that a message will use.
func (b *Book) Attach(ctx context.Context, who Asker, name, mediaType string, content []byte) (Attachment, error) {
	if b.bodies == nil {
		return Attachment{}, fault.New(fault.Unavailable, "no_attachments", "This server keeps no attachments.").WithHint("Put the text into the message.")
	}
	kind, err := judge(name, mediaType, content)
	if err != nil {
		return Attachment{}, err
	}
	packed, err := b.bodies.Pack(store.NewBody{Kind: "attachment", MediaType: kind, Content: content})
	if err != nil {
		return Attachment{}, err
	}
	a := Attachment{
		ID: ids.New[ids.Attachment](), Workspace: who.Workspace, User: who.User, Name: fileName(name), MediaType: kind, Size: int64(len(content)),
		Body: packed.ID, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	err = b.db.InTx(ctx, func(tx *store.Tx) error { return b.keep(ctx, tx, a, packed) })
	return a, err
}

func (b *Book) keep(ctx context.Context, tx *store.Tx, a Attachment, packed store.Packed) error {
	if err := b.bodies.Put(ctx, tx, a.Workspace, packed); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, insertAttachment, a.ID, a.Workspace, a.User, a.Conversation, a.Name, a.MediaType, a.Size, a.Body, a.CreatedAt, a.Run)
	if err != nil {
		return fmt.Errorf("keeping %s: %w", a.Name, err)
	}
	return nil
}

// judge says what a file is, by its content where that can be told; what it
// claims to be counts only for text.
func judge(name, claimed string, content []byte) (string, error) {
	switch {
	case len(content) == 0:
		return "", fault.New(fault.Invalid, "attachment_empty", "%s is empty.", fileName(name)).WithParam("data").WithHint("Choose another file.")
	case len(content) > MaxAttachment:
		return "", fault.New(fault.TooLarge, "attachment_too_large", "%s has %s; the most is %s.", fileName(name),
			store.Bytes1024(int64(len(content))), store.Bytes1024(MaxAttachment)).WithParam("data").WithHint("Send a smaller file, or put it into the project's folder.")
	}
	found, _, err := mime.ParseMediaType(http.DetectContentType(content))
	if err != nil {
		return "", fmt.Errorf("looking at %s: %w", name, err)
	}
	if found == "video/webm" && strings.HasPrefix(claimed, "audio/webm") { // the container does not say what is inside
		found = "audio/webm"
	}
	if _, ok := kinds[found]; ok {
		return found, nil
	}
	if found == "application/ogg" {
		return "audio/ogg", nil
	}
	claim, _, err := mime.ParseMediaType(claimed)
	if err != nil {
		claim = ""
	}
	if utf8.Valid(content) && !strings.ContainsRune(string(content), 0) {
		if strings.HasPrefix(claim, "text/") || texts[claim] {
			return claim, nil
		}
		if kinds[claim] == "" {
			return "text/plain", nil
		}
	}
	f := fault.New(fault.Invalid, "attachment_type", "%s is %s, which models cannot be shown.", fileName(name), found).WithParam("media_type")
	if claim != "" && claim != found {
		f = fault.New(fault.Invalid, "attachment_type", "%s says it is %s, and it is not.", fileName(name), claim).WithParam("media_type")
	}
	return "", f.WithHint("Send a picture (PNG, JPEG, GIF, WebP), a PDF, a recording or text.")
}

// fileName is a name without folders that is safe to show and to save as.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)
	if name == "" || name == "." || name == "/" || name == ".." {
		return "file"
	}
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[:maxFileName])
	}
	return name
}

// Use makes attachments part of a message of a conversation: the parts hold a
// reference that Load follows.
func (b *Book) Use(ctx context.Context, tx *store.Tx, who Asker, conversation ids.Conversation, list []ids.Attachment) ([]providers.Part, error) {
	if len(list) > MaxAttachments {
		return nil, fault.New(fault.Invalid, "too_many_attachments", "A message can have %d attachments.", MaxAttachments).WithParam("attachments").WithHint("Send several messages.")
	}
	var parts []providers.Part
	for _, id := range list {
		a, err := store.One[Attachment](ctx, tx, selectAttachment, id, who.Workspace, who.User, who.User)
		if err != nil && !errors.Is(err, store.ErrNoRows) {
			return nil, fmt.Errorf("reading %s: %w", id, err)
		}
		n := int64(0)
		if err == nil {
			if n, err = tx.Exec(ctx, useAttachment, conversation, id, who.Workspace, who.User, conversation); err != nil {
				return nil, fmt.Errorf("using %s: %w", id, err)
			}
		}
		if n == 0 {
			return nil, attachmentNotFound(id).WithParam("attachments")
		}
		kind := kinds[a.MediaType]
		if kind == "" {
			kind = providers.PartDocument
		}
		parts = append(parts, providers.Part{Kind: kind, Name: a.Name, MediaType: a.MediaType, URL: scheme + string(a.ID)})
	}
	return parts, nil
}

func attachmentNotFound(id ids.Attachment) *fault.Fault {
	return fault.New(fault.NotFound, "attachment_not_found", "There is no attachment %s.", id).WithHint("Send the file again: one that no message used is kept for a day.")
}

// Load puts the content of attachments into the parts of messages, as a model
// needs them; what is not kept any more is said in words. The messages given
// are not changed.
func (b *Book) Load(ctx context.Context, ws ids.Workspace, parts []providers.Part) ([]providers.Part, error) {
	var out []providers.Part
	for i, p := range parts {
		if len(p.Parts) > 0 { // a tool's result
			var err error
			if p.Parts, err = b.Load(ctx, ws, p.Parts); err != nil {
				return nil, err
			}
			if out == nil {
				out = append(make([]providers.Part, 0, len(parts)), parts[:i]...)
			}
		}
		id, ok := strings.CutPrefix(p.URL, scheme)
		if !ok {
			if out != nil {
				out = append(out, p)
			}
			continue
		}
		if out == nil {
			out = append(make([]providers.Part, 0, len(parts)), parts[:i]...)
		}
		loaded, err := b.load(ctx, ws, ids.Attachment(id), p)
		if err != nil {
			return nil, err
		}
		out = append(out, loaded)
	}
	if out == nil {
		return parts, nil
	}
	return out, nil
}

func (b *Book) load(ctx context.Context, ws ids.Workspace, id ids.Attachment, p providers.Part) (providers.Part, error) {
	_, content, err := b.content(ctx, ws, id)
	if isNotFound(err) {
		return providers.Text(fmt.Sprintf("[The file %s is not kept any more.]", cmp.Or(p.Name, "here"))), nil
	}
	if err != nil {
		return p, err
	}
	if strings.HasPrefix(p.MediaType, "text/") || texts[p.MediaType] {
		return providers.Text(fmt.Sprintf("The file %s:\n\n%s", p.Name, content)), nil
	}
	if p.Kind == providers.PartImage && !providers.Shows(p.MediaType) {
		return providers.Text(fmt.Sprintf("[There is a picture here of the type %s, which cannot be shown to you.]", p.MediaType)), nil
	}
	p.URL, p.Data = "", content
	return p, nil
}

func (b *Book) content(ctx context.Context, ws ids.Workspace, id ids.Attachment) (Attachment, []byte, error) {
	a, err := store.One[Attachment](ctx, b.db.Read(), selectAttachmentForWork, id, ws)
	if errors.Is(err, store.ErrNoRows) || b.bodies == nil {
		return a, nil, attachmentNotFound(id)
	}
	if err != nil {
		return a, nil, fmt.Errorf("reading %s: %w", id, err)
	}
	_, content, err := b.bodies.Get(ctx, ws, a.Body)
	return a, content, err
}

// Attachment reads a file that the asker may see.
func (b *Book) Attachment(ctx context.Context, who Asker, id ids.Attachment) (Attachment, []byte, error) {
	_, err := store.One[Attachment](ctx, b.db.Read(), selectAttachment, id, who.Workspace, who.User, who.User)
	if errors.Is(err, store.ErrNoRows) {
		return Attachment{}, nil, attachmentNotFound(id)
	}
	if err != nil {
		return Attachment{}, nil, fmt.Errorf("reading %s: %w", id, err)
	}
	return b.content(ctx, who.Workspace, id)
}

func isNotFound(err error) bool {
	var f *fault.Fault
	return errors.As(err, &f) && f.Kind == fault.NotFound
}

// pruneLoose forgets files that no message used.
func (b *Book) pruneLoose(ctx context.Context, now time.Time) (int64, error) {
	return b.prune(ctx, selectLoose, now.Add(-loose))
}
