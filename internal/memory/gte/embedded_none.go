//go:build noembedder

package gte

import (
	"embed"
	"io/fs"
)

func embedded() fs.FS { return embed.FS{} }
