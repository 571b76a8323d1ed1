//go:build !noembedder

package gte

import (
	"embed"
	"io/fs"
)

// The folder is always there, with the licence of the model; the weights are
// added to it by scripts/model-weights before the binary is built.
//
//go:embed weights
var files embed.FS

func embedded() fs.FS { return files }
