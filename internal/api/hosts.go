package api

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// CheckBind refuses an address that others can reach while nobody needs to
// prove who they are: hasCredential says whether a user or key exists.
func CheckBind(addr string, hasCredential bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fault.New(fault.Invalid, "bad_listen", "%q is not an address to listen on.", addr).
			WithParam("listen").WithHint("Write host:port, for example 127.0.0.1:7777.").Because(err)
	}
	if hasCredential || isLoopback(host) {
		return nil
	}
	return fault.New(fault.Forbidden, "bind_refused", "Listening on %s would let anyone on the network in: there is no user and no key yet.", addr).
		WithParam("listen").WithHint("Run `fluxway setup` first, or listen on 127.0.0.1.")
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// hosts are the names this server answers to. A page elsewhere that points its
// own name at our address is turned away by them.
type hosts map[string]bool

func newHosts(names ...string) hosts {
	h := hosts{"localhost": true}
	for _, name := range names {
		if name = strings.ToLower(strings.TrimSuffix(name, ".")); name != "" {
			h[name] = true
		}
	}
	return h
}

// allow takes a Host header. *.example.com covers names one level down. An address is always fine: only names can be
// pointed elsewhere.
func (h hosts) allow(host string) bool {
	name := host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 {
		name = host[:i]
	}
	if h[name] {
		return true
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if h[name] || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if first, parent, ok := strings.Cut(name, "."); ok && first != "" && h["*."+parent] {
		return true
	}
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil
}

func wrongHost(host string) error {
	return fault.New(fault.Forbidden, "host_not_allowed", "This server does not answer to the name %q.", cut(host)).
		WithParam("Host").WithHint("Open it by its address, or add the name to security.allowed_hosts in fluxway.yaml.")
}

// remote finds out who calls: the peer, or what a trusted proxy says of it.
func (s *Server) remote(r *http.Request) (ip netip.Addr, secure bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	ip, secure = peer.Addr().Unmap(), r.TLS != nil || (s.secureHost != "" && strings.EqualFold(r.Host, s.secureHost))
	if err != nil || len(s.opts.TrustedProxies) == 0 || !s.trusted(ip) {
		return ip, secure
	}
	secure = secure || r.Header.Get("X-Forwarded-Proto") == "https"
	chain := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for i := len(chain) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(chain[i]))
		if err != nil {
			break
		}
		if ip = hop.Unmap(); !s.trusted(ip) {
			break
		}
	}
	return ip, secure
}

func (s *Server) trusted(ip netip.Addr) bool {
	for _, p := range s.opts.TrustedProxies {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// network is what one rate limit covers: an IPv4 address, or the /64 that one
// IPv6 host usually has to itself.
func network(ip netip.Addr) netip.Addr {
	if ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return ip
}

func cannotListen(addr string, err error) error {
	f := fault.New(fault.Unavailable, "cannot_listen", "Cannot listen on %s.", addr).WithParam("listen").Because(err)
	if errors.Is(err, syscall.EADDRINUSE) {
		return f.WithHint("Another program uses the port; is Fluxway running already? Choose another one with --listen.")
	}
	return f.WithHint("Check that the address belongs to this machine and that you may use the port.")
}
