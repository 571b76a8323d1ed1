package seal

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// OpenFile makes a box of the keys in a file, one per line in base64, the first
// for sealing. A missing file is created with a new key; of several processes
// that try at once, one makes it and all use the same.
func OpenFile(path string) (*Box, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("making the key file: %w", err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	if err := private(path); err != nil {
		return nil, err
	}
	var keys [][]byte
	for line := range bytes.Lines(text) {
		word := strings.TrimSpace(string(line))
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		key, err := ParseKey(word)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fault.New(fault.Unavailable, "key_file_empty", "The key file %s holds no key.", path).
			WithHint("Restore it from a backup: without it the stored secrets cannot be read.")
	}
	return New(keys[0], keys[1:]...)
}

// create writes the whole file under another name first, so that nobody ever
// reads half a key, and links it into place, which fails if someone was first.
func create(path string) error {
	key := make([]byte, KeySize)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintln(f, base64.StdEncoding.EncodeToString(key))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func private(path string) error {
	if runtime.GOOS == "windows" { // the mode bits say nothing there
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fault.New(fault.Unavailable, "key_file_open", "The key file %s can be read by others (mode %04o).", path, info.Mode().Perm()).
			WithHint("Run: chmod 600 %s", path)
	}
	return nil
}
