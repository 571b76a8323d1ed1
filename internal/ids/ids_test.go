package ids

import (
	"slices"
	"testing"
	"time"
)

func TestNew(t *testing.T) {
	t.Parallel()
	made := make([]string, 10_000)
	for i := range made {
		made[i] = string(New[Run]())
	}
	if !slices.IsSorted(made) {
		t.Error("ids made one after the other are not sorted")
	}
	if got := len(slices.Compact(made)); got != 10_000 {
		t.Errorf("distinct ids = %d, want 10000", got)
	}
	if age := time.Since(Time(Run(made[0]))); age < 0 || age > time.Minute {
		t.Errorf("Time of a fresh id is %s ago", age)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	good := string(New[Run]())
	tests := map[string]struct {
		text string
		ok   bool
	}{
		"one we made":          {good, true},
		"another noun":         {string(New[User]()), false},
		"no prefix":            {good[4:], false},
		"cut short":            {good[:len(good)-1], false},
		"letters outside base": {"run_0000000000000000000000000U", false},
		"empty":                {"", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse[Run](tt.text)
			if (err == nil) != tt.ok {
				t.Fatalf("Parse(%q) = %q, %v; want ok=%v", tt.text, got, err, tt.ok)
			}
		})
	}
}
