package api

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/strictjson"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/tools"
)

// ordered is a JSON object whose names keep their order.
type ordered []pair

type pair struct {
	name  string
	value any
}

// MarshalJSON writes the pairs as they come.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(p.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(p.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o ordered) get(name string) any {
	for _, p := range o {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

// schemas turns Go types into JSON Schema, each named type once.
type schemas struct {
	named map[string]ordered // component name -> schema
	order []string
	types map[string]reflect.Type
	asked bool // what is described comes from callers: required is what the tag says
}

// of is the schema of a value of type t.
func (s *schemas) of(t reflect.Type) ordered {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return ordered{{"type", "string"}, {"format", "date-time"}}
	case t == reflect.TypeFor[secret.Text]():
		return ordered{{"type", "string"}, {"format", "password"}}
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return ordered{}
	case t.Kind() == reflect.String:
		return stringSchema(t)
	case implements[encoding.TextMarshaler](t) || implements[encoding.TextUnmarshaler](t):
		return ordered{{"type", "string"}}
	case implements[json.Marshaler](t):
		return ordered{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return ordered{{"type", "boolean"}}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return ordered{{"type", "integer"}}
	case reflect.Float32, reflect.Float64:
		return ordered{{"type", "number"}}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return ordered{{"type", "string"}, {"format", "byte"}}
		}
		return ordered{{"type", "array"}, {"items", s.of(t.Elem())}}
	case reflect.Map:
		return ordered{{"type", "object"}, {"additionalProperties", s.of(t.Elem())}}
	case reflect.Struct:
		return s.ofStruct(t)
	}
	panic(fmt.Sprintf("api: a %s cannot be described", t))
}

func implements[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

func stringSchema(t reflect.Type) ordered {
	if noun, ok := reflect.Zero(t).Interface().(interface{ Prefix() string }); ok {
		return ordered{{"type", "string"}, {"pattern", "^" + noun.Prefix() + "_[0-9A-HJKMNP-TV-Z]{26}$"}}
	}
	return ordered{{"type", "string"}}
}

// ofStruct names the type as a component and refers to it.
func (s *schemas) ofStruct(t reflect.Type) ordered {
	name := s.componentName(t)
	if name == "" {
		return s.object(t)
	}
	if known := s.types[name]; known == nil {
		s.types[name] = t
		s.order = append(s.order, name)
		s.named[name] = s.object(t)
	} else if known != t {
		panic(fmt.Sprintf("api: %s and %s would both be called %s in OpenAPI; give one of them a name in renamed", known, t, name))
	}
	return ordered{{"$ref", "#/components/schemas/" + name}}
}

// renamed gives types another name in OpenAPI where two would share one.
var renamed = map[reflect.Type]string{
	reflect.TypeFor[ToolView]():                 "Tool",
	reflect.TypeFor[tools.Result]():             "ToolResult",
	reflect.TypeFor[tools.Part]():               "ToolPart",
	reflect.TypeFor[tools.Full]():               "ToolOutput",
	reflect.TypeFor[tools.Need]():               "ToolQuestion",
	reflect.TypeFor[tools.Option]():             "ToolOption",
	reflect.TypeFor[ErrorBody]():                "Error",
	reflect.TypeFor[identity.User]():            "Account",
	reflect.TypeFor[identity.Member]():          "User",
	reflect.TypeFor[identity.AuditRow]():        "AuditEntry",
	reflect.TypeFor[identity.Verification]():    "AuditVerification",
	reflect.TypeFor[events.Record]():            "Event",
	reflect.TypeFor[CreatedKey]():               "KeyCreated",
	reflect.TypeFor[CheckState]():               "Check",
	reflect.TypeFor[identity.Ways]():            "SessionOptions",
	reflect.TypeFor[guard.ToolCall]():           "GuardCall",
	reflect.TypeFor[guard.Policy]():             "GuardPolicy",
	reflect.TypeFor[guard.Levels]():             "GuardLevels",
	reflect.TypeFor[guard.Rate]():               "GuardRate",
	reflect.TypeFor[guard.PackInfo]():           "GuardPack",
	reflect.TypeFor[judged]():                   "GuardRuling",
	reflect.TypeFor[guard.CommandRuling]():      "CommandRuling",
	reflect.TypeFor[guard.CommandStep]():        "CommandStep",
	reflect.TypeFor[guard.CommandSpan]():        "CommandSpan",
	reflect.TypeFor[guard.CommandSimple]():      "CommandSimple",
	reflect.TypeFor[tools.Filter]():             "ToolFilter",
	reflect.TypeFor[projects.Step]():            "UndoStep",
	reflect.TypeFor[projects.Plan]():            "UndoPlan",
	reflect.TypeFor[jobs.KindInfo]():            "JobKind",
	reflect.TypeFor[runs.Accepted]():            "ChatStarted",
	reflect.TypeFor[agents.Version]():           "AgentVersion",
	reflect.TypeFor[agents.Saved]():             "AgentSaved",
	reflect.TypeFor[agents.Compared]():          "AgentComparison",
	reflect.TypeFor[agents.Difference]():        "AgentDifference",
	reflect.TypeFor[agents.Imported]():          "AgentImport",
	reflect.TypeFor[agents.ImportedAgent]():     "AgentImported",
	reflect.TypeFor[agents.Note]():              "AgentImportNote",
	reflect.TypeFor[agents.Problem]():           "AgentProblem",
	reflect.TypeFor[agents.Choice]():            "AgentChoice",
	reflect.TypeFor[agents.Params]():            "AgentParams",
	reflect.TypeFor[agents.Memory]():            "AgentMemory",
	reflect.TypeFor[agents.Limits]():            "AgentLimits",
	reflect.TypeFor[memory.Source]():            "KnowledgeSource",
	reflect.TypeFor[memory.SourceOptions]():     "KnowledgeSourceOptions",
	reflect.TypeFor[memory.File]():              "KnowledgeFile",
	reflect.TypeFor[memory.Imported]():          "MemoryImported",
	reflect.TypeFor[memory.Refusal]():           "MemoryRefusal",
	reflect.TypeFor[memory.Found]():             "MemoryFound",
	reflect.TypeFor[memory.Explain]():           "MemoryExplanation",
	reflect.TypeFor[memory.Answer]():            "MemoryAnswer",
	reflect.TypeFor[memory.Scope]():             "MemoryScope",
	reflect.TypeFor[memory.Place]():             "MemorySource",
	reflect.TypeFor[memory.Stats]():             "MemoryStats",
	reflect.TypeFor[memory.Settings]():          "MemorySettings",
	reflect.TypeFor[memory.Profile]():           "MemoryProfile",
	reflect.TypeFor[memory.Merge]():             "MemoryProfileMerge",
	reflect.TypeFor[memory.Node]():              "GraphNode",
	reflect.TypeFor[memory.Relation]():          "GraphRelation",
	reflect.TypeFor[memory.Observations]():      "GraphObservations",
	reflect.TypeFor[memory.AddedObservations](): "GraphObservationsAdded",
	reflect.TypeFor[memory.AddedFact]():         "FactAdded",
}

// shaped describes fields of other parts whose Go type says too little.
var shaped = map[reflect.Type]map[string]ordered{
	reflect.TypeFor[events.Record](): {"data": {{"type", "object"}, {"additionalProperties", ordered{}}}},
}

// componentName is "" for a type without a name.
func (s *schemas) componentName(t reflect.Type) string {
	name := renamed[t]
	if name == "" {
		name = typeName(t)
	}
	if s.asked && name != "" && !strings.HasSuffix(name, "Request") {
		name += "Request"
	}
	return name
}

// typeName makes UserPage of page.Page[identity.User].
func typeName(t reflect.Type) string {
	name, arg, generic := strings.Cut(t.Name(), "[")
	if name == "" {
		return ""
	}
	if generic {
		arg = strings.TrimSuffix(arg, "]")
		for _, r := range renamedByPath(arg) {
			return upper(r) + upper(name)
		}
		arg = arg[strings.LastIndexAny(arg, "./")+1:]
		return upper(arg) + upper(name)
	}
	return upper(name)
}

// renamedByPath finds the other name of a type argument, which reflection gives as text.
func renamedByPath(path string) []string {
	for t, name := range renamed {
		if t.PkgPath()+"."+t.Name() == path {
			return []string{name}
		}
	}
	return nil
}

func upper(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// object describes the fields of a struct that have a name in JSON.
func (s *schemas) object(t reflect.Type) ordered {
	var properties ordered
	var required []string
	s.fields(t, &properties, &required)
	o := ordered{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		o = append(o, pair{"required", required})
	}
	if s.asked {
		o = append(o, pair{"additionalProperties", false})
	}
	return o
}

func (s *schemas) fields(t reflect.Type, properties *ordered, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			s.fields(f.Type, properties, required)
			continue
		case name == "" || name == "-" || !f.IsExported():
			continue
		}
		field := s.field(f)
		if shape, ok := shaped[t][name]; ok {
			field = shape
		}
		*properties = append(*properties, pair{name, field})
		if s.asked && f.Tag.Get("required") == "true" || !s.asked && !strings.Contains(opts, "omit") {
			*required = append(*required, name)
		}
	}
}

// field is the schema of one field with its rules and its sentence.
func (s *schemas) field(f reflect.StructField) ordered {
	rules, err := strictjson.RulesOf(f)
	if err != nil {
		panic(err)
	}
	return described(bounded(s.of(f.Type), rules), f.Tag.Get("doc"))
}

func bounded(o ordered, rules strictjson.Rules) ordered {
	if rules.Enum != nil {
		if o.get("type") == "array" {
			items := append(o.get("items").(ordered), pair{"enum", rules.Enum})
			return ordered{{"type", "array"}, {"items", items}}
		}
		o = append(o, pair{"enum", rules.Enum})
	}
	low, high := "minimum", "maximum"
	switch o.get("type") {
	case "string":
		low, high = "minLength", "maxLength"
	case "array":
		low, high = "minItems", "maxItems"
	}
	if rules.Min != nil {
		o = append(o, pair{low, *rules.Min})
	}
	if rules.Max != nil {
		o = append(o, pair{high, *rules.Max})
	}
	return o
}

func described(o ordered, doc string) ordered {
	if doc == "" {
		return o
	}
	return append(o, pair{"description", doc})
}
