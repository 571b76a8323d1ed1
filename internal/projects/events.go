package projects

import "github.com/fluxway/fluxway/internal/ids"

// Channel is where this part says its facts.
const Channel = "projects"

type (
	// Created: a folder became a project.
	Created struct {
		Project ids.Project `json:"project"`
		Name    string      `json:"name"`
		By      ids.User    `json:"by"`
	}
	// Changed: it has another name, or is trusted or not.
	Changed struct {
		Project ids.Project `json:"project"`
		Name    string      `json:"name"`
		Trusted bool        `json:"trusted"`
	}
	// Removed: it is no project any more; the folder stays.
	Removed struct {
		Project ids.Project `json:"project"`
	}
	// Undone: files are as they were before these calls.
	Undone struct {
		Call  ids.ToolCall   `json:"call"` // undoes this
		Calls []ids.ToolCall `json:"calls"`
		Run   ids.Run        `json:"run,omitempty"`
		Files int            `json:"files"`
		By    ids.User       `json:"by"`
	}
)

// Kind names the fact.
func (Created) Kind() string { return "projects.created" }

// Kind names the fact.
func (Changed) Kind() string { return "projects.changed" }

// Kind names the fact.
func (Removed) Kind() string { return "projects.removed" }

// Kind names the fact.
func (Undone) Kind() string { return "projects.undone" }
