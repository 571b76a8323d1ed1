package agents

import (
	"embed"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/tools"
)

//go:embed presets/*.md
var presetTexts embed.FS

// The groups of tools that presets are made of, as globs over names.
var (
	looking     = []string{"read_*", "list_*", "search_*", "glob", "git_status", "git_diff", "git_log", "current_time", "calculator"}
	noting      = []string{"todo_*", "scratch_*"}
	asking      = []string{"ask_user"}
	web         = []string{"fetch_url", "web_*"}
	remembering = []string{
		"remember", "recall", "forget", "knowledge_*", "create_entities", "create_relations", "add_observations", "delete_entities", "delete_relations",
		"delete_observations", "read_graph", "search_nodes", "open_nodes",
	}
	editing = []string{"write_file", "edit_file", "git_commit", "git_branch"}
	running = []string{"run_command", "run_code"}
)

// presets are the agents in the binary, by name.
func presets() map[string]Agent {
	all := []Agent{
		{
			Name: "assistant", Title: "Assistant", Hue: "iris", Tools: tools.Filter{Allow: []string{"*"}, Deny: []string{"_*"}}, // second names of the graph's tools
			Description: "Answers questions and helps with everyday work: writing, explaining, planning, looking things up.",
		},
		{
			Name: "coordinator", Title: "Coordinator", Hue: "lime", Tools: globs(looking, noting, asking, web, remembering),
			Description: "Takes on larger tasks with several parts: plans them, hands the parts to specialists at the same time and puts the results together.",
			Helpers:     []string{"researcher", "coder", "reviewer", "tester"},
		},
		{
			Name: "researcher", Title: "Researcher", Hue: "teal", Tools: globs(looking, noting, web, remembering),
			Description: "Finds things out: searches the web, documents, knowledge and code, compares sources and reports with evidence.",
			Limits:      Limits{Turns: 30},
		},
		{
			Name: "coder", Title: "Coder", Hue: "azure", Tools: globs(looking, noting, asking, web, remembering, editing, running),
			Description: "Writes and changes code in a project: implements features, mends bugs, refactors, runs builds, commands and scripts.",
		},
		{
			Name: "reviewer", Title: "Reviewer", Hue: "pink", Tools: globs(looking, noting, remembering),
			Description: "Reviews changes and code for mistakes, security, races and missing tests, and gives a verdict. Changes nothing.",
			Limits:      Limits{Turns: 30},
		},
		{
			Name: "tester", Title: "Tester", Hue: "green", Tools: globs(looking, noting, remembering, []string{"write_file", "edit_file"}, running),
			Description: "Tests whether something works: runs and writes tests, tries edge cases and reproduces bugs with the smallest case.",
		},
	}
	byName := make(map[string]Agent, len(all))
	for _, a := range all {
		text, err := presetTexts.ReadFile("presets/" + a.Name + ".md")
		if err != nil { // they are compiled in
			panic(err)
		}
		a.Instructions = strings.TrimSpace(string(text))
		a.Driver, a.Origin, a.Memory = Native, FromPreset, Memory{Recall: true, Remember: true}
		byName[a.Name] = a
	}
	return byName
}

func globs(groups ...[]string) tools.Filter { return tools.Filter{Allow: slices.Concat(groups...)} }
