package guard

import (
	"context"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Reach says with a fault that a page which an agent opened may not talk to a host. It is asked for every request of the
// page; since a page cannot wait for a person, what would be asked is refused.
func (g *Guard) Reach(ctx context.Context, ws ids.Workspace, host, port string) error {
	policy, err := g.Policy(ctx, ws)
	if err != nil {
		return err
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if what := g.inside(host, port); what != "" {
		return fault.New(fault.Forbidden, "address_refused", "%s is %s; it may not be reached from here.", host, what).
			WithHint("Use a public address. Somebody who runs this server can allow the host in its settings.")
	}
	switch {
	case matchesHost(policy.Hosts.Deny, host):
		return fault.New(fault.Forbidden, "host_denied", "%s is a host that this workspace does not talk to.", host).WithHint("Do without it.")
	case policy.Hosts.Others != Permit && !matchesHost(policy.Hosts.Allow, host):
		return fault.New(fault.Forbidden, "host_unlisted", "%s is not on the list of hosts.", host).WithHint("Open a page there with browser_navigate, which can be asked for.")
	}
	return nil
}
