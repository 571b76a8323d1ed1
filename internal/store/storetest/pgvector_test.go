package storetest

import (
	"database/sql"
	"os"
	"testing"
)

// TestServerHasPgvector keeps the throwaway server what an installation with
// memory on PostgreSQL needs.
func TestServerHasPgvector(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("pgx", EmptyPostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var available bool
	if err := db.QueryRow(`SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')`).Scan(&available); err != nil {
		t.Fatal(err)
	}
	if !available && os.Getenv("FLUXWAY_TEST_POSTGRES") != "require" {
		t.Skip("pgvector is not installed (as root: make test-deps)")
	}
	if _, err := db.Exec(`CREATE EXTENSION vector`); err != nil {
		t.Fatal(err)
	}
	var distance float64
	if err := db.QueryRow(`SELECT '[1,0]'::vector <=> '[0,1]'::vector`).Scan(&distance); err != nil || distance != 1 {
		t.Errorf("cosine distance of perpendicular vectors = %v, %v; want 1", distance, err)
	}
}
