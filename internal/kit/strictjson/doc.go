// Package strictjson reads JSON from people and programs that make mistakes,
// and says exactly which.
//
// In:    bytes, and a Go value whose fields carry json tags and rules.
// Out:   the filled value, or a fault that names the place ("messages[2].role"), what is wrong there and what to do.
// Keeps: how each Go type is read, worked out once.
// Says:  nothing.
// Not here: writing JSON (encoding/json does); limits on size (whoever reads the bytes).
//
// It is stricter than encoding/json on purpose: names match exactly, unknown
// and duplicate names are refused, null does not pass for a missing value, and
// text is valid Unicode without the NUL that PostgreSQL cannot keep. One pass
// over the bytes does all of it.
package strictjson
