//go:build !linux

package command

import "time"

var began = time.Now()

// processorTime is the time passed, where a thread's own cannot be asked for.
func processorTime() time.Duration { return time.Since(began) }
