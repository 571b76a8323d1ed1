package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/jsonschema"
)

const (
	maxArgs     = 4 << 20
	maxProblems = 5 // told at once
	maxNesting  = 100
)

// shape is a schema that arguments are read with.
type shape struct {
	text   json.RawMessage
	doc    map[string]any
	schema *jsonschema.Schema
	given  map[string]any // arguments for where the model gives none
	plain  *plain         // nil: every argument takes the long road
}

// newShape compiles a schema; none means an object with any fields.
func newShape(text json.RawMessage, defaults map[string]json.RawMessage) (*shape, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = json.RawMessage(`{"type":"object"}`)
	}
	doc, err := decode(text)
	if err != nil {
		return nil, err
	}
	object, ok := doc.(map[string]any)
	if !ok || object["type"] != "object" {
		return nil, errors.New(`it must be an object with "type": "object"`)
	}
	schema, err := jsonschema.Compile(doc)
	if err != nil {
		return nil, err
	}
	s := &shape{text: text, doc: object, schema: schema}
	for name, raw := range defaults {
		value, err := decode(raw)
		if err != nil {
			return nil, fmt.Errorf("the default of %s: %w", name, err)
		}
		if s.given == nil {
			s.given = map[string]any{}
		}
		s.given[name] = value
	}
	if s.given == nil {
		s.plain = newPlain(object)
	}
	return s, nil
}

// CheckSchema says why arguments could not be checked with a schema; nil if they can.
func CheckSchema(text json.RawMessage) error {
	_, err := newShape(text, nil)
	return err
}

// read checks arguments and gives them back in one spelling, so that the gate, the
// journal and the tool cannot read them differently. Where a model put a value into the
// wrong type and only one meaning is possible, that is repaired.
func (s *shape) read(args json.RawMessage) (json.RawMessage, error) {
	if s.plain != nil && len(args) <= maxArgs && s.plain.takes(args) {
		return bytes.Clone(args), nil
	}
	return s.readAny(args)
}

// readAny is read for all that arguments can be.
func (s *shape) readAny(args json.RawMessage) (json.RawMessage, error) {
	value, err := parse(args)
	if err != nil {
		return nil, err
	}
	s.complete(value)
	repaired := repair(s.doc, value, 0)
	if problems := s.schema.Validate(repaired); len(problems) > 0 {
		if original := s.schema.Validate(value); len(original) > 0 {
			problems = original
		}
		return nil, s.explain(problems)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(repaired); err != nil {
		return nil, fmt.Errorf("writing arguments: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// complete fills in what the model left out and a person has set.
func (s *shape) complete(value any) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	for name, v := range s.given {
		if _, has := object[name]; !has {
			object[name] = v
		}
	}
}

// parse reads the arguments as one object; none, null and text that holds an object pass.
func parse(args json.RawMessage) (any, error) {
	if len(args) > maxArgs {
		return nil, fault.New(fault.TooLarge, "arguments_too_large", "The arguments are larger than %d bytes.", maxArgs).
			WithHint("Write the content in pieces.")
	}
	if len(bytes.TrimSpace(args)) == 0 {
		return map[string]any{}, nil
	}
	value, err := decode(args)
	if err != nil {
		return nil, badJSON(err)
	}
	if text, ok := value.(string); ok { // what is not JSON comes as a text of it
		if value, err = decode([]byte(text)); err != nil {
			return nil, badJSON(err)
		}
	}
	if value == nil {
		return map[string]any{}, nil
	}
	return value, nil
}

func decode(text []byte) (any, error) {
	if nesting(text) > maxNesting {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxNesting)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it ends too early")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("there is something after the end, at byte %d", dec.InputOffset())
	}
	return value, nil
}

// nesting is the depth of brackets outside of strings.
func nesting(text []byte) int {
	deepest, depth, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

func badJSON(err error) error {
	where := ""
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		where = fmt.Sprintf(" at byte %d", syntax.Offset)
	}
	return fault.New(fault.Invalid, "invalid_arguments", "The arguments are not valid JSON%s: %s.", where, strings.TrimSuffix(err.Error(), ".")).
		WithHint("Send one JSON object that fits the tool's schema, with quotes and backslashes in text escaped.")
}

// explain says in a few lines what does not fit and what would.
func (s *shape) explain(found []jsonschema.Problem) error {
	var problems []string
	for _, p := range found {
		line := place(p.At) + ": " + p.Says
		if !slices.Contains(problems, line) {
			problems = append(problems, line)
		}
	}
	if len(problems) > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", len(problems)-maxProblems))
	}
	f := fault.New(fault.Invalid, "invalid_arguments", "The arguments do not fit:\n- %s", strings.Join(problems, "\n- ")).
		WithDetail("param", place(found[0].At))
	if known := s.names(); known != "" {
		return f.WithHint("The parameters are: %s. Call again with all of them right.", known)
	}
	return f.WithHint("The tool takes no parameters.")
}

// names lists the parameters as "path (string, required), limit (integer)".
func (s *shape) names() string {
	properties, _ := s.doc["properties"].(map[string]any)
	required, _ := s.doc["required"].([]any)
	var out []string
	for name, schema := range properties {
		says := strings.Join(typesOf(schema), " or ")
		if slices.Contains(required, any(name)) {
			says = strings.TrimPrefix(says+", required", ", ")
		}
		if says != "" {
			name += " (" + says + ")"
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// place writes a location as items[2].name.
func place(location []string) string {
	var b strings.Builder
	for _, step := range location {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	if b.Len() == 0 {
		return "arguments"
	}
	return b.String()
}
