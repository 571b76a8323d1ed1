package observe

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

func TestRecentKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	for _, format := range []string{FormatJSON, FormatText} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			o, err := New(Options{Log: LogOptions{Writer: io.Discard, Format: format, Level: slog.LevelInfo}})
			if err != nil {
				t.Fatal(err)
			}
			o.Log().Debug("not loud enough")
			for i := range keptLines + 3 {
				o.Log().Warn("line", "n", i, "password", "hunter2", "err", fmt.Errorf("key %s", "sk-ant-api03-0123456789abcdef0123456789abcdef"))
			}
			lines := o.Recent()
			if len(lines) != keptLines {
				t.Fatalf("Recent: %d lines, want %d", len(lines), keptLines)
			}
			first, last := lines[0], lines[len(lines)-1]
			if first.Fields["n"] != 3.0 || last.Fields["n"] != float64(keptLines+2) {
				t.Errorf("Recent goes from %v to %v", first.Fields["n"], last.Fields["n"])
			}
			if last.Level != "warn" || last.Text != "line" || last.At.IsZero() {
				t.Errorf("the last line is %+v", last)
			}
			if all := fmt.Sprint(lines); strings.Contains(all, "hunter2") || strings.Contains(all, "0123456789abcdef0123") {
				t.Errorf("Recent shows a secret: %v", last)
			}
		})
	}
}
