// Package web holds the built web UI, so that one binary is all there is.
//
// In:    web/dist, made by `make web`.
// Out:   its files, as a file system.
// Keeps: nothing. Says: nothing.
// Not here: serving them (internal/api).
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var files embed.FS

// Dist is the built UI; it is empty before `make web` has run.
func Dist() fs.FS {
	dist, err := fs.Sub(files, "dist")
	if err != nil { // the folder is embedded, so it is there
		panic("web: " + err.Error())
	}
	return dist
}
