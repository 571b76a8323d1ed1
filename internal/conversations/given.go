package conversations

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	_ "image/gif"  // so that its size can be told
	_ "image/jpeg" // so that its size can be told
	_ "image/png"  // so that its size can be told
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
)

// unknownType is what a browser only ever saves.
const unknownType = "application/octet-stream"

// Given is a file that a tool gave to a run.
type Given struct {
	Workspace    ids.Workspace
	User         ids.User
	Conversation ids.Conversation
	Run          ids.Run
	Name         string // without an ending
	MediaType    string // what the tool says it is
	Content      []byte
}

// Keeps says whether files are kept at all.
func (b *Book) Keeps() bool { return b.bodies != nil }

// Keep keeps a file that a tool gave, in the conversation of its run: whoever reads that can read the file, and it goes with it.
func (b *Book) Keep(ctx context.Context, g Given) (Attachment, error) {
	kind, ending := givenType(g.MediaType, g.Content)
	packed, err := b.bodies.Pack(store.NewBody{Kind: "attachment", MediaType: kind, Content: g.Content})
	if err != nil {
		return Attachment{}, err
	}
	a := Attachment{
		ID: ids.New[ids.Attachment](), Workspace: g.Workspace, User: g.User, Conversation: g.Conversation, Name: fileName(g.Name + ending), MediaType: kind,
		Size: int64(len(g.Content)), Body: packed.ID, CreatedAt: time.Now().UTC().Truncate(time.Microsecond), Run: g.Run,
	}
	return a, b.db.InTx(ctx, func(tx *store.Tx) error { return b.keep(ctx, tx, a, packed) })
}

// givenType says what a tool's file is, by its content where that can be told, and how its name ends.
func givenType(claimed string, content []byte) (kind, ending string) {
	kind, _, err := mime.ParseMediaType(http.DetectContentType(content))
	if err == nil && providers.Shows(kind) {
		return kind, "." + strings.TrimPrefix(kind, "image/")
	}
	kind, _, err = mime.ParseMediaType(claimed)
	if err != nil || providers.Shows(kind) { // it says it is a picture, and it is not
		return unknownType, ".bin"
	}
	return kind, cmp.Or(endings[kind], ".bin")
}

// endings are how names of files end; not the system's list, which differs from one to the next.
var endings = map[string]string{
	"image/svg+xml": ".svg", "image/bmp": ".bmp", "image/tiff": ".tiff", "image/avif": ".avif", "application/pdf": ".pdf", "application/json": ".json",
	"text/plain": ".txt", "text/html": ".html", "text/markdown": ".md", "text/csv": ".csv", "audio/wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg",
}

// Measure gives the width and height of a picture; zeros when they cannot be told.
func Measure(content []byte) (width, height int) {
	c, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}

// Reference is the part of a message that stands for a kept picture; Load puts the picture in its place.
func Reference(id ids.Attachment, mediaType string) providers.Part {
	return providers.Part{Kind: providers.PartImage, URL: scheme + string(id), MediaType: mediaType}
}

// Content reads a file for work on its conversation; nil when it is not kept any more.
func (b *Book) Content(ctx context.Context, ws ids.Workspace, id ids.Attachment) ([]byte, error) {
	_, content, err := b.content(ctx, ws, id)
	if isNotFound(err) {
		return nil, nil
	}
	return content, err
}

// PruneGiven forgets the files that tools gave before a time, with their contents.
func (b *Book) PruneGiven(ctx context.Context, before time.Time) (int64, error) {
	if b.bodies == nil {
		return 0, nil
	}
	return b.prune(ctx, selectGiven, before)
}

// prune forgets files and their contents, some at a time.
func (b *Book) prune(ctx context.Context, list string, before time.Time) (sum int64, err error) {
	const chunk = 100
	for {
		n := 0
		err := b.db.InTx(ctx, func(tx *store.Tx) error {
			rows, err := store.All[Attachment](ctx, tx, list, before, chunk)
			if err != nil {
				return err
			}
			for _, a := range rows {
				if err := b.bodies.Delete(ctx, tx, a.Workspace, a.Body); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, deleteAttachment, a.ID); err != nil {
					return fmt.Errorf("forgetting %s: %w", a.ID, err)
				}
			}
			n = len(rows)
			return nil
		})
		if sum += int64(n); err != nil || n < chunk {
			return sum, err
		}
	}
}
