//go:build linux

package sandbox

import (
	"bytes"
	"strings"
	"testing"
)

func TestTerminal(t *testing.T) {
	t.Parallel()
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			s, err := New(Options{Mechanism: mechanism})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Isolation().Mechanism; got != mechanism {
				t.Skipf("this machine has %s", got)
			}
			var out bytes.Buffer
			exit, err := s.Run(t.Context(), Job{
				Folder: t.TempDir(), Terminal: true, Stdin: strings.NewReader("Ada\n"), Output: &out,
				Argv: []string{"sh", "-c", `test -t 0 && test -t 1 && test -t 2 && echo tty $TERM; stty size; read name; echo "hello $name"; read more || echo end; exit 3`},
			})
			if err != nil || exit.Code != 3 {
				t.Errorf("%+v, %v", exit, err)
			}
			for _, want := range []string{"tty xterm-256color", "40 120", "hello Ada", "end"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in %q", want, out.String())
				}
			}
			out.Reset()
			if exit, err := s.Run(t.Context(), Job{Folder: t.TempDir(), Output: &out, Argv: []string{"sh", "-c", "test -t 0 || test -t 1 || echo none"}}); err != nil || out.String() != "none\n" {
				t.Errorf("without a terminal: %+v, %v, %q", exit, err, out.String())
			}
		})
	}
}
