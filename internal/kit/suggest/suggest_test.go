package suggest

import "testing"

func TestClosest(t *testing.T) {
	t.Parallel()
	words := []string{"listen", "database", "retention", "log"}
	for word, want := range map[string]string{
		"lisen": "listen", "listne": "listen", "databse": "database", "Retention": "retention", "lag": "log",
		"zebra": "", "": "", "x": "",
	} {
		if got, _ := Closest(word, words); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
}
