// Package config reads the settings of the program once, from all the places
// they may stand in, and says of each where it came from.
//
// In:    fluxway.yaml or fluxway.json, .env, the environment, flags.
// Out:   a Config that app maps to the parts' Options; every Problem at once, with line and column; the JSON Schema and the reference page; Reloader and Save.
// Keeps: nothing of its own; Save edits the file and leaves comments and order alone.
// Says:  Change to its subscribers when the file changed.
// Not here: what the settings do (the parts); who may change them (identity, api).
package config
