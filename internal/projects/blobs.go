package projects

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// blobs keeps contents in files that are named by their hash.
type blobs struct {
	dir   string
	total int64

	mu    sync.Mutex          // guards the fields below
	fresh map[string]struct{} // those that were used since the day began
	day   time.Time
}

func newBlobs(dir string, total int64) *blobs {
	return &blobs{dir: dir, total: total, fresh: make(map[string]struct{})}
}

func (b *blobs) path(hash string) string { return filepath.Join(b.dir, hash[:2], hash) }

// has reports whether a content is kept, and notes that it is still wanted: its file's time is
// the last day it was, so that what is older than every snapshot can go without asking.
func (b *blobs) has(hash string) bool {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.day) > day || len(b.fresh) > 200_000 {
		b.day = now
		clear(b.fresh)
	}
	if _, ok := b.fresh[hash]; ok {
		return true
	}
	if err := os.Chtimes(b.path(hash), now, now); err != nil {
		return false
	}
	b.fresh[hash] = struct{}{}
	return true
}

// put keeps what r gives, up to limit bytes, and answers its hash; false: there was more.
func (b *blobs) put(r io.Reader, limit int64) (sum string, size int64, ok bool, err error) {
	temp, err := os.CreateTemp(b.dir, "new-")
	if err != nil {
		return "", 0, false, fmt.Errorf("keeping a content: %w", err)
	}
	defer os.Remove(temp.Name()) // unless it was renamed
	h := sha256.New()
	size, err = io.Copy(io.MultiWriter(temp, h), io.LimitReader(r, limit+1))
	if err = errors.Join(err, temp.Close()); err != nil {
		return "", 0, false, fmt.Errorf("keeping a content: %w", err)
	}
	if size > limit {
		return "", size, false, nil
	}
	sum = name(h)
	if b.has(sum) {
		return sum, size, true, nil
	}
	if err := os.MkdirAll(filepath.Dir(b.path(sum)), 0o700); err != nil {
		return "", 0, false, fmt.Errorf("keeping a content: %w", err)
	}
	if err := os.Rename(temp.Name(), b.path(sum)); err != nil {
		return "", 0, false, fmt.Errorf("keeping a content: %w", err)
	}
	return sum, size, true, nil
}

// hashOf is put without keeping.
func hashOf(r io.Reader, limit int64) (sum string, size int64, ok bool, err error) {
	h := sha256.New()
	size, err = io.Copy(h, io.LimitReader(r, limit+1))
	return name(h), size, size <= limit, err
}

func name(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// get reads a content back and checks that it is what was put.
func (b *blobs) get(sum string) ([]byte, error) {
	if len(sum) != sha256.Size*2 {
		return nil, fs.ErrNotExist
	}
	content, err := os.ReadFile(b.path(sum))
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(content)
	if name(h) != sum {
		return nil, fmt.Errorf("the kept content %s is damaged", sum)
	}
	return content, nil
}

// prune removes contents that were last wanted before a moment, and the oldest
// ones while all together are more than may be kept.
func (b *blobs) prune(before time.Time) error {
	type kept struct {
		path string
		size int64
		at   time.Time
	}
	var all []kept
	var sum int64
	err := filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return nil // it went meanwhile
		}
		all = append(all, kept{path, info.Size(), info.ModTime()})
		sum += info.Size()
		return nil
	})
	if err != nil {
		return fmt.Errorf("listing kept contents: %w", err)
	}
	slices.SortFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
	// A day's slack: a content that is wanted again has its time set once a day.
	before = before.Add(-day)
	for _, k := range all {
		if sum <= b.total && !k.at.Before(before) {
			break
		}
		if err := os.Remove(k.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a kept content: %w", err)
		}
		sum -= k.size
	}
	b.mu.Lock()
	clear(b.fresh)
	b.mu.Unlock()
	return nil
}
