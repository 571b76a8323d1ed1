package sqlite

import (
	"path/filepath"
	"testing"
)

// The mutex is taken away by where it is in the library's memory: a new version that has it elsewhere must not go unnoticed.
func TestTheWritersConnectionHasNoMutex(t *testing.T) {
	t.Parallel()
	engine, err := Open(filepath.Join(t.TempDir(), "alone.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Write.Close()
	conn, err := engine.Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 2 { // a connection may be taken up again
		err := conn.Raw(func(conn any) error {
			on, err := openStatements(conn)
			if err == nil && !on.(*statements).alone() {
				t.Error("the writer's connection has a mutex")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := conn.ExecContext(t.Context(), `CREATE TABLE kept (n INTEGER)`); err != nil {
		t.Error(err)
	}
}
