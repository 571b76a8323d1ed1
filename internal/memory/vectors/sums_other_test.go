//go:build !amd64

package vectors

// allSums is every kernel this processor can run.
func allSums() map[string]func(tables, codes []byte, into *[group]uint16) {
	return map[string]func(tables, codes []byte, into *[group]uint16){"go": sumsGo, "best": sums}
}
