package store_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func bodies(t *testing.T, opts store.BodiesOptions) *store.Bodies {
	t.Helper()
	b, err := store.NewBodies(opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(t *testing.T, db *store.DB, b *store.Bodies, ws ids.Workspace, body store.NewBody) ids.Body {
	t.Helper()
	p, err := b.Pack(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.InTx(t.Context(), func(tx *store.Tx) error { return b.Put(t.Context(), tx, ws, p) }); err != nil {
		t.Fatal(err)
	}
	return p.ID
}

func TestBodiesComeBackWhole(t *testing.T) {
	t.Parallel()
	random := make([]byte, 100_000)
	_, _ = rand.Read(random)
	contents := map[string][]byte{
		"nothing": nil, "short": []byte("hello"), "text": []byte(strings.Repeat("a line of a transcript\n", 50_000)), "random": random,
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, ws := bodies(t, store.BodiesOptions{DB: db}), storetest.Workspace()
		for name, content := range contents {
			id := put(t, db, b, ws, store.NewBody{Kind: "tool_result", MediaType: "text/plain", Content: content})
			body, got, err := b.Get(t.Context(), ws, id)
			if err != nil || !bytes.Equal(got, content) || body.Size != int64(len(content)) || body.MediaType != "text/plain" {
				t.Errorf("%s: %d bytes, %+v, %v", name, len(got), body, err)
			}
			if described, err := b.Describe(t.Context(), ws, id); err != nil || described != body {
				t.Errorf("%s: described as %+v, %v; want %+v", name, described, err, body)
			}
			_, r, err := b.Open(t.Context(), ws, id)
			if err != nil {
				t.Fatal(err)
			}
			if streamed, err := io.ReadAll(r); err != nil || !bytes.Equal(streamed, content) {
				t.Errorf("%s: streamed %d bytes, %v", name, len(streamed), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		kept := count(t, db, `SELECT sum(length(content)) FROM store_bodies WHERE encoding = 'zstd'`)
		if kept == 0 || kept > 100_000 {
			t.Errorf("a repetitive megabyte takes %d bytes", kept)
		}
	})
}

func TestABodyBelongsToItsWorkspace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, mine, other := bodies(t, store.BodiesOptions{DB: db}), storetest.Workspace(), storetest.Workspace()
		id := put(t, db, b, mine, store.NewBody{Kind: "attachment", Content: []byte("mine")})
		if _, _, err := b.Get(t.Context(), other, id); !fault.HasCode(err, "body_not_found") {
			t.Errorf("another workspace reads it: %v", err)
		}
		remove := func(ws ids.Workspace) {
			if err := db.InTx(t.Context(), func(tx *store.Tx) error { return b.Delete(t.Context(), tx, ws, id) }); err != nil {
				t.Fatal(err)
			}
		}
		remove(other)
		if _, _, err := b.Get(t.Context(), mine, id); err != nil {
			t.Errorf("another workspace deleted it: %v", err)
		}
		remove(mine)
		if _, _, err := b.Get(t.Context(), mine, id); !fault.HasCode(err, "body_not_found") {
			t.Errorf("after its deletion: %v", err)
		}
	})
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	b := bodies(t, store.BodiesOptions{DB: storetest.SQLite(t), MaxSize: 10})
	if _, err := b.Pack(store.NewBody{Content: make([]byte, 11)}); !fault.HasCode(err, "body_too_large") {
		t.Errorf("Pack: %v", err)
	}
	if _, err := b.ReadAll(io.LimitReader(endless{}, 1<<40)); !fault.HasCode(err, "body_too_large") {
		t.Errorf("ReadAll: %v", err)
	}
	if got, err := b.ReadAll(strings.NewReader("0123456789")); err != nil || len(got) != 10 {
		t.Errorf("exactly the limit: %q, %v", got, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestADamagedBodyIsNoticed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b, ws := bodies(t, store.BodiesOptions{DB: db}), storetest.Workspace()
		id := put(t, db, b, ws, store.NewBody{Kind: "x", Content: []byte("right")})
		exec(t, db, `UPDATE store_bodies SET content = ? WHERE id = ?`, []byte("wrong"), id)
		if _, _, err := b.Get(t.Context(), ws, id); err == nil || errors.Is(err, store.ErrNoRows) {
			t.Errorf("a changed body: %v", err)
		}
	})
}

func TestBodiesExpireByKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := bodies(t, store.BodiesOptions{DB: db, Keep: map[string]time.Duration{"tool_result": time.Hour}})
		ws := storetest.Workspace()
		short := put(t, db, b, ws, store.NewBody{Kind: "tool_result", Content: []byte("1")})
		long := put(t, db, b, ws, store.NewBody{Kind: "attachment", Content: []byte("2")})
		own := put(t, db, b, ws, store.NewBody{Kind: "attachment", Content: []byte("3"), ExpiresAt: time.Now().Add(time.Minute)})
		prune := store.Retentions(db)[0].Prune
		for _, step := range []struct {
			after time.Duration
			gone  []ids.Body
		}{{0, nil}, {2 * time.Minute, []ids.Body{own}}, {2 * time.Hour, []ids.Body{short}}, {1000 * time.Hour, nil}} {
			n, err := prune(t.Context(), time.Now().Add(step.after))
			if err != nil || n != int64(len(step.gone)) {
				t.Errorf("after %s: %d pruned, %v; want %d", step.after, n, err, len(step.gone))
			}
			for _, id := range step.gone {
				if _, err := b.Describe(t.Context(), ws, id); !fault.HasCode(err, "body_not_found") {
					t.Errorf("after %s: %s is still there: %v", step.after, id, err)
				}
			}
		}
		if _, err := b.Describe(t.Context(), ws, long); err != nil {
			t.Errorf("a body without an end expired: %v", err)
		}
	})
}
