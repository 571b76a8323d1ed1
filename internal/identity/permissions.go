package identity

import (
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// Role is what a user is in one workspace.
type Role string

// The roles, each with all that the one before may do.
const (
	Viewer   Role = "viewer"   // reads
	Operator Role = "operator" // works
	Admin    Role = "admin"    // manages
)

// grants is the whole table of what exists and who may: each permission with
// the least role that has it. Verbs: read, use, write (change), approve, and
// manage (what belongs to others).
var grants = []struct {
	permission string
	least      Role
}{
	{"account:write", Viewer}, // one's own name, password, second factor, sessions
	{"agents:read", Viewer},
	{"agents:write", Admin},
	{"audit:read", Admin},
	{"config:read", Admin},
	{"config:write", Admin},
	{"conversations:read", Viewer},
	{"conversations:write", Operator},
	{"coordination:read", Viewer},
	{"coordination:write", Operator},
	{"costs:read", Viewer},
	{"costs:write", Admin},
	{"events:read", Viewer},
	{"fleet:read", Viewer},
	{"fleet:write", Operator},
	{"guard:approve", Operator},
	{"guard:read", Viewer},
	{"guard:write", Admin},
	{"jobs:read", Viewer},
	{"jobs:write", Operator},
	{"keys:manage", Admin},  // everybody's keys
	{"keys:read", Operator}, // one's own keys
	{"keys:write", Operator},
	{"knowledge:read", Viewer},
	{"knowledge:write", Operator},
	{"mcp:read", Viewer},
	{"mcp:use", Operator},
	{"mcp:write", Admin},
	{"memory:read", Viewer},
	{"memory:write", Operator},
	{"models:read", Viewer},
	{"models:use", Operator},
	{"models:write", Admin},
	{"plugins:read", Viewer},
	{"plugins:write", Admin},
	{"projects:read", Viewer},
	{"projects:write", Operator},
	{"relay:read", Viewer},
	{"relay:write", Admin},
	{"runs:read", Viewer},
	{"runs:write", Operator},
	{"system:read", Viewer},
	{"system:write", Admin},
	{"tools:read", Viewer},
	{"tools:use", Operator},
	{"tools:write", Admin},
	{"traces:read", Viewer},
	{"users:read", Viewer},
	{"users:write", Admin},
	{"workflows:read", Viewer},
	{"workflows:run", Operator},
	{"workflows:write", Operator},
	{"workspaces:read", Viewer},
	{"workspaces:write", Admin},
}

var (
	positions = func() map[string]int {
		m := make(map[string]int, len(grants))
		for i, g := range grants {
			m[g.permission] = i
		}
		return m
	}()
	ranks   = map[Role]int{Viewer: 1, Operator: 2, Admin: 3}
	byRoles = func() map[Role]Permissions {
		m := make(map[Role]Permissions, len(ranks))
		for role, rank := range ranks {
			var set Permissions
			for i, g := range grants {
				if ranks[g.least] <= rank {
					set.add(i)
				}
			}
			m[role] = set
		}
		return m
	}()
)

// ParseRole reads a role's name.
func ParseRole(text string) (Role, error) {
	if _, ok := ranks[Role(text)]; ok {
		return Role(text), nil
	}
	return "", fault.New(fault.Invalid, "unknown_role", "There is no role %q.", text).
		WithParam("role").WithHint("The roles are viewer, operator and admin.")
}

// Permissions is what the role may do.
func (r Role) Permissions() Permissions { return byRoles[r] }

// AtLeast says whether the role has all that other has.
func (r Role) AtLeast(other Role) bool { return ranks[r] >= ranks[other] && ranks[r] > 0 }

// Permissions is a set of permissions.
type Permissions [2]uint64

// Has says whether the set holds a permission; a name that does not exist is in no set.
func (p Permissions) Has(permission string) bool {
	i, ok := positions[permission]
	return ok && p[i/64]&(1<<(i%64)) != 0
}

// And is what both sets hold.
func (p Permissions) And(other Permissions) Permissions {
	return Permissions{p[0] & other[0], p[1] & other[1]}
}

// Len counts the permissions of the set.
func (p Permissions) Len() int { return bits.OnesCount64(p[0]) + bits.OnesCount64(p[1]) }

// List names the permissions of the set, sorted.
func (p Permissions) List() []string {
	names := make([]string, 0, p.Len())
	for _, g := range grants {
		if p.Has(g.permission) {
			names = append(names, g.permission)
		}
	}
	slices.Sort(names)
	return names
}

func (p *Permissions) add(i int) { p[i/64] |= 1 << (i % 64) }

// AllPermissions lists every permission that exists, sorted.
func AllPermissions() []string { return byRoles[Admin].List() }

// KnownPermission says whether a permission exists; routes are checked with it.
func KnownPermission(permission string) bool {
	_, ok := positions[permission]
	return ok
}

// ParseScopes turns globs such as "runs:*" or "*:read" into the permissions
// they match. A glob that matches nothing is a mistake and refused.
func ParseScopes(globs []string) (Permissions, error) {
	for _, glob := range globs {
		if matching([]string{glob}).Len() == 0 {
			return Permissions{}, unknownScope(glob)
		}
	}
	return matching(globs), nil
}

// matching is what the globs match; stored ones may name what no longer exists.
func matching(globs []string) Permissions {
	var set Permissions
	for i, g := range grants {
		for _, glob := range globs {
			if scopeMatches(glob, g.permission) {
				set.add(i)
			}
		}
	}
	return set
}

func scopeMatches(glob, permission string) bool {
	if glob == "*" {
		return true
	}
	ok, err := path.Match(glob, permission)
	return ok && err == nil
}

func unknownScope(glob string) error {
	f := fault.New(fault.Invalid, "unknown_scope", "The scope %q matches no permission.", glob).WithParam("scopes")
	if near, ok := suggest.Closest(glob, AllPermissions()); ok {
		return f.WithHint("Did you mean %s?", near)
	}
	return f.WithHint("A scope is a permission such as runs:read, or a glob such as runs:* or *:read.")
}

// Refused is the answer to someone who may not.
func Refused(permission string) error {
	part, verb, _ := strings.Cut(permission, ":")
	return fault.New(fault.Forbidden, "forbidden", "You may not %s %s here.", verb, part).
		WithHint("%s", hintFor(permission)).WithDetail("permission", permission)
}

func hintFor(permission string) string {
	i, ok := positions[permission]
	if !ok {
		return "Ask an administrator of the workspace."
	}
	return fmt.Sprintf("It needs the role %s and, with an API key, a scope that covers %s. Ask an administrator of the workspace.", grants[i].least, permission)
}
