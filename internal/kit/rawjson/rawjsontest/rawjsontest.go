// Package rawjsontest compares what types write themselves with what json.Marshal makes of them.
//
// In:    a function that adds a value's JSON to some bytes.
// Out:   a failed test where the two differ.
// Keeps: nothing. Says: nothing.
// Not here: whether the JSON means the right thing.
package rawjsontest

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

var (
	texts = []string{"", "", "plain", "a <b> & \"c\" \\ d", "line\nnext\ttab\r", "grün 日本 \u2028", "not \xff utf8 \x00\x1f\b", "x"}
	raws  = []string{"", "", `{"n":1}`, `{}`, `{ "b" : [1, {"c":"<x>"}], "a": null }`, `null`, `"text"`, `{"a":"é & <b>\u2028"}`}
)

// Same fills values at random and wants both ways to write them to agree.
func Same[T any](t *testing.T, add func(v *T, to []byte) ([]byte, error)) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		var v T
		fill(reflect.ValueOf(&v).Elem(), random, 0)
		want, err := json.Marshal(&v)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		got, err := add(&v, []byte("before "))
		if err != nil || string(got) != "before "+string(want) {
			t.Fatalf("%+v is written as\n%s, %v; want\n%s", v, got, err, want)
		}
	}
}

// fill sets what json.Marshal looks at.
func fill(v reflect.Value, random *rand.Rand, depth int) {
	switch v.Type() {
	case reflect.TypeFor[json.RawMessage]():
		if text := raws[random.IntN(len(raws))]; text != "" {
			v.SetBytes([]byte(text))
		}
		return
	case reflect.TypeFor[time.Time]():
		if random.IntN(3) > 0 {
			v.Set(reflect.ValueOf(time.UnixMicro(random.Int64N(1 << 50)).UTC()))
		}
		return
	}
	if depth > 4 || (v.Kind() != reflect.Struct && random.IntN(3) == 0) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[random.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(random.Int64N(1000) - 100)
	case reflect.Float64:
		v.SetFloat(random.Float64())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), random, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), random, depth+1)
		}
	case reflect.Uint8:
		v.SetUint(random.Uint64N(256))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				fill(v.Field(i), random, depth+1)
			}
		}
	}
}
