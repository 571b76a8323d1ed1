package projects

import (
	"io/fs"
	"syscall"
)

// stampOf tells a file from what it was before, also when somebody set its time back.
func stampOf(info fs.FileInfo) (stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{size: info.Size(), written: info.ModTime().UnixNano(), changed: st.Ctim.Nano(), inode: st.Ino}, true
}
