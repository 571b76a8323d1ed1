package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestTextIsNeverPrinted(t *testing.T) {
	t.Parallel()
	s := New("hunter2")
	held := struct{ Key Text }{s}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", s, "held", held)
	js, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"%v": fmt.Sprintf("%v", s), "%+v of a struct": fmt.Sprintf("%+v", held), "%#v": fmt.Sprintf("%#v", s),
		"%s": fmt.Sprintf("<%s>", s), "%q": fmt.Sprintf("%q", s), "json": string(js), "slog": log.String(),
	} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s prints the secret: %s", name, text)
		}
	}
	if s.Reveal() != "hunter2" || !s.Equal("hunter2") || s.Equal("hunter3") {
		t.Error("Reveal or Equal is wrong")
	}
	var back struct{ Key Text }
	if err := json.Unmarshal([]byte(`{"Key":"hunter2"}`), &back); err != nil || back.Key.Reveal() != "hunter2" {
		t.Errorf("reading back: %v, %q", err, back.Key.Reveal())
	}
}
