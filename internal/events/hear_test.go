package events_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

type rung struct {
	Key string `json:"api_key"`
}

func (rung) Kind() string { return "bell.rung" }

type knocked struct{}

func (knocked) Kind() string { return "door.knocked" }

func TestAHearerSharesTheTransaction(t *testing.T) {
	t.Parallel()
	db, ws := storetest.SQLite(t), storetest.Workspace()
	hub, err := events.New(events.Options{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	var heard []string
	refused := errors.New("not now")
	hub.Hear(func(_ context.Context, _ *store.Tx, f events.Fact) error {
		heard = append(heard, f.Channel+" "+f.Kind+" "+string(f.Data))
		if f.Channel == "bells/broken" {
			return refused
		}
		return nil
	}, "bell.rung")
	say := func(channel string, facts ...events.Event) error {
		return db.InTx(t.Context(), func(tx *store.Tx) error { return hub.Append(t.Context(), tx, ws, channel, facts...) })
	}
	if err := say("bells/front", knocked{}, rung{"sk-ant-api03-0123456789abcdef0123456789abcdef"}); err != nil {
		t.Fatal(err)
	}
	if err := say("bells/broken", rung{}); !errors.Is(err, refused) {
		t.Errorf("a hearer's error is %v", err)
	}
	if want := []string{`bells/front bell.rung {"api_key":"•••"}`, `bells/broken bell.rung {"api_key":""}`}; !slices.Equal(heard, want) {
		t.Errorf("heard %q", heard)
	}
	if n := len(eventstest.Stored(t, db, ws, "bells/front")); n != 2 {
		t.Errorf("%d facts were kept", n)
	}
	if n := len(eventstest.Stored(t, db, ws, "bells/broken")); n != 0 {
		t.Errorf("%d facts were kept although their hearer failed", n)
	}
}
