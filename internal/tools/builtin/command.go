package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

const (
	maxSpool       = 16 << 20 // of output that is kept
	commandTimeout = 2 * time.Minute
	longestCommand = 30 * time.Minute
)

// escapes are what terminals act on: colours, titles, moves of the cursor.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// overwritten is the part of a line that a terminal shows no more: bars of progress go back to its beginning.
var overwritten = regexp.MustCompile(`(?m)^[^\n]*\r([^\r\n])`)

type commandArgs struct {
	Command  string `json:"command"`
	Folder   string `json:"folder"`
	Input    string `json:"input"`
	Terminal bool   `json:"terminal"`
	Timeout  int    `json:"timeout_seconds"`
	Network  bool   `json:"network"`
}

// networkProperty is there only where commands may ask for the network.
func networkProperty(opts Options) string {
	if !opts.CommandNetwork {
		return ""
	}
	return `,"network":{"type":"boolean","description":"let it talk to other machines; needs consent"}`
}

func runCommand(opts Options) tools.Tool {
	return define(tools.Spec{Name: "run_command", Title: "Run a command", Sandboxed: true, Level: tools.Dangerous, Network: opts.CommandNetwork, Timeout: longestCommand + time.Minute,
		Means: tools.Arguments{Command: "command", Folder: "folder", Network: "network"}},
		`{"command":{"type":"string","minLength":1,"maxLength":100000,"description":"for the shell"},"folder":{"type":"string","description":"where to run it; the project folder if not given"},
		  "input":{"type":"string","maxLength":1000000,"description":"what it reads from its standard input"},"terminal":{"type":"boolean","description":"give it a terminal, for programs that insist on one"},
		  "timeout_seconds":{"type":"integer","minimum":1,"maximum":1800,"description":"120 if not given"}`+networkProperty(opts)+`}`, []string{"command"},
		func(ctx context.Context, call tools.Call, a commandArgs) (tools.Result, error) {
			job := sandbox.Job{Argv: []string{"sh", "-c", a.Command}, Terminal: a.Terminal}
			if a.Input != "" {
				job.Stdin = strings.NewReader(a.Input)
			}
			return execute(ctx, opts.Sandbox, call, a, job)
		})
}

// interpreters are the programs that read code from their standard input.
var interpreters = map[string][]string{"python": {"python3", "-"}, "javascript": {"node", "-"}, "shell": {"sh", "-s"}}

type codeArgs struct {
	Language string `json:"language"`
	Code     string `json:"code"`
	Timeout  int    `json:"timeout_seconds"`
	Network  bool   `json:"network"`
}

func runCode(opts Options) tools.Tool {
	return define(tools.Spec{Name: "run_code", Title: "Run code", Sandboxed: true, Level: tools.Dangerous, Network: opts.CommandNetwork, Timeout: longestCommand + time.Minute,
		Means: tools.Arguments{Code: "code", Language: "language", Network: "network"}},
		`{"language":{"enum":["python","javascript","shell"]},"code":{"type":"string","minLength":1,"maxLength":1000000},
		  "timeout_seconds":{"type":"integer","minimum":1,"maximum":1800,"description":"120 if not given"}`+networkProperty(opts)+`}`, []string{"language", "code"},
		func(ctx context.Context, call tools.Call, a codeArgs) (tools.Result, error) {
			job := sandbox.Job{Argv: interpreters[a.Language], Stdin: strings.NewReader(a.Code)}
			return execute(ctx, opts.Sandbox, call, commandArgs{Timeout: a.Timeout, Network: a.Network}, job)
		})
}

// execute runs a job in the project and makes a result of its output and end.
func execute(ctx context.Context, box *sandbox.Sandbox, call tools.Call, a commandArgs, job sandbox.Job) (tools.Result, error) {
	f, err := openFolder(call)
	if err != nil {
		return tools.Result{}, err
	}
	defer f.Close()
	rel, err := f.rel(a.Folder)
	if err != nil {
		return tools.Result{}, err
	}
	if info, err := f.Stat(rel); err != nil || !info.IsDir() {
		return tools.Result{}, fault.New(fault.NotFound, "no_folder", "There is no folder %s.", rel).WithParam("folder")
	}
	real, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return tools.Result{}, explain(err, ".")
	}
	job.Folder, job.Dir, job.Network = real, filepath.Join(real, rel), a.Network
	return finish(ctx, box, call, seconds(a.Timeout), func(ctx context.Context, out *spool) (sandbox.Exit, error) {
		job.Output, out.terminal = out, job.Terminal
		return box.Run(ctx, job)
	})
}

// seconds is how long a command may take.
func seconds(asked int) time.Duration {
	return cmp.Or(time.Duration(asked)*time.Second, commandTimeout)
}

// finish runs something in the sandbox for as long as it may and makes a result of its output and end.
func finish(ctx context.Context, box *sandbox.Sandbox, call tools.Call, timeout time.Duration, run func(ctx context.Context, out *spool) (sandbox.Exit, error)) (tools.Result, error) {
	out := newSpool()
	out.report = call.Report
	defer out.Close()
	late := fault.New(fault.Timeout, "command_timeout", "it was still running")
	runCtx, cancel := context.WithTimeoutCause(ctx, timeout, late)
	defer cancel()
	exit, err := run(runCtx, out)
	text, textErr := out.text()
	if errors.Is(err, late) && context.Cause(ctx) == nil {
		return ended(text, fmt.Sprintf("[Stopped after %s; everything it started was ended.]", timeout), -1, box), textErr
	}
	if err = errors.Join(err, textErr); err != nil {
		return tools.Result{}, err
	}
	return ended(text, verdict(exit, out), exit.Code, box), nil
}

// verdict says how a command ended, unless it simply succeeded.
func verdict(exit sandbox.Exit, out *spool) string {
	switch {
	case exit.Limit != "":
		return fmt.Sprintf("[Ended by the limit on %s, with exit code %d.]", strings.ReplaceAll(exit.Limit, "_", " "), exit.Code)
	case exit.Code != 0:
		return fmt.Sprintf("[Exit code %d.]", exit.Code)
	case out.size == 0:
		return "[It succeeded and printed nothing.]"
	}
	return ""
}

func ended(text, says string, code int, box *sandbox.Sandbox) tools.Result {
	r := tools.Says(strings.TrimSpace(strings.TrimRight(text, "\n") + "\n" + says))
	r.IsError = code != 0
	if code != 0 {
		r.Code = "command_failed"
	}
	r.Meta = map[string]any{"exit_code": code, "isolation": box.Isolation().Mechanism}
	return r
}

// spool keeps the output of a command in a file, up to a limit, and tells whoever listens.
type spool struct {
	report   func(tools.Progress) // nil: nobody
	terminal bool                 // it is what a terminal showed

	mu      sync.Mutex // guards the fields below
	file    *os.File
	size    int64 // written by the command
	trouble error
}

func newSpool() *spool { return &spool{} }

// Write never fails, so that a full disk ends the keeping and not the command.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil && s.trouble == nil {
		s.file, s.trouble = os.CreateTemp("", "fluxway-output-")
		if s.trouble == nil {
			s.trouble = os.Remove(s.file.Name()) // it lives as long as it is open
		}
	}
	if room := maxSpool - s.size; s.trouble == nil && room > 0 {
		_, s.trouble = s.file.Write(p[:min(int64(len(p)), room)])
	}
	s.size += int64(len(p))
	if s.report != nil {
		s.report(tools.Progress{Text: plainText(p)})
	}
	return len(p), nil
}

// text is what was kept, for reading.
func (s *spool) text() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble != nil {
		return "", fmt.Errorf("keeping the output: %w", s.trouble)
	}
	if s.file == nil {
		return "", nil
	}
	raw, err := io.ReadAll(io.NewSectionReader(s.file, 0, maxSpool))
	if err != nil {
		return "", fmt.Errorf("reading the output: %w", err)
	}
	text := plainText(raw)
	if s.terminal {
		text = overwritten.ReplaceAllString(text, "$1")
	}
	if s.size > maxSpool {
		text += fmt.Sprintf("\n[… %d bytes more were not kept.]", s.size-maxSpool)
	}
	return text, nil
}

func (s *spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
