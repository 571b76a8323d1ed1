package page

import (
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestOf(t *testing.T) {
	t.Parallel()
	id := func(n int) int { return n }
	p := Of(Query{Limit: 2}, []int{1, 2, 3}, id)
	if len(p.Data) != 2 || !p.HasMore {
		t.Fatalf("Of = %+v, want two rows and more", p)
	}
	key, ok, err := Decode[int](p.NextCursor)
	if key != 2 || !ok || err != nil {
		t.Errorf("Decode = %d, %v, %v; want 2", key, ok, err)
	}
	if last := Of(Query{Limit: 2}, []int{3}, id); last.HasMore || last.NextCursor != "" {
		t.Errorf("the last page has more: %+v", last)
	}
	if none := Of(Query{}, nil, id); none.Data == nil {
		t.Error("an empty page has nil data and would show as null")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("")
	f.Add(Encode("run_01"))
	f.Add("%%%")
	f.Fuzz(func(t *testing.T, cursor string) {
		_, ok, err := Decode[string](cursor)
		if err != nil && (ok || !fault.HasCode(err, "bad_cursor")) {
			t.Errorf("Decode(%q) = %v, %v", cursor, ok, err)
		}
	})
}
