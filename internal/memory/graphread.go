package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// observed is one row of a graph that is read: an entity, and one of its observations if it has any.
type observed struct {
	Name        string  `db:"name"`
	Type        string  `db:"type"`
	Observation *string `db:"text"`
}

// ReadGraph gives everything, the oldest first, up to a bound.
func (m *Mind) ReadGraph(ctx context.Context, g GraphOf) (Graph, error) {
	return m.graph(ctx, g, selectGraph, g.Workspace, g.User, g.Session, mostNodes)
}

// SearchNodes gives the nodes that hold a text in name, type or observations, or whose words fit it.
func (m *Mind) SearchNodes(ctx context.Context, g GraphOf, query string) (Graph, error) {
	query = strings.ToLower(strings.TrimSpace(query))
	if query == "" {
		return m.ReadGraph(ctx, g)
	}
	like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(query) + "%"
	names, err := store.All[string](ctx, m.db.Read(), searchEntities, g.Workspace, g.User, g.Session, like, like, like, mostNodes)
	if err != nil {
		return Graph{}, fmt.Errorf("searching the graph: %w", err)
	}
	if g.Session == "" {
		more, err := m.namesByWords(ctx, g, query)
		if err != nil {
			return Graph{}, err
		}
		names = append(names, more...)
	}
	return m.OpenNodes(ctx, g, names)
}

// namesByWords finds entities by their words where no whole text fits.
func (m *Mind) namesByWords(ctx context.Context, g GraphOf, query string) ([]string, error) {
	answer, err := m.Search(ctx, Query{Workspace: g.Workspace, User: g.User, Text: query, Kinds: []Kind{KindEntity}, Limit: 20, MinFit: 0.5})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range answer.Found {
		if f.Scope.User != g.User {
			continue
		}
		name, err := store.One[string](ctx, m.db.Read(), selectEntityName, f.ID, g.Workspace, g.User)
		if err == nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// OpenNodes gives nodes by their names with the relations that touch them; unknown names are ignored.
func (m *Mind) OpenNodes(ctx context.Context, g GraphOf, names []string) (Graph, error) {
	if len(names) == 0 {
		return Graph{[]Node{}, []Relation{}}, nil
	}
	list, err := json.Marshal(names)
	if err != nil {
		return Graph{}, err
	}
	return m.graph(ctx, g, m.engine.openNodes, g.Workspace, g.User, g.Session, string(list), mostNodes)
}

// Neighbourhood gives the nodes within some steps of one, and the relations between them.
func (m *Mind) Neighbourhood(ctx context.Context, g GraphOf, name string, depth int) (Graph, error) {
	if depth < 1 || depth > mostDepth {
		return Graph{}, fault.New(fault.Invalid, "bad_depth", "The depth is 1 to %d.", mostDepth).WithParam("depth")
	}
	if _, err := m.entity(ctx, m.db.Read(), g, name); err != nil {
		return Graph{}, err
	}
	names, err := store.All[string](ctx, m.db.Read(), neighbourhood, name, g.Workspace, g.User, g.Session, depth, mostNodes)
	if err != nil {
		return Graph{}, fmt.Errorf("walking the graph from %s: %w", name, err)
	}
	return m.OpenNodes(ctx, g, names)
}

// graph reads nodes and the relations that touch them.
func (m *Mind) graph(ctx context.Context, g GraphOf, statement string, args ...any) (Graph, error) {
	out := Graph{Entities: []Node{}, Relations: []Relation{}}
	at := map[string]int{}
	for row, err := range store.Each[observed](ctx, m.db.Read(), statement, args...) {
		if err != nil {
			return Graph{}, fmt.Errorf("reading the graph: %w", err)
		}
		i, known := at[row.Name]
		if !known {
			i = len(out.Entities)
			at[row.Name] = i
			out.Entities = append(out.Entities, Node{row.Name, row.Type, []string{}})
		}
		if row.Observation != nil {
			out.Entities[i].Observations = append(out.Entities[i].Observations, *row.Observation)
		}
	}
	relations, err := store.All[Relation](ctx, m.db.Read(), selectRelations, g.Workspace, g.User, g.Session)
	if err != nil {
		return Graph{}, fmt.Errorf("reading relations: %w", err)
	}
	for _, r := range relations {
		_, from := at[r.From]
		_, to := at[r.To]
		if from || to {
			out.Relations = append(out.Relations, r)
		}
	}
	return out, nil
}
