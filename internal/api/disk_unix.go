//go:build unix

package api

import "syscall"

func diskOf(path string) (*Disk, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return nil, err
	}
	block := uint64(st.Bsize)                                                    //nolint:unconvert // its type differs between systems
	return &Disk{Free: uint64(st.Bavail) * block, Total: st.Blocks * block}, nil //nolint:unconvert // as above
}
