// Package arch checks the shape of the source: who may import whom, where a
// library lives, and the habits that a compiler does not enforce.
//
// In:    the Go files of a tree.
// Out:   a list of violations, each with a place and what to do.
// Keeps: nothing.
// Says:  nothing.
// Not here: formatting, vet and staticcheck (make lint); the web's shape (web/check-shape.mjs).
//
// The rules are those of CONTRIBUTING.md. To add a part, add it to ladder.go;
// to add a library, give it a home in modules.go.
package arch
