package agents

// Channel is where changes of agents are said.
const Channel = "agents"

type (
	// Created: a workspace has an agent that was not there before.
	Created struct {
		Agent   string `json:"agent"`
		Version int    `json:"version"`
	}
	// Changed: an agent is defined otherwise than before.
	Changed struct {
		Agent   string `json:"agent"`
		Version int    `json:"version"`
		Change  Change `json:"change"`
	}
	// Deleted: a workspace has that agent no more.
	Deleted struct {
		Agent   string `json:"agent"`
		Version int    `json:"version"`
	}
)

// Kind names the fact.
func (Created) Kind() string { return "agents.created" }
func (Changed) Kind() string { return "agents.changed" }
func (Deleted) Kind() string { return "agents.deleted" }
