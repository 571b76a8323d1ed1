package identity

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
)

// Via is how a caller proved who they are.
type Via string

// The ways to call.
const (
	ViaSession Via = "session" // a signed-in browser
	ViaKey     Via = "key"     // an API key
	ViaLocal   Via = "local"   // a command on the machine that holds the data
	ViaSystem  Via = "system"  // the program itself
)

// Identity is who calls, in which workspace, and what they may do. It is
// shared between requests and never changed once made.
type Identity struct {
	User          ids.User
	Login         string
	Name          string
	Workspace     ids.Workspace
	WorkspaceName string
	Role          Role
	Permissions   Permissions // of the role, narrowed by the scopes of a key
	Via           Via
	Session       ids.Session // when Via is ViaSession
	Key           ids.Key     // when Via is ViaKey
	KeyName       string

	rotateAt time.Time // when a session wants a new token; zero: not yet known to need one
}

// May says whether the caller has a permission.
func (id *Identity) May(permission string) bool {
	return id != nil && id.Permissions.Has(permission)
}

// Must is May as an error: 403, with the role that is needed.
func (id *Identity) Must(permission string) error {
	if id.May(permission) {
		return nil
	}
	return Refused(permission)
}

// Origin is where a request came from, for sessions, throttling and the audit.
type Origin struct {
	IP      netip.Addr
	Agent   string // the User-Agent header
	Request string // the request's id
	Host    string // the Host header
}

type (
	identityKey struct{}
	originKey   struct{}
)

// With carries who calls.
func With(ctx context.Context, id *Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// From is who calls; nil if nobody is known.
func From(ctx context.Context) *Identity {
	id, _ := ctx.Value(identityKey{}).(*Identity)
	return id
}

// WithOrigin carries where the request came from.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf is where the request came from; the zero Origin for work of our own.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

func (o Origin) ip() string {
	if !o.IP.IsValid() {
		return ""
	}
	return o.IP.Unmap().WithZone("").String()
}

// host is the name the browser knows the server by, without a port.
func (o Origin) host() string {
	name := o.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	return tidy(strings.ToLower(strings.TrimSuffix(name, ".")), 253)
}

// agent is the User-Agent cut to a size worth keeping.
func (o Origin) agent() string { return tidy(o.Agent, 256) }

// tidy makes text from outside fit for a row: valid, without control
// characters, and not longer than most bytes.
func tidy(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.TrimSpace(text)
}
