package sandbox

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const diskEvery = 200 * time.Millisecond

// watchDisk calls full once the folder has grown by more than limit. Free space of the file system is cheap
// to ask for and tells when it is worth measuring the folder itself, which others do not fill.
func watchDisk(ended <-chan struct{}, folder string, limit int64, full func()) {
	tick := time.NewTicker(diskEvery)
	defer tick.Stop()
	free, ok := freeSpace(folder)
	if !ok {
		return
	}
	started := time.Now()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		now, ok := freeSpace(folder)
		if !ok || free-now <= limit {
			continue
		}
		if written(folder, started) > limit {
			full()
			return
		}
		free = now + limit/2 // somebody else used it: look again when half as much more is gone
	}
}

func freeSpace(folder string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, false
	}
	return int64(st.Bfree) * st.Bsize, true
}

// written is the size on disk of the files changed since a moment.
func written(folder string, since time.Time) int64 {
	var sum int64
	since = since.Add(-2 * time.Second) // coarse clocks of file systems
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what is gone or cannot be read is not counted
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && info.ModTime().After(since) {
			sum += st.Blocks * 512
		}
		return nil
	})
	return sum
}
