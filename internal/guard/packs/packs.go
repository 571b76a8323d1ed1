// Package packs holds the built-in packs of the command guard: what programs
// are known, what is dangerous about them, and examples of both.
package packs

import "embed"

// Files are the packs, one YAML file each.
//
//go:embed *.yaml
var Files embed.FS
