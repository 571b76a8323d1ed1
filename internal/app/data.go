package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// Data is the folder with everything that must survive.
type Data struct{ Dir string }

// Database is the file rows are kept in when no server is configured.
func (d Data) Database() string { return filepath.Join(d.Dir, "fluxway.db") }

// Backups is the folder of backups.
func (d Data) Backups() string { return filepath.Join(d.Dir, "backups") }

// Key is the file with the key that seals secrets in the database.
func (d Data) Key() string { return filepath.Join(d.Dir, "secret.key") }

// Socket is how commands on this machine reach the running server.
func (d Data) Socket() string { return filepath.Join(d.Dir, "control.sock") }

func (d Data) journal() string { return filepath.Join(d.Dir, "journal") }

func (d Data) lock() string { return filepath.Join(d.Dir, "fluxway.lock") }

// open makes the folder, for its owner only.
func (d Data) open() error {
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		var path *fs.PathError
		reason := err
		if errors.As(err, &path) {
			reason = path.Err
		}
		return fault.New(fault.Unavailable, "no_data_folder", "The data folder %s cannot be made: %v.", d.Dir, reason).
			WithHint("Choose another with --home or FLUXWAY_HOME, or mend its rights.")
	}
	return nil
}

// claim makes this process the only server of the folder.
func (d Data) claim() (release func(), err error) {
	l := flock.New(d.lock(), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", d.lock(), err)
	}
	if !ok {
		return nil, fault.New(fault.Conflict, "already_running", "Another server uses the data folder %s.", d.Dir).
			WithHint("Stop it first, or start this one with another --home.")
	}
	return func() { _ = l.Unlock() }, nil // the lock goes with the process in any case
}

// Serving says whether a server uses the folder now.
func (d Data) Serving() bool {
	release, err := d.claim()
	if err != nil {
		return fault.HasCode(err, "already_running")
	}
	release()
	return false
}

// openBox opens what seals secrets in the database: with the configured key, or
// with the one in the data folder, which is made when there is none.
func openBox(cfg config.Config, data Data) (*seal.Box, error) {
	if cfg.Security.SealingKey.Empty() {
		return seal.OpenFile(data.Key())
	}
	key, err := seal.ParseKey(cfg.Security.SealingKey.Reveal())
	if err != nil {
		return nil, fmt.Errorf("security.sealing_key: %w", err)
	}
	return seal.New(key)
}

// openEngine opens the database the settings ask for.
func openEngine(cfg config.Config, data Data) (*store.Engine, error) {
	if url := cfg.Database.URL.Reveal(); url != "" {
		return postgres.Open(url)
	}
	return sqlite.Open(data.Database())
}
