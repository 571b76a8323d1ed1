package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

const (
	maxBody      = 32 << 20
	minCompress  = 512 // below this a frame saves nothing
	encodingZstd = "zstd"
)

// BodiesOptions are what Bodies needs.
type BodiesOptions struct {
	DB      *DB
	MaxSize int64                    // of one body before compression; 0: 32 MiB
	Keep    map[string]time.Duration // by kind, for bodies without a life of their own; missing or 0: until deleted
}

// Bodies keeps large contents apart from the rows that list them.
type Bodies struct {
	db   *DB
	max  int64
	keep map[string]time.Duration
}

// NewBodies prepares the keeper and registers its retention.
func NewBodies(opts BodiesOptions) (*Bodies, error) {
	if opts.DB == nil {
		return nil, errors.New("store: BodiesOptions.DB is nil")
	}
	b := &Bodies{db: opts.DB, max: cmp.Or(opts.MaxSize, maxBody), keep: opts.Keep}
	opts.DB.AddRetention(Retention{Name: "store_bodies", Prune: func(ctx context.Context, now time.Time) (int64, error) {
		return opts.DB.Prune(ctx, pruneBodies, now)
	}})
	return b, nil
}

// Body describes one kept content.
type Body struct {
	ID        ids.Body      `db:"id" json:"id"`
	Workspace ids.Workspace `db:"workspace_id" json:"-"`
	Kind      string        `db:"kind" json:"kind"`
	MediaType string        `db:"media_type" json:"media_type"`
	Size      int64         `db:"size" json:"size"`
	SHA256    string        `db:"sha256" json:"sha256"`
	CreatedAt time.Time     `db:"created_at" json:"created_at"`
	ExpiresAt time.Time     `db:"expires_at" json:"expires_at,omitzero"`
}

// NewBody is what Pack prepares.
type NewBody struct {
	Kind      string // "tool_result", "attachment", …: decides how long it is kept
	MediaType string
	Content   []byte
	ExpiresAt time.Time // zero: as BodiesOptions.Keep says
}

// Packed is a content ready to be put. Its ID is known before it is.
type Packed struct {
	Body
	encoding string
	content  []byte
}

// Pack hashes and compresses a content. It is apart from Put because it takes
// time that must not pass inside a transaction.
func (b *Bodies) Pack(body NewBody) (Packed, error) {
	if int64(len(body.Content)) > b.max {
		return Packed{}, b.tooLarge()
	}
	now := time.Now()
	if keep := b.keep[body.Kind]; keep > 0 && body.ExpiresAt.IsZero() {
		body.ExpiresAt = now.Add(keep)
	}
	sum := sha256.Sum256(body.Content)
	p := Packed{Body: Body{ID: ids.New[ids.Body](), Kind: body.Kind, MediaType: body.MediaType, Size: int64(len(body.Content)),
		SHA256: hex.EncodeToString(sum[:]), CreatedAt: now, ExpiresAt: body.ExpiresAt}}
	p.content, p.encoding = compress(body.Content)
	return p, nil
}

// Put keeps a packed content in the caller's transaction.
func (b *Bodies) Put(ctx context.Context, tx *Tx, ws ids.Workspace, p Packed) error {
	_, err := tx.Exec(ctx, insertBody, p.ID, ws, p.Kind, p.MediaType, p.encoding, p.Size, p.SHA256, p.content, p.CreatedAt, p.ExpiresAt)
	if err != nil {
		return fmt.Errorf("keeping a %s: %w", p.Kind, err)
	}
	return nil
}

// ReadAll reads a content that is about to be packed and refuses one that is too large before it fills the memory.
func (b *Bodies) ReadAll(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, b.max+1))
	if err != nil {
		return nil, fmt.Errorf("reading a body: %w", err)
	}
	if int64(len(content)) > b.max {
		return nil, b.tooLarge()
	}
	return content, nil
}

func (b *Bodies) tooLarge() error {
	return fault.New(fault.TooLarge, "body_too_large", "The content is larger than %s.", Bytes1024(b.max)).
		WithHint("Send less at once, or raise the limit in the configuration.").WithDetail("max_bytes", b.max)
}

// Describe tells about a body without its content.
func (b *Bodies) Describe(ctx context.Context, ws ids.Workspace, id ids.Body) (Body, error) {
	body, err := One[Body](ctx, b.db.Read(), describeBody, ws, id)
	if errors.Is(err, ErrNoRows) {
		return Body{}, noBody(id)
	}
	return body, err
}

// Get gives a content back and checks that it is what was put.
func (b *Bodies) Get(ctx context.Context, ws ids.Workspace, id ids.Body) (Body, []byte, error) {
	body, r, err := b.Open(ctx, ws, id)
	if err != nil {
		return Body{}, nil, err
	}
	defer r.Close()
	content := bytes.NewBuffer(make([]byte, 0, body.Size))
	if _, err := io.Copy(content, r); err != nil {
		return Body{}, nil, fmt.Errorf("reading body %s: %w", id, err)
	}
	if sum := sha256.Sum256(content.Bytes()); hex.EncodeToString(sum[:]) != body.SHA256 {
		return Body{}, nil, fmt.Errorf("body %s is damaged: its checksum differs", id)
	}
	return body, content.Bytes(), nil
}

// Open gives a reader that decompresses as it goes, so that a large body does
// not stand in memory twice. The caller closes it.
func (b *Bodies) Open(ctx context.Context, ws ids.Workspace, id ids.Body) (Body, io.ReadCloser, error) {
	type stored struct {
		Body
		Encoding string `db:"encoding"`
		Content  []byte `db:"content"`
	}
	row, err := One[stored](ctx, b.db.Read(), selectBody, ws, id)
	if errors.Is(err, ErrNoRows) {
		return Body{}, nil, noBody(id)
	}
	if err != nil {
		return Body{}, nil, err
	}
	if row.Encoding != encodingZstd {
		return row.Body, io.NopCloser(bytes.NewReader(row.Content)), nil
	}
	d, err := zstd.NewReader(bytes.NewReader(row.Content), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return Body{}, nil, err
	}
	return row.Body, d.IOReadCloser(), nil
}

// Delete removes bodies in the caller's transaction; missing ones are no error.
func (b *Bodies) Delete(ctx context.Context, tx *Tx, ws ids.Workspace, bodies ...ids.Body) error {
	for _, id := range bodies {
		if _, err := tx.Exec(ctx, deleteBody, ws, id); err != nil {
			return fmt.Errorf("deleting body %s: %w", id, err)
		}
	}
	return nil
}

func noBody(id ids.Body) error {
	return fault.New(fault.NotFound, "body_not_found", "There is no content %s.", id).
		WithHint("It may have been deleted, or expired under the retention rules.")
}

// encoders are costly to make and safe to share one at a time.
var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}}

// compress answers the shorter of a content and its compressed form; what does
// not get a tenth shorter is not worth the work of reading it.
func compress(content []byte) (kept []byte, encoding string) {
	if content == nil {
		content = []byte{}
	}
	if len(content) < minCompress {
		return content, ""
	}
	e := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(e)
	small := e.EncodeAll(content, make([]byte, 0, len(content)/2))
	if len(small) > len(content)*9/10 {
		return content, ""
	}
	return small, encodingZstd
}
