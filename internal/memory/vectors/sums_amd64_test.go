package vectors

import "golang.org/x/sys/cpu"

// allSums is every kernel this processor can run.
func allSums() map[string]func(tables, codes []byte, into *[group]uint16) {
	all := map[string]func(tables, codes []byte, into *[group]uint16){"go": sumsGo}
	if cpu.X86.HasAVX2 {
		all["avx2"] = func(tables, codes []byte, into *[group]uint16) { sumsAVX2(&tables[0], &codes[0], len(tables), into) }
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW {
		all["avx512"] = func(tables, codes []byte, into *[group]uint16) { sumsAVX512(&tables[0], &codes[0], len(tables), into) }
	}
	return all
}
