package config

import "strings"

// splitPath is the keys of a path.
func splitPath(path string) []string { return strings.Split(path, ".") }
