package identity_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func contains(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

func (w *world) home() ids.Workspace { return identity.From(w.admin).Workspace }

// record writes n rows with actions act.0, act.1…
func (w *world) record(n int) {
	w.t.Helper()
	for i := range n {
		must(w.t, "record", w.Record(w.admin, identity.Entry{Action: fmt.Sprintf("act.%d", i), Resource: "things/1"}))
	}
}

func TestAuditRowsAreCommittedWithTheirChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.last().Seq
		undone := errors.New("undone")
		ctx := identity.WithTrail(w.admin)
		err := w.db.InTx(ctx, func(tx *store.Tx) error {
			if err := w.Audit(ctx, tx, identity.Entry{Action: "thing.make"}); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) || w.last().Seq != before || identity.Recorded(ctx) {
			t.Errorf("an undone change left row %d after %d (%v), recorded %v", w.last().Seq, before, err, identity.Recorded(ctx))
		}
		must(t, "change", w.db.InTx(ctx, func(tx *store.Tx) error {
			return w.Audit(ctx, tx, identity.Entry{
				Action: "thing.make", Resource: "things/1", Result: identity.Failure, Note: "because token=sk-abcdefghijklmnopqrstuvwxyz",
				Before: map[string]any{"password": "hunter2", "n": int64(9007199254740993), "list": []any{map[string]any{"api_key": "abc"}}},
				After:  struct{ Text string }{"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"},
			})
		}))
		if !identity.Recorded(ctx) || identity.Recorded(w.admin) {
			t.Error("the trail is wrong")
		}
		r := w.last()
		if r.Seq != before+1 || r.Action != "thing.make" || r.Result != identity.Failure || r.Actor != string(identity.From(w.admin).User) ||
			r.ActorName != "admin" || r.Via != identity.ViaSession || r.IP != "192.0.2.1" || r.Request != "req_test" || !r.At.Equal(w.clock.Now()) {
			t.Errorf("row %+v", r)
		}
		if all := string(r.Before) + string(r.After) + r.Note; contains(all, "hunter2", "abc\"", "eyJ", "sk-abc") || !contains(all, "9007199254740993") {
			t.Errorf("facts %s to %s, note %s", r.Before, r.After, r.Note)
		}
		must(t, "large facts", w.Record(w.admin, identity.Entry{Action: "thing.grow", After: strings.Repeat("x", 1<<20)}))
		if r := w.last(); len(r.After) > 100 || !json.Valid(r.After) {
			t.Errorf("large facts are kept in %d bytes", len(r.After))
		}
		if err := w.Record(w.admin, identity.Entry{Action: "thing.break", After: func() {}}); err == nil {
			t.Error("facts that cannot be written are dropped silently")
		}
	})
}

func TestAuditOfTheProgramItself(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		must(t, "record", w.Record(t.Context(), identity.Entry{Action: "thing.make"}))
		if r := w.last(); r.Via != identity.ViaSystem || r.Actor != "" || r.Workspace != w.home() {
			t.Errorf("row %+v", r)
		}
	})
}

func TestVerifyNamesTheFirstBrokenRow(t *testing.T) {
	tests := []struct {
		name, sql string
		broken    int64
	}{
		{"a changed action", `UPDATE identity_audit SET action = 'act.x' WHERE seq = 5`, 5},
		{"a changed result", `UPDATE identity_audit SET result = 'ok ' WHERE seq = 5`, 5},
		{"changed facts", `UPDATE identity_audit SET after_json = '{}' WHERE seq = 5`, 5},
		{"a changed time", `UPDATE identity_audit SET at = at + 1 WHERE seq = 5`, 5},
		{"a changed hash", `UPDATE identity_audit SET hash = 'x' WHERE seq = 5`, 5},
		{"a removed row", `DELETE FROM identity_audit WHERE seq = 5`, 5},
		{"removed rows at the end", `DELETE FROM identity_audit WHERE seq >= 8`, 8},
		{"removed rows at the beginning", `DELETE FROM identity_audit WHERE seq <= 3`, 1},
		{"a moved beginning", `UPDATE identity_audit_heads SET start_seq = 3, start_hash = (SELECT hash FROM identity_audit WHERE seq = 3)`, 4},
		{"a moved end", `UPDATE identity_audit_heads SET seq = 7`, 7},
		{"a changed end", `UPDATE identity_audit_heads SET hash = 'x'`, 10},
	}
	t.Parallel()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			w.admin = identitytest.SetUp(t, w.Directory) // rows 1 and 2
			w.record(8)
			v, err := w.VerifyAudit(t.Context(), w.home())
			if err != nil || !v.OK || v.Rows != 10 || v.Last != 10 || v.First != 1 || v.Hash != w.last().Hash {
				t.Fatalf("a good chain: %+v, %v", v, err)
			}
			must(t, "tampering", w.db.InTx(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(t.Context(), tt.sql); return err }))
			v, err = w.VerifyAudit(t.Context(), w.home())
			if err != nil || v.OK || v.Broken != tt.broken || v.Reason == "" {
				t.Errorf("Verify = %+v, %v; want row %d broken", v, err, tt.broken)
			}
		})
	}
}

func TestRetentionKeepsTheChainVerifiable(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 4 {
			w.record(3)
			w.clock.Advance(150 * 24 * time.Hour)
		}
		must(t, "sweep", w.Sweep(t.Context())) // 600 days after the first rows: rows of the first two rounds go
		p, err := w.AuditLog(w.admin, identity.AuditQuery{}, page.Query{})
		must(t, "list", err)
		if n := len(p.Data); n != 7 || p.Data[0].Action != "audit.trim" || p.Data[n-1].Seq != 9 {
			t.Fatalf("%d rows are left: %+v", n, p.Data)
		}
		v, err := w.VerifyAudit(t.Context(), w.home())
		if err != nil || !v.OK || v.First != 9 || v.Rows != 7 {
			t.Errorf("after retention: %+v, %v", v, err)
		}
		for range 3 { // trims of trims, on an idle chain
			w.clock.Advance(401 * 24 * time.Hour)
			must(t, "sweep", w.Sweep(t.Context()))
			must(t, "sweep again", w.Sweep(t.Context()))
			if v, err := w.VerifyAudit(t.Context(), w.home()); err != nil || !v.OK || v.Rows != 2 {
				t.Errorf("an idle chain: %+v, %v", v, err)
			}
		}
		must(t, "cut", w.db.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), `DELETE FROM identity_audit WHERE seq = (SELECT min(seq) FROM identity_audit)`)
			return err
		}))
		if v, err := w.VerifyAudit(t.Context(), w.home()); err != nil || v.OK {
			t.Errorf("a row removed behind retention's back: %+v, %v", v, err)
		}
	})
}

func TestRetentionCanBeOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.record(3)
		w.clock.Advance(10000 * 24 * time.Hour)
		must(t, "sweep", w.Sweep(t.Context()))
		if v, err := w.VerifyAudit(t.Context(), w.home()); err != nil || v.First != 1 {
			t.Errorf("%+v, %v", v, err)
		}
	}, func(o *identity.Options) { o.AuditRetention = -1 })
}

func TestManyWritersOneChain(t *testing.T) {
	processes(t, 2, func(t *testing.T, dbs []*store.DB) {
		one, two := identitytest.New(t, dbs[0]), identitytest.New(t, dbs[1])
		admin := identitytest.SetUp(t, one)
		other, err := one.CreateWorkspace(admin, "Other")
		must(t, "workspace", err)
		home := identity.From(admin).Workspace
		var wg sync.WaitGroup
		for i := range 120 {
			d, ws := []*identity.Directory{one, two}[i%2], []ids.Workspace{home, other.ID}[i/2%2]
			wg.Go(func() {
				if err := d.Record(admin, identity.Entry{Workspace: ws, Action: fmt.Sprint("act.", i)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for ws, want := range map[ids.Workspace]int64{home: 62, other.ID: 61} { // set-up and sign-in; creation
			if v, err := two.VerifyAudit(t.Context(), ws); err != nil || !v.OK || v.Rows != want {
				t.Errorf("chain of %s: %+v, %v; want %d rows", ws, v, err, want)
			}
		}
	})
}

// Whoever comes first with a row or an event, the locks are taken in one order:
// else PostgreSQL has to notice, after a second, that two processes wait for
// each other.
func TestRowsAndEventsOfTwoProcessesDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	url := storetest.PostgresURL(t)
	type process struct {
		*identity.Directory
		db  *store.DB
		hub *events.Hub
	}
	var both []process
	for range 2 {
		db := reopen(t, func() (*store.Engine, error) { return postgres.Open(url) })
		hub, err := events.New(events.Options{DB: db})
		must(t, "hub", err)
		both = append(both, process{identitytest.New(t, db, func(o *identity.Options) { o.Events = hub }), db, hub})
	}
	admin := identitytest.SetUp(t, both[0].Directory)
	home := identity.From(admin).Workspace
	for range 100 {
		var wg, inside sync.WaitGroup
		inside.Add(2)
		for i, p := range both {
			meet := sync.OnceFunc(func() { inside.Done(); inside.Wait() }) // both are about to commit
			wg.Go(func() {
				err := p.db.InTx(admin, func(tx *store.Tx) error {
					meet()
					record := func() error { return p.Audit(admin, tx, identity.Entry{Action: "thing.make"}) }
					say := func() error { return p.hub.Append(admin, tx, home, identity.Channel, identity.SetUp{}) }
					if i == 0 {
						return errors.Join(record(), say())
					}
					return errors.Join(say(), record())
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	deadlocks, err := store.One[int](t.Context(), both[0].db.Read(), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
	if err != nil || deadlocks != 0 {
		t.Errorf("%d deadlocks, %v; want none", deadlocks, err)
	}
	if v, err := both[0].VerifyAudit(t.Context(), home); err != nil || !v.OK || v.Rows != 202 {
		t.Errorf("%+v, %v; want 202 rows", v, err)
	}
}

func TestAuditFiltersAndPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		begun := w.clock.Now()
		w.clock.Advance(time.Hour)
		otto := w.add("otto", identity.Operator)
		must(t, "record", w.Record(otto, identity.Entry{Action: "run.start", Resource: "runs/run_1"}))
		w.clock.Advance(time.Hour)
		must(t, "record", w.Record(otto, identity.Entry{Action: "run.start", Resource: "runs/run_2", Result: identity.Denied}))
		tests := []struct {
			name string
			q    identity.AuditQuery
			want []string
		}{
			{"by login", identity.AuditQuery{Actor: "otto"}, []string{"run.start", "run.start", "session.begin"}},
			{"by user", identity.AuditQuery{Actor: string(identity.From(otto).User), Action: "run.start"}, []string{"run.start", "run.start"}},
			{"by resource", identity.AuditQuery{Resource: "runs/run_1"}, []string{"run.start"}},
			{"by result", identity.AuditQuery{Result: identity.Denied}, []string{"run.start"}},
			{"since", identity.AuditQuery{Since: begun.Add(2 * time.Hour)}, []string{"run.start"}},
			{"until", identity.AuditQuery{Until: begun.Add(time.Hour)}, []string{"session.begin", "setup"}},
			{"nothing", identity.AuditQuery{Action: "no.such"}, nil},
		}
		for _, tt := range tests {
			var got []string
			for cursor := ""; ; {
				p, err := w.AuditLog(w.admin, tt.q, page.Query{Limit: 1, Cursor: cursor})
				must(t, tt.name, err)
				for _, r := range p.Data {
					got = append(got, r.Action)
				}
				if cursor = p.NextCursor; !p.HasMore {
					break
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
		_, err := w.AuditLog(w.admin, identity.AuditQuery{}, page.Query{Cursor: "%%"})
		wantCode(t, "a bad cursor", err, "bad_cursor")
	})
}

func TestAuditExport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		must(t, "many rows", w.db.InTx(t.Context(), func(tx *store.Tx) error {
			for i := range 1100 { // more than one chunk
				if err := w.Audit(w.admin, tx, identity.Entry{Action: fmt.Sprintf("act.%d", i), Note: "=1+1", After: map[string]string{"a": "b,\"c\"\n"}}); err != nil {
					return err
				}
			}
			return nil
		}))
		var lines, table bytes.Buffer
		must(t, "jsonl", w.ExportAudit(w.admin, &lines, identity.AuditQuery{}, identity.JSONL))
		decoder := json.NewDecoder(&lines)
		for want := int64(1); want <= 1102; want++ {
			var r identity.AuditRow
			if err := decoder.Decode(&r); err != nil || r.Seq != want || r.Hash == "" {
				t.Fatalf("line %d: %+v, %v", want, r, err)
			}
		}
		must(t, "csv", w.ExportAudit(w.admin, &table, identity.AuditQuery{}, identity.CSV))
		rows, err := csv.NewReader(&table).ReadAll()
		if err != nil || len(rows) != 1103 || rows[0][0] != "seq" || rows[3][10] != "'=1+1" || rows[3][12] != `{"a":"b,\"c\"\n"}` {
			t.Errorf("csv has %d rows: %q, %v", len(rows), rows[min(3, len(rows)-1)], err)
		}
		wantCode(t, "another format", w.ExportAudit(w.admin, &table, identity.AuditQuery{}, "xml"), "unknown_format")
	})
}

// Each process remembers where it left a chain; none may trust that when another
// one went on, or when the rows were replaced underneath.
func TestTheEndOfAChainMovesUnderAProcess(t *testing.T) {
	processes(t, 2, func(t *testing.T, dbs []*store.DB) {
		both := []*identity.Directory{identitytest.New(t, dbs[0]), identitytest.New(t, dbs[1])}
		admin := identitytest.SetUp(t, both[0]) // rows 1 and 2
		home := identity.From(admin).Workspace
		want := int64(2)
		verify := func(what string) {
			t.Helper()
			if v, err := both[0].VerifyAudit(t.Context(), home); err != nil || !v.OK || v.Rows != want {
				t.Fatalf("%s: %+v, %v; want %d rows", what, v, err, want)
			}
		}
		for i, who := range []int{0, 0, 1, 0, 1, 1, 0, 1, 0, 0} {
			must(t, "record", both[who].Record(admin, identity.Entry{Action: fmt.Sprint("act.", i)}))
			want++
		}
		verify("taking turns")
		for n := range 20 { // as many rows in one commit
			must(t, "record", dbs[n%2].InTx(admin, func(tx *store.Tx) error {
				for i := range n {
					if err := both[n%2].Audit(admin, tx, identity.Entry{Action: fmt.Sprint("act.", n, ".", i)}); err != nil {
						return err
					}
				}
				return nil
			}))
			want += int64(n)
		}
		verify("many rows at once")
		must(t, "cutting", dbs[1].InTx(admin, func(tx *store.Tx) error { // as a restored backup does
			if _, err := tx.Exec(admin, `DELETE FROM identity_audit WHERE seq > 5`); err != nil {
				return err
			}
			_, err := tx.Exec(admin, `UPDATE identity_audit_heads SET seq = 5, hash = (SELECT hash FROM identity_audit WHERE seq = 5)`)
			return err
		}))
		want = 5
		verify("cut")
		for i, who := range []int{0, 1, 1} {
			must(t, "record", both[who].Record(admin, identity.Entry{Action: fmt.Sprint("act.", i)}))
			want++
		}
		verify("after the cut")
	})
}

// A commit that failed leaves no trace in the memory of where the chain ends.
func TestAFailedCommitDoesNotMoveTheEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.record(2)
		before := w.last().Seq
		type broken struct{}
		err := w.db.InTx(w.admin, func(tx *store.Tx) error {
			// Flushed after the audit, in the order of their types' names.
			tx.BeforeCommit(broken{}, nil, func(context.Context, *store.Tx, []any) error { return errors.New("broken") })
			return w.Audit(w.admin, tx, identity.Entry{Action: "thing.make"})
		})
		if err == nil || w.last().Seq != before {
			t.Fatalf("the commit went on: %v, row %d", err, w.last().Seq)
		}
		w.record(2)
		if v, err := w.VerifyAudit(t.Context(), w.home()); err != nil || !v.OK || v.Last != before+2 {
			t.Errorf("%+v, %v; want %d rows", v, err, before+2)
		}
	})
}
