package api

import (
	"context"

	"github.com/fluxway/fluxway/internal/memory"
)

func graphOf(ctx context.Context, session string) memory.GraphOf {
	return memory.GraphOf{Owner: memoryOwner(ctx), Session: session}
}

type graphQuery struct {
	Session string `query:"session" max:"128" doc:"The graph of a conversation instead of the one that lasts."`
}

func (a memoryAPI) graph(ctx context.Context, in graphQuery) (memory.Graph, error) {
	return a.mind.ReadGraph(ctx, graphOf(ctx, in.Session))
}

type nodesSearch struct {
	graphQuery
	Query string `query:"query" required:"true" max:"1000"`
}

func (a memoryAPI) searchNodes(ctx context.Context, in nodesSearch) (memory.Graph, error) {
	return a.mind.SearchNodes(ctx, graphOf(ctx, in.Session), in.Query)
}

type nodesQuery struct {
	graphQuery
	Names []string `query:"names" required:"true"`
}

func (a memoryAPI) openNodes(ctx context.Context, in nodesQuery) (memory.Graph, error) {
	return a.mind.OpenNodes(ctx, graphOf(ctx, in.Session), in.Names)
}

type neighbourhoodQuery struct {
	graphQuery
	Name  string `query:"name" required:"true" max:"500"`
	Depth int    `query:"depth" min:"1" max:"4" doc:"How many steps; 1 if left out."`
}

func (a memoryAPI) neighbourhood(ctx context.Context, in neighbourhoodQuery) (memory.Graph, error) {
	return a.mind.Neighbourhood(ctx, graphOf(ctx, in.Session), in.Name, max(1, in.Depth))
}

type entitiesRequest struct {
	Session  string        `json:"session" max:"128"`
	Entities []memory.Node `json:"entities" required:"true" max:"1000"`
}

type entitiesAnswer struct {
	Entities []memory.Node `json:"entities" doc:"Those that are new."`
}

func (a memoryAPI) createEntities(ctx context.Context, in entitiesRequest) (entitiesAnswer, error) {
	made, err := a.mind.CreateEntities(ctx, graphOf(ctx, in.Session), in.Entities)
	return entitiesAnswer{made}, err
}

type entityChange struct {
	Session    string `json:"session" max:"128"`
	Name       string `json:"name" required:"true" max:"500"`
	NewName    string `json:"new_name" max:"500"`
	EntityType string `json:"entity_type" max:"200"`
}

func (a memoryAPI) changeEntity(ctx context.Context, in entityChange) (memory.Node, error) {
	return a.mind.ChangeEntity(ctx, graphOf(ctx, in.Session), in.Name, memory.EntityChange{Name: in.NewName, EntityType: in.EntityType})
}

type deleteEntitiesRequest struct {
	Session string   `json:"session" max:"128"`
	Names   []string `json:"names" required:"true" max:"1000"`
}

func (a memoryAPI) deleteEntities(ctx context.Context, in deleteEntitiesRequest) (nothing, error) {
	return nothing{}, a.mind.DeleteEntities(ctx, graphOf(ctx, in.Session), in.Names)
}

type relationsRequest struct {
	Session   string            `json:"session" max:"128"`
	Relations []memory.Relation `json:"relations" required:"true" max:"1000"`
}

type relationsAnswer struct {
	Relations []memory.Relation `json:"relations" doc:"Those that are new."`
}

func (a memoryAPI) createRelations(ctx context.Context, in relationsRequest) (relationsAnswer, error) {
	made, err := a.mind.CreateRelations(ctx, graphOf(ctx, in.Session), in.Relations)
	return relationsAnswer{made}, err
}

func (a memoryAPI) deleteRelations(ctx context.Context, in relationsRequest) (nothing, error) {
	return nothing{}, a.mind.DeleteRelations(ctx, graphOf(ctx, in.Session), in.Relations)
}

type observationsRequest struct {
	Session      string                `json:"session" max:"128"`
	Observations []memory.Observations `json:"observations" required:"true" max:"1000"`
}

type observationsAnswer struct {
	Observations []memory.AddedObservations `json:"observations" doc:"What was new of each."`
}

func (a memoryAPI) addObservations(ctx context.Context, in observationsRequest) (observationsAnswer, error) {
	added, err := a.mind.AddObservations(ctx, graphOf(ctx, in.Session), in.Observations)
	return observationsAnswer{added}, err
}

func (a memoryAPI) deleteObservations(ctx context.Context, in observationsRequest) (nothing, error) {
	return nothing{}, a.mind.DeleteObservations(ctx, graphOf(ctx, in.Session), in.Observations)
}
