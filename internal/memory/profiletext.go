package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// indexProfile has a profile found: one text for each of its outermost fields.
func (m *Mind) indexProfile(ctx context.Context, tx *store.Tx, o Owner, fields map[string]any) error {
	thread := profileThread(o)
	if err := m.dropThread(ctx, tx, o.Workspace, thread); err != nil {
		return err
	}
	var pieces []text
	for i, name := range slices.Sorted(maps.Keys(fields)) {
		pieces = append(pieces, text{
			ID: string(ids.New[ids.Passage]()), Workspace: o.Workspace, Scope: Scope{User: o.User}, Kind: KindProfile, Thread: thread, Seq: int64(i),
			Text: cut(strings.Join(leaves(name, fields[name], nil), "\n"), 4000), At: time.Now(),
		})
	}
	return m.putNew(ctx, tx, pieces...)
}

func profileThread(o Owner) string { return "profile/" + string(o.User) }

// leaves are the fields below a path, a line each: "address.city: Lisbon".
func leaves(path string, value any, list []string) []string {
	object, ok := value.(map[string]any)
	if !ok {
		return append(list, fmt.Sprintf("%s: %v", path, value))
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list = leaves(join(path, name), object[name], list)
	}
	return list
}
