package costs

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
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
		if _, err := readRecord(whole[:n]); !errors.Is(err, spool.ErrEntry) {
			t.Fatalf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
	if _, err := readRecord(append(whole, 0)); !errors.Is(err, spool.ErrEntry) {
		t.Errorf("one byte too many: %v", err)
	}
}
