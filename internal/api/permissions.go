package api

import (
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/identity"
)

// matrix is the table of who may call what, as Markdown.
func matrix(routes []route) []byte {
	var b strings.Builder
	b.WriteString("# Who may call what\n\nGenerated from the route table of internal/api by `make generate`; do not edit.\n\n")
	b.WriteString("An API key may do what its scopes and the role of its owner both allow.\n\n")
	b.WriteString("| route | permission | viewer | operator | admin |\n|---|---|---|---|---|\n")
	for _, r := range routes {
		fmt.Fprintf(&b, "| `%s` | %s |", r.name(), permissionText(r.Permission))
		for _, role := range []identity.Role{identity.Viewer, identity.Operator, identity.Admin} {
			mark := "–"
			if r.Permission == public || r.Permission == signedIn || role.Permissions().Has(r.Permission) {
				mark = "yes"
			}
			b.WriteString(" " + mark + " |")
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

func permissionText(permission string) string {
	switch permission {
	case public:
		return "anyone, without credentials"
	case signedIn:
		return "anyone with an identity"
	}
	return "`" + permission + "`"
}
