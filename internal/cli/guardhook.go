package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/guard"
)

// exitHookBlock is the exit code by which a pre-tool hook stops the call.
const exitHookBlock = 2

const hookHelp = `Reads the call of a tool from standard input and answers in the agent's own format.

Claude Code, in settings.json:
  {"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"fluxway guard hook"}]}]}}
Codex, in hooks.json: the same.
Gemini CLI, in settings.json:
  {"hooks":{"BeforeTool":[{"matcher":"run_shell_command","hooks":[{"type":"command","command":"fluxway guard hook"}]}]}}

While a server runs on this machine's data it is asked too: the workspace's policy
and earlier answers count, and the call is in its journal (fluxway guard audit).
Without one, the rules alone decide; one that runs and cannot judge stops the call.

The agent is told from the input; --agent sets it. An agent that cannot ask a
person (Codex, Gemini CLI) is told no, with the reason. A call that holds no
shell command is not answered. Input that cannot be read stops the call: exit 2.`

// hookInput is what agents send before they run a tool.
type hookInput struct {
	Event     string          `json:"hook_event_name"`
	Dir       string          `json:"cwd"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	Turn      *string         `json:"turn_id"`   // Codex sends it
	Timestamp any             `json:"timestamp"` // Copilot sends a number
	CopilotID string          `json:"toolName"`
	CopilotIn json.RawMessage `json:"toolArgs"`
}

// The agents whose formats are spoken.
const (
	agentClaude  = "claude"
	agentCodex   = "codex"
	agentGemini  = "gemini"
	agentCopilot = "copilot"
)

func (e *env) guardHook(packs *string) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Guard Claude Code, Codex, Gemini CLI and others as their pre-tool hook",
		Long:  hookHelp,
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := e.hookAnswer(cmd, *packs, agent)
			if err != nil {
				fmt.Fprintln(e.streams.Err, "fluxway guard: the call is stopped, because it cannot be judged: "+err.Error())
				return hookError{err}
			}
			if answer == nil {
				return nil
			}
			enc := json.NewEncoder(e.streams.Out)
			enc.SetEscapeHTML(false)
			return enc.Encode(answer)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "claude, codex, gemini or copilot (default: told from the input)")
	return cmd
}

// hookError stops the call of an agent; it was printed already.
type hookError struct{ err error }

// Error is the cause.
func (h hookError) Error() string { return h.err.Error() }

// Unwrap gives the cause.
func (h hookError) Unwrap() error { return h.err }

func (e *env) hookAnswer(cmd *cobra.Command, packs, agent string) (any, error) {
	text, err := io.ReadAll(io.LimitReader(e.streams.In, 8<<20))
	if err != nil {
		return nil, fmt.Errorf("reading the call: %w", err)
	}
	var in hookInput
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("reading the call: %w", err)
	}
	if agent == "" {
		agent = in.agent()
	}
	command, ok, err := in.command(agent)
	if err != nil || !ok {
		return nil, err
	}
	commands, err := e.commandGuard(packs)
	if err != nil {
		return nil, err
	}
	ruling := commands.Judge(cmd.Context(), guard.Command{Text: command, Dir: in.Dir})
	ruling = e.askServer(cmd.Context(), agent, in, command, ruling)
	return answerFor(agent, in.Event, ruling)
}

// agent tells who asks by what only they send.
func (in hookInput) agent() string {
	switch {
	case in.Event == "BeforeTool":
		return agentGemini
	case in.CopilotID != "":
		return agentCopilot
	case in.Turn != nil:
		return agentCodex
	}
	return agentClaude
}

// shellTools are the tools that run a shell command.
var shellTools = map[string]bool{
	"Bash": true, "bash": true, "shell": true, "local_shell": true, "exec_command": true, "run_shell_command": true, "unified_exec": true, "Monitor": true, "powershell": true,
}

// command finds the shell command of a call; false: the tool runs none.
func (in hookInput) command(agent string) (string, bool, error) {
	tool, input := in.Tool, in.Input
	if agent == agentCopilot {
		tool, input = in.CopilotID, in.CopilotIn
		var inside string // Copilot sends its arguments as a text of JSON
		if json.Unmarshal(input, &inside) == nil {
			input = json.RawMessage(inside)
		}
	}
	if !shellTools[tool] {
		return "", false, nil
	}
	var args struct {
		Command json.RawMessage `json:"command"`
		Cmd     string          `json:"cmd"`
	}
	if err := json.Unmarshal(input, &args); err != nil {
		return "", false, fmt.Errorf("reading the input of %s: %w", tool, err)
	}
	var text string
	var argv []string
	switch {
	case json.Unmarshal(args.Command, &text) == nil:
		return text, true, nil
	case json.Unmarshal(args.Command, &argv) == nil:
		return guard.ShellText(argv), true, nil
	case args.Cmd != "":
		return args.Cmd, true, nil
	}
	return "", false, fmt.Errorf("the input of %s holds no command", tool)
}

// answerFor writes a ruling in an agent's format; nil: nothing to say.
func answerFor(agent, event string, r guard.CommandRuling) (any, error) {
	switch agent {
	case agentClaude:
		switch r.Verdict {
		case guard.Refuse:
			return permission(event, "deny", reason(r)), nil
		case guard.Ask:
			return permission(event, "ask", reason(r)), nil
		case guard.Warn:
			return map[string]any{"systemMessage": reason(r)}, nil
		}
		return nil, nil // not "allow": the agent's own rules still count
	case agentCodex:
		if r.Verdict >= guard.Ask {
			return permission(event, "deny", reason(r)), nil
		}
		return nil, nil
	case agentGemini:
		if r.Verdict >= guard.Ask {
			return map[string]any{"decision": "deny", "reason": reason(r)}, nil
		}
		return map[string]any{}, nil
	case agentCopilot:
		if r.Verdict >= guard.Ask {
			return map[string]any{"permissionDecision": "deny", "permissionDecisionReason": reason(r)}, nil
		}
		return nil, nil
	}
	return nil, fmt.Errorf("the agent %q is not known; it is claude, codex, gemini or copilot", agent)
}

func permission(event, decision, why string) any {
	if event == "" {
		event = "PreToolUse"
	}
	return map[string]any{"hookSpecificOutput": map[string]any{
		"hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": why,
	}}
}

// reason is what the agent reads: what would happen, the rule, and a safer way.
func reason(r guard.CommandRuling) string {
	text := r.Effect + " (rule " + r.Rule + ", " + r.Severity.String() + ")"
	if r.Verdict == guard.Ask {
		text = "A person should decide. " + text
	}
	if r.Alternative != "" {
		text += " Safer: " + r.Alternative
	}
	return text
}
