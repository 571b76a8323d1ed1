// Package scripted is a model that follows a script, for tests and for trying workflows without a vendor.
//
// In:    a script: turns with steps (thinks, says, calls, waits, fails), each for a matching request or in order.
// Out:   providers.Model; Play streams one turn and is what the demo model uses too.
// Keeps: which turns were played. Says: nothing.
// Not here: rules over plain English (demo).
package scripted
