// Package cli is the command line.
//
// In:    arguments, standard streams.
// Out:   an exit code (exit.go lists them); text for people, JSON with --json.
// Keeps: nothing.
// Says:  nothing.
// Not here: any decision. A command asks the API of a running server, or, for
// what must work without one, the same parts the server is built of (app).
package cli
