package guard

import (
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/safenet"
)

// privateHosts is what may be reached although it is not public.
type privateHosts struct {
	nets  []netip.Prefix
	names map[string]bool // "name" or "name:port"
}

func newPrivateHosts(entries []string) (privateHosts, error) {
	p := privateHosts{names: make(map[string]bool)}
	for _, entry := range entries {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			p.nets = append(p.nets, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(entry); err == nil {
			p.nets = append(p.nets, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		if entry == "" {
			return p, fmt.Errorf("guard: Options.PrivateHosts has an empty entry")
		}
		p.names[entry] = true
	}
	return p, nil
}

func (p privateHosts) has(host, port string) bool {
	if p.names[host] || p.names[net.JoinHostPort(host, port)] {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(p.nets, func(n netip.Prefix) bool { return n.Contains(addr.Unmap()) })
}

// judgeURLs rules on web addresses before a name is looked up; the dialler rules again, on every address it
// dials. Both read an address with safenet.Parse.
func (g *Guard) judgeURLs(j *judging) finding {
	worst := finding{}
	for _, text := range j.urls {
		u, err := safenet.Parse(text)
		if err != nil {
			f := fault.From(err)
			return final("guard.url", f.Message, f.Hint)
		}
		host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
		if what := g.inside(host, u.Port()); what != "" {
			return final("guard.url_private", fmt.Sprintf("%s is %s; it may not be reached from here.", host, what),
				"Use a public address. Somebody who runs this server can allow the host in its settings.")
		}
		listed := matchesHost(j.policy.Hosts.Allow, host)
		switch {
		case matchesHost(j.policy.Hosts.Deny, host):
			return final("guard.host_denied", host+" is a host that this workspace does not talk to.", "Do without it.")
		case !listed && len(j.policy.Hosts.Allow) > 0 || !listed && j.policy.Hosts.Others != Permit:
			worst = worst.or(finding{action: j.policy.Hosts.Others, rule: "guard.host_unlisted", reason: host + " is not on the list of hosts."})
		}
		if j.method != "" && j.method != "GET" && j.method != "HEAD" && j.method != "OPTIONS" && !listed {
			worst = worst.or(finding{action: AskPerson, rule: "guard.http_changes", reason: fmt.Sprintf("%s would send a %s to %s, which may change something there.", j.spec.Name, j.method, host)})
		}
	}
	return worst
}

// inside says what a host is if it is known, without looking it up, not to be public.
func (g *Guard) inside(host, port string) string {
	if g.private.has(host, port) {
		return ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return safenet.Inside(addr)
	}
	switch {
	case host == "localhost", strings.HasSuffix(host, ".localhost"):
		return "this machine"
	case host == "metadata.google.internal", host == "metadata.goog", host == "instance-data":
		return "the metadata service of a cloud"
	}
	return ""
}

func matchesHost(globs []string, host string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(strings.ToLower(glob), host)
		return ok && err == nil
	})
}
