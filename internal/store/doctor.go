package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Finding is one thing that was checked.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // what to do, when it is not OK
}

// Doctor checks whether the database is sound, up to date and writable. It
// reads every page of a SQLite file, so it is not for a health probe.
func (db *DB) Doctor(ctx context.Context) []Finding {
	findings := []Finding{db.checkVersion(ctx), db.checkWrite(ctx), db.checkIntegrity(ctx)}
	if size, err := db.engine.Size(ctx); err == nil {
		findings = append(findings, Finding{Name: "size", OK: true, Detail: fmt.Sprintf("%s takes %s", db.engine.Where, Bytes1024(size))})
	}
	return append(findings, db.engine.Inspect(ctx)...)
}

func (db *DB) checkVersion(ctx context.Context) Finding {
	f := Finding{Name: "schema"}
	at, err := db.Version(ctx)
	latest, lerr := db.latest()
	if err := errors.Join(err, lerr); err != nil {
		f.Detail, f.Fix = fmt.Sprintf("the schema's version cannot be read: %v", err), "Check that the database can be reached."
		return f
	}
	f.Detail = fmt.Sprintf("version %d, this program has %d", at, latest)
	switch f.OK = at == latest; {
	case at > latest:
		f.Fix = "Install the newer version of Fluxway again, or restore a backup made with this one."
	case at < latest:
		f.Fix = "Start fluxway up once: it takes a copy and migrates."
	}
	return f
}

var errRehearsal = errors.New("undone on purpose")

// checkWrite changes a row and undoes it.
func (db *DB) checkWrite(ctx context.Context) Finding {
	f := Finding{Name: "writable"}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	began := time.Now()
	err := db.InTx(ctx, func(tx *Tx) error {
		_, err := tx.Exec(ctx, insertBody, "body_doctor", "ws_doctor", "doctor", "", "", 0, "", []byte{}, began, nil)
		return errors.Join(err, errRehearsal)
	})
	took := time.Since(began).Round(time.Microsecond)
	if f.OK = rehearsed(err); f.OK {
		f.Detail = fmt.Sprintf("a test transaction took %s", took)
		return f
	}
	f.Detail = fmt.Sprintf("a test transaction failed: %v", err)
	f.Fix = "Check the disk, who owns the file, and the rights of the database user."
	return f
}

// rehearsed says whether nothing but our own error undid the transaction.
func rehearsed(err error) bool {
	joined, ok := err.(interface{ Unwrap() []error })
	return ok && len(joined.Unwrap()) == 1 && errors.Is(err, errRehearsal)
}

func (db *DB) checkIntegrity(ctx context.Context) Finding {
	f := Finding{Name: "integrity", Fix: "Run fluxway restore with the newest backup."}
	wrong, err := db.engine.Check(ctx)
	switch {
	case err != nil:
		f.Detail = fmt.Sprintf("the check could not run: %v", err)
	case len(wrong) > 0:
		f.Detail = strings.Join(wrong[:min(len(wrong), 5)], "; ")
	default:
		f.OK, f.Detail, f.Fix = true, "no damage found", ""
	}
	return f
}

// Bytes1024 writes a size for people.
func Bytes1024(n int64) string {
	size := float64(n)
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if size < 1024 {
			return fmt.Sprintf("%.4g %s", size, unit)
		}
		size /= 1024
	}
	return fmt.Sprintf("%.4g TiB", size)
}
