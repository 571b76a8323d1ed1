package strictjson

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// reader reads the next value into v.
type reader func(p *parser, v reflect.Value) error

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	bytesType   = reflect.TypeFor[[]byte]()
	ignoredType = reflect.TypeFor[ignored]()
	jsonType    = reflect.TypeFor[json.Unmarshaler]()
	textType    = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// plan finds how t is read, or works it out together with all it holds.
func (d *Decoder) plan(t reflect.Type) (reader, error) {
	if known, ok := d.plans.Load(t); ok {
		return known.(reader), nil
	}
	b := builder{text: d.text, made: map[reflect.Type]*entry{}}
	read, err := b.plan(t)
	if err != nil {
		return nil, err
	}
	d.plans.Store(t, read)
	return read, nil
}

// builder works out one type and those inside it.
type builder struct {
	text func(reflect.Type) func(string) error
	made map[reflect.Type]*entry
}

// entry is a plan that may still be in the making, for types that hold themselves.
type entry struct{ read reader }

func (b *builder) plan(t reflect.Type) (reader, error) {
	if e, ok := b.made[t]; ok {
		return func(p *parser, v reflect.Value) error { return e.read(p, v) }, nil
	}
	e := new(entry)
	b.made[t] = e
	var err error
	e.read, err = b.make(t)
	return e.read, err
}

func (b *builder) make(t reflect.Type) (reader, error) {
	switch {
	case t == rawType:
		return readRaw, nil
	case t == bytesType:
		return readBytes, nil
	case t == ignoredType:
		return func(p *parser, _ reflect.Value) error { return p.skip() }, nil
	case reflect.PointerTo(t).Implements(jsonType):
		return readJSON, nil
	case reflect.PointerTo(t).Implements(textType):
		return readText, nil
	}
	switch t.Kind() {
	case reflect.Interface:
		return readJSON, nil
	case reflect.Struct:
		return b.makeStruct(t)
	case reflect.Pointer:
		return b.makePointer(t)
	case reflect.Slice:
		return b.makeSlice(t)
	case reflect.Map:
		return b.makeMap(t)
	case reflect.String:
		return makeString(b.text(t)), nil
	case reflect.Bool:
		return readBool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return readInt, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return readUint, nil
	case reflect.Float32, reflect.Float64:
		return readFloat, nil
	}
	return nil, fmt.Errorf("strictjson: a %s cannot be read", t)
}

func readRaw(p *parser, v reflect.Value) error {
	start := p.pos
	if err := p.skip(); err != nil {
		return err
	}
	v.SetBytes(append([]byte(nil), p.data[start:p.pos]...))
	return nil
}

// readJSON checks the value and leaves the rest to the type's own method, or to
// encoding/json for an interface.
func readJSON(p *parser, v reflect.Value) error {
	start := p.pos
	if err := p.skip(); err != nil {
		return err
	}
	if err := json.Unmarshal(p.data[start:p.pos], v.Addr().Interface()); err != nil {
		return p.refused(err)
	}
	return nil
}

func readText(p *parser, v reflect.Value) error {
	if p.peek() != '"' {
		return p.wrongType("text")
	}
	text, err := p.text()
	if err != nil {
		return err
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
		return p.refused(err)
	}
	return nil
}

// readBytes reads base64, as encoding/json writes bytes.
func readBytes(p *parser, v reflect.Value) error {
	if p.peek() != '"' {
		return p.wrongType("text in base64")
	}
	text, err := p.text()
	if err != nil {
		return err
	}
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return p.fail("not_base64", p.where()+" is not base64.", "Encode the bytes with the usual alphabet and padding.")
	}
	v.SetBytes(data)
	return nil
}

// refused passes on what a type said of its value.
func (p *parser) refused(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f.WithParam(p.where())
	}
	return p.fail("invalid_value", "The value of "+p.where()+" cannot be used: "+strings.ToValidUTF8(err.Error(), "?")+".", "Look at the expected form in the API reference at /docs.")
}

func makeString(check func(string) error) reader {
	return func(p *parser, v reflect.Value) error {
		if p.peek() != '"' {
			return p.wrongType("text")
		}
		text, err := p.text()
		if err != nil {
			return err
		}
		s := string(text)
		if check != nil {
			if err := check(s); err != nil {
				return p.refused(err)
			}
		}
		v.SetString(s)
		return nil
	}
}

func readBool(p *parser, v reflect.Value) error {
	switch p.peek() {
	case 't':
		v.SetBool(true)
		return p.word("true")
	case 'f':
		v.SetBool(false)
		return p.word("false")
	}
	return p.wrongType("true or false")
}

// digitsOf reads a number for a field that wants a whole one.
func (p *parser) digitsOf() (string, error) {
	if c := p.peek(); c != '-' && (c < '0' || c > '9') {
		return "", p.wrongType("a whole number")
	}
	text, whole, err := p.number()
	if err != nil {
		return "", err
	}
	if !whole {
		return "", p.fail("wrong_type", p.where()+" must be a whole number, not "+short(string(text))+".", "Leave out the fraction and the exponent.")
	}
	return string(text), nil
}

func (p *parser) outOfRange(text string) error {
	return p.fail("out_of_range", p.where()+" is out of range: "+short(text)+".", "Send a smaller number.")
}

func readInt(p *parser, v reflect.Value) error {
	text, err := p.digitsOf()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v.OverflowInt(n) {
		return p.outOfRange(text)
	}
	v.SetInt(n)
	return nil
}

func readUint(p *parser, v reflect.Value) error {
	text, err := p.digitsOf()
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || v.OverflowUint(n) {
		return p.outOfRange(text)
	}
	v.SetUint(n)
	return nil
}

func readFloat(p *parser, v reflect.Value) error {
	if c := p.peek(); c != '-' && (c < '0' || c > '9') {
		return p.wrongType("a number")
	}
	text, _, err := p.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v.OverflowFloat(n) {
		return p.outOfRange(string(text))
	}
	v.SetFloat(n)
	return nil
}

func (b *builder) makePointer(t reflect.Type) (reader, error) {
	elem, err := b.plan(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(p *parser, v reflect.Value) error {
		fresh := reflect.New(t.Elem())
		if err := elem(p, fresh.Elem()); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	}, nil
}

func (b *builder) makeSlice(t reflect.Type) (reader, error) {
	elem, err := b.plan(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(p *parser, v reflect.Value) error {
		v.Set(reflect.MakeSlice(t, 0, 0))
		return p.array(func(i int) error {
			v.Grow(1)
			v.SetLen(i + 1)
			v.Index(i).SetZero()
			return elem(p, v.Index(i))
		})
	}, nil
}

func (b *builder) makeMap(t reflect.Type) (reader, error) {
	if t.Key().Kind() != reflect.String {
		return nil, fmt.Errorf("strictjson: the keys of %s are not text", t)
	}
	elem, err := b.plan(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(p *parser, v reflect.Value) error {
		v.Set(reflect.MakeMap(t))
		return p.object(func(name []byte) error {
			key := reflect.New(t.Key()).Elem()
			key.SetString(string(name))
			p.path = append(p.path, step{name: key.String()})
			if v.MapIndex(key).IsValid() {
				return p.duplicate()
			}
			value := reflect.New(t.Elem()).Elem()
			if err := elem(p, value); err != nil {
				return err
			}
			v.SetMapIndex(key, value)
			p.path = p.path[:len(p.path)-1]
			return nil
		})
	}, nil
}

// member is one field of a struct that JSON can name.
type member struct {
	name  string
	index []int
	read  reader
	rules Rules
	place int // its bit among the seen
}

type object struct {
	members map[string]*member
	order   []*member
	names   []string
}

func (b *builder) makeStruct(t reflect.Type) (reader, error) {
	o := &object{members: map[string]*member{}}
	if err := b.addFields(o, t, nil); err != nil {
		return nil, err
	}
	if len(o.order) > 64 {
		return nil, fmt.Errorf("strictjson: %s has more than 64 fields", t)
	}
	return o.read, nil
}

func (b *builder) addFields(o *object, t reflect.Type, at []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(append([]int(nil), at...), i)
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			if err := b.addFields(o, f.Type, index); err != nil {
				return err
			}
			continue
		case name == "" || name == "-" || !f.IsExported():
			continue
		case o.members[name] != nil:
			return fmt.Errorf("strictjson: two fields of %s are named %q", t, name)
		}
		rules, err := RulesOf(f)
		if err != nil {
			return err
		}
		m := &member{name: name, index: index, rules: rules, place: len(o.order)}
		if m.read, err = b.plan(f.Type); err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		o.members[name] = m
		o.order = append(o.order, m)
		o.names = append(o.names, name)
	}
	return nil
}

func (o *object) read(p *parser, v reflect.Value) error {
	var seen uint64
	err := p.object(func(name []byte) error {
		m := o.members[string(name)]
		if m == nil {
			return o.unknown(p, string(name))
		}
		p.path = append(p.path, step{name: m.name})
		if seen&(1<<m.place) != 0 {
			return p.duplicate()
		}
		seen |= 1 << m.place
		field := v.FieldByIndex(m.index)
		if err := m.read(p, field); err != nil {
			return err
		}
		if err := m.rules.Check(field); err != nil {
			return p.refused(err)
		}
		p.path = p.path[:len(p.path)-1]
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range o.order {
		if m.rules.Required && seen&(1<<m.place) == 0 {
			p.path = append(p.path, step{name: m.name})
			return p.fail("required", p.where()+" is missing.", "Add it to the body.")
		}
	}
	return nil
}

// unknown looks at the rest of the value first: a broken body is the better answer.
func (o *object) unknown(p *parser, name string) error {
	p.path = append(p.path, step{name: name})
	if err := p.skip(); err != nil {
		return err
	}
	hint := "This object has no fields."
	if near, ok := suggest.Closest(short(name), o.names); ok {
		hint = "Did you mean " + strconv.Quote(near) + "?"
	} else if len(o.names) > 0 {
		hint = "The fields are: " + strings.Join(o.names, ", ") + "."
	}
	return p.fail("unknown_field", "There is no field "+strconv.Quote(short(name))+".", hint)
}
