package plugins

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/kit/suggest"
)

// Type is what a setting's value is.
type Type string

// The types.
const (
	TypeText    Type = "text"
	TypeNumber  Type = "number"
	TypeBoolean Type = "boolean"
	TypeChoice  Type = "choice"
	TypeList    Type = "list"   // of texts
	TypeSecret  Type = "secret" // kept encrypted, or the name of a variable: ${NAME}
)

var types = []string{string(TypeText), string(TypeNumber), string(TypeBoolean), string(TypeChoice), string(TypeList), string(TypeSecret)}

// Setting is one thing a person can set of a plugin.
type Setting struct {
	Name        string          `json:"name"`
	Type        Type            `json:"type" enum:"text,number,boolean,choice,list,secret"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Required    bool            `json:"required"`
	Choices     []string        `json:"choices,omitempty"`
	Min         *float64        `json:"min,omitempty"`
	Max         *float64        `json:"max,omitempty"`
}

// The bounds of what a person sets.
const (
	maxSettings = 50
	maxValue    = 16 << 10
	maxItems    = 200
)

// check reads a value and says what is wrong with it, in a clause.
func (s Setting) check(raw json.RawMessage) (any, error) {
	var v any
	if len(raw) > maxValue || json.Unmarshal(raw, &v) != nil {
		return nil, fmt.Errorf("must be JSON of at most %d kB", maxValue>>10)
	}
	switch s.Type {
	case TypeText, TypeSecret:
		if _, ok := v.(string); !ok {
			return nil, fmt.Errorf("must be text")
		}
	case TypeBoolean:
		if _, ok := v.(bool); !ok {
			return nil, fmt.Errorf("must be true or false")
		}
	case TypeNumber:
		f, ok := v.(float64)
		if !ok || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("must be a number")
		}
		if s.Min != nil && f < *s.Min || s.Max != nil && f > *s.Max {
			return nil, fmt.Errorf("must be %s", s.between())
		}
	case TypeChoice:
		word, ok := v.(string)
		if !ok || !slices.Contains(s.Choices, word) {
			clause := "must be one of " + strings.Join(s.Choices, ", ")
			if near, found := suggest.Closest(word, s.Choices); found {
				clause += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, fmt.Errorf("%s", clause)
		}
	case TypeList:
		items, ok := v.([]any)
		if !ok || len(items) > maxItems || slices.ContainsFunc(items, func(i any) bool { _, isText := i.(string); return !isText }) {
			return nil, fmt.Errorf("must be a list of at most %d texts", maxItems)
		}
	}
	return v, nil
}

func (s Setting) between() string {
	switch {
	case s.Max == nil:
		return fmt.Sprintf("at least %v", *s.Min)
	case s.Min == nil:
		return fmt.Sprintf("at most %v", *s.Max)
	}
	return fmt.Sprintf("between %v and %v", *s.Min, *s.Max)
}

// reference is a secret that is kept elsewhere: a variable of the program's environment.
var reference = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]{0,63})\}$`)

// stored is what a person set of a plugin.
type stored struct {
	values  map[string]json.RawMessage // secrets only as references
	secrets map[string]secret.Text
}

// with lays a change over what is stored: null goes back to the default, an empty secret is forgotten.
func (m *Manifest) with(have stored, change map[string]json.RawMessage) (stored, error) {
	next := stored{maps.Clone(have.values), maps.Clone(have.secrets)}
	if next.values == nil {
		next.values = map[string]json.RawMessage{}
	}
	if next.secrets == nil {
		next.secrets = map[string]secret.Text{}
	}
	for _, name := range slices.Sorted(maps.Keys(change)) {
		s, err := m.setting(name)
		if err != nil {
			return have, err
		}
		if raw := change[name]; string(raw) == "null" {
			delete(next.values, name)
			delete(next.secrets, name)
			continue
		}
		v, err := s.check(change[name])
		if err != nil {
			return have, fault.New(fault.Invalid, "setting_invalid", "%s of %s %s.", name, m.Name, err).WithParam("settings." + name)
		}
		if s.Type != TypeSecret {
			next.values[name] = change[name]
			continue
		}
		word, _ := v.(string)
		delete(next.values, name)
		delete(next.secrets, name)
		switch {
		case reference.MatchString(word):
			next.values[name] = change[name]
		case word != "":
			next.secrets[name] = secret.New(word)
		}
	}
	return next, nil
}

func (m *Manifest) setting(name string) (Setting, error) {
	names := make([]string, 0, len(m.Settings))
	for _, s := range m.Settings {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	f := fault.New(fault.Invalid, "setting_unknown", "%s has no setting %q.", m.Name, name).WithParam("settings." + name)
	if near, ok := suggest.Closest(name, names); ok {
		return Setting{}, f.WithHint("Did you mean %q?", near)
	}
	if len(names) == 0 {
		return Setting{}, f.WithHint("It has no settings.")
	}
	return Setting{}, f.WithHint("There are: %s.", strings.Join(names, ", "))
}

// resolve gives every setting its value, secrets included; a default where nothing was set. What a newer version of
// the plugin does not take any more gets its default.
func (m *Manifest) resolve(have stored, lookup func(string) (string, bool)) (map[string]any, error) {
	out := make(map[string]any, len(m.Settings))
	for _, s := range m.Settings {
		if text, ok := have.secrets[s.Name]; ok && s.Type == TypeSecret {
			out[s.Name] = text.Reveal()
			continue
		}
		raw := have.values[s.Name]
		v, err := s.check(raw)
		if err != nil {
			raw = s.Default
			v, err = s.check(raw)
		}
		if word, ok := v.(string); err == nil && ok && s.Type == TypeSecret {
			if v, err = fromEnvironment(m.Name, s.Name, word, lookup); err != nil {
				return nil, err
			}
		}
		if err == nil {
			out[s.Name] = v
			continue
		}
		if s.Required {
			return nil, fault.New(fault.Invalid, "setting_missing", "%s needs the setting %s.", m.Name, s.Name).WithParam("settings."+s.Name).
				WithHint("fluxway plugins configure %s %s=…", m.Name, s.Name)
		}
	}
	return out, nil
}

func fromEnvironment(plugin, setting, word string, lookup func(string) (string, bool)) (any, error) {
	m := reference.FindStringSubmatch(word)
	if m == nil {
		return word, nil
	}
	if v, ok := lookup(m[1]); ok && v != "" {
		return v, nil
	}
	return nil, fault.New(fault.Invalid, "setting_unset", "The setting %s of %s refers to the variable %s, which is not set.", setting, plugin, m[1]).
		WithParam("settings." + setting).WithHint("Set it before the server starts, or store the secret itself.")
}

// fill puts settings and the plugin's folder where a text refers to them.
func fill(text, folder string, settings map[string]any) string {
	return placeholder.ReplaceAllStringFunc(text, func(ref string) string {
		word := ref[2 : len(ref)-1]
		if word == "folder" {
			return folder
		}
		return asText(settings[strings.TrimPrefix(word, "settings.")])
	})
}

// asText is a value as a variable has it: lists with commas.
func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		words := make([]string, len(v))
		for i, item := range v {
			words[i] = asText(item)
		}
		return strings.Join(words, ",")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
