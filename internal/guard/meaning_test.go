package guard

import (
	"encoding/json"
	"testing"

	"github.com/fluxway/fluxway/internal/tools"
)

// Arguments that are not read must be those that say nothing.
func TestNoTellingArgumentIsPassedOver(t *testing.T) {
	t.Parallel()
	spec := &tools.Spec{Name: "far__do", Origin: "mcp/far"}
	for args, want := range map[string]bool{
		`{}`:                        true,
		`{"n":1}`:                   true,
		`{"command":1,"path":null}`: true, // no text
		`{"note":"rm -rf /"}`:       true,
		`{"command":"rm -rf /"}`:    false,
		`{"CMD":"rm -rf /"}`:        false,
		`{"a":"x","path":"/etc"}`:   false,
		`{"url":"http://x"}`:        false,
		`{"paths":["/etc"]}`:        false,
		`{"a":{"command":"x"}}`:     false,
		`{ "n": 1 }`:                false,
		`{"c\u006dd":"rm"}`:         false,
	} {
		if got := silent(json.RawMessage(args)); got != want {
			t.Errorf("silent(%s) = %v, want %v", args, got, want)
		}
		m, err := understand(spec, &tools.Call{Args: json.RawMessage(args)})
		if err != nil {
			t.Errorf("understand(%s): %v", args, err)
		}
		if says := m.runs || len(m.paths) > 0 || len(m.urls) > 0; says && want {
			t.Errorf("understand(%s) = %+v, which was passed over", args, m)
		}
	}
	for args, want := range map[string]string{`{"CMD":"rm -rf /"}`: "rm -rf /", `{"c\u006dd":"rm"}`: "rm", `{"cmd":"a\n\"b\""}`: "a\n\"b\""} {
		if m, err := understand(spec, &tools.Call{Args: json.RawMessage(args)}); err != nil || m.command != want {
			t.Errorf("understand(%s).command = %q, %v; want %q", args, m.command, err, want)
		}
	}
	network := &tools.Spec{Name: "far__do", Origin: "mcp/far", Network: true, Means: tools.Arguments{Network: "online"}}
	if m, err := understand(network, &tools.Call{Args: json.RawMessage(`{"online":false}`)}); err != nil || m.network {
		t.Errorf("an argument that keeps it here: %+v, %v", m, err)
	}
}
