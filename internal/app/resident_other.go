//go:build !linux

package app

import "runtime/debug"

// releaseStart gives back heap that only the start needed.
func releaseStart() error {
	debug.FreeOSMemory()
	return nil
}
