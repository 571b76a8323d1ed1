package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Profile is what is known of a user in fields.
type Profile struct {
	Fields    map[string]any `db:"fields,json" json:"fields"`
	Version   int64          `db:"version" json:"version"`
	UpdatedAt time.Time      `db:"updated_at" json:"updated_at,omitzero"`
}

// Merge says which fields a change touched, by dotted paths.
type Merge struct {
	Profile
	Added   []string `json:"added"`
	Updated []string `json:"updated"`
	Deleted []string `json:"deleted"`
}

// The bounds of a profile.
const (
	largestProfile = 256 << 10
	deepestProfile = 12
)

// Profile reads a user's profile; one that was never written is empty.
func (m *Mind) Profile(ctx context.Context, o Owner) (Profile, error) {
	return m.profile(ctx, m.db.Read(), o)
}

func (m *Mind) profile(ctx context.Context, q store.Querier, o Owner) (Profile, error) {
	p, err := store.One[Profile](ctx, q, selectProfile, o.Workspace, o.User)
	if errors.Is(err, store.ErrNoRows) {
		return Profile{Fields: map[string]any{}}, nil
	}
	if err != nil {
		return Profile{}, fmt.Errorf("reading the profile of %s: %w", o.User, err)
	}
	return p, nil
}

// MergeProfile merges fields into a profile, objects field by field; null deletes one. Fields whose
// names stand for secrets are refused.
func (m *Mind) MergeProfile(ctx context.Context, o Owner, change map[string]any) (Merge, error) {
	if err := m.checkFields("", change, 0); err != nil {
		return Merge{}, err
	}
	var out Merge
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		p, err := m.profile(ctx, tx, o)
		if err != nil {
			return err
		}
		out = Merge{Profile: p, Added: []string{}, Updated: []string{}, Deleted: []string{}}
		out.Fields = merged(p.Fields, change, "", &out)
		text, err := json.Marshal(out.Fields)
		if err != nil {
			return err
		}
		if len(text) > largestProfile {
			return fault.New(fault.TooLarge, "profile_too_large", "A profile has at most %d bytes.", largestProfile).WithHint("Keep longer texts as facts or knowledge.")
		}
		for _, list := range [][]string{out.Added, out.Updated, out.Deleted} {
			slices.Sort(list)
		}
		if len(out.Added)+len(out.Updated)+len(out.Deleted) == 0 {
			return nil
		}
		out.Version, out.UpdatedAt = p.Version+1, time.Now().UTC().Truncate(time.Microsecond)
		if _, err := tx.Exec(ctx, upsertProfile, o.Workspace, o.User, json.RawMessage(text), out.Version, out.UpdatedAt); err != nil {
			return err
		}
		return m.indexProfile(ctx, tx, o, out.Fields)
	})
	if err != nil {
		return Merge{}, fmt.Errorf("merging the profile of %s: %w", o.User, err)
	}
	return out, nil
}

// checkFields refuses secrets, whatever the fields are called or hold, and nesting without end.
func (m *Mind) checkFields(path string, value any, depth int) error {
	if depth > deepestProfile {
		return fault.New(fault.Invalid, "profile_too_deep", "Fields are nested at most %d deep.", deepestProfile).WithParam(path)
	}
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if name == "" {
				return fault.New(fault.Invalid, "bad_field", "A field has a name.").WithParam(path)
			}
			if field != nil && sensitiveField(name) {
				return fault.New(fault.Invalid, "fact_sensitive", "The field %s stands for a secret, which is never remembered.", join(path, name)).WithParam(join(path, name))
			}
			if err := m.checkFields(join(path, name), field, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := m.checkFields(path, item, depth+1); err != nil {
				return err
			}
		}
	case string:
		if what := sensitive(v); what != "" {
			return fault.New(fault.Invalid, "fact_sensitive", "%s holds %s, which is never remembered.", path, what).WithParam(path)
		}
		if word, ok := denied(v, m.rules.Deny); ok {
			return fault.New(fault.Invalid, "fact_denied", "%q is on the list of what is never remembered.", word).WithParam(path)
		}
	}
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// merged is old with change laid over it; out hears what that did.
func merged(old, change map[string]any, path string, out *Merge) map[string]any {
	fresh := maps.Clone(old)
	if fresh == nil {
		fresh = map[string]any{}
	}
	for name, value := range change {
		at := join(path, name)
		before, had := fresh[name]
		switch {
		case value == nil && had:
			delete(fresh, name)
			out.Deleted = append(out.Deleted, at)
		case value == nil:
		default:
			fresh[name] = mergedValue(before, had, value, at, out)
		}
	}
	return fresh
}

func mergedValue(before any, had bool, value any, at string, out *Merge) any {
	object, isObject := value.(map[string]any)
	old, wasObject := before.(map[string]any)
	switch {
	case isObject && wasObject:
		return merged(old, object, at, out)
	case isObject && !had && len(object) > 0:
		return merged(nil, object, at, out)
	case !had:
		out.Added = append(out.Added, at)
	case !reflect.DeepEqual(before, value):
		out.Updated = append(out.Updated, at)
	}
	return value
}

// DeleteProfile empties a profile.
func (m *Mind) DeleteProfile(ctx context.Context, o Owner) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, deleteProfileOf, o.Workspace, o.User); err != nil {
			return err
		}
		return m.dropThread(ctx, tx, o.Workspace, profileThread(o))
	})
}
