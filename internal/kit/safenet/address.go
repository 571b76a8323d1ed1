package safenet

import (
	"net/netip"
	"strconv"
	"strings"
)

// special lists what is not the public internet, with the word for it. The more telling come first.
var special = []struct {
	prefix netip.Prefix
	name   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("100.100.100.200/32"), "the metadata service of a cloud"},
	{netip.MustParsePrefix("127.0.0.0/8"), "this machine"},
	{netip.MustParsePrefix("::1/128"), "this machine"},
	{netip.MustParsePrefix("0.0.0.0/8"), "this machine"},
	{netip.MustParsePrefix("::/128"), "this machine"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private network"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private network"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a private network"},
	{netip.MustParsePrefix("fc00::/7"), "a private network"},
	{netip.MustParsePrefix("fec0::/10"), "a private network"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a reserved address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a reserved address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a reserved address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a reserved address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/96"), "an IPv4 address in disguise"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "an IPv4 address in disguise"},
	{netip.MustParsePrefix("2002::/16"), "an IPv4 address in disguise"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address"},
	{netip.MustParsePrefix("2001:db8::/32"), "a reserved address"},
	{netip.MustParsePrefix("100::/64"), "a reserved address"},
	{netip.MustParsePrefix("5f00::/16"), "a reserved address"},
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Inside says what an address is if it is not a public one; "" is public.
func Inside(addr netip.Addr) string {
	if !addr.IsValid() {
		return "no address"
	}
	if addr.Zone() != "" {
		return "a link-local address"
	}
	addr = plain(addr)
	for _, s := range special {
		if s.prefix.Contains(addr) {
			return s.name
		}
	}
	return ""
}

// plain takes an IPv4 address out of the IPv6 forms that routers and kernels understand.
func plain(addr netip.Addr) netip.Addr {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

// ambiguous reports whether a host is a number that some resolvers read as an IPv4
// address and others as a name: 2130706433, 0177.0.0.1, 0x7f.1, 127.1.
func ambiguous(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	// The last label decides, as in the URL standard: a name never ends in a number.
	if digits := strings.TrimLeft(last, "0123456789"); digits == "" {
		return true
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		_, err := strconv.ParseUint("0"+hex, 16, 64)
		return err == nil || hex == ""
	}
	return false
}
