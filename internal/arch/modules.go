package arch

import "strings"

// A home says where a library may be imported, and why we have it.
type home struct {
	module string   // or the package path of a part of a module that needs its own row
	parts  []string // folders below internal; none: tests only
	tests  bool     // any test may import it too
	reason string
}

// everywhere is the home of what all parts may name.
const everywhere = "*"

// homes has one row per direct requirement of go.mod.
var homes = []home{
	{"github.com/coder/websocket", nil, true, "a client that is not ours, to test our WebSocket door"},
	{"github.com/coreos/go-oidc/v3", []string{"identity"}, false, "verifying ID tokens is hard to get right"},
	{"github.com/fsnotify/fsnotify", []string{"config", "memory"}, false, "reload when the file changes; index what changed in a folder"},
	{"github.com/go-jose/go-jose/v4", []string{"identity"}, false, "the issuer that identity is tested against signs tokens"},
	{"github.com/go-webauthn/webauthn", []string{"identity"}, false, "checking what authenticators signed is hard to get right"},
	{"github.com/goccy/go-yaml", []string{"kit/yamlnode", "config", "providers/scripted", "guard", "agents"}, false, "errors with line and column, edits that keep comments"},
	{"github.com/gofrs/flock", []string{"store", "app"}, false, "one server per data directory"},
	{"github.com/google/go-cmp", nil, true, "readable differences"},
	{"github.com/google/renameio/v2", []string{"config", "store", "app", "cli", "providers"}, false, "files appear whole or not at all"},
	{"github.com/jackc/pgx/v5", []string{"store"}, false, "PostgreSQL"},
	{"github.com/klauspost/compress", []string{"store", "api"}, false, "zstd for stored bodies, gzip for answers"},
	{"github.com/landlock-lsm/go-landlock", []string{"tools"}, false, "what a sandboxed command may read and write"},
	{"github.com/ledongthuc/pdf", []string{"memory"}, false, "text of PDF files"},
	{"github.com/lmittmann/tint", []string{"observe"}, false, "log lines for people"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"tools/mcp", "api", "cli"}, true, "the official client and server of the Model Context Protocol"},
	{"github.com/nats-io/nats-server/v2", nil, true, "a real server to test events between instances"},
	{"github.com/nats-io/nats.go", []string{"events/nats"}, false, "events between instances"},
	{"github.com/oklog/ulid/v2", []string{"ids"}, false, "ids that sort by age"},
	{"github.com/pquerna/otp", []string{"identity"}, false, "one-time passwords"},
	{"github.com/pressly/goose/v3", []string{"store"}, false, "migrations on both engines"},
	{"github.com/prometheus/client_golang", []string{"observe"}, false, "metrics"},
	{"github.com/robfig/cron/v3", []string{"jobs", "config"}, false, "parsing of schedules, also when they are configured; jobs itself fires them"},
	{"github.com/rogpeppe/go-internal", nil, true, "script tests of the command line"},
	{"github.com/santhosh-tekuri/jsonschema/v6", nil, true, "our published schema is checked with a validator that is not ours"},
	{"github.com/spf13/cobra", []string{"cli"}, false, "commands, help and completion"},
	{"github.com/spf13/pflag", []string{"cli"}, false, "the flags of cobra's commands"},
	{"go.opentelemetry.io/otel", []string{everywhere}, false, "attributes: the words of observe's interface"},
	{"go.opentelemetry.io/otel/trace", []string{everywhere}, false, "spans: the words of observe's interface"},
	{"go.uber.org/goleak", nil, true, "a goroutine left behind fails the test"},
	{"golang.org/x/crypto", []string{"identity", "store"}, false, "argon2id and scrypt"},
	{"golang.org/x/oauth2", []string{"identity", "tools/mcp"}, false, "sign-in with another issuer, and at remote MCP servers"},
	{"golang.org/x/sync", []string{"kit", "store", "events", "providers"}, false, "semaphores and calls shared between callers"},
	{"golang.org/x/sys", []string{"store", "app", "cli", "tools", "memory"}, false, "system calls the standard library lacks; what the processor can do"},
	{"golang.org/x/term", []string{"cli", "observe"}, false, "passwords without echo; colours only on a terminal"},
	{"golang.org/x/text", []string{"memory"}, false, "accents are split off before a text is cut into word pieces"},
	{"modernc.org/libc", []string{"store"}, false, "the memory that SQLite works in, for values that go to it without its driver"},
	{"modernc.org/sqlite", []string{"store"}, false, "SQLite without cgo"},
	{"mvdan.cc/sh/v3", []string{"guard"}, false, "the only complete parser of shell commands"},
	{"pgregory.net/rapid", nil, true, "properties over random histories"},
}

// homeOf finds the row of an import path: the longest that fits.
func homeOf(rows []home, path string) (home, bool) {
	var best home
	for _, h := range rows {
		if within(path, h.module) && len(h.module) > len(best.module) {
			best = h
		}
	}
	return best, best.module != ""
}

// lives reports whether the home of a library covers the folder dir.
func (h home) lives(dir string) bool {
	for _, p := range h.parts {
		if p == everywhere || within(dir, "internal/"+p) {
			return true
		}
	}
	return false
}

// within reports whether path is root or below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
