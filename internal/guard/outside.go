package guard

import (
	"context"
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

// JudgeOutside rules on a command that we do not run, and keeps the call in the journal. The
// agent asks its own person, so a question of ours is only its answer.
func (g *Guard) JudgeOutside(ctx context.Context, o Outside) (tools.Ruling, error) {
	args, err := json.Marshal(map[string]string{"command": o.Command})
	if err != nil {
		return tools.Ruling{}, fmt.Errorf("writing the command down: %w", err)
	}
	spec := tools.Spec{Name: commandTool, Title: o.Tool, Origin: builtin, Level: tools.Dangerous, Means: tools.Arguments{Command: "command"}}
	call := tools.Call{
		ID: o.Call, Tool: spec.Name, Workspace: o.Workspace, User: o.User, Agent: o.Agent, Door: outsideOrigin, Folder: o.Folder, Args: args,
	}
	e := tools.Entry{ID: ids.New[ids.ToolCall](), Spec: spec, Call: call, At: g.now()}
	if e.Ruling, err = g.Judge(ctx, spec, call); err != nil {
		return tools.Ruling{}, err
	}
	e.Spec.Origin, e.Spec.ReadOnly = outsideOrigin, true // it runs elsewhere: there is one row, and nothing to undo
	return e.Ruling, g.Finished(ctx, e)
}
