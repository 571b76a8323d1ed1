package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/strictjson"
)

// blank is a definition that nobody has written anything into.
func blank(name string) Agent {
	return Agent{Name: name, Driver: Native, Memory: Memory{Recall: true, Remember: true}}
}

// merged is the definition with a merge patch (RFC 7396) laid over it: objects
// are merged, null takes the value of a blank definition, anything else replaces.
func (a Agent) merged(patch json.RawMessage) (Agent, error) {
	want, err := objectOf(patch)
	if err != nil {
		return a, err
	}
	if err := a.keepsFixed(want); err != nil {
		return a, err
	}
	have, err := a.object()
	if err != nil {
		return a, err
	}
	empty, err := blank(a.Name).object()
	if err != nil {
		return a, err
	}
	text, err := json.Marshal(merge(have, want, empty))
	if err != nil {
		return a, fmt.Errorf("merging the agent %s: %w", a.Name, err)
	}
	var next Agent
	if err := strictjson.New(strictjson.Options{}).Unmarshal(text, &next); err != nil {
		return a, err
	}
	next.Origin, next.Plugin, next.Version, next.UpdatedAt = a.Origin, a.Plugin, a.Version, a.UpdatedAt
	return next, nil
}

func objectOf(patch json.RawMessage) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(patch))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fault.New(fault.Invalid, "malformed_json", "The change is not JSON: %v.", err).WithParam("body").WithHint("Send an object with the fields to change.")
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fault.New(fault.Invalid, "wrong_type", "The change must be an object.").WithParam("body").WithHint("Send an object with the fields to change.")
	}
	return m, nil
}

// keepsFixed takes out of a change what only we set. Sent back as it was read it
// does no harm; version then guards against changes in between.
func (a Agent) keepsFixed(change map[string]any) error {
	if v, ok := change["version"]; ok && fmt.Sprint(v) != fmt.Sprint(a.Version) {
		return fault.New(fault.Conflict, "agent_changed", "%s is at version %d by now, not %v.", a.Name, a.Version, v).
			WithParam("version").WithHint("Read it again, and make your change to that.")
	}
	is := map[string]string{"name": a.Name, "origin": string(a.Origin), "updated_at": stamp(a.UpdatedAt)}
	for _, field := range slices.Sorted(maps.Keys(is)) {
		if v, ok := change[field]; ok && v != is[field] {
			return fault.New(fault.Invalid, "read_only", "The field %s cannot be changed.", field).WithParam(field).
				WithHint("Leave it out; for another name, make another agent.")
		}
	}
	delete(change, "name")
	for _, field := range fixed {
		delete(change, field)
	}
	return nil
}

// fixed are the fields that only we set.
var fixed = []string{"origin", "version", "updated_at"}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// object is the definition as it is written in JSON, without what only we set.
func (a Agent) object() (map[string]any, error) {
	text, err := json.Marshal(a.clone())
	if err != nil {
		return nil, fmt.Errorf("writing the agent %s: %w", a.Name, err)
	}
	o, err := objectOf(text)
	for _, field := range fixed {
		delete(o, field)
	}
	return o, err
}

func merge(have, patch, empty map[string]any) map[string]any {
	for name, want := range patch {
		inner, isObject := want.(map[string]any)
		switch {
		case want == nil:
			if v, ok := empty[name]; ok {
				have[name] = v
			} else {
				delete(have, name)
			}
		case isObject:
			below, _ := have[name].(map[string]any)
			if below == nil {
				below = map[string]any{}
			}
			nothing, _ := empty[name].(map[string]any)
			have[name] = merge(below, inner, nothing)
		default:
			have[name] = want
		}
	}
	return have
}
