package events_test

import (
	"path/filepath"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

type noted struct {
	N int `json:"n"`
}

func (noted) Kind() string { return "test.noted" }

func TestARestoreNeverGivesACursorTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		hub, err := events.New(events.Options{DB: db})
		if err != nil {
			t.Fatal(err)
		}
		ctx, ws := t.Context(), storetest.Workspace()
		say := func(n int) {
			t.Helper()
			for i := range n {
				if err := db.InTx(ctx, func(tx *store.Tx) error { return hub.Append(ctx, tx, ws, "test", noted{i}) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		say(3)
		archive := filepath.Join(t.TempDir(), "saved"+store.BackupSuffix)
		if _, err := db.Backup(ctx, store.BackupOptions{Path: archive}); err != nil {
			t.Fatal(err)
		}
		say(4)
		sub, err := hub.Subscribe(ctx, events.Request{Workspace: ws, Channels: []string{"**"}})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		if _, err := db.Restore(ctx, store.RestoreOptions{Path: archive}); err != nil {
			t.Fatal(err)
		}
		if _, err := sub.Next(ctx); !fault.HasCode(err, "restored") {
			t.Errorf("a subscriber of the time before got %v", err)
		}
		say(1)
		list, err := hub.List(ctx, events.Query{Workspace: ws})
		if err != nil {
			t.Fatal(err)
		}
		var cursors []int64
		for _, r := range list.Data {
			cursors = append(cursors, r.Cursor)
		}
		// Three of the backup, then the restore itself and one more, behind all
		// seven cursors that were given out before.
		if len(cursors) != 5 || cursors[2] != 3 || cursors[3] != 8 || cursors[4] != 9 || list.Data[3].Kind != "system.restored" {
			t.Errorf("after the restore: %v %+v", cursors, list.Data)
		}
	})
}
