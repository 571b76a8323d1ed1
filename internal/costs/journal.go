package costs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// maxLeaf is how long a file of the journal may become before the next is begun.
const maxLeaf = 1 << 20

// journal keeps what calls begin and end with until the database has it. An
// entry is one write to a file, so it is there after the process was killed, and
// costs a fraction of a commit; the database then takes many rows at once.
type journal struct {
	dir string

	mu    sync.Mutex // guards the fields below
	leaf  *leaf      // being written; nil: none yet
	frame []byte     // of the entry being written
}

// leaf is one file of the journal.
type leaf struct {
	file    *os.File
	size    int64
	pending int // entries that the database does not have yet
}

// entryKind says what an entry tells.
type entryKind byte

const (
	entryBegun entryKind = 1
	entryEnded entryKind = 2
)

// frameHead is the length and the checksum before each entry.
const frameHead = 8

var checksums = crc32.MakeTable(crc32.Castagnoli)

// begun writes that a call begins.
func (j *journal) begun(r *Reservation) (*leaf, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.add(appendRecord(j.open(entryBegun), &r.rec))
}

// ended writes how a call ended.
func (j *journal) ended(x *settling) (*leaf, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.add(appendSettling(j.open(entryEnded), x))
}

// open begins a frame. The caller holds mu.
func (j *journal) open(kind entryKind) []byte {
	return append(append(j.frame[:0], make([]byte, frameHead)...), byte(kind))
}

// add writes a frame. The caller holds mu.
func (j *journal) add(frame []byte) (*leaf, error) {
	j.frame = frame
	entry := frame[frameHead:]
	binary.LittleEndian.PutUint32(frame, uint32(len(entry)))
	binary.LittleEndian.PutUint32(frame[4:], crc32.Checksum(entry, checksums))
	if err := j.turn(); err != nil {
		return nil, err
	}
	f := j.leaf
	if _, err := f.file.Write(frame); err != nil {
		// Half an entry would hide the ones behind it.
		return nil, errors.Join(fmt.Errorf("writing to the journal: %w", err), f.file.Truncate(f.size))
	}
	f.size += int64(len(frame))
	f.pending++
	return f, nil
}

// turn begins a file where there is none, or where the last one is long.
func (j *journal) turn() error {
	if j.leaf != nil && j.leaf.size < maxLeaf {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return fmt.Errorf("making the journal's folder: %w", err)
	}
	number := 1
	if known, err := leaves(j.dir); err != nil {
		return err
	} else if len(known) > 0 {
		if _, err := fmt.Sscanf(filepath.Base(known[len(known)-1]), leafName, &number); err != nil {
			return fmt.Errorf("the name of a journal's file: %w", err)
		}
		number++
	}
	file, err := os.OpenFile(filepath.Join(j.dir, fmt.Sprintf(leafName, number)), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("beginning a journal: %w", err)
	}
	j.leaf = &leaf{file: file}
	return nil
}

// leafName sorts by age.
const leafName = "costs-%012d.journal"

// leaves lists the files of a journal, the oldest first.
func leaves(dir string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "costs-????????????.journal"))
	slices.Sort(all)
	return all, err
}

// written forgets entries that the database has now, each with its file. A file
// without any others is emptied, and removed once it is not written any more.
func (j *journal) written(of []*leaf) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var failed error
	for _, f := range of {
		if f.pending--; f.pending > 0 || f.size == 0 {
			continue
		}
		if f == j.leaf {
			failed = errors.Join(failed, f.file.Truncate(0))
			f.size = 0
			continue
		}
		failed = errors.Join(failed, f.remove())
	}
	return failed
}

func (f *leaf) remove() error {
	return errors.Join(f.file.Close(), os.Remove(f.file.Name()))
}

// close ends the file being written; it stays if the database lacks some of it.
func (j *journal) close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.leaf
	j.leaf = nil
	switch {
	case f == nil:
		return nil
	case f.pending > 0:
		return f.file.Close()
	}
	return f.remove()
}

// readLeaf gives the whole entries of a file to each, until one of them fails or
// the rest is not an entry: the process was killed while it wrote that one.
func readLeaf(path string, each func(kind entryKind, entry []byte) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	for len(text) > frameHead {
		n := int64(binary.LittleEndian.Uint32(text))
		sum := binary.LittleEndian.Uint32(text[4:])
		text = text[frameHead:]
		if n == 0 || n > int64(len(text)) || crc32.Checksum(text[:n], checksums) != sum {
			return nil
		}
		if err := each(entryKind(text[0]), text[1:n]); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		text = text[n:]
	}
	return nil
}
