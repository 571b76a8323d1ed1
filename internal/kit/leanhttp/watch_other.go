//go:build !linux

package leanhttp

import "errors"

// watch is not there: all requests are left to the standard server.
type watch struct{}

func newWatch() (*watch, error) { return nil, errors.ErrUnsupported }

func (*watch) add(*link) (uint64, bool) { return 0, false }

func (*watch) remove(uint64) {}

func (*watch) run() {}

func (*watch) stop() {}
