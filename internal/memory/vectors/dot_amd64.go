package vectors

import "golang.org/x/sys/cpu"

//go:noescape
func dotAVX2(a, b *int16, n int) int32

//go:noescape
func sumsAVX2(tables, codes *byte, n int, sums *[group]uint16)

//go:noescape
func sumsAVX512(tables, codes *byte, n int, sums *[group]uint16)

// dot is the sum of products; both have the same length.
func dot(a, b []int16) int32 {
	whole := len(a) &^ 15
	if whole == 0 || !cpu.X86.HasAVX2 {
		return dotGo(a, b)
	}
	return dotAVX2(&a[0], &b[0], whole) + dotGo(a[whole:], b[whole:])
}

// sums looks up the codes of one group.
func sums(tables, codes []byte, into *[group]uint16) {
	_ = codes[len(tables)-1]
	switch {
	case cpu.X86.HasAVX512BW && cpu.X86.HasAVX512F:
		sumsAVX512(&tables[0], &codes[0], len(tables), into)
	case cpu.X86.HasAVX2:
		sumsAVX2(&tables[0], &codes[0], len(tables), into)
	default:
		sumsGo(tables, codes, into)
	}
}
