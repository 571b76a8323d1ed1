// Command withpostgres runs a command whose test processes share one throwaway PostgreSQL, so that each need not
// make its own.
//
//	usage: withpostgres COMMAND [ARGUMENT...]
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/fluxway/fluxway/internal/store/storetest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	// No server is said by the tests themselves, as a skip or a failure.
	env, err := storetest.Lend()
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		os.Exit(1)
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if env != "" {
		cmd.Env = append(cmd.Environ(), env)
	}
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		os.Exit(1)
	}
}
