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

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/fluxway/fluxway/internal/kit/fault"
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
}

// newShape compiles a schema; none means an object with any fields.
func newShape(text json.RawMessage) (*shape, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = json.RawMessage(`{"type":"object"}`)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	object, ok := doc.(map[string]any)
	if !ok || object["type"] != "object" {
		return nil, errors.New(`it must be an object with "type": "object"`)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	if err := c.AddResource("arguments.json", doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile("arguments.json")
	if err != nil {
		return nil, err
	}
	return &shape{text: text, doc: object, schema: schema}, nil
}

// noLoader keeps a schema from naming files or addresses that we would then read.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema must stand alone, and this one refers to %s", url)
}

// read checks arguments and gives them back in one spelling, so that the gate, the
// journal and the tool cannot read them differently. Where a model put a value into the
// wrong type and only one meaning is possible, that is repaired.
func (s *shape) read(args json.RawMessage) (json.RawMessage, error) {
	value, err := parse(args)
	if err != nil {
		return nil, err
	}
	repaired := repair(s.doc, value, 0)
	if err := s.schema.Validate(repaired); err != nil {
		if original := s.schema.Validate(value); original != nil {
			err = original
		}
		return nil, s.explain(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(repaired); err != nil {
		return nil, fmt.Errorf("writing arguments: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
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
	if text, ok := value.(string); ok {
		if inner, err := decode([]byte(text)); err == nil {
			value = inner
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
func (s *shape) explain(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fault.New(fault.Invalid, "invalid_arguments", "The arguments do not fit the schema.").Because(err)
	}
	var problems []string
	var param string
	collect(invalid, func(e *jsonschema.ValidationError) {
		at, says := problem(e)
		if param == "" {
			param = at
		}
		line := at + ": " + says
		if !slices.Contains(problems, line) {
			problems = append(problems, line)
		}
	})
	if len(problems) > maxProblems {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", len(problems)-maxProblems))
	}
	f := fault.New(fault.Invalid, "invalid_arguments", "The arguments do not fit:\n- %s", strings.Join(problems, "\n- ")).
		WithDetail("param", param)
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

// collect visits the leaves of a validation error.
func collect(e *jsonschema.ValidationError, visit func(*jsonschema.ValidationError)) {
	if len(e.Causes) == 0 {
		visit(e)
		return
	}
	for _, c := range e.Causes {
		collect(c, visit)
	}
}

// problem is where something is wrong and what was expected there.
func problem(e *jsonschema.ValidationError) (at, says string) {
	at = place(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return at, fmt.Sprintf("expected %s, got %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Required:
		return place(append(slices.Clone(e.InstanceLocation), k.Missing[0])), missing(k.Missing)
	case *kind.AdditionalProperties:
		return place(append(slices.Clone(e.InstanceLocation), k.Properties[0])), "there is no such parameter"
	case *kind.Enum:
		return at, "expected one of " + values(k.Want)
	case *kind.Const:
		return at, "expected " + values([]any{k.Want})
	case *kind.Minimum:
		return at, "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return at, "must be at most " + k.Want.RatString()
	case *kind.MinLength:
		return at, fmt.Sprintf("must have at least %d characters, has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return at, fmt.Sprintf("must have at most %d characters, has %d", k.Want, k.Got)
	case *kind.MinItems:
		return at, fmt.Sprintf("must have at least %d items, has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return at, fmt.Sprintf("must have at most %d items, has %d", k.Want, k.Got)
	case *kind.Pattern:
		return at, fmt.Sprintf("must match the pattern %s", k.Want)
	case *kind.Format:
		return at, "must be a " + k.Want
	}
	return at, "does not fit (" + strings.Join(e.ErrorKind.KeywordPath(), "/") + ")"
}

func missing(names []string) string {
	if len(names) == 1 {
		return "is required"
	}
	return "is required, and so is " + strings.Join(names[1:], ", ")
}

func values(list []any) string {
	text, err := json.Marshal(list)
	if err != nil {
		return "other values"
	}
	return strings.Trim(string(text), "[]")
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
