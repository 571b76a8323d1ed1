package arch

import "slices"

// module is the path all our own import paths start with.
const module = "github.com/fluxway/fluxway"

// ladder lists every part, top step first. A part may import only parts on
// lower steps; parts on one step do not know each other.
var ladder = [][]string{
	{"cli"},
	{"app"},
	{"config"},
	{"api", "relay"},
	{"workflows", "push"},
	{"runs", "plugins"},
	{"agents", "fleet"},
	{"guard", "costs", "coordination", "memory", "conversations", "projects"},
	{"tools", "providers"},
	{"identity"},
	{"traces"},
	{"jobs"}, // just above events: finished work is said as a fact
	{"events"},
	{"store"},
	{"observe"},
	{"ids"},
	{"kit"},
	{"arch"}, // stands alone; nothing may import it
}

// step is how far down a part stands; -1: it is not on the ladder.
func step(part string) int {
	return slices.IndexFunc(ladder, func(parts []string) bool { return slices.Contains(parts, part) })
}

// outside says which parts the folders beside internal may import. A folder
// that is not listed may import none of ours.
var outside = map[string]func(part string) bool{
	"cmd":    func(part string) bool { return part == "cli" },
	"client": func(part string) bool { return part == "kit" || part == "ids" },
	"e2e":    func(string) bool { return true }, // tests of the whole may look at the whole
}

// emptyNames are folder names that say nothing about what is inside.
var emptyNames = []string{"services", "models", "utils", "util", "common", "types", "pkg", "helpers", "misc"}

// allowance lifts one rule for one file or folder, for a reason.
type allowance struct {
	path   string // a file, or a folder with all below it, from the root of the checkout
	reason string
}

// Allowances lists what may break a rule, by rule.
type Allowances struct {
	Go     []allowance // bare go statements
	Sleep  []allowance // time.Sleep in tests
	Getenv []allowance // reading the environment
}

// allowed holds the exceptions; where a rule has its home is no exception.
var allowed = Allowances{}

const (
	startsGoroutines = "internal/kit/lifecycle" // and waits for them
	readsEnvironment = "internal/config"
)
