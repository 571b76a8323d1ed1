package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/store"
)

const (
	oldestServer = 140000
	slowAnswer   = 50 * time.Millisecond
)

func inspect(ctx context.Context, db *sql.DB) []store.Finding {
	conn, err := db.Conn(ctx)
	if err != nil {
		return []store.Finding{{Name: "postgres", Detail: err.Error(), Fix: "Check that the server runs and that database.url is right."}}
	}
	defer conn.Close()
	findings := []store.Finding{version(ctx, conn), latency(ctx, conn), vector(ctx, conn), encoding(ctx, conn)}
	return append(findings, durability(ctx, conn)...)
}

func setting(ctx context.Context, conn *sql.Conn, name string) string {
	var value string
	if err := conn.QueryRowContext(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
		return "unknown: " + err.Error()
	}
	return value
}

func version(ctx context.Context, conn *sql.Conn) store.Finding {
	f := store.Finding{Name: "postgres"}
	var number int
	if err := conn.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&number); err != nil {
		f.Detail, f.Fix = err.Error(), "Check that the server runs and that database.url is right."
		return f
	}
	f.Detail = "version " + setting(ctx, conn, "server_version")
	if f.OK = number >= oldestServer; !f.OK {
		f.Fix = "Upgrade the server to PostgreSQL 14 or newer."
	}
	return f
}

func latency(ctx context.Context, conn *sql.Conn) store.Finding {
	f := store.Finding{Name: "latency"}
	best := time.Hour
	for range 5 {
		began := time.Now()
		if _, err := conn.ExecContext(ctx, "SELECT 1"); err != nil {
			f.Detail, f.Fix = err.Error(), "Check the network to the server."
			return f
		}
		best = min(best, time.Since(began))
	}
	f.Detail = fmt.Sprintf("%s for an empty statement", best.Round(time.Microsecond))
	if f.OK = best < slowAnswer; !f.OK {
		f.Fix = "Run Fluxway nearer to the database: every transaction waits for several answers."
	}
	return f
}

func vector(ctx context.Context, conn *sql.Conn) store.Finding {
	f := store.Finding{Name: "pgvector"}
	var installed, available sql.NullString
	err := conn.QueryRowContext(ctx, `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
		(SELECT default_version FROM pg_available_extensions WHERE name = 'vector')`).Scan(&installed, &available)
	switch {
	case err != nil:
		f.Detail, f.Fix = err.Error(), "Check the rights of the database user."
	case installed.Valid:
		f.OK, f.Detail = true, "version "+installed.String
	case available.Valid:
		f.OK, f.Detail = true, "version "+available.String+" is available and not yet in use"
	default:
		f.Detail, f.Fix = "the extension is not on the server", "Install it (Debian: apt-get install postgresql-15-pgvector) if memory is to search on the server."
	}
	return f
}

func encoding(ctx context.Context, conn *sql.Conn) store.Finding {
	f := store.Finding{Name: "encoding", Detail: setting(ctx, conn, "server_encoding")}
	if f.OK = f.Detail == "UTF8"; !f.OK {
		f.Fix = "Create the database with ENCODING 'UTF8' and move the rows with fluxway backup and fluxway restore."
	}
	return f
}

// durability: with one of these off, a power cut can lose what was acknowledged.
func durability(ctx context.Context, conn *sql.Conn) []store.Finding {
	var findings []store.Finding
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		value := setting(ctx, conn, name)
		f := store.Finding{Name: name, Detail: value, OK: value != "off"}
		if !f.OK {
			f.Fix = "Set " + name + " = on: with it off, a power cut can lose what was acknowledged."
		}
		findings = append(findings, f)
	}
	return findings
}
