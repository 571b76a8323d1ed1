package app

import "testing"

func TestParseMapping(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]mapping{
		"00400000-016a0000 r-xp 00000000 fe:00 123      /opt/my tools/fluxway": {0x400000, 0x16a0000, false, "/opt/my tools/fluxway"},
		"c000000000-c000400000 rw-p 00000000 00:00 0    [heap]":                {0xc000000000, 0xc000400000, true, "[heap]"},
	} {
		if got, ok := parseMapping(line); !ok || got != want {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
	for _, line := range []string{"Rss:                1008 kB", "VmFlags: rd ex mr mw me dw sd", "c000000000-c000400000 rw-p 00000000 00:00 0", ""} {
		if got, ok := parseMapping(line); ok {
			t.Errorf("%q was read as %+v", line, got)
		}
	}
}

// The program goes on after its pages were given back.
func TestReleaseStart(t *testing.T) {
	if err := releaseStart(); err != nil {
		t.Fatal(err)
	}
}
