//go:build !amd64

package vectors

// dot is the sum of products; both have the same length.
func dot(a, b []int16) int32 { return dotGo(a, b) }

// sums looks up the codes of one group.
func sums(tables, codes []byte, into *[group]uint16) { sumsGo(tables, codes, into) }
