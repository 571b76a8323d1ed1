package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
)

// Leaf is the file that an entry is in.
type Leaf struct {
	path    string
	file    *os.File
	room    []byte // the beginning of the file in memory; empty where the system does not have it there
	round   uint32 // what checksums begin with: entries of an earlier round behind the last one are none
	size    int64
	pending int // entries that are not written elsewhere yet
}

func newLeaf(path string) (*Leaf, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	f := &Leaf{path: path, file: file, room: mapped(file, maxLeaf)}
	if err := f.anew(); err != nil {
		return nil, errors.Join(err, f.close(), os.Remove(path))
	}
	return f, nil
}

// anew begins a round: whatever is in the file is no entry any more. Nobody can know the number before, so no
// entry can have another one of a later round in its text.
func (f *Leaf) anew() error {
	round := rand.Uint32()
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, frameHead), roundMark)
	head = binary.LittleEndian.AppendUint32(head, round)
	if err := f.put(head, 0); err != nil {
		return fmt.Errorf("beginning %s anew: %w", f.path, err)
	}
	f.round, f.size = round, frameHead
	return nil
}

// put has a text at a place of the file.
func (f *Leaf) put(text []byte, at int64) error {
	if at+int64(len(text)) <= int64(len(f.room)) {
		if place(f.room[at:], text) {
			return nil
		}
		if err := f.leave(); err != nil {
			return err
		}
	}
	_, err := f.file.WriteAt(text, at)
	return err
}

// place copies to memory that is a file's. It tells, instead of ending the process, where the system has no page for
// it: files are copied when they are changed, and the disk is full, or somebody cut the file.
func place(room, text []byte) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	copy(room, text)
	return true
}

// leave has the file written by calls from now on.
func (f *Leaf) leave() error {
	room := f.room
	f.room = nil
	return unmap(room)
}

func (f *Leaf) close() error { return errors.Join(f.leave(), f.file.Close()) }
