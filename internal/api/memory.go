package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/memory"
)

// memoryAPI is what agents know: facts, graph and profile. Everyone sees what
// is open to all and what is their own.
type memoryAPI struct{ mind *memory.Mind }

func (a memoryAPI) routes() []route {
	created := status(http.StatusCreated)
	return []route{
		{"GET", "/api/v1/memory/facts", "memory:read", "What is remembered, newest first.", handler(a.facts)},
		{"POST", "/api/v1/memory/facts", "memory:write", "Remember something; what is known already is merged, what says otherwise replaces it.", handler(a.add, created)},
		{"GET", "/api/v1/memory/facts/{fact}", "memory:read", "One fact.", handler(a.fact)},
		{"PATCH", "/api/v1/memory/facts/{fact}", "memory:write", "Change the text of a fact, or pin it.", handler(a.change)},
		{"DELETE", "/api/v1/memory/facts/{fact}", "memory:write", "Forget a fact and its history for good.", handler(a.forget)},
		{"GET", "/api/v1/memory/facts/{fact}/history", "memory:read", "What was true before, newest first.", handler(a.history)},
		{"GET", "/api/v1/memory/review", "memory:read", "Facts that wait for someone to say whether they are true.", handler(a.review)},
		{"POST", "/api/v1/memory/review/{fact}/accept", "memory:write", "Say that a fact is true.", handler(a.accept)},
		{"POST", "/api/v1/memory/review/{fact}/reject", "memory:write", "Say that a fact is not true; it is forgotten.", handler(a.reject)},
		{"GET", "/api/v1/memory/search", "memory:read", "Search everything that is known: facts, documents, the graph, the profile and what was said.", handler(a.search)},
		{"POST", "/api/v1/memory/search", "memory:read", "The same, for long questions.", handler(a.searchLong, quiet)},
		{"GET", "/api/v1/memory/graph", "memory:read", "The knowledge graph.", handler(a.graph)},
		{"GET", "/api/v1/memory/graph/search", "memory:read", "Nodes that hold a text.", handler(a.searchNodes)},
		{"GET", "/api/v1/memory/graph/nodes", "memory:read", "Nodes by their names.", handler(a.openNodes)},
		{"GET", "/api/v1/memory/graph/neighbourhood", "memory:read", "What is within some steps of a node.", handler(a.neighbourhood)},
		{"POST", "/api/v1/memory/graph/entities", "memory:write", "Add nodes; those that exist are left as they are.", handler(a.createEntities, created)},
		{"PATCH", "/api/v1/memory/graph/entities", "memory:write", "Rename a node with its relations, or give it another type.", handler(a.changeEntity)},
		{"DELETE", "/api/v1/memory/graph/entities", "memory:write", "Remove nodes with their relations.", handler(a.deleteEntities)},
		{"POST", "/api/v1/memory/graph/relations", "memory:write", "Add relations.", handler(a.createRelations, created)},
		{"DELETE", "/api/v1/memory/graph/relations", "memory:write", "Remove relations.", handler(a.deleteRelations)},
		{"POST", "/api/v1/memory/graph/observations", "memory:write", "Add observations to nodes.", handler(a.addObservations, created)},
		{"DELETE", "/api/v1/memory/graph/observations", "memory:write", "Take observations back.", handler(a.deleteObservations)},
		{"GET", "/api/v1/memory/profile", "memory:read", "What is known of the caller in fields.", handler(a.profile)},
		{"PATCH", "/api/v1/memory/profile", "memory:write", "Merge fields into the profile; null deletes one.", handler(a.mergeProfile)},
		{"DELETE", "/api/v1/memory/profile", "memory:write", "Empty the profile.", handler(a.deleteProfile)},
		{"GET", "/api/v1/memory/settings", "memory:read", "What the caller wants of memory.", handler(a.settings)},
		{"PUT", "/api/v1/memory/settings", "account:write", "Say whether the caller's conversations may be learned from.", handler(a.setSettings)},
		{"GET", "/api/v1/memory/stats", "memory:read", "How much is known, and by which means it is found.", handler(a.stats)},
		{"GET", "/api/v1/memory/export", "memory:read", "What the caller may see, as JSON lines.", door(a.export, media("application/x-ndjson"))},
		{"POST", "/api/v1/memory/import", "memory:write", "Take over an export; what is refused is told line by line.", handler(a.importLines, bodyLimit(64<<20), timeout(10*time.Minute))},
		{"DELETE", "/api/v1/memory/users/{user}", "account:write", "Forget everything about a user: oneself, or anyone with users:write.", handler(a.forgetUser)},
	}
}

func memoryOwner(ctx context.Context) memory.Owner {
	id := identity.From(ctx)
	return memory.Owner{Workspace: id.Workspace, User: id.User}
}

type factsQuery struct {
	listQuery
	State   string `query:"state" enum:"active,review,past" doc:"active if left out."`
	Scope   string `query:"scope" enum:"user,agent,project" doc:"Only those of the caller, of agent or of project."`
	Agent   string `query:"agent" max:"128"`
	Project string `query:"project" max:"512"`
	Pinned  bool   `query:"pinned" doc:"Only those that are always recalled."`
}

func (a memoryAPI) facts(ctx context.Context, in factsQuery) (page.Page[memory.Fact], error) {
	o := memoryOwner(ctx)
	f := memory.FactFilter{Query: in.Query, State: memory.State(in.State), Pinned: in.Pinned, Scope: memory.Scope{Agent: in.Agent, Project: in.Project}}
	if in.Scope == "user" {
		f.User = o.User
	}
	return a.mind.Facts(ctx, o, f)
}

type newFactRequest struct {
	Text         string           `json:"text" required:"true" max:"2000"`
	Scope        string           `json:"scope" enum:"user,workspace,agent,project" doc:"Whom it is for; user, the caller, if left out."`
	Agent        string           `json:"agent" max:"128" doc:"With the scope agent, or to narrow the scope user."`
	Project      string           `json:"project" max:"512" doc:"The project's id: with the scope project, or to narrow another scope."`
	Pinned       bool             `json:"pinned" doc:"Recall it before every turn."`
	Confidence   float64          `json:"confidence" doc:"0 to 1; below the threshold of the server it waits for review. 1 if left out."`
	Conversation ids.Conversation `json:"conversation" doc:"Where it was said."`
	Message      ids.Message      `json:"message"`
}

// scopeOf turns the word for a scope into one.
func scopeOf(user ids.User, name, agent, project string) (memory.Scope, error) {
	s := memory.Scope{Agent: agent, Project: project}
	missing := func(param string) error {
		return fault.New(fault.Invalid, "missing_"+param, "The scope %s names one.", param).WithParam(param)
	}
	switch name {
	case "", "user":
		s.User = user
	case "agent":
		if agent == "" {
			return s, missing("agent")
		}
	case "project":
		if project == "" {
			return s, missing("project")
		}
	}
	return s, nil
}

func (a memoryAPI) add(ctx context.Context, in newFactRequest) (memory.AddedFact, error) {
	o := memoryOwner(ctx)
	scope, err := scopeOf(o.User, in.Scope, in.Agent, in.Project)
	if err != nil {
		return memory.AddedFact{}, err
	}
	if in.Confidence < 0 || in.Confidence > 1 {
		return memory.AddedFact{}, fault.New(fault.Invalid, "bad_confidence", "A confidence is between 0 and 1.").WithParam("confidence")
	}
	return a.mind.Add(ctx, o, memory.NewFact{
		Scope: scope, Text: in.Text, Confidence: in.Confidence, Pinned: in.Pinned, Source: memory.Place{Conversation: in.Conversation, Message: in.Message},
	})
}

type factPath struct {
	Fact ids.Fact `path:"fact"`
}

func (a memoryAPI) fact(ctx context.Context, in factPath) (memory.Fact, error) {
	return a.mind.Fact(ctx, memoryOwner(ctx), in.Fact)
}

type factChange struct {
	factPath
	Text   *string `json:"text" max:"2000"`
	Pinned *bool   `json:"pinned"`
}

func (a memoryAPI) change(ctx context.Context, in factChange) (memory.Fact, error) {
	return a.mind.Change(ctx, memoryOwner(ctx), in.Fact, memory.FactChange{Text: in.Text, Pinned: in.Pinned})
}

func (a memoryAPI) forget(ctx context.Context, in factPath) (nothing, error) {
	return nothing{}, a.mind.Forget(ctx, memoryOwner(ctx), in.Fact)
}

func (a memoryAPI) history(ctx context.Context, in factPath) (page.Page[memory.Fact], error) {
	return whole(a.mind.History(ctx, memoryOwner(ctx), in.Fact))
}

func (a memoryAPI) review(ctx context.Context, in listQuery) (page.Page[memory.Fact], error) {
	return a.mind.Facts(ctx, memoryOwner(ctx), memory.FactFilter{Query: in.Query, State: memory.Review})
}

func (a memoryAPI) accept(ctx context.Context, in factPath) (memory.Fact, error) {
	active := memory.Active
	return a.mind.Change(ctx, memoryOwner(ctx), in.Fact, memory.FactChange{State: &active})
}

func (a memoryAPI) reject(ctx context.Context, in factPath) (nothing, error) {
	return nothing{}, a.mind.Forget(ctx, memoryOwner(ctx), in.Fact)
}

type memorySearch struct {
	Query   string     `query:"query" required:"true" max:"4000" doc:"Words, or a question."`
	Kinds   []string   `query:"kinds" doc:"fact, knowledge, entity, turn or profile; all if left out."`
	Limit   int        `query:"limit" min:"1" max:"100" doc:"10 if left out."`
	Agent   string     `query:"agent" max:"128" doc:"Also what is for this agent."`
	Project string     `query:"project" max:"512" doc:"Also what is for the project of this id."`
	Source  ids.Source `query:"source" doc:"Knowledge of this source only."`
	Since   time.Time  `query:"since"`
	Until   time.Time  `query:"until"`
	Explain bool       `query:"explain" doc:"Tell how each score came about."`
}

type memorySearchRequest struct {
	Query    string     `json:"query" required:"true" max:"20000" doc:"Words, or a question."`
	Kinds    []string   `json:"kinds" max:"5" doc:"fact, knowledge, entity, turn or profile; all if left out."`
	Limit    int        `json:"limit" min:"1" max:"100" doc:"10 if left out."`
	Agent    string     `json:"agent" max:"128" doc:"Also what is for this agent."`
	Project  string     `json:"project" max:"512" doc:"Also what is for the project of this id."`
	Source   ids.Source `json:"source" doc:"Knowledge of this source only."`
	Since    time.Time  `json:"since"`
	Until    time.Time  `json:"until"`
	MinScore float64    `json:"min_score" doc:"0 to 1."`
	Explain  bool       `json:"explain" doc:"Tell how each score came about."`
}

func (a memoryAPI) search(ctx context.Context, in memorySearch) (memory.Answer, error) {
	return a.searchLong(ctx, memorySearchRequest{
		Query: in.Query, Kinds: in.Kinds, Limit: in.Limit, Agent: in.Agent, Project: in.Project, Source: in.Source, Since: in.Since, Until: in.Until, Explain: in.Explain,
	})
}

func (a memoryAPI) searchLong(ctx context.Context, in memorySearchRequest) (memory.Answer, error) {
	o := memoryOwner(ctx)
	q := memory.Query{
		Workspace: o.Workspace, User: o.User, Agent: in.Agent, Project: in.Project, Text: in.Query, Limit: in.Limit, Source: in.Source,
		Since: in.Since, Until: in.Until, MinScore: in.MinScore, Explain: in.Explain,
	}
	for _, k := range in.Kinds {
		switch kind := memory.Kind(k); kind {
		case memory.KindFact, memory.KindKnowledge, memory.KindEntity, memory.KindTurn, memory.KindProfile:
			q.Kinds = append(q.Kinds, kind)
		default:
			return memory.Answer{}, fault.New(fault.Invalid, "unknown_kind", "There is no kind %q.", k).WithParam("kinds").WithHint("The kinds are fact, knowledge, entity, turn and profile.")
		}
	}
	return a.mind.Search(ctx, q)
}

func (a memoryAPI) profile(ctx context.Context, _ none) (memory.Profile, error) {
	return a.mind.Profile(ctx, memoryOwner(ctx))
}

type profileRequest struct {
	Fields map[string]any `json:"fields" required:"true" doc:"Laid over what is there, object by object; null deletes a field."`
}

func (a memoryAPI) mergeProfile(ctx context.Context, in profileRequest) (memory.Merge, error) {
	return a.mind.MergeProfile(ctx, memoryOwner(ctx), in.Fields)
}

func (a memoryAPI) deleteProfile(ctx context.Context, _ none) (nothing, error) {
	return nothing{}, a.mind.DeleteProfile(ctx, memoryOwner(ctx))
}

func (a memoryAPI) settings(ctx context.Context, _ none) (memory.Settings, error) {
	return a.mind.Settings(ctx, memoryOwner(ctx))
}

type memorySettingsRequest struct {
	Learn bool `json:"learn" required:"true" doc:"May facts be learned from what you say?"`
}

func (a memoryAPI) setSettings(ctx context.Context, in memorySettingsRequest) (memory.Settings, error) {
	return a.mind.SetSettings(ctx, memoryOwner(ctx), memory.Settings{Learn: in.Learn})
}

func (a memoryAPI) stats(ctx context.Context, _ none) (memory.Stats, error) {
	return a.mind.Stats(ctx, memoryOwner(ctx))
}

type memoryUserPath struct {
	User ids.User `path:"user"`
}

func (a memoryAPI) forgetUser(ctx context.Context, in memoryUserPath) (nothing, error) {
	o, id := memoryOwner(ctx), identity.From(ctx)
	if in.User != o.User {
		if err := id.Must("users:write"); err != nil {
			return nothing{}, err
		}
	}
	return nothing{}, a.mind.ForgetUser(ctx, memory.Owner{Workspace: o.Workspace, User: in.User})
}

func (a memoryAPI) export(c *call, _ none) error {
	c.attach("memory", "jsonl")
	return a.mind.Export(c.ctx, memoryOwner(c.ctx), steady{c})
}

type memoryImport struct {
	Lines string `json:"lines" required:"true" doc:"JSON lines as the export gives them, or one {\"text\":…} per fact."`
}

func (a memoryAPI) importLines(ctx context.Context, in memoryImport) (memory.Imported, error) {
	return a.mind.Import(ctx, memoryOwner(ctx), strings.NewReader(in.Lines))
}
