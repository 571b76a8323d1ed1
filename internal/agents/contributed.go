package agents

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Read reads the agents of a file and checks them by themselves. The notes are what the file says and no agent can be told.
func Read(text []byte) ([]Agent, []Note, error) {
	drafts, notes, err := ParseFile(text)
	if err != nil {
		return nil, nil, err
	}
	list := make([]Agent, 0, len(drafts))
	for _, d := range drafts {
		a, err := blank(d.Name).merged(d.Fields)
		if err != nil {
			return nil, notes, err
		}
		if problems := a.check(); len(problems) > 0 {
			return nil, notes, invalid(problems)
		}
		list = append(list, a)
	}
	return list, notes, nil
}

// Contribute makes these the agents that a plugin gives a workspace, in the place of those it gave before; none takes
// them back. It answers with the names that somebody else has: those agents are not offered.
func (r *Roster) Contribute(ctx context.Context, ws ids.Workspace, plugin string, list []Agent) (taken []string, err error) {
	given := make([]Agent, len(list))
	for i, a := range list {
		given[i] = a.clone()
		given[i].Origin, given[i].Plugin = FromPlugin, plugin
	}
	r.mu.Lock()
	if r.given == nil {
		r.given = map[ids.Workspace]map[string][]Agent{}
	}
	if r.given[ws] == nil {
		r.given[ws] = map[string][]Agent{}
	}
	if r.given[ws][plugin] = given; len(given) == 0 {
		delete(r.given[ws], plugin)
	}
	r.mu.Unlock()
	r.forget(ws)
	if len(given) == 0 {
		return nil, nil
	}
	s, err := r.shelf(ctx, ws)
	if err != nil {
		return nil, err
	}
	for _, a := range given {
		if s.agents[a.Name].Plugin != plugin {
			taken = append(taken, a.Name)
		}
	}
	return taken, nil
}

// contributed is what plugins give a workspace; of two of a name, that of the first plugin counts.
func (r *Roster) contributed(ws ids.Workspace) []Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Agent
	for _, plugin := range slices.Sorted(maps.Keys(r.given[ws])) {
		list = append(list, r.given[ws][plugin]...)
	}
	return list
}

func ofPlugin(a Agent) error {
	return fault.New(fault.Conflict, "agent_of_plugin", "%s comes with the plugin %s and cannot be changed here.", a.Name, a.Plugin).
		WithHint("Make an agent of your own, or disable the plugin.")
}

// ReadSkill reads the head of the skill in a folder; ok is false where there is none.
func ReadSkill(root *os.Root, folder string) (s Skill, ok bool, err error) {
	return skillIn(root, folder)
}

// Shelved is a skill that belongs to no project.
type Shelved struct {
	Skill
	Root string // the folder that Skill.Folder is below
}
