// Package spool keeps entries in files until they are written elsewhere.
//
// In:    entries of bytes.
// Out:   after the process was killed, the entries that nobody said were written elsewhere, in their order.
// Keeps: files of a folder, each with a name and a number.
// Says:  nothing.
// Not here: what an entry means, and whether it was written before: who reads one again must be able to tell.
//
// An entry is a copy to a file's pages (where those cannot be had in memory, one write): it is there after the
// process was killed and costs a hundredth of a commit. It is not synced, so the machine's own death can lose the last
// ones. Files are overwritten in place, since a new page of a file costs more than what is put there.
package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// maxLeaf is how long a file may become before the next is begun.
const maxLeaf = 1 << 20

// frameHead is the length and the checksum before each entry.
const frameHead = 8

// roundMark begins a file whose next four bytes are what checksums begin with. It is longer than any entry; files of
// an older layout begin with an entry.
const roundMark = math.MaxUint32

var checksums = crc32.MakeTable(crc32.Castagnoli)

// Spool is a row of files that are written one after the other.
type Spool struct {
	dir, name string

	recovering sync.Mutex // one Recover at a time; before mu
	recovered  atomic.Bool

	mu     sync.Mutex // guards the fields below
	leaf   *Leaf      // being written; nil: none yet
	spare  *Leaf      // has nothing that is not written elsewhere, and is next; nil: none
	frame  []byte     // of the entry being written
	listed bool       // the files that others left are known
	left   []string   // those that Recover has not been through yet, the oldest first
}

// New makes a spool in a folder, which is made with the first entry.
func New(dir, name string) *Spool { return &Spool{dir: dir, name: name} }

// Add keeps what write appends to the bytes it is given.
func (s *Spool) Add(write func(entry []byte) []byte) (*Leaf, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frame := write(append(s.frame[:0], make([]byte, frameHead)...))
	s.frame = frame
	if err := s.turn(); err != nil {
		return nil, err
	}
	f := s.leaf
	entry := frame[frameHead:]
	binary.LittleEndian.PutUint32(frame, uint32(len(entry)))
	binary.LittleEndian.PutUint32(frame[4:], crc32.Update(f.round, checksums, entry))
	if err := f.put(frame, f.size); err != nil {
		return nil, fmt.Errorf("writing to %s: %w", f.path, err) // half an entry is not read, and the next is written over it
	}
	f.size += int64(len(frame))
	f.pending++
	return f, nil
}

// turn begins a file where there is none, or where the last one is long.
func (s *Spool) turn() error {
	if s.leaf != nil && s.leaf.size < maxLeaf {
		return nil
	}
	path, err := s.next()
	if err != nil {
		return err
	}
	if f := s.spare; f != nil {
		if err := os.Rename(f.path, path); err != nil {
			return fmt.Errorf("beginning a file of %s: %w", s.name, err)
		}
		f.path, s.leaf, s.spare = path, f, nil
		return nil
	}
	f, err := newLeaf(path)
	if err != nil {
		return fmt.Errorf("beginning a file of %s: %w", s.name, err)
	}
	s.leaf = f
	return nil
}

// next is the name of the next file.
func (s *Spool) next() (string, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of %s: %w", s.name, err)
	}
	if err := s.list(); err != nil {
		return "", err
	}
	known, err := s.Files()
	if err != nil {
		return "", err
	}
	number := 1
	if len(known) > 0 {
		if _, err := fmt.Sscanf(filepath.Base(known[len(known)-1]), s.name+leafName, &number); err != nil {
			return "", fmt.Errorf("the number of %s: %w", known[len(known)-1], err)
		}
		number++
	}
	return filepath.Join(s.dir, fmt.Sprintf(s.name+leafName, number)), nil
}

// leafName sorts by age.
const leafName = "-%012d.journal"

// Files lists the files, the oldest first.
func (s *Spool) Files() ([]string, error) {
	all, err := filepath.Glob(filepath.Join(s.dir, s.name+"-????????????.journal"))
	slices.Sort(all)
	return all, err
}

// Written forgets entries that are elsewhere now, each by its file. A file without any others begins anew: at once
// if it is being written, else as the next one; a second of those is removed.
func (s *Spool) Written(of []*Leaf) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failed error
	for _, f := range of {
		if f.pending--; f.pending > 0 {
			continue
		}
		switch {
		case f == s.leaf:
			failed = errors.Join(failed, f.anew())
		case s.leaf != nil && s.spare == nil && f.anew() == nil:
			s.spare = f
		default:
			failed = errors.Join(failed, f.close(), os.Remove(f.path))
		}
	}
	return failed
}

// Close ends the file being written; it stays if some of it is nowhere else.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failed error
	for _, f := range []*Leaf{s.leaf, s.spare} {
		if f == nil {
			continue
		}
		failed = errors.Join(failed, f.close())
		if f.pending == 0 {
			failed = errors.Join(failed, os.Remove(f.path))
		}
	}
	s.leaf, s.spare = nil, nil
	return failed
}

// list finds the files that others left, before this spool makes any. The caller holds mu.
func (s *Spool) list() (err error) {
	if s.listed {
		return nil
	}
	if s.left, err = s.Files(); err != nil {
		return fmt.Errorf("listing the files of %s: %w", s.name, err)
	}
	s.listed = true
	return nil
}

// Left is what becomes of the entries that a process which died has left.
type Left struct {
	// Read takes one entry. ErrEntry says that it is of another version.
	Read func(entry []byte) error
	// Write has what was read of a file written elsewhere.
	Write func() error
	// Aside is told of a file with an entry that is not understood: nothing may depend on it, and nobody may lose it.
	Aside func(file string, why error)
}

// Recovered says whether Recover has been through all of them.
func (s *Spool) Recovered() bool { return s.recovered.Load() }

// Recover goes through the files that others left, the oldest first, once: each is read, what was read is written, and the file is
// removed or put aside. After an error the next call goes on with the same file.
func (s *Spool) Recover(left Left) error {
	if s.Recovered() {
		return nil
	}
	s.recovering.Lock()
	defer s.recovering.Unlock()
	s.mu.Lock()
	err := s.list()
	files := s.left
	s.mu.Unlock()
	if err != nil {
		return err
	}
	for _, path := range files {
		if err := left.file(path); err != nil {
			return err
		}
		s.mu.Lock()
		s.left = s.left[1:]
		s.mu.Unlock()
	}
	s.recovered.Store(true)
	return nil
}

func (l *Left) file(path string) error {
	unread := Read(path, l.Read)
	if unread != nil && !errors.Is(unread, ErrEntry) {
		return fmt.Errorf("reading what was left: %w", unread)
	}
	if err := l.Write(); err != nil {
		return err
	}
	if unread != nil {
		l.Aside(path+".unread", unread)
		return os.Rename(path, path+".unread")
	}
	return os.Remove(path)
}

// Read gives the whole entries of a file to each, until one of them fails or the rest is not an entry: nothing was
// written there since the file began anew, or the process was killed while it wrote that one.
func Read(path string, each func(entry []byte) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var round uint32
	if len(text) > frameHead && binary.LittleEndian.Uint32(text) == roundMark {
		round = binary.LittleEndian.Uint32(text[4:])
		text = text[frameHead:]
	}
	for len(text) > frameHead {
		n := int64(binary.LittleEndian.Uint32(text))
		sum := binary.LittleEndian.Uint32(text[4:])
		text = text[frameHead:]
		if n == 0 || n > int64(len(text)) || crc32.Update(round, checksums, text[:n]) != sum {
			return nil
		}
		if err := each(text[:n:n]); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		text = text[n:]
	}
	return nil
}
