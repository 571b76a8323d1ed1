// Package packs holds the built-in packs of the command guard: what programs
// are known, what is dangerous about them, and examples of both. The YAML files
// are the source; packs.json is made from them, because it is read in a
// hundredth of the time, and the guard starts anew for every call of a hook.
package packs

import _ "embed"

// Compiled is all packs as one JSON list. After a change of a YAML file:
// go test ./internal/guard/command -run Compiled -update
//
//go:embed packs.json
var Compiled []byte
