package command

import (
	"runtime"
	"syscall"
	"time"
)

// processorTime is what this thread has used so far.
func processorTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	runtime.LockOSThread()
	var used syscall.Rusage
	if err := syscall.Getrusage(thread, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
