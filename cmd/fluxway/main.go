// Command fluxway runs, watches and guards a team of AI agents on your machine.
package main

import (
	"os"

	"github.com/fluxway/fluxway/internal/cli"
)

// Stamped by the build.
var (
	version = "dev"
	commit  = "unknown"
	date    = "unknown"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
		cli.Build{Version: version, Commit: commit, Date: date}))
}
