package memory

import (
	"context"

	"github.com/fluxway/fluxway/internal/tools"
)

// The schemas are those of the official memory server of the Model Context
// Protocol, so that prompts written for it work.
const (
	entitySchema = `{"type":"object","required":["name","entityType","observations"],"properties":{
		"name":{"type":"string","description":"The name of the entity"},"entityType":{"type":"string","description":"The type of the entity"},
		"observations":{"type":"array","items":{"type":"string"},"description":"An array of observation contents associated with the entity"}}}`
	relationSchema = `{"type":"object","required":["from","to","relationType"],"properties":{
		"from":{"type":"string","description":"The name of the entity where the relation starts"},
		"to":{"type":"string","description":"The name of the entity where the relation ends"},"relationType":{"type":"string","description":"The type of the relation"}}}`
)

type (
	entitiesArgs     struct{ Entities []Node }
	relationsArgs    struct{ Relations []Relation }
	observationsArgs struct{ Observations []Observations }
	namesArgs        struct{ EntityNames []string }
	deletionsArgs    struct {
		Deletions []struct {
			EntityName   string   `json:"entityName"`
			Observations []string `json:"observations"`
		}
	}
	nodeQueryArgs struct{ Query string }
	openArgs      struct{ Names []string }
	noArgs        struct{}
)

// graphOf is the graph of a call: that of its user, which lasts, or that of its conversation.
func (m *Mind) graphOf(call tools.Call) GraphOf {
	g := GraphOf{Owner: ownerOf(call)}
	if m.rules.Session || call.User == "" {
		g.Session = call.Scope()
	}
	return g
}

// graphTools are the tools of the graph with a prefix before their names.
func (m *Mind) graphTools(prefix string) []tools.Tool {
	return []tools.Tool{
		define(changes(prefix+"create_entities", "Create entities", "Create multiple new entities in the knowledge graph"),
			`{"entities":{"type":"array","items":`+entitySchema+`}}`, []string{"entities"},
			func(ctx context.Context, call tools.Call, a entitiesArgs) (tools.Result, error) {
				return gives(m.CreateEntities(ctx, m.graphOf(call), a.Entities))
			}),
		define(changes(prefix+"create_relations", "Create relations", "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"),
			`{"relations":{"type":"array","items":`+relationSchema+`}}`, []string{"relations"},
			func(ctx context.Context, call tools.Call, a relationsArgs) (tools.Result, error) {
				return gives(m.CreateRelations(ctx, m.graphOf(call), a.Relations))
			}),
		define(changes(prefix+"add_observations", "Add observations", "Add new observations to existing entities in the knowledge graph"),
			`{"observations":{"type":"array","items":{"type":"object","required":["entityName","contents"],"properties":{
				"entityName":{"type":"string","description":"The name of the entity to add the observations to"},
				"contents":{"type":"array","items":{"type":"string"},"description":"An array of observation contents to add"}}}}}`, []string{"observations"},
			func(ctx context.Context, call tools.Call, a observationsArgs) (tools.Result, error) {
				return gives(m.AddObservations(ctx, m.graphOf(call), a.Observations))
			}),
		define(removes(prefix+"delete_entities", "Delete entities", "Delete multiple entities and their associated relations from the knowledge graph"),
			`{"entityNames":{"type":"array","items":{"type":"string"},"description":"An array of entity names to delete"}}`, []string{"entityNames"},
			func(ctx context.Context, call tools.Call, a namesArgs) (tools.Result, error) {
				return says("Entities deleted successfully", m.DeleteEntities(ctx, m.graphOf(call), a.EntityNames))
			}),
		define(removes(prefix+"delete_observations", "Delete observations", "Delete specific observations from entities in the knowledge graph"),
			`{"deletions":{"type":"array","items":{"type":"object","required":["entityName","observations"],"properties":{
				"entityName":{"type":"string","description":"The name of the entity containing the observations"},
				"observations":{"type":"array","items":{"type":"string"},"description":"An array of observations to delete"}}}}}`, []string{"deletions"},
			func(ctx context.Context, call tools.Call, a deletionsArgs) (tools.Result, error) {
				list := make([]Observations, len(a.Deletions))
				for i, d := range a.Deletions {
					list[i] = Observations{d.EntityName, d.Observations}
				}
				return says("Observations deleted successfully", m.DeleteObservations(ctx, m.graphOf(call), list))
			}),
		define(removes(prefix+"delete_relations", "Delete relations", "Delete multiple relations from the knowledge graph"),
			`{"relations":{"type":"array","items":`+relationSchema+`,"description":"An array of relations to delete"}}`, []string{"relations"},
			func(ctx context.Context, call tools.Call, a relationsArgs) (tools.Result, error) {
				return says("Relations deleted successfully", m.DeleteRelations(ctx, m.graphOf(call), a.Relations))
			}),
		define(looks(prefix+"read_graph", "Read the graph", "Read the entire knowledge graph"), `{}`, nil,
			func(ctx context.Context, call tools.Call, _ noArgs) (tools.Result, error) {
				return gives(m.ReadGraph(ctx, m.graphOf(call)))
			}),
		define(looks(prefix+"search_nodes", "Search nodes", "Search for nodes in the knowledge graph based on a query"),
			`{"query":{"type":"string","description":"The search query to match against entity names, types, and observation content"}}`, []string{"query"},
			func(ctx context.Context, call tools.Call, a nodeQueryArgs) (tools.Result, error) {
				return gives(m.SearchNodes(ctx, m.graphOf(call), a.Query))
			}),
		define(looks(prefix+"open_nodes", "Open nodes", "Open specific nodes in the knowledge graph by their names"),
			`{"names":{"type":"array","items":{"type":"string"},"description":"An array of entity names to retrieve"}}`, []string{"names"},
			func(ctx context.Context, call tools.Call, a openArgs) (tools.Result, error) {
				return gives(m.OpenNodes(ctx, m.graphOf(call), a.Names))
			}),
	}
}

func gives(value any, err error) (tools.Result, error) {
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Gives(value)
}

func says(text string, err error) (tools.Result, error) {
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Says(text), nil
}
