package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"
)

// Engine is an opened database with what differs between databases. The
// packages sqlite and postgres make one each; only app imports them.
type Engine struct {
	Name  string  // "sqlite" or "postgres"
	Where string  // the file, or host and database, without secrets
	Path  string  // the file; empty for a server
	Write *sql.DB // for the one writer
	Read  *sql.DB // for readers in parallel
	Side  *sql.DB // for migrations, backups and checks: no time limit, nothing kept open

	Begin      string // how a write transaction starts
	Snapshot   string // how a transaction starts that reads one moment
	Unhurried  string // what makes a connection fit for a transaction that replaces every row
	SkipLocked string // suffix of a SELECT that claims rows
	Types      map[string]string
	Numbered   bool // $1 instead of ?

	// Statements prepares what the writer changes rows with on its connection, as the driver gives it; nil: database/sql does.
	Statements func(conn any) (Statements, error)

	// RowPlace names the columns that tell the rows of a table apart, the engine's own where it has one.
	RowPlace func(ctx context.Context, q Querier, table string) ([]string, error)
	// Unique says whether err is a violated unique constraint.
	Unique func(error) bool
	// Again says whether the transaction was certainly undone and may be repeated.
	Again func(error) bool
	// Undone says whether a COMMIT that failed with err certainly saved nothing.
	Undone func(error) bool
	// Stale says whether a prepared statement no longer fits the schema.
	Stale func(error) bool
	// Aborted says whether the driver's connection is in a transaction that can
	// only be rolled back; nil: the engine has no such state.
	Aborted func(conn any) bool
	// Lock keeps other processes from migrating at the same time.
	Lock func(ctx context.Context) (unlock func(), err error)
	// Check runs the engine's integrity checks and lists what is wrong.
	Check func(ctx context.Context) ([]string, error)
	// Size is how many bytes the database takes.
	Size func(ctx context.Context) (int64, error)
	// Tidy gives space back and refreshes statistics; nil: the server does it.
	Tidy func(ctx context.Context) error
	// Inspect lists what doctor should know about the engine itself.
	Inspect func(ctx context.Context) []Finding
	// Tables lists the tables with rows of ours, without those that the engine
	// derives from others.
	Tables func(ctx context.Context, q Querier) ([]Table, error)
	// Defer keeps other processes from writing until the transaction ends and
	// puts the checks of foreign keys off, on a connection that Unhurried was run
	// on; check makes up for them.
	Defer func(ctx context.Context, tx *Tx) (check func() error, err error)
	// Scratch makes an empty database of the same kind that drop removes. It is
	// closed by whoever uses it, before drop.
	Scratch func(ctx context.Context) (scratch *Engine, drop func(), err error)
	// Copy writes a consistent copy of the whole database to a new file; nil:
	// not possible without outside tools.
	Copy func(ctx context.Context, to string) error
}

// InsertRows begins an INSERT of several rows for a caller that gives its transaction up when it fails, which PostgreSQL
// wants of everyone. SQLite would otherwise keep a copy of each page that the statement changes, to be able to undo it by itself, and
// write out what was learnt for searches before it.
const InsertRows = insertRows + ` `

const insertRows = `INSERT OR FAIL INTO`

// binder turns ? into $n once per statement.
type binder struct {
	numbered bool
	known    sync.Map // string -> string
}

func (b *binder) bind(query string) string {
	if !b.numbered {
		return query
	}
	if bound, ok := b.known.Load(query); ok {
		return bound.(string)
	}
	bound := number(strings.Replace(query, insertRows, `INSERT INTO`, 1))
	b.known.Store(query, bound)
	return bound
}

// number rewrites placeholders outside of quoted text.
func number(query string) string {
	var out strings.Builder
	out.Grow(len(query) + 16)
	n, quote := 0, byte(0)
	for i := range len(query) {
		c := query[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '?':
			n++
			out.WriteByte('$')
			out.WriteString(strconv.Itoa(n))
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}
