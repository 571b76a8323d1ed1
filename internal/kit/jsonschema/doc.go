// Package jsonschema checks JSON values against a JSON Schema that stands alone.
//
// In:    a schema and a value, both decoded with json.Number for numbers.
// Out:   what does not fit and where, in words a person or a model can act on.
// Keeps: nothing. Says: nothing.
// Not here: schemas spread over several documents; formats, which are notes; making schemas.
//
// It knows the keywords of draft 2020-12 and those of draft 7 that differ. A compiled
// schema costs nothing until it is used, unlike validators that load the drafts' own schemas
// when the program starts, and it does a bounded amount of work, so that a schema
// from a stranger cannot keep it busy.
package jsonschema
