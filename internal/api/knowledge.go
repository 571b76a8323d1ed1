package api

import (
	"context"
	"net/http"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/memory"
)

// knowledgeAPI is documents that agents look things up in.
type knowledgeAPI struct{ mind *memory.Mind }

func (a knowledgeAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/knowledge/sources", "knowledge:read", "Where knowledge is read from, newest first.", handler(a.sources)},
		{"POST", "/api/v1/knowledge/sources", "knowledge:write", "Have a file, folder, pattern, web page, repository or pasted text read.", handler(a.add, status(http.StatusCreated), bodyLimit(16<<20))},
		{"GET", "/api/v1/knowledge/sources/{source}", "knowledge:read", "One source, and how far it is read.", handler(a.source)},
		{"PATCH", "/api/v1/knowledge/sources/{source}", "knowledge:write", "Change the title, what is read of it, whether it is watched, or pasted text.", handler(a.change, bodyLimit(16<<20))},
		{"DELETE", "/api/v1/knowledge/sources/{source}", "knowledge:write", "Forget a source and what was read of it; the files stay.", handler(a.remove)},
		{"GET", "/api/v1/knowledge/sources/{source}/files", "knowledge:read", "The documents of a source, and what was wrong with those that could not be read.", handler(a.files)},
		{"POST", "/api/v1/knowledge/sources/{source}/reindex", "knowledge:write", "Read what changed again, or everything.", handler(a.reindex)},
		{"GET", "/api/v1/knowledge/search", "knowledge:read", "Search documents.", handler(a.search)},
	}
}

func (a knowledgeAPI) sources(ctx context.Context, in listQuery) (page.Page[memory.Source], error) {
	return a.mind.Sources(ctx, memoryOwner(ctx), in.Query)
}

type newSourceRequest struct {
	Kind     string   `json:"kind" enum:"file,folder,glob,url,text,git" doc:"Told by the location if left out."`
	Location string   `json:"location" max:"4096" doc:"A path on the server, a pattern such as /docs/**/*.md, a web address, or a repository."`
	Title    string   `json:"title" max:"200"`
	Text     string   `json:"text" doc:"Pasted text, instead of a location."`
	Scope    string   `json:"scope" enum:"user,workspace,agent,project" doc:"Who may look things up in it; workspace, everyone, if left out."`
	Agent    string   `json:"agent" max:"128"`
	Project  string   `json:"project" max:"512" doc:"The project's id."`
	Include  []string `json:"include" max:"100" doc:"Patterns: only these files of a folder or repository."`
	Exclude  []string `json:"exclude" max:"100"`
	Branch   string   `json:"branch" max:"200" doc:"Of a repository; its default if left out."`
	Watch    bool     `json:"watch" doc:"Read it again when its files change."`
}

func (a knowledgeAPI) add(ctx context.Context, in newSourceRequest) (memory.Source, error) {
	o, id := memoryOwner(ctx), identity.From(ctx)
	name := in.Scope
	if name == "" {
		name = "workspace"
	}
	scope, err := scopeOf(o.User, name, in.Agent, in.Project)
	if err != nil {
		return memory.Source{}, err
	}
	return a.mind.AddSource(ctx, o, memory.NewSource{
		Scope: scope, Kind: memory.SourceKind(in.Kind), Location: in.Location, Title: in.Title, Text: in.Text, Watch: in.Watch, Local: id.Via == identity.ViaLocal,
		SourceOptions: memory.SourceOptions{Include: in.Include, Exclude: in.Exclude, Branch: in.Branch},
	})
}

type sourcePath struct {
	Source ids.Source `path:"source"`
}

func (a knowledgeAPI) source(ctx context.Context, in sourcePath) (memory.Source, error) {
	return a.mind.Source(ctx, memoryOwner(ctx), in.Source)
}

type sourceChange struct {
	sourcePath
	Title   *string   `json:"title" max:"200"`
	Watch   *bool     `json:"watch"`
	Include *[]string `json:"include" max:"100"`
	Exclude *[]string `json:"exclude" max:"100"`
	Branch  *string   `json:"branch" max:"200"`
	Text    *string   `json:"text" doc:"Of pasted text."`
}

func (a knowledgeAPI) change(ctx context.Context, in sourceChange) (memory.Source, error) {
	return a.mind.ChangeSource(ctx, memoryOwner(ctx), in.Source, memory.SourceChange{
		Title: in.Title, Watch: in.Watch, Include: in.Include, Exclude: in.Exclude, Branch: in.Branch, Text: in.Text,
	})
}

func (a knowledgeAPI) remove(ctx context.Context, in sourcePath) (nothing, error) {
	return nothing{}, a.mind.RemoveSource(ctx, memoryOwner(ctx), in.Source)
}

type filesQuery struct {
	sourcePath
	listQuery
	State string `query:"state" enum:"ready,failed,reading"`
}

func (a knowledgeAPI) files(ctx context.Context, in filesQuery) (page.Page[memory.File], error) {
	return a.mind.Files(ctx, memoryOwner(ctx), in.Source, memory.FileFilter{Query: in.Query, State: in.State})
}

type reindexRequest struct {
	sourcePath
	Everything bool `json:"everything" doc:"Also what has not changed."`
}

func (a knowledgeAPI) reindex(ctx context.Context, in reindexRequest) (memory.Source, error) {
	return a.mind.Reindex(ctx, memoryOwner(ctx), in.Source, in.Everything)
}

type knowledgeSearch struct {
	Query   string     `query:"query" required:"true" max:"4000"`
	Source  ids.Source `query:"source" doc:"Only this source."`
	Agent   string     `query:"agent" max:"128"`
	Project string     `query:"project" max:"512" doc:"The project's id."`
	Limit   int        `query:"limit" min:"1" max:"100" doc:"10 if left out."`
	Explain bool       `query:"explain"`
}

func (a knowledgeAPI) search(ctx context.Context, in knowledgeSearch) (memory.Answer, error) {
	o := memoryOwner(ctx)
	return a.mind.Search(ctx, memory.Query{
		Workspace: o.Workspace, User: o.User, Agent: in.Agent, Project: in.Project, Text: in.Query, Limit: in.Limit, Source: in.Source, Explain: in.Explain,
		Kinds: []memory.Kind{memory.KindKnowledge},
	})
}
