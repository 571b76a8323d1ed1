package strictjson

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// DefaultDepth is how deep arrays and objects may nest unless Options say otherwise.
const DefaultDepth = 64

// Options change what a Decoder accepts.
type Options struct {
	Depth int // 0: DefaultDepth
	// Text gives the check of a string type, or nil when any text is fine. Its
	// error is shown to the caller.
	Text func(t reflect.Type) func(text string) error
}

// Decoder reads JSON into Go values. It may be used by many at once.
type Decoder struct {
	depth int
	text  func(reflect.Type) func(string) error
	plans sync.Map // reflect.Type -> reader
}

// New makes a Decoder.
func New(opts Options) *Decoder {
	d := &Decoder{depth: opts.Depth, text: opts.Text}
	if d.depth <= 0 {
		d.depth = DefaultDepth
	}
	if d.text == nil {
		d.text = func(reflect.Type) func(string) error { return nil }
	}
	return d
}

// Prepare works out how t is read and says what in it cannot be: a field of an
// unsupported type, a rule that makes no sense.
func (d *Decoder) Prepare(t reflect.Type) error {
	_, err := d.plan(t)
	return err
}

// Unmarshal reads data, which is one JSON value, into v, a pointer. Every
// error that the data causes is a *fault.Fault of kind Invalid.
func (d *Decoder) Unmarshal(data []byte, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("strictjson: Unmarshal into %T, which is not a pointer", v)
	}
	read, err := d.plan(target.Type().Elem())
	if err != nil {
		return err
	}
	p := parser{data: data, limit: d.depth}
	p.path = p.steps[:0]
	p.space()
	if p.pos == len(data) {
		return fault.New(fault.Invalid, "empty_body", "The body is empty.").WithParam("body").WithHint("Send a JSON value.")
	}
	if err := read(&p, target.Elem()); err != nil {
		return err
	}
	p.space()
	if p.pos < len(data) {
		return p.fail("trailing_data", "There is more behind the end of the JSON value, at "+p.place()+".", "Send one JSON value and nothing else.")
	}
	return nil
}

// Check reads data without keeping anything: syntax, duplicate names, depth and text.
func (d *Decoder) Check(data []byte) error {
	var raw ignored
	return d.Unmarshal(data, &raw)
}

// ignored is a value that is checked and thrown away.
type ignored struct{}
