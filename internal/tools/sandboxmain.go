package tools

import "github.com/fluxway/fluxway/internal/tools/sandbox"

// SandboxMain runs a stage of the sandbox if args, without the program's name, ask for one; the program
// then exits with code and does nothing else. It is called before flags are read.
func SandboxMain(args []string) (handled bool, code int) { return sandbox.Main(args) }
