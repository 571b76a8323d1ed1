package app

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// releaseStart gives back what only the start needed: heap that is free, and pages of the program file that the
// kernel mapped around those that were touched. What is used again is mapped again, from the page cache.
func releaseStart() error {
	debug.FreeOSMemory()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return err
	}
	defer f.Close()
	var at mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if next, ok := parseMapping(line); ok {
			at = next
			continue
		}
		if at.file != program || at.writable {
			continue
		}
		// Of a page that was written to, such as a relocated one, there is no other copy.
		if rest, ok := strings.CutPrefix(line, "Anonymous:"); ok && strings.TrimSpace(rest) == "0 kB" {
			if _, _, errno := unix.Syscall(unix.SYS_MADVISE, at.from, at.to-at.from, unix.MADV_DONTNEED); errno != 0 {
				return fmt.Errorf("giving back pages of %s: %w", program, errno)
			}
		}
	}
	return nil
}

// mapping is one area of the process's memory.
type mapping struct {
	from, to uintptr
	writable bool
	file     string
}

// parseMapping reads the line that begins an area: "00400000-016a0000 r-xp 00000000 fe:00 123   /bin/program".
func parseMapping(line string) (mapping, bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return mapping{}, false
	}
	var m mapping
	if _, err := fmt.Sscanf(fields[0], "%x-%x", &m.from, &m.to); err != nil {
		return mapping{}, false
	}
	m.writable, m.file = strings.Contains(fields[1], "w"), strings.Join(fields[5:], " ")
	return m, true
}
