package safenet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// names is a resolver over a table; each lookup of a name takes its next answer.
type names struct {
	table map[string][][]string
	calls atomic.Int32
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	i := int(n.calls.Add(1)) - 1
	answers, ok := n.table[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, a := range answers[min(i, len(answers)-1)] {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

func TestResolve(t *testing.T) {
	t.Parallel()
	table := map[string][][]string{
		"public.test":   {{"93.184.215.14", "2606:2800:21f:cb07::1"}},
		"private.test":  {{"10.0.0.5"}},
		"mixed.test":    {{"93.184.215.14", "127.0.0.1"}},
		"mapped.test":   {{"::ffff:127.0.0.1"}},
		"localhost":     {{"127.0.0.1", "::1"}},
		"empty.test":    {{}},
		"internal.corp": {{"10.9.8.7"}},
	}
	tests := map[string]struct {
		host  string
		allow []string
		code  string
	}{
		"a public name":                     {host: "public.test"},
		"a public address":                  {host: "93.184.215.14"},
		"a public IPv6 address":             {host: "2606:2800:21f:cb07::1"},
		"a name of a private address":       {host: "private.test", code: "address_refused"},
		"one private address among public":  {host: "mixed.test", code: "address_refused"},
		"a name of a mapped address":        {host: "mapped.test", code: "address_refused"},
		"a name without address":            {host: "empty.test", code: "host_not_found"},
		"no such name":                      {host: "nowhere.test", code: "host_not_found"},
		"localhost":                         {host: "localhost", code: "address_refused"},
		"loopback":                          {host: "127.0.0.1", code: "address_refused"},
		"all of loopback":                   {host: "127.8.9.10", code: "address_refused"},
		"zero":                              {host: "0.0.0.0", code: "address_refused"},
		"loopback, IPv6":                    {host: "::1", code: "address_refused"},
		"loopback, mapped":                  {host: "::ffff:127.0.0.1", code: "address_refused"},
		"loopback, mapped in hexadecimal":   {host: "::ffff:7f00:1", code: "address_refused"},
		"loopback, IPv4-compatible":         {host: "::7f00:1", code: "address_refused"},
		"loopback through NAT64":            {host: "64:ff9b::7f00:1", code: "address_refused"},
		"public through NAT64":              {host: "64:ff9b::5db8:d70e"},
		"6to4":                              {host: "2002:7f00:1::", code: "address_refused"},
		"teredo":                            {host: "2001:0:7f00:1::", code: "address_refused"},
		"metadata":                          {host: "169.254.169.254", code: "address_refused"},
		"metadata, mapped":                  {host: "::ffff:169.254.169.254", code: "address_refused"},
		"metadata, IPv6":                    {host: "fd00:ec2::254", code: "address_refused"},
		"link-local":                        {host: "fe80::1", code: "address_refused"},
		"link-local with a zone":            {host: "fe80::1%eth0", code: "address_refused"},
		"a zone on a public address":        {host: "2606:2800:21f:cb07::1%eth0", code: "address_refused"},
		"private, 172.16":                   {host: "172.31.255.255", code: "address_refused"},
		"not private, 172.32":               {host: "172.32.0.1"},
		"carrier's NAT":                     {host: "100.64.0.1", code: "address_refused"},
		"unique local":                      {host: "fd12::1", code: "address_refused"},
		"multicast":                         {host: "224.0.0.1", code: "address_refused"},
		"broadcast":                         {host: "255.255.255.255", code: "address_refused"},
		"decimal":                           {host: "2130706433", code: "address_refused"},
		"octal":                             {host: "0177.0.0.1", code: "address_refused"},
		"hexadecimal":                       {host: "0x7f000001", code: "address_refused"},
		"hexadecimal parts":                 {host: "0x7f.0.0.0x1", code: "address_refused"},
		"a bare 0x":                         {host: "0x", code: "address_refused"},
		"short":                             {host: "127.1", code: "address_refused"},
		"with a trailing dot":               {host: "127.0.0.1.", code: "address_refused"},
		"leading zeros":                     {host: "127.0.0.001", code: "address_refused"},
		"allowed by address":                {host: "127.0.0.1", allow: []string{"127.0.0.1"}},
		"allowed by network":                {host: "private.test", allow: []string{"10.0.0.0/8"}},
		"allowed by name":                   {host: "internal.corp", allow: []string{"Internal.Corp"}},
		"allowed by name and port":          {host: "localhost", allow: []string{"localhost:80"}},
		"allowed on another port":           {host: "localhost", allow: []string{"localhost:81"}, code: "address_refused"},
		"another name is not allowed":       {host: "private.test", allow: []string{"internal.corp"}, code: "address_refused"},
		"a mapped form of what is allowed":  {host: "::ffff:10.1.2.3", allow: []string{"10.0.0.0/8"}},
		"an allowed network does not widen": {host: "192.168.1.1", allow: []string{"10.0.0.0/8"}, code: "address_refused"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := New(Options{Allow: tt.allow, Resolver: &names{table: table}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Resolve(t.Context(), tt.host, "80")
			if tt.code == "" && (err != nil || len(got) == 0) || tt.code != "" && !fault.HasCode(err, tt.code) {
				t.Errorf("Resolve(%q) = %v, %v; want %q", tt.host, got, err, tt.code)
			}
		})
	}
}

// TestRebinding: the address that was checked is the address that is dialled.
func TestRebinding(t *testing.T) {
	t.Parallel()
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Addr().String())
	resolver := &names{table: map[string][][]string{"rebind.test": {{"192.0.2.7"}, {"127.0.0.1"}}}}
	// 192.0.2.7 stands for the public address of the first answer and is allowed for it.
	d, err := New(Options{Allow: []string{"192.0.2.7"}, Resolver: resolver})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing leaves the machine: the error names what would have been dialled
	_, err = d.DialContext(ctx, "tcp", "rebind.test:"+port)
	if resolver.calls.Load() != 1 || !strings.Contains(fmt.Sprint(err), "192.0.2.7:"+port) {
		t.Errorf("first dial: %d lookups, %v", resolver.calls.Load(), err)
	}
	if _, err := d.DialContext(t.Context(), "tcp", "rebind.test:"+port); !fault.HasCode(err, "address_refused") {
		t.Errorf("second dial, now to loopback: %v", err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }))
	defer secret.Close()
	var to atomic.Value
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			io.WriteString(w, "end")
			return
		}
		http.Redirect(w, r, to.Load().(string), http.StatusFound)
	}))
	defer front.Close()
	host := strings.TrimPrefix(front.URL, "http://")
	_, port, _ := net.SplitHostPort(host)
	d, err := New(Options{Allow: []string{"front.test:" + port}, Resolver: &names{table: map[string][][]string{"front.test": {{"127.0.0.1"}}, "inside.test": {{"127.0.0.1"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	client := d.Client(3)
	defer client.CloseIdleConnections()
	secretURL, _ := url.Parse(secret.URL)
	for target, code := range map[string]string{
		"/end":     "",
		secret.URL: "address_refused",
		"http://inside.test:" + secretURL.Port() + "/": "address_refused",
		"http://front.test:" + secretURL.Port() + "/":  "address_refused",
		"http://2130706433/":                           "address_refused",
		"http://[::ffff:169.254.169.254]/":             "address_refused",
		"file:///etc/passwd":                           "malformed_url",
		"/again":                                       "too_many_redirects",
	} {
		to.Store(target)
		resp, err := client.Get("http://front.test:" + port + "/start")
		if err == nil {
			resp.Body.Close()
		}
		if code == "" && err != nil || code != "" && !fault.HasCode(err, code) {
			t.Errorf("redirect to %s: %v; want %q", target, err, code)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"https://example.com/a?b#c": true, " http://example.com ": true, "https://[2606::1]:8443/": true,
		"ftp://example.com": false, "example.com": false, "//example.com": false, "http:example.com": false, "http://": false, "": false,
		"http://user:pw@example.com": false, "http://exa mple.com": false, "http://example.com\\@evil.test": false, "javascript:alert(1)": false,
		"http://:80/": false,
	} {
		if u, err := Parse(text); (err == nil) != ok {
			t.Errorf("Parse(%q) = %v, %v; want ok=%v", text, u, err, ok)
		}
	}
}

// FuzzHost: whatever the host, an address that is dialled is a public one.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"127.0.0.1", "0x7f.1", "::1", "a.b", "127.0.0.1.", "[::1]", "0x", "1e3", "::ffff:1.2.3.4", "fe80::1%lo"} {
		f.Add(s)
	}
	d, err := New(Options{Resolver: &names{table: map[string][][]string{}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, host string) {
		addrs, err := d.Resolve(t.Context(), host, "80")
		if err != nil {
			return
		}
		for _, a := range addrs {
			if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast() {
				t.Errorf("Resolve(%q) = %s", host, a)
			}
		}
	})
}
