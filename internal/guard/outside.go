package guard

import (
	"encoding/json"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/tools"
)

// Outside is a command that an agent of somebody else's wants to run, told by its pre-tool hook.
type Outside struct {
	Workspace ids.Workspace
	User      ids.User
	Agent     string // claude, codex, …
	Tool      string // as that agent calls it
	Call      string
	Command   string
	Folder    string // where it would run
}

// outsideOrigin is where tools of outside agents come from.
const outsideOrigin = "hook"

// understood reports whether the arguments of a tool mean what its spec says, and no more.
func understood(origin string) bool { return origin == builtin || origin == outsideOrigin }

// ToolCall is the command as a call that a toolbox rules on and does not run. The agent asks its own person, so a question
// of ours is only its answer.
func (o Outside) ToolCall() (tools.Spec, tools.Call, error) {
	args, err := json.Marshal(map[string]string{"command": o.Command})
	if err != nil {
		return tools.Spec{}, tools.Call{}, fmt.Errorf("writing the command down: %w", err)
	}
	spec := tools.Spec{Name: commandTool, Title: o.Tool, Origin: outsideOrigin, Level: tools.Dangerous, Means: tools.Arguments{Command: "command"}}
	return spec, tools.Call{
		ID: o.Call, Tool: spec.Name, Workspace: o.Workspace, User: o.User, Agent: o.Agent, Door: outsideOrigin, Folder: o.Folder, Args: args,
	}, nil
}
