package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// ToolOrigin is what the tools of memory are put into a toolbox as.
const ToolOrigin = "memory"

// tool is a spec and what it does with arguments of its own type.
type tool[T any] struct {
	spec tools.Spec
	do   func(ctx context.Context, call tools.Call, args T) (tools.Result, error)
}

// Spec gives the spec.
func (t tool[T]) Spec() tools.Spec { return t.spec }

// Run reads the arguments and does it.
func (t tool[T]) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	if call.Workspace == "" {
		return tools.Result{}, fault.New(fault.Conflict, "no_workspace", "Memory belongs to a workspace, and there is none here.")
	}
	args, err := tools.Decode[T](call)
	if err != nil {
		return tools.Result{}, err
	}
	return t.do(ctx, call, args)
}

// define makes a tool of a schema's properties, the names of those that are required, and what it does.
func define[T any](spec tools.Spec, properties string, required []string, do func(context.Context, tools.Call, T) (tools.Result, error)) tools.Tool {
	schema := map[string]any{"type": "object", "additionalProperties": false, "properties": json.RawMessage(properties)}
	if len(required) > 0 {
		schema["required"] = required
	}
	text, err := json.Marshal(schema)
	if err != nil { // the toolbox refuses it, with the reason
		text = json.RawMessage(properties)
	}
	spec.Schema = text
	return tool[T]{spec, do}
}

func looks(name, title, description string) tools.Spec {
	return tools.Spec{Name: name, Title: title, Description: description, Level: tools.Public, ReadOnly: true, Repeatable: true}
}

func changes(name, title, description string) tools.Spec {
	return tools.Spec{Name: name, Title: title, Description: description, Level: tools.Public, Repeatable: true}
}

func removes(name, title, description string) tools.Spec {
	return tools.Spec{Name: name, Title: title, Description: description, Level: tools.Restricted, Repeatable: true}
}

// Tools are what agents remember, recall and look things up with: remember, recall, forget,
// knowledge_search and those of the graph.
func (m *Mind) Tools() []tools.Tool {
	return append([]tools.Tool{
		define(changes("remember", "Remember a fact",
			"Remember one fact for later conversations. Write it so that it is clear by itself and still true next week, such as \"The user's deploy branch is main\". "+
				"A fact that is known already is merged, one that contradicts an older fact replaces it. Secrets, greetings and passing states are refused."),
			`{"text":{"type":"string","minLength":1,"maxLength":2000,"description":"The fact, one sentence."},
			  "scope":{"enum":["user","workspace","agent","project"],"description":"Whom it is for: this user (the default), everyone, this agent, or this project."},
			  "pinned":{"type":"boolean","description":"Recall it before every turn."}}`, []string{"text"}, m.rememberTool),
		define(looks("recall", "Recall what is known",
			"Search what is remembered of earlier conversations, facts, the knowledge graph and documents. Ask with the words or the meaning you look for."),
			`{"query":{"type":"string","minLength":1,"maxLength":2000},"limit":{"type":"integer","minimum":1,"maximum":50},
			  "kinds":{"type":"array","items":{"enum":["fact","knowledge","entity","turn","profile"]}}}`, []string{"query"}, m.recallTool),
		define(removes("forget", "Forget a fact", "Forget one fact for good, by the id that recall gave."),
			`{"id":{"type":"string","pattern":"^fact_","description":"The id of the fact."}}`, []string{"id"}, m.forgetTool),
		define(looks("knowledge_search", "Search documents",
			"Search the documents that were given to you. Each result names its file with the page or lines; cite them in your answer."),
			`{"query":{"type":"string","minLength":1,"maxLength":2000},"limit":{"type":"integer","minimum":1,"maximum":50},
			  "source":{"type":"string","pattern":"^ksrc_","description":"Only this source."}}`, []string{"query"}, m.knowledgeTool),
	}, m.graphTools("")...)
}

// UnderscoreTools are the tools of the graph under the names some prompts know them by: _read_graph and so on.
func (m *Mind) UnderscoreTools() []tools.Tool { return m.graphTools("_") }

func ownerOf(call tools.Call) Owner { return Owner{call.Workspace, call.User} }

// scopeOf is whom a fact is for. Without a user, what would be theirs belongs to the agent.
func scopeOf(call tools.Call, name string) (Scope, error) {
	switch name {
	case "", "user":
		if call.User != "" {
			return Scope{User: call.User}, nil
		}
		return Scope{Agent: call.Agent}, nil
	case "agent":
		return Scope{Agent: call.Agent}, nil
	case "project":
		if call.Project == "" {
			return Scope{}, fault.New(fault.Conflict, "no_project", "There is no project here to remember it for.").WithParam("scope").WithHint("Use the scope user or workspace.")
		}
		return Scope{Project: call.Project}, nil
	}
	return Scope{}, nil
}

type rememberArgs struct {
	Text   string `json:"text"`
	Scope  string `json:"scope"`
	Pinned bool   `json:"pinned"`
}

func (m *Mind) rememberTool(ctx context.Context, call tools.Call, a rememberArgs) (tools.Result, error) {
	scope, err := scopeOf(call, a.Scope)
	if err != nil {
		return tools.Result{}, err
	}
	f, err := m.Add(ctx, ownerOf(call), NewFact{
		Scope: scope, Text: a.Text, Pinned: a.Pinned, Origin: FromTool, Source: Place{Conversation: call.Conversation, Run: call.Run},
	})
	if err != nil {
		return tools.Result{}, err
	}
	says := map[Outcome]string{Added: "Remembered", Merged: "That was known already", Replaced: "Remembered; it replaces what was known before", Queued: "Noted; a person will review it"}
	r := tools.Says(fmt.Sprintf("%s (%s): %s", says[f.Outcome], f.ID, f.Text))
	r.Meta = map[string]any{"fact": f}
	return r, nil
}

type recallArgs struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
	Kinds []Kind `json:"kinds"`
}

func (m *Mind) recallTool(ctx context.Context, call tools.Call, a recallArgs) (tools.Result, error) {
	return m.searchTool(ctx, Query{
		Workspace: call.Workspace, User: call.User, Agent: call.Agent, Project: call.Project, Text: a.Query, Limit: a.Limit, Kinds: a.Kinds, MinFit: 0.1,
	}, "[Nothing is remembered about that.]")
}

type knowledgeArgs struct {
	Query  string     `json:"query"`
	Limit  int        `json:"limit"`
	Source ids.Source `json:"source"`
}

func (m *Mind) knowledgeTool(ctx context.Context, call tools.Call, a knowledgeArgs) (tools.Result, error) {
	return m.searchTool(ctx, Query{
		Workspace: call.Workspace, User: call.User, Agent: call.Agent, Project: call.Project, Text: a.Query, Limit: a.Limit, Kinds: []Kind{KindKnowledge}, Source: a.Source,
	}, "[No document says anything about that.]")
}

func (m *Mind) searchTool(ctx context.Context, q Query, none string) (tools.Result, error) {
	answer, err := m.Search(ctx, q)
	if err != nil {
		return tools.Result{}, err
	}
	if len(answer.Found) == 0 {
		return tools.Says(none), nil
	}
	var b strings.Builder
	for i, f := range answer.Found {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "[%d] %s", i+1, f.cite())
		fmt.Fprintf(&b, "\n%s", f.Text)
		if f.Kind == KindFact {
			m.used.add(q.Workspace, f.ID, 1, 0)
		}
	}
	r := tools.Says(b.String())
	r.Meta = map[string]any{"found": answer.Found}
	return r, nil
}

// cite says in a line what something found is and where it stands.
func (f Found) cite() string {
	switch f.Kind {
	case KindKnowledge:
		return strings.TrimSpace(f.Title + " " + f.Source.String())
	case KindTurn:
		return "said by the " + f.Source.Author + " on " + f.At.Format("2006-01-02")
	case KindEntity:
		return "entity " + f.Title
	}
	return "fact " + f.ID + ", " + f.At.Format("2006-01-02")
}

// String names the page or the lines of a place.
func (p Place) String() string {
	var parts []string
	if p.Path != "" {
		parts = append(parts, p.Path)
	} else if p.URL != "" {
		parts = append(parts, p.URL)
	}
	switch {
	case p.Page > 0:
		parts = append(parts, fmt.Sprintf("page %d", p.Page))
	case p.Line > 0 && p.EndLine > p.Line:
		parts = append(parts, fmt.Sprintf("lines %d–%d", p.Line, p.EndLine))
	case p.Line > 0:
		parts = append(parts, fmt.Sprintf("line %d", p.Line))
	}
	if p.Heading != "" {
		parts = append(parts, "under "+p.Heading)
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

type forgetArgs struct {
	ID ids.Fact `json:"id"`
}

func (m *Mind) forgetTool(ctx context.Context, call tools.Call, a forgetArgs) (tools.Result, error) {
	if err := m.Forget(ctx, ownerOf(call), a.ID); err != nil {
		return tools.Result{}, err
	}
	return tools.Says("Forgotten."), nil
}
