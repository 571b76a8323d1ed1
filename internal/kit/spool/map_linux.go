package spool

import (
	"os"
	"syscall"
)

// mapped is the beginning of a file in memory, with room on the disk for all of it; nil where there is none to be had.
// What is put there is the file's at once, whatever becomes of the process.
func mapped(file *os.File, size int) []byte {
	fd := int(file.Fd())
	if syscall.Fallocate(fd, 0, 0, int64(size)) != nil {
		return nil
	}
	room, err := syscall.Mmap(fd, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return room
}

func unmap(room []byte) error {
	if room == nil {
		return nil
	}
	return syscall.Munmap(room)
}
