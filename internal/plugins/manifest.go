package plugins

import (
	"regexp"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/tools"
)

// ManifestFile is the file that makes a folder a plugin.
const ManifestFile = "plugin.yaml"

// Manifest is what a plugin says of itself.
type Manifest struct {
	Name        string
	Version     string
	Description string
	Author      string
	Homepage    string
	Settings    []Setting
	Servers     []Server
	Agents      []Agent
	Skills      []agents.Skill
	Workflows   []Workflow
	Hooks       []Hook
}

// Agent is an agent of a plugin and the file it is in.
type Agent struct {
	File  string
	Agent agents.Agent
}

// Workflow is a workflow of a plugin. It is kept, and nothing runs it yet.
type Workflow struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// Server is an MCP server of a plugin. Its texts may hold ${settings.NAME} and ${folder}.
type Server struct {
	Name      string
	Transport string
	Command   string
	Args      []string
	Env       map[string]string
	URL       string
	Headers   map[string]string
	SignIn    bool
	Allow     []string
	Deny      []string
	ReadOnly  []string
	Level     tools.Level
	Timeout   time.Duration
}

// Event is when a hook is called.
type Event string

// The events.
const (
	BeforeRun  Event = "before_run"
	AfterRun   Event = "after_run"
	BeforeTurn Event = "before_turn"
	AfterTurn  Event = "after_turn"
	BeforeTool Event = "before_tool"
	AfterTool  Event = "after_tool"
)

// Events lists all events, in the order of a run.
func Events() []Event {
	return []Event{BeforeRun, BeforeTurn, BeforeTool, AfterTool, AfterTurn, AfterRun}
}

// asks says whether a hook of the event may veto.
func (e Event) asks() bool { return e == BeforeRun || e == BeforeTurn || e == BeforeTool }

// ofTool says whether the event is about a call.
func (e Event) ofTool() bool { return e == BeforeTool || e == AfterTool }

// Policy is what a hook that fails means.
type Policy string

// The policies.
const (
	FailOpen   Policy = "fail_open"   // go on as if it had not been there
	FailClosed Policy = "fail_closed" // the same as a veto
)

// Access is what a hook may do with the project's folder.
type Access string

// The accesses.
const (
	NoAccess  Access = "none"
	ReadOnly  Access = "read"
	ReadWrite Access = "write"
)

// Hook is a command that is called at an event.
type Hook struct {
	Name    string            `json:"name" doc:"Its event, with a number where there are several."`
	Event   Event             `json:"event" enum:"before_run,after_run,before_turn,after_turn,before_tool,after_tool"`
	Command []string          `json:"command"`
	Tools   []string          `json:"tools,omitempty" doc:"Globs of tools it is called for; none: all."`
	Agents  []string          `json:"agents,omitempty" doc:"Globs of agents it is called for; none: all."`
	Timeout time.Duration     `json:"timeout_ns"`
	OnError Policy            `json:"on_error" enum:"fail_open,fail_closed"`
	Network bool              `json:"network" doc:"It may talk to other machines."`
	Project Access            `json:"project" enum:"none,read,write" doc:"What it may do with the project's folder."`
	Env     map[string]string `json:"env,omitempty"`
}

// The times a hook may take. One that is asked about a call must be quicker than the gate's patience.
const (
	defaultTimeout = 10 * time.Second
	toolTimeout    = 5 * time.Second
	maxTimeout     = time.Minute
	maxToolTimeout = 8 * time.Second
)

var (
	namePattern    = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)
	settingPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)
	envPattern     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	placeholder    = regexp.MustCompile(`\$\{([^}]*)\}`)
)

// reserved are names that routes and commands have another meaning for.
var reserved = []string{"removed", "check", "new"}
