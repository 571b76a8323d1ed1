package costs

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

func wholeRecord() Record {
	r := Record{
		ID: ids.New[ids.Usage](), Model: "m", Provider: "p", Account: "ä", Attempt: 3, Unit: Premium, Outcome: Open, Process: "me",
		PrefixPrint: math.MinInt64, PromptPrint: math.MaxInt64, At: time.UnixMicro(1_800_000_000_123_456).UTC(),
	}
	r.Attribution = Attribution{
		Workspace: "wsp_1", User: "usr_1", Key: "key_1", Agent: "writer", Run: "run_1", Conversation: "conv_1", Project: "site", Workflow: "daily", Door: "openai", Asked: "best",
	}
	r.Input = 77
	return r
}

func wholeSettling() *settling {
	price := Micros(12_345)
	return &settling{price: &price, to: Settlement{
		Outcome: Broken, Model: "m-1", Account: "ä", ErrorCode: "stream_broken", FirstToken: 5 * time.Millisecond, Latency: 2 * time.Second,
		Usage: providers.Usage{Input: 1, CacheRead: 2, CacheWrite: 3, CacheWriteLong: 4, AudioInput: 5, ImageInput: 6, Output: 7, Reasoning: 8, AudioOutput: 9, ImageOutput: 10, PremiumMilli: 11, Estimated: true},
	}}
}

func TestEntriesSayAllThatIsKnown(t *testing.T) {
	t.Parallel()
	want := wholeRecord()
	got, err := readRecord(appendRecord(nil, &want))
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Attribution{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, x := range []*settling{wholeSettling(), {to: Settlement{Outcome: OK}}} {
		x.r = &Reservation{rec: want}
		id, back, err := readSettling(appendSettling(nil, x))
		if diff := cmp.Diff(x.to, back.to); err != nil || id != want.ID || diff != "" || !cmp.Equal(x.price, back.price) {
			t.Errorf("%v, %v (-want +got):\n%s", id, err, diff)
		}
	}
}

func TestHalfAnEntryIsNotRead(t *testing.T) {
	t.Parallel()
	rec := wholeRecord()
	whole := appendRecord(nil, &rec)
	for n := range len(whole) {
		if _, err := readRecord(whole[:n]); !errors.Is(err, errEntry) {
			t.Fatalf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
	if _, err := readRecord(append(whole, 0)); !errors.Is(err, errEntry) {
		t.Errorf("one byte too many: %v", err)
	}
}

func TestATornJournalIsReadUpToTheTear(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := &journal{dir: dir}
	r := &Reservation{rec: wholeRecord()}
	for range 3 {
		if _, err := j.begun(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	files, err := leaves(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text []byte
		want int
	}{
		"whole":                   {text, 3},
		"one byte short":          {text[:len(text)-1], 2},
		"a head without its body": {text[:len(text)/3*2+5], 2},
		"a bit turned in the 2nd": {flip(text, len(text)/2), 1},
		"nothing":                 {nil, 0},
	} {
		path := filepath.Join(t.TempDir(), "leaf")
		if err := os.WriteFile(path, tt.text, 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := readLeaf(path, func(entryKind, []byte) error {
			n++
			return nil
		})
		if n != tt.want || err != nil {
			t.Errorf("%s: %d entries, %v; want %d", name, n, err, tt.want)
		}
	}
}

func flip(text []byte, at int) []byte {
	text = append([]byte(nil), text...)
	text[at] ^= 1
	return text
}

func TestAJournalStaysShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := &journal{dir: dir}
	r := &Reservation{rec: wholeRecord()}
	var of []*leaf
	for total := int64(0); total < 3*maxLeaf; total = int64(len(of)) * 150 {
		f, err := j.begun(r)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, f)
	}
	if files, err := leaves(dir); err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := j.written(of[:len(of)-1]); err != nil {
		t.Fatal(err)
	}
	files, err := leaves(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("with one entry to be written: %v, %v", files, err)
	}
	if err := j.written(of[len(of)-1:]); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Size() != 0 {
		t.Errorf("with none: %v, %v", info, err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if files, err := leaves(dir); err != nil || len(files) != 0 {
		t.Errorf("closed: %v, %v", files, err)
	}
}
