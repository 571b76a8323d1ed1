package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/fluxway/fluxway/internal/store"
)

const (
	littleSpace = 512 << 20
	longLog     = 256 << 20
)

func inspect(ctx context.Context, path string, db *sql.DB) []store.Finding {
	return []store.Finding{version(ctx, db), permissions(path), space(path), log(path)}
}

func version(ctx context.Context, db *sql.DB) store.Finding {
	f := store.Finding{Name: "sqlite", Fix: "Check that the file can be opened."}
	var number, journal string
	var sync int
	err := errors.Join(
		db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&number),
		db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal),
		db.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&sync))
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	f.Detail = fmt.Sprintf("version %s, journal %s, synchronous %d", number, journal, sync)
	if f.OK = journal == "wal" && sync == 2; f.OK {
		f.Fix = ""
		return f
	}
	f.Fix = "The folder must be on a local disk: a network share cannot keep a write-ahead log."
	return f
}

// permissions: the file holds what was said and password hashes.
func permissions(path string) store.Finding {
	f := store.Finding{Name: "permissions", OK: true, Detail: path + " is for its owner only"}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return store.Finding{Name: f.Name, Detail: err.Error(), Fix: "Check who owns the folder."}
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			return store.Finding{Name: f.Name, Detail: fmt.Sprintf("%s can be opened by others (%v)", name, mode), Fix: "chmod 600 " + name}
		}
	}
	return f
}

func space(path string) store.Finding {
	f := store.Finding{Name: "disk"}
	var st unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &st); err != nil {
		f.Detail, f.Fix = err.Error(), "Check that the folder exists."
		return f
	}
	free := int64(st.Bavail) * int64(st.Bsize)
	f.Detail = store.Bytes1024(free) + " free"
	if f.OK = free >= littleSpace; !f.OK {
		f.Fix = "Free some space on the disk that holds " + filepath.Dir(path) + "."
	}
	return f
}

func log(path string) store.Finding {
	f := store.Finding{Name: "wal", OK: true, Detail: "no write-ahead log"}
	info, err := os.Stat(path + "-wal")
	if err != nil {
		return f
	}
	f.Detail = store.Bytes1024(info.Size())
	if f.OK = info.Size() <= longLog; !f.OK {
		f.Fix = "Something has kept a read open for long; restart Fluxway, or close the other program that has the file open."
	}
	return f
}
