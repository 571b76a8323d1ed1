package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// GraphOf says whose graph it is. A graph of a session lives as long as it does;
// the one without lasts. A run and its helpers share both.
type GraphOf struct {
	Owner
	Session string
}

// Node is a thing in the graph, with what was observed of it.
type Node struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

// Relation is a directed edge between two names.
type Relation struct {
	From         string `json:"from" db:"source"`
	To           string `json:"to" db:"target"`
	RelationType string `json:"relationType" db:"type"`
}

// Graph is some nodes and the relations among them.
type Graph struct {
	Entities  []Node     `json:"entities"`
	Relations []Relation `json:"relations"`
}

// Observations are things seen of one entity.
type Observations struct {
	EntityName string   `json:"entityName"`
	Contents   []string `json:"contents"`
}

// AddedObservations are those that were new.
type AddedObservations struct {
	EntityName        string   `json:"entityName"`
	AddedObservations []string `json:"addedObservations"`
}

// The bounds of a graph.
const (
	longestName        = 500
	longestObservation = 4000
	mostNodes          = 1000 // given at once
	mostDepth          = 4
)

// entity is a node as it is kept.
type entity struct {
	ID   ids.Entity `db:"id"`
	Name string     `db:"name"`
	Type string     `db:"type"`
}

// CreateEntities adds nodes; those whose names exist are left as they are. It gives the new ones.
func (m *Mind) CreateEntities(ctx context.Context, g GraphOf, nodes []Node) ([]Node, error) {
	for _, n := range nodes {
		if err := m.checkName("name", n.Name); err != nil {
			return nil, err
		}
		if err := m.checkObservations(n.Observations); err != nil {
			return nil, err
		}
	}
	var made []Node
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		made = []Node{}
		for _, n := range nodes {
			e := entity{ids.New[ids.Entity](), n.Name, n.EntityType}
			count, err := tx.Exec(ctx, insertEntity, e.ID, g.Workspace, g.User, g.Session, e.Name, e.Type, time.Now(), time.Now())
			if err != nil {
				return err
			}
			if count == 0 {
				continue
			}
			if n.Observations, err = m.observe(ctx, tx, g, e, n.Observations); err != nil {
				return err
			}
			made = append(made, n)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("adding entities: %w", err)
	}
	return made, nil
}

func (m *Mind) checkName(param, name string) error {
	if strings.TrimSpace(name) == "" || len(name) > longestName {
		return fault.New(fault.Invalid, "bad_entity_name", "A name has 1 to %d characters.", longestName).WithParam(param)
	}
	return nil
}

func (m *Mind) checkObservations(list []string) error {
	for _, text := range list {
		if len(text) > longestObservation {
			return fault.New(fault.TooLarge, "observation_too_long", "An observation has at most %d characters.", longestObservation).WithParam("observations")
		}
		if what := sensitive(text); what != "" {
			return fault.New(fault.Invalid, "fact_sensitive", "An observation holds %s, which is never remembered.", what).WithParam("observations")
		}
		if word, ok := denied(text, m.rules.Deny); ok {
			return fault.New(fault.Invalid, "fact_denied", "%q is on the list of what is never remembered.", word).WithParam("observations")
		}
	}
	return nil
}

// observe adds what is new of some observations and has the entity found by it.
func (m *Mind) observe(ctx context.Context, tx *store.Tx, g GraphOf, e entity, list []string) ([]string, error) {
	have, err := store.All[string](ctx, tx, selectObservations, e.ID)
	if err != nil {
		return nil, err
	}
	position, err := store.One[int64](ctx, tx, nextObservation, e.ID)
	if err != nil {
		return nil, err
	}
	added := []string{}
	for _, text := range list {
		if slices.Contains(have, text) {
			continue
		}
		if _, err := tx.Exec(ctx, insertObservation, e.ID, position+int64(len(added)), text, time.Now()); err != nil {
			return nil, err
		}
		have, added = append(have, text), append(added, text)
	}
	return added, m.indexEntity(ctx, tx, g, e, have)
}

// indexEntity has a lasting entity found by its name, type and observations.
func (m *Mind) indexEntity(ctx context.Context, tx *store.Tx, g GraphOf, e entity, observations []string) error {
	if g.Session != "" {
		return nil
	}
	return m.put(ctx, tx, text{
		ID: string(e.ID), Workspace: g.Workspace, Scope: Scope{User: g.User}, Kind: KindEntity, Title: strings.TrimSpace(e.Name + " (" + e.Type + ")"),
		Text: strings.Join(observations, "\n"), At: time.Now(),
	})
}

// EntityChange is what to change of a node; "" leaves as it is.
type EntityChange struct {
	Name       string
	EntityType string
}

// ChangeEntity renames a node, with its relations, or gives it another type.
func (m *Mind) ChangeEntity(ctx context.Context, g GraphOf, name string, change EntityChange) (Node, error) {
	var n Node
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		e, err := m.entity(ctx, tx, g, name)
		if err != nil {
			return err
		}
		if change.EntityType != "" {
			e.Type = change.EntityType
		}
		if change.Name != "" && change.Name != name {
			if err := m.rename(ctx, tx, g, name, change.Name); err != nil {
				return err
			}
			e.Name = change.Name
		}
		if _, err := tx.Exec(ctx, updateEntity, e.Name, e.Type, time.Now(), e.ID); err != nil {
			return err
		}
		have, err := store.All[string](ctx, tx, selectObservations, e.ID)
		if err != nil {
			return err
		}
		n = Node{e.Name, e.Type, append([]string{}, have...)}
		return m.indexEntity(ctx, tx, g, e, have)
	})
	if err != nil {
		return Node{}, err
	}
	return n, nil
}

// rename moves the relations of a node to a name that no other has.
func (m *Mind) rename(ctx context.Context, tx *store.Tx, g GraphOf, from, to string) error {
	if err := m.checkName("name", to); err != nil {
		return err
	}
	taken, err := store.All[entity](ctx, tx, selectEntity, g.Workspace, g.User, g.Session, to)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return fault.New(fault.Conflict, "entity_exists", "There is already an entity %s.", to).WithParam("name")
	}
	for _, statement := range []string{moveSources, moveTargets} {
		if _, err := tx.Exec(ctx, statement, to, g.Workspace, g.User, g.Session, from); err != nil {
			return err
		}
	}
	return nil
}

// CreateRelations adds edges and gives the new ones.
func (m *Mind) CreateRelations(ctx context.Context, g GraphOf, list []Relation) ([]Relation, error) {
	for _, r := range list {
		for param, name := range map[string]string{"from": r.From, "to": r.To, "relationType": r.RelationType} {
			if err := m.checkName(param, name); err != nil {
				return nil, err
			}
		}
	}
	var made []Relation
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		made = []Relation{}
		for _, r := range list {
			n, err := tx.Exec(ctx, insertRelation, g.Workspace, g.User, g.Session, r.From, r.To, r.RelationType, time.Now())
			if err != nil {
				return err
			}
			if n > 0 {
				made = append(made, r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("adding relations: %w", err)
	}
	return made, nil
}

// AddObservations adds to entities that exist and gives what was new of each.
func (m *Mind) AddObservations(ctx context.Context, g GraphOf, list []Observations) ([]AddedObservations, error) {
	for _, o := range list {
		if err := m.checkObservations(o.Contents); err != nil {
			return nil, err
		}
	}
	var out []AddedObservations
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		out = []AddedObservations{}
		for _, o := range list {
			e, err := m.entity(ctx, tx, g, o.EntityName)
			if err != nil {
				return err
			}
			added, err := m.observe(ctx, tx, g, e, o.Contents)
			if err != nil {
				return err
			}
			out = append(out, AddedObservations{o.EntityName, added})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("adding observations: %w", err)
	}
	return out, nil
}

func (m *Mind) entity(ctx context.Context, q store.Querier, g GraphOf, name string) (entity, error) {
	e, err := store.One[entity](ctx, q, selectEntity, g.Workspace, g.User, g.Session, name)
	if errors.Is(err, store.ErrNoRows) {
		return e, fault.New(fault.NotFound, "entity_not_found", "Entity with name %s not found", name).WithHint("Create it with create_entities first.")
	}
	return e, err
}

// DeleteEntities removes nodes with their relations; names that do not exist are ignored.
func (m *Mind) DeleteEntities(ctx context.Context, g GraphOf, names []string) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		for _, name := range names {
			e, err := store.One[entity](ctx, tx, selectEntity, g.Workspace, g.User, g.Session, name)
			if err != nil && !errors.Is(err, store.ErrNoRows) {
				return err
			}
			if err == nil {
				if _, err := tx.Exec(ctx, deleteEntity, e.ID); err != nil {
					return err
				}
				if err := m.drop(ctx, tx, g.Workspace, string(e.ID)); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, deleteRelationsWith, g.Workspace, g.User, g.Session, name, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteObservations takes observations back; those that were not made are ignored.
func (m *Mind) DeleteObservations(ctx context.Context, g GraphOf, list []Observations) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		for _, o := range list {
			e, err := store.One[entity](ctx, tx, selectEntity, g.Workspace, g.User, g.Session, o.EntityName)
			if errors.Is(err, store.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			for _, text := range o.Contents {
				if _, err := tx.Exec(ctx, deleteObservation, e.ID, text); err != nil {
					return err
				}
			}
			left, err := store.All[string](ctx, tx, selectObservations, e.ID)
			if err != nil {
				return err
			}
			if err := m.indexEntity(ctx, tx, g, e, left); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteRelations removes edges; those that are not there are ignored.
func (m *Mind) DeleteRelations(ctx context.Context, g GraphOf, list []Relation) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		for _, r := range list {
			if _, err := tx.Exec(ctx, deleteRelation, g.Workspace, g.User, g.Session, r.From, r.To, r.RelationType); err != nil {
				return err
			}
		}
		return nil
	})
}
