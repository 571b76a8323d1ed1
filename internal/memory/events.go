package memory

import "github.com/fluxway/fluxway/internal/ids"

type (
	// FactAdded: something new is remembered. The text is not said: it may be private.
	FactAdded struct {
		Fact   ids.Fact `json:"fact"`
		User   ids.User `json:"user,omitempty"`
		Origin Origin   `json:"origin"`
		State  State    `json:"state"`
	}
	// FactReplaced: a newer fact says otherwise; the old one is history.
	FactReplaced struct {
		Fact ids.Fact `json:"fact"`
		By   ids.Fact `json:"by"`
		User ids.User `json:"user,omitempty"`
	}
	// FactChanged: its text, pin or state is another.
	FactChanged struct {
		Fact  ids.Fact `json:"fact"`
		User  ids.User `json:"user,omitempty"`
		State State    `json:"state"`
	}
	// FactForgotten: it and its history are gone.
	FactForgotten struct {
		Fact ids.Fact `json:"fact"`
		User ids.User `json:"user,omitempty"`
	}
	// UserForgotten: nothing of a user is remembered any more.
	UserForgotten struct {
		User ids.User `json:"user"`
	}
	// SourceAdded: there is something new to read.
	SourceAdded struct {
		Source ids.Source `json:"source"`
	}
	// SourceIndexed: a source was read, with what came of it.
	SourceIndexed struct {
		Source ids.Source `json:"source"`
		Files  int        `json:"files"`
		Failed int        `json:"failed"`
		Pieces int        `json:"pieces"`
		State  string     `json:"state"`
	}
	// SourceRemoved: a source and what was read of it are gone.
	SourceRemoved struct {
		Source ids.Source `json:"source"`
	}
	// Progressed: a source is being read.
	Progressed struct {
		Source ids.Source `json:"source"`
		Done   int64      `json:"done"`
		Total  int64      `json:"total"`
		File   string     `json:"file,omitempty"`
	}
)

// Kind names the fact.
func (FactAdded) Kind() string     { return "memory.fact_added" }
func (FactReplaced) Kind() string  { return "memory.fact_replaced" }
func (FactChanged) Kind() string   { return "memory.fact_changed" }
func (FactForgotten) Kind() string { return "memory.fact_forgotten" }
func (UserForgotten) Kind() string { return "memory.user_forgotten" }
func (SourceAdded) Kind() string   { return "memory.source_added" }
func (SourceIndexed) Kind() string { return "memory.source_indexed" }
func (SourceRemoved) Kind() string { return "memory.source_removed" }
func (Progressed) Kind() string    { return "memory.progressed" }
