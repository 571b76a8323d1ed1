package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/fluxway/fluxway/internal/store"
)

// The mutex is taken away by where it is in the library's memory: a new version that has it elsewhere must not go unnoticed.
func TestTheWritersConnectionHasNoMutex(t *testing.T) {
	t.Parallel()
	_, conn := writer(t)
	onWriter(t, conn, func(on *statements) error {
		if !on.alone() {
			t.Error("the writer's connection has a mutex")
		}
		return nil
	})
	if _, err := conn.ExecContext(t.Context(), `CREATE TABLE kept (n INTEGER)`); err != nil {
		t.Error(err)
	}
}

// writer opens a file and the one connection that writes to it.
func writer(t *testing.T) (*store.Engine, *sql.Conn) {
	t.Helper()
	engine, err := Open(filepath.Join(t.TempDir(), "alone.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Write.Close() })
	conn, err := engine.Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return engine, conn
}

// onWriter takes the connection up as the writer does, twice: it may be taken up again.
func onWriter(t *testing.T, conn *sql.Conn, use func(on *statements) error) {
	t.Helper()
	for range 2 {
		err := conn.Raw(func(conn any) error {
			on, err := openStatements(conn)
			if err != nil {
				return err
			}
			defer on.Close()
			return use(on.(*statements))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
