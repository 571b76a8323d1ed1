package agents

import (
	"time"

	"github.com/fluxway/fluxway/internal/tools"
)

// Agent is a definition: which model, told what, allowed what.
type Agent struct {
	Name         string       `json:"name" yaml:"name"`
	Title        string       `json:"title" yaml:"title"`
	Description  string       `json:"description" yaml:"description"`
	Model        string       `json:"model" yaml:"model" doc:"provider/model; empty: the workspace's own choice"`
	Params       Params       `json:"params" yaml:"params"`
	Instructions string       `json:"instructions" yaml:"instructions"`
	Persona      string       `json:"persona,omitempty" yaml:"persona"`
	Tools        tools.Filter `json:"tools" yaml:"tools"`
	Helpers      []string     `json:"helpers" yaml:"helpers" doc:"Agents it may hand work to, by name or glob; empty: none."`
	Memory       Memory       `json:"memory" yaml:"memory"`
	Driver       string       `json:"driver" yaml:"driver" enum:"native"`
	Limits       Limits       `json:"limits" yaml:"limits"`
	Users        []string     `json:"users,omitempty" yaml:"users" doc:"Who may use it, by user name; empty: everyone of the workspace."`
	Hue          string       `json:"hue" yaml:"hue" doc:"The agent's colour, the same everywhere."`

	Origin    Origin    `json:"origin" yaml:"-"`
	Plugin    string    `json:"plugin,omitempty" yaml:"-" doc:"The plugin it comes from; it cannot be changed here then."`
	Version   int       `json:"version" yaml:"-" doc:"Counts from 1 with every change; 0: never changed."`
	UpdatedAt time.Time `json:"updated_at,omitzero" yaml:"-"`
}

// Origin says where a definition comes from; the later one wins over the earlier of the same name.
type Origin string

// The origins, weakest first.
const (
	FromPreset    Origin = "preset"    // part of the binary
	FromConfig    Origin = "config"    // the settings file
	FromWorkspace Origin = "workspace" // made or changed through the API
	FromPlugin    Origin = "plugin"    // given by a plugin, where nobody else has the name
)

// Native is the driver that executes an agent with our own loop.
const Native = "native"

// Params are what the model is asked with; nil and zero leave it to the model.
type Params struct {
	Temperature *float64 `json:"temperature,omitempty" yaml:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty" yaml:"top_p,omitempty"`
	MaxTokens   int64    `json:"max_tokens,omitempty" yaml:"max_tokens,omitempty"`
	Effort      string   `json:"effort,omitempty" yaml:"effort,omitempty"` // of thinking: none, low, medium, high
}

// Memory says what an agent remembers.
type Memory struct {
	Recall    bool     `json:"recall" yaml:"recall" doc:"Facts that fit the question are given to the model."`
	Remember  bool     `json:"remember" yaml:"remember" doc:"Facts are learned from what was said."`
	Knowledge []string `json:"knowledge,omitempty" yaml:"knowledge,omitempty" doc:"Sources it may search, by name or glob."`
}

// Limits end a run that does not end by itself; zero takes the default.
type Limits struct {
	Turns     int           `json:"turns,omitempty" yaml:"turns"`           // model calls; default 50
	ToolCalls int           `json:"tool_calls,omitempty" yaml:"tool_calls"` // default 200
	Helpers   int           `json:"helpers,omitempty" yaml:"helpers"`       // helpers in one run; default 8
	Depth     int           `json:"depth,omitempty" yaml:"depth"`           // helpers of helpers; default 2
	Time      time.Duration `json:"time_ns,omitempty" yaml:"time"`          // wall time; default 30 minutes
	Money     int64         `json:"money_micros,omitempty" yaml:"money"`    // micro-dollars; 0: no limit of its own
	Window    int           `json:"window,omitempty" yaml:"window"`         // messages of the conversation a helper sees; default 0
}

// Defaults fills in what a limit leaves open.
func (l Limits) Defaults() Limits {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&l.Turns, 50)
	set(&l.ToolCalls, 200)
	set(&l.Helpers, 8)
	set(&l.Depth, 2)
	if l.Time == 0 {
		l.Time = 30 * time.Minute
	}
	return l
}
