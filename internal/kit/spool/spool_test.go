package spool_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/spool"
)

func add(t *testing.T, s *spool.Spool, text string) *spool.Leaf {
	t.Helper()
	f, err := s.Add(func(entry []byte) []byte { return append(entry, text...) })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func files(t *testing.T, s *spool.Spool) []string {
	t.Helper()
	all, err := s.Files()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func entries(t *testing.T, path string) (all []string) {
	t.Helper()
	err := spool.Read(path, func(entry []byte) error {
		all = append(all, string(entry))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestATornFileIsReadUpToTheTear(t *testing.T) {
	t.Parallel()
	s := spool.New(filepath.Join(t.TempDir(), "new"), "test")
	for _, text := range []string{"one", "two", "six"} {
		add(t, s, text)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files(t, s)[0])
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.TrimRight(text, "\x00") // room that nothing was written to yet
	if n := 8 + 3*(8+3); len(text) != n {
		t.Fatalf("three entries of three bytes take %d", len(text))
	}
	turned := bytes.Clone(text)
	turned[len(turned)-11-1] ^= 1
	for name, tt := range map[string]struct {
		text []byte
		want []string
	}{
		"whole":                   {text, []string{"one", "two", "six"}},
		"one byte short":          {text[:len(text)-1], []string{"one", "two"}},
		"a head without its body": {text[:len(text)-11+5], []string{"one", "two"}},
		"a bit turned in the 2nd": {turned, []string{"one"}},
		"nothing":                 {nil, nil},
	} {
		path := filepath.Join(t.TempDir(), "leaf")
		if err := os.WriteFile(path, tt.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := entries(t, path); !slices.Equal(got, tt.want) {
			t.Errorf("%s: read %q, want %q", name, got, tt.want)
		}
	}
	wrong := errors.New("wrong")
	if err := spool.Read(files(t, s)[0], func([]byte) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("an entry that fails: %v", err)
	}
}

func TestASpoolStaysShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := spool.New(dir, "test")
	var of []*spool.Leaf
	for range 30 {
		of = append(of, add(t, s, strings.Repeat("x", 100_000)))
	}
	if n := len(files(t, s)); n != 3 {
		t.Fatalf("%d files of three megabytes", n)
	}
	if err := s.Written(of[:len(of)-1]); err != nil {
		t.Fatal(err)
	}
	left := files(t, s)
	if len(left) != 2 || len(entries(t, left[0])) != 0 {
		t.Fatalf("with one entry to be written, a spare file and that one's: %v", left)
	}
	if err := s.Written(of[len(of)-1:]); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, left[1]); len(got) != 0 {
		t.Errorf("with none there are %q", got)
	}
	for range 12 {
		add(t, s, strings.Repeat("y", 100_000))
	}
	if now := files(t, s); len(now) != 2 || now[0] != left[1] || now[1] <= now[0] || len(entries(t, now[1])) != 1 {
		t.Errorf("the spare file is not the next: %v", now)
	}
	s = spool.New(filepath.Join(dir, "closed"), "test")
	if err := s.Written([]*spool.Leaf{add(t, s, "one")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, s); len(left) != 0 {
		t.Errorf("closed with nothing to be written: %v", left)
	}
	add(t, s, "more")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, files(t, s)[0]); !slices.Equal(got, []string{"more"}) {
		t.Errorf("closed with an entry to be written: %q", got)
	}
	other := spool.New(filepath.Join(dir, "closed"), "test")
	add(t, other, "next")
	if all := files(t, other); len(all) != 2 || entries(t, all[1])[0] != "next" {
		t.Errorf("a second process writes to %v", all)
	}
}

func TestWhatOthersLeftIsWrittenOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, texts := range [][]string{{"a", "b"}, {"c", "odd", "never"}, {"d"}} { // of three processes
		s := spool.New(dir, "test")
		for _, text := range texts {
			add(t, s, text)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := spool.New(dir, "test")
	mine := add(t, s, "mine")
	theirs := files(t, s)[:3]
	full := errors.New("the disk is full")
	fails := 1
	var read, written, aside []string
	left := spool.Left{
		Read: func(entry []byte) error {
			if string(entry) == "odd" {
				return spool.ErrEntry
			}
			read = append(read, string(entry))
			return nil
		},
		Write: func() error {
			group := read
			if read = nil; fails == 0 {
				fails = -1
				return full
			}
			fails--
			written = append(written, group...)
			return nil
		},
		Aside: func(file string, _ error) { aside = append(aside, file) },
	}
	if err := s.Recover(left); !errors.Is(err, full) || !slices.Equal(written, []string{"a", "b"}) {
		t.Fatalf("%v, with %q written", err, written)
	}
	if all := files(t, s); len(all) != 3 || all[0] != theirs[1] {
		t.Errorf("after a failure there are %v", all)
	}
	for range 2 {
		if err := s.Recover(left); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(written, want) {
		t.Errorf("written %q, want %q", written, want)
	}
	if !slices.Equal(aside, []string{theirs[1] + ".unread"}) || len(read) > 0 {
		t.Errorf("put aside %q, not written %q", aside, read)
	}
	if got := entries(t, theirs[1]+".unread"); !slices.Equal(got, []string{"c", "odd", "never"}) {
		t.Errorf("put aside with %q", got)
	}
	if all := files(t, s); len(all) != 1 {
		t.Errorf("of its own there are %v", all)
	}
	if err := s.Written([]*spool.Leaf{mine}); err != nil {
		t.Fatal(err)
	}
}

// begin is the part of a file that the entries of a test are in.
func begin(t *testing.T, s *spool.Spool) []byte {
	t.Helper()
	text, err := os.ReadFile(files(t, s)[0])
	if err != nil {
		t.Fatal(err)
	}
	return text[:min(len(text), 200)]
}

// A file is overwritten in place. Whatever part of an entry the process came to write, nothing of an earlier round is read.
func TestWhatIsLeftOfAnEarlierRoundIsNoEntry(t *testing.T) {
	t.Parallel()
	s := spool.New(t.TempDir(), "test")
	path := filepath.Join(t.TempDir(), "leaf")
	read := func(text []byte) []string {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return entries(t, path)
	}
	var of []*spool.Leaf
	first := []string{"one", "two", "six"}
	for _, text := range first {
		of = append(of, add(t, s, text))
	}
	full := begin(t, s)
	if err := s.Written(of); err != nil {
		t.Fatal(err)
	}
	empty := begin(t, s)
	for cut := range 9 {
		if got := read(slices.Concat(empty[:cut], full[cut:])); len(got) != 0 && !slices.Equal(got, first) {
			t.Errorf("%d bytes of a new round: %q", cut, got)
		}
	}
	at := 8
	var want []string
	for _, text := range []string{"one", "two", "and five"} { // the same as before, then one that ends amid another
		before := begin(t, s)
		add(t, s, text)
		after := begin(t, s)
		whole := append(slices.Clone(want), text)
		for cut := at; cut < at+8+len(text); cut++ {
			for _, torn := range [][]byte{slices.Concat(after[:cut], before[cut:]), slices.Concat(before[:cut], after[cut:])} {
				allowed := want
				if bytes.Equal(torn, after) { // what was missing was there before
					allowed = whole
				}
				if got := read(torn); !slices.Equal(got, allowed) {
					t.Errorf("%q, written up to or from byte %d: %q, want %q", text, cut-at, got, allowed)
				}
			}
		}
		at, want = at+8+len(text), whole
		if got := read(after); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHalfAnEntryHidesNoOther(t *testing.T) {
	t.Parallel()
	s := spool.New(t.TempDir(), "test")
	add(t, s, "one")
	path := files(t, s)[0]
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte("\x09\x00\x00\x00\x01\x02\x03\x04half"), 8+8+3); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, path); !slices.Equal(got, []string{"one"}) {
		t.Errorf("with a half behind it: %q", got)
	}
	add(t, s, "two")
	if got := entries(t, path); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("written over the half: %q", got)
	}
}

func TestAFileOfTheOlderLayoutIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var text []byte
	for _, entry := range []string{"one", "two"} {
		text = binary.LittleEndian.AppendUint32(text, uint32(len(entry)))
		text = binary.LittleEndian.AppendUint32(text, crc32.Checksum([]byte(entry), crc32.MakeTable(crc32.Castagnoli)))
		text = append(text, entry...)
	}
	if err := os.WriteFile(filepath.Join(dir, "test-000000000004.journal"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := spool.New(dir, "test")
	add(t, s, "mine")
	var got []string
	err := s.Recover(spool.Left{
		Read:  func(entry []byte) error { got = append(got, string(entry)); return nil },
		Write: func() error { return nil },
	})
	if err != nil || !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q, %v", got, err)
	}
	if all := files(t, s); len(all) != 1 || filepath.Base(all[0]) != "test-000000000005.journal" {
		t.Errorf("left with %v", all)
	}
}

// The system may have no page for what is put into a file's memory: then it is written, or said to have failed.
func TestAFileThatSomebodyCutIsNoEndOfTheProcess(t *testing.T) {
	t.Parallel()
	s := spool.New(t.TempDir(), "test")
	long := []string{strings.Repeat("a", 5_000), strings.Repeat("b", 200_000), "c"}
	add(t, s, long[0])
	path := files(t, s)[0]
	if err := os.Truncate(path, 8+8+5_000); err != nil {
		t.Fatal(err)
	}
	add(t, s, long[1])
	add(t, s, long[2])
	if got := entries(t, path); !slices.Equal(got, long) {
		t.Errorf("%d entries are read", len(got))
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, group := range []int{1, 8, 64} {
		b.Run(strconv.Itoa(group), func(b *testing.B) {
			s := spool.New(b.TempDir(), "test")
			text := strings.Repeat("x", 150)
			var of []*spool.Leaf
			for b.Loop() {
				f, err := s.Add(func(entry []byte) []byte { return append(entry, text...) })
				if err != nil {
					b.Fatal(err)
				}
				if of = append(of, f); len(of) == group {
					if err := s.Written(of); err != nil {
						b.Fatal(err)
					}
					of = of[:0]
				}
			}
		})
	}
}
