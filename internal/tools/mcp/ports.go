package mcp

import (
	"context"
	"encoding/json"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/tools"
)

// From says which server asks for something, and on whose behalf.
type From struct {
	Workspace ids.Workspace // "": a server of the settings that works for several at once
	Server    string
	Call      *tools.Call // the call it is working on; nil if it works on none or on several
	held      *held       // the same call, if a person can be asked about it
}

// Sampler lets servers use our models.
type Sampler interface {
	Sample(ctx context.Context, from From, req Sample) (Sampled, error)
}

// Sample is a server's request for a model's answer.
type Sample struct {
	System      string
	Messages    []Message
	MaxTokens   int64
	Temperature float64
	Stop        []string
	Hints       []string // names of models the server would like, best first
}

// Message is one message of a sample; it is text, or an image.
type Message struct {
	Role      string // user or assistant
	Text      string
	Image     []byte
	MediaType string
}

// Sampled is a model's answer.
type Sampled struct {
	Model string
	Text  string
	Stop  string // endTurn, stopSequence or maxTokens
}

// Asker answers the questions of servers about calls that belong to no run.
type Asker interface {
	Ask(ctx context.Context, from From, q Question) (Answer, error)
}

// Question is what a server asks a person: a form, or a page to open.
type Question struct {
	Text   string
	Schema json.RawMessage // of a form: a flat object of strings, numbers, booleans and enums
	URL    string          // of a page
}

// Answer is what a person said.
type Answer struct {
	Action  string         // accept, decline or cancel
	Content map[string]any // of an accepted form
}

// Roots says which folders servers may work in.
type Roots interface {
	Folders(ctx context.Context, from From) ([]Folder, error)
}

// Folder is a folder of a project.
type Folder struct {
	Name string
	Path string
}
