package command

import (
	"io"
	"io/fs"
	"os"
)

// Disk is the machine's own file system, for Options.FS.
type Disk struct{}

// Lstat describes a file without following a link.
func (Disk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// ReadFile reads at most limit bytes of a regular file.
func (Disk) ReadFile(name string, limit int) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would block
		return nil, fs.ErrInvalid
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// ReadDir lists at most limit entries of a folder, in no order.
func (Disk) ReadDir(name string, limit int) ([]fs.DirEntry, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(limit)
	if err == io.EOF {
		err = nil
	}
	return entries, err
}
