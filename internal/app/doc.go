// Package app builds all parts, starts and stops them.
//
// In:    the settings.
// Out:   a running server; or, for commands that work without one, the parts
// they need on the same data (Local).
// Keeps: the data folder: fluxway.db, secret.key, backups/, fluxway.lock,
// control.sock while a server runs.
// Says:  nothing.
// Not here: any decision of a part; this is the one place that sees them all.
package app
