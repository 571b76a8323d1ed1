package strictjson

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Rules are what a field's tags demand of its value:
//
//	required:"true"    it must be there
//	enum:"a,b"         text: one of these
//	min:"1" max:"500"  numbers: bounds; text: of its characters; arrays: of their elements
type Rules struct {
	Required bool
	Enum     []string
	Min, Max *float64
}

// RulesOf reads the rules of a field and refuses those that do not fit its type.
func RulesOf(f reflect.StructField) (Rules, error) {
	r := Rules{Required: f.Tag.Get("required") == "true"}
	if list := f.Tag.Get("enum"); list != "" {
		r.Enum = strings.Split(list, ",")
	}
	for _, bound := range []struct {
		tag string
		to  **float64
	}{{"min", &r.Min}, {"max", &r.Max}} {
		text := f.Tag.Get(bound.tag)
		if text == "" {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return r, fmt.Errorf("strictjson: the tag %s:%q of %s is not a number", bound.tag, text, f.Name)
		}
		*bound.to = &n
	}
	if r.Enum != nil && !fits(f.Type, reflect.String) {
		return r, fmt.Errorf("strictjson: %s has an enum but is not text", f.Name)
	}
	if (r.Min != nil || r.Max != nil) && measure(reflect.Zero(base(f.Type))) == nil {
		return r, fmt.Errorf("strictjson: %s has a bound but no size", f.Name)
	}
	return r, nil
}

func base(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func fits(t reflect.Type, kind reflect.Kind) bool {
	t = base(t)
	return t.Kind() == kind || (t.Kind() == reflect.Slice && t.Elem().Kind() == kind)
}

// Check says what is wrong with a value that is there; its fault has no param yet.
func (r Rules) Check(v reflect.Value) error {
	if r.Enum == nil && r.Min == nil && r.Max == nil {
		return nil
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if r.Enum != nil {
		if err := r.checkEnum(v); err != nil {
			return err
		}
	}
	if r.Min == nil && r.Max == nil {
		return nil
	}
	size := measure(v)
	switch {
	case r.Min != nil && *size < *r.Min:
		return fault.New(fault.Invalid, "out_of_range", "%s.", bound(v, "at least", *r.Min)).WithHint("Send more, or leave it out if it is optional.")
	case r.Max != nil && *size > *r.Max:
		return fault.New(fault.Invalid, "out_of_range", "%s.", bound(v, "at most", *r.Max)).WithHint("Send less.")
	}
	return nil
}

func (r Rules) checkEnum(v reflect.Value) error {
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if err := r.checkEnum(v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if slices.Contains(r.Enum, v.String()) {
		return nil
	}
	return fault.New(fault.Invalid, "not_allowed_value", "%q is not one of the allowed values.", short(v.String())).
		WithHint("Allowed are: %s.", strings.Join(r.Enum, ", "))
}

// measure is what min and max are compared with; nil for a value without a size.
func measure(v reflect.Value) *float64 {
	var n float64
	switch v.Kind() {
	case reflect.String:
		n = float64(utf8.RuneCountInString(v.String()))
	case reflect.Slice, reflect.Map:
		n = float64(v.Len())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n = float64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n = float64(v.Uint())
	case reflect.Float32, reflect.Float64:
		n = v.Float()
	default:
		return nil
	}
	return &n
}

func bound(v reflect.Value, direction string, limit float64) string {
	n := strconv.FormatFloat(limit, 'f', -1, 64)
	switch v.Kind() {
	case reflect.String:
		return "The text must have " + direction + " " + n + " characters"
	case reflect.Slice, reflect.Map:
		return "There must be " + direction + " " + n + " entries"
	}
	return "The number must be " + direction + " " + n
}
