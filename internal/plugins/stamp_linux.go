package plugins

import (
	"io/fs"
	"syscall"
)

// changedAt is when the file was last touched, which nobody can set back as the time of its content can be.
func changedAt(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
