package guard

import "github.com/fluxway/fluxway/internal/guard/command"

// Commands judges shell commands; see the package command.
type Commands = command.Analyser

// CommandOptions configure Commands.
type CommandOptions = command.Options

// Command is a shell command somebody wants to run.
type Command = command.Command

// CommandRuling is the answer to a Command.
type CommandRuling = command.Ruling

// CommandStep is one thing understood on the way to a CommandRuling.
type CommandStep = command.Step

// CommandSpan is a part of a command's text.
type CommandSpan = command.Span

// CommandSimple is one program call found in a command.
type CommandSimple = command.Simple

// CommandPack is a file of knowledge about programs.
type CommandPack = command.Pack

// PackProblem is one thing wrong in a pack, with its line.
type PackProblem = command.Problem

// Snippet is one command found in a file, with its line.
type Snippet = command.Snippet

// Verdict is what may happen to a command.
type Verdict = command.Verdict

// The verdicts.
const (
	Allow  = command.Allow
	Warn   = command.Warn
	Ask    = command.Ask
	Refuse = command.Refuse
)

// Severity is how bad it is when a command was a mistake.
type Severity = command.Severity

// High: work is lost, or others are affected.
const High = command.High

// Disk is this machine's file system, for CommandOptions.FS.
type Disk = command.Disk

// NewCommands builds a judge of commands from the built-in packs and those of
// the folder userPacks, if there is one. A pack of the user whose examples do
// not hold is an error.
func NewCommands(opts CommandOptions, userPacks string) (*Commands, error) {
	return command.Load(opts, userPacks)
}

// Packs lists the built-in packs and those of the folder userPacks.
func Packs(userPacks string) ([]CommandPack, error) { return command.All(userPacks) }

// CommandsIn finds the commands of a script, a Makefile, a package.json or a CI file.
func CommandsIn(name string, text []byte) ([]Snippet, error) { return command.Snippets(name, text) }

// ShellText writes an argument list as shell text that runs the same.
func ShellText(argv []string) string { return command.ShellText(argv) }
