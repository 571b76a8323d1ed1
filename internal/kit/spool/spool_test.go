package spool_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
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
	turned := bytes.Clone(text)
	turned[len(turned)/2] ^= 1
	for name, tt := range map[string]struct {
		text []byte
		want []string
	}{
		"whole":                   {text, []string{"one", "two", "six"}},
		"one byte short":          {text[:len(text)-1], []string{"one", "two"}},
		"a head without its body": {text[:len(text)/3*2+5], []string{"one", "two"}},
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
	if len(left) != 1 {
		t.Fatalf("with one entry to be written: %v", left)
	}
	if err := s.Written(of[len(of)-1:]); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(left[0]); err != nil || info.Size() != 0 {
		t.Errorf("with none: %v, %v", info, err)
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
	other := spool.New(dir, "test")
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
