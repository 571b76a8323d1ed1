package safenet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Resolver looks up the addresses of a name; net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options are what a Dialer needs; all may be left out.
type Options struct {
	// Allow lists what may be reached although it is not public: an address, a network
	// ("10.1.0.0/16"), a name, or any of the first and third with a port ("localhost:3000").
	Allow    []string
	Resolver Resolver      // nil: the system's
	Timeout  time.Duration // of one connection; 0: 10 s
}

// Dialer connects to public addresses only.
type Dialer struct {
	resolver Resolver
	dialer   net.Dialer
	nets     []netip.Prefix
	hosts    map[string]bool // "name" or "name:port", lower case
}

// New checks the options and makes a Dialer.
func New(opts Options) (*Dialer, error) {
	d := &Dialer{resolver: opts.Resolver, hosts: make(map[string]bool)}
	d.dialer.Timeout = cmp.Or(opts.Timeout, 10*time.Second)
	if d.resolver == nil {
		d.resolver = net.DefaultResolver
	}
	for _, entry := range opts.Allow {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			d.nets = append(d.nets, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(entry); err == nil {
			d.nets = append(d.nets, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		if entry == "" || strings.ContainsAny(entry, "/*@ ") {
			return nil, fmt.Errorf("safenet: %q is no address, network or name", entry)
		}
		d.hosts[entry] = true
	}
	return d, nil
}

// DialContext connects to host:port if every address of the host may be reached.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, fault.New(fault.Forbidden, "address_refused", "Only TCP connections are made, not %s.", network)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fault.New(fault.Invalid, "malformed_address", "%q is not host:port.", address).Because(err)
	}
	addrs, err := d.Resolve(ctx, host, port)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, addr := range addrs {
		conn, err := d.dialer.DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, fault.New(fault.Upstream, "host_unreachable", "%s does not answer on port %s.", host, port).
		WithHint("Check the address; the host may be down.").Because(failed)
}

// Resolve gives the addresses of a host, all of which may be reached.
func (d *Dialer) Resolve(ctx context.Context, host, port string) ([]netip.Addr, error) {
	addrs, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	named := d.hosts[name] || d.hosts[net.JoinHostPort(name, port)]
	for i, addr := range addrs {
		addrs[i] = addr.Unmap()
		what := Inside(addr)
		if what == "" || named || d.allows(addrs[i]) {
			continue
		}
		return nil, fault.New(fault.Forbidden, "address_refused", "%s is %s (%s); it may not be reached from here.", host, what, addrs[i]).
			WithHint("Use a public address. Somebody who runs this server can allow the host in its settings.")
	}
	return addrs, nil
}

func (d *Dialer) allows(addr netip.Addr) bool {
	for _, n := range d.nets {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

func (d *Dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	if ambiguous(host) {
		return nil, fault.New(fault.Forbidden, "address_refused", "%q is a number that can be read as several addresses.", host).
			WithHint("Write the address as four decimal numbers, or use the name.")
	}
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, fault.New(fault.Upstream, "host_not_found", "The host %q was not found.", host).WithHint("Check the spelling.").Because(err)
	}
	if len(addrs) == 0 {
		return nil, fault.New(fault.Upstream, "host_not_found", "The host %q has no address.", host)
	}
	return addrs, nil
}

// Transport makes an HTTP transport that connects through the dialer and through no proxy.
func (d *Dialer) Transport() *http.Transport {
	return &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true, MaxIdleConns: 16, IdleConnTimeout: 30 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 30 * time.Second, MaxResponseHeaderBytes: 256 << 10,
	}
}

// Client makes an HTTP client that follows at most so many redirects, and only to web addresses.
func (d *Dialer) Client(redirects int) *http.Client {
	return &http.Client{Transport: d.Transport(), CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > redirects {
			return fault.New(fault.Upstream, "too_many_redirects", "The page redirects more than %d times.", redirects)
		}
		_, err := Parse(req.URL.String())
		return err
	}}
}

// Parse reads a web address written by a model: http or https, a host, no password in it.
func Parse(text string) (*url.URL, error) {
	bad := fault.New(fault.Invalid, "malformed_url", "%q is not a web address.", shorten(text)).WithHint("Write it as https://host/path.")
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, bad.Because(err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "" || u.Hostname() == "", u.Opaque != "":
		return nil, bad
	case strings.ContainsAny(u.Hostname(), " \t\r\n\\<>^|%"):
		return nil, bad.Because(errors.New("the host has a character no name has"))
	case u.User != nil:
		return nil, fault.New(fault.Invalid, "malformed_url", "The address contains a user name or password.").
			WithHint("Send credentials in a header.")
	}
	return u, nil
}

func shorten(text string) string {
	if len(text) > 200 {
		return strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}
