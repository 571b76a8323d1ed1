package guard_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

// TestReach: what a page may talk to is what the workspace lets its agents talk to.
func TestReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *guard.Options) { o.PrivateHosts = []string{"localhost:3000"} })
	tests := []struct {
		name       string
		policy     func(*guard.Policy)
		host, port string
		code       string
	}{
		{"any public host", func(*guard.Policy) {}, "example.com", "443", ""},
		{"a private address", func(*guard.Policy) {}, "10.0.0.1", "80", "address_refused"},
		{"this machine, whatever the port", func(*guard.Policy) {}, "LOCALHOST.", "80", "address_refused"},
		{"this machine on the port that was allowed", func(*guard.Policy) {}, "localhost", "3000", ""},
		{"a denied host", func(p *guard.Policy) { p.Hosts.Deny = []string{"*.evil.test"} }, "a.Evil.test", "443", "host_denied"},
		{"a host that would be asked for", func(p *guard.Policy) { p.Hosts.Others = guard.AskPerson }, "example.com", "443", "host_unlisted"},
		{"a listed host", func(p *guard.Policy) { p.Hosts.Others, p.Hosts.Allow = guard.Forbid, []string{"example.com"} }, "example.com", "443", ""},
	}
	for _, tt := range tests {
		w.policy(t, tt.policy)
		err := w.Reach(t.Context(), w.ws, tt.host, tt.port)
		if tt.code == "" && err != nil || tt.code != "" && !fault.HasCode(err, tt.code) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
	}
}

// TestIsolationIsInTheRuling: whoever reads a ruling on a command sees how far it would be confined.
func TestIsolationIsInTheRuling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *guard.Options) {
		o.Isolation = func() string { return "It is confined by landlock, but not in: network." }
	})
	spec := runCommand
	spec.Sandboxed = true
	if r := w.judge(t, spec, w.command("ls")); r.Verdict != tools.Allow || !strings.Contains(r.Reason, "not in: network") {
		t.Errorf("%+v", r)
	}
	r := w.judge(t, spec, w.command("git push $FLAGS"))
	if r.Verdict != tools.Ask || !strings.Contains(w.approval(t, r.Ticket).Reason, "not in: network") {
		t.Errorf("%+v", r)
	}
	if r := w.judge(t, readFile, w.call(readFile, map[string]string{"path": "a"})); strings.Contains(r.Reason, "confined") {
		t.Errorf("of a tool that runs nothing: %+v", r)
	}
}
