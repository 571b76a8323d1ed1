package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
)

func key(b byte) []byte { return bytes.Repeat([]byte{b}, seal.KeySize) }

func box(t *testing.T, first byte, older ...byte) *seal.Box {
	t.Helper()
	var rest [][]byte
	for _, b := range older {
		rest = append(rest, key(b))
	}
	made, err := seal.New(key(first), rest...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestOpenGivesBackOnlyInPlace(t *testing.T) {
	t.Parallel()
	b, place := box(t, 1), seal.Place("identity_users", "usr_1", "totp")
	envelope, err := b.Seal([]byte("JBSWY3DP"), place)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.Open(envelope, place); err != nil || string(got) != "JBSWY3DP" {
		t.Fatalf("Open = %q, %v", got, err)
	}
	if bytes.Contains(envelope, []byte("JBSWY3DP")) {
		t.Error("the envelope shows the secret")
	}
	again, err := b.Seal([]byte("JBSWY3DP"), place)
	if err != nil || bytes.Equal(again, envelope) {
		t.Errorf("sealing twice gives the same envelope (%v)", err)
	}
	if _, err := b.Open(envelope, seal.Place("identity_users", "usr_2", "totp")); !errors.Is(err, seal.ErrUnreadable) {
		t.Errorf("another row's envelope opens: %v", err)
	}
	if _, err := box(t, 2).Open(envelope, place); !errors.Is(err, seal.ErrUnreadable) {
		t.Errorf("another key opens it: %v", err)
	}
	for i := range envelope {
		changed := bytes.Clone(envelope)
		changed[i] ^= 1
		if _, err := b.Open(changed, place); !errors.Is(err, seal.ErrUnreadable) {
			t.Fatalf("byte %d changed: %v, want ErrUnreadable", i, err)
		}
		if _, err := b.Open(envelope[:i], place); !errors.Is(err, seal.ErrUnreadable) {
			t.Fatalf("cut at %d: %v, want ErrUnreadable", i, err)
		}
	}
}

func TestPlacesAreDistinct(t *testing.T) {
	t.Parallel()
	if bytes.Equal(seal.Place("a", "bc"), seal.Place("ab", "c")) || bytes.Equal(seal.Place("a,"), seal.Place("a", "")) {
		t.Error("two lists of words give one place")
	}
}

func TestRewrapMovesToTheNewKey(t *testing.T) {
	t.Parallel()
	place := seal.Place("t", "1")
	envelope, err := box(t, 1).Seal([]byte("s"), place)
	if err != nil {
		t.Fatal(err)
	}
	both := box(t, 2, 1)
	if !both.Stale(envelope) {
		t.Error("an envelope of the older key is not stale")
	}
	if got, err := both.Open(envelope, place); err != nil || string(got) != "s" {
		t.Fatalf("the older key does not open: %q, %v", got, err)
	}
	moved, err := both.Rewrap(envelope, place)
	if err != nil || both.Stale(moved) {
		t.Fatalf("Rewrap: stale %v, %v", both.Stale(moved), err)
	}
	if got, err := box(t, 2).Open(moved, place); err != nil || string(got) != "s" {
		t.Errorf("after Rewrap: %q, %v", got, err)
	}
}

func TestOpenFileMakesOneKeyForAll(t *testing.T) {
	t.Parallel()
	path, place := filepath.Join(t.TempDir(), "secrets.key"), seal.Place("x")
	boxes := make([]*seal.Box, 16)
	var wg sync.WaitGroup
	for i := range boxes {
		wg.Go(func() {
			b, err := seal.OpenFile(path)
			if err != nil {
				t.Error(err)
			}
			boxes[i] = b
		})
	}
	wg.Wait()
	envelope, err := boxes[0].Seal([]byte("s"), place)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range boxes {
		if _, err := b.Open(envelope, place); err != nil {
			t.Errorf("box %d has another key: %v", i, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("files left: %v, %v; want only the key", entries, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestOpenFileRefuses(t *testing.T) {
	t.Parallel()
	good := "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	tests := []struct {
		name, text, code string
		mode             os.FileMode
	}{
		{"readable by others", good, "key_file_open", 0o644},
		{"empty", "# only a comment\n", "key_file_empty", 0o600},
		{"not base64", "hello\n", "bad_sealing_key", 0o600},
		{"short", "AAAA\n", "bad_sealing_key", 0o600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "k")
			if err := os.WriteFile(path, []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			if _, err := seal.OpenFile(path); !fault.HasCode(err, tt.code) {
				t.Errorf("OpenFile = %v, want %s", err, tt.code)
			}
		})
	}
}
