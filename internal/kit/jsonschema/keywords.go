package jsonschema

import (
	"encoding/json"
	"maps"
	"slices"
)

// form is what the value of a keyword has to be. Readers that are strict about it refuse the whole schema otherwise.
type form struct {
	says string
	fits func(v any) bool
}

var (
	anObject = form{"an object", func(v any) bool { _, ok := v.(map[string]any); return ok }}
	aList    = form{"a list", func(v any) bool { _, ok := v.([]any); return ok }}
	aText    = form{"a text", func(v any) bool { _, ok := v.(string); return ok }}
	aFlag    = form{"true or false", func(v any) bool { _, ok := v.(bool); return ok }}
	aNumber  = form{"a number", func(v any) bool { _, ok := v.(json.Number); return ok }}
	aCount   = form{"a whole number from 0", func(v any) bool {
		r := rat(v)
		return r != nil && r.IsInt() && r.Sign() >= 0
	}}
	names = form{"a list of names", func(v any) bool {
		list, ok := v.([]any)
		return ok && len(words(v)) == len(list)
	}}
)

var forms = map[string]form{
	"properties": anObject, "patternProperties": anObject, "$defs": anObject, "definitions": anObject, "dependentSchemas": anObject, "dependentRequired": anObject,
	"required": names, "enum": aList, "allOf": aList, "anyOf": aList, "oneOf": aList, "prefixItems": aList, "examples": aList,
	"pattern": aText, "format": aText, "title": aText, "description": aText, "$ref": aText, "$id": aText, "$comment": aText, "uniqueItems": aFlag, "deprecated": aFlag,
	"readOnly": aFlag, "writeOnly": aFlag, "minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber, "multipleOf": aNumber,
	"minLength": aCount, "maxLength": aCount, "minItems": aCount, "maxItems": aCount, "minProperties": aCount, "maxProperties": aCount, "minContains": aCount, "maxContains": aCount,
}

// formed checks the values of the keywords of one schema.
func (c *compiler) formed(path string, doc map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		if f, known := forms[key]; known && !f.fits(doc[key]) {
			c.fail(path, "%s must be %s", key, f.says)
		}
	}
}
