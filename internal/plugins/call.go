package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Job is a hook to be run in the sandbox.
type Job struct {
	Argv     []string
	Dir      string
	Folder   string   // the folder it works in
	ReadOnly bool     // it may only read there
	Readable []string // more that it may read
	Env      []string
	Network  bool
	Stdin    io.Reader
	Output   io.Writer
	Errors   io.Writer
}

// What a hook may print and is told.
const (
	maxOutput = 64 << 10
	maxErrors = 4 << 10
	maxReason = 500
	maxTold   = 64 << 10 // bytes of a text
)

const (
	allow = "allow"
	deny  = "deny"
)

// vetoCode is the exit code that says no.
const vetoCode = 2

// answer is what a hook says, and the end of what it printed.
type answer struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`

	output string
}

// call runs a hook to its end.
func (m *Manager) call(ctx context.Context, b *bound, msg Message) (answer, error) {
	if b.held {
		return answer{}, m.heldBack(b.plugin)
	}
	if b.health.resting(b.Name, time.Now()) {
		return answer{}, errResting
	}
	if err := m.unchanged(b.plugin); err != nil {
		return answer{}, err
	}
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
	late := fault.New(fault.Timeout, "hook_timeout", "The hook %s did not end within %s.", b.Name, b.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, b.Timeout, late)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(m.running, func() { stop(errStopping) })()
	job, err := b.job(m, msg)
	if err != nil {
		return answer{}, err
	}
	out := &capped{most: maxOutput, full: func() {
		stop(fault.New(fault.TooLarge, "hook_flood", "The hook %s printed more than %d kB.", b.Name, maxOutput>>10))
	}}
	errs := &tail{most: maxErrors}
	job.Output, job.Errors = out, errs
	code, err := m.opts.Run(ctx, job)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	said := answer{output: clean(string(errs.kept) + out.head(maxErrors))}
	if err != nil {
		var f *fault.Fault
		if !errors.As(err, &f) {
			err = fault.New(fault.Unavailable, "hook_not_run", "The hook %s could not be run: %v.", b.Name, err)
		}
		return said, err
	}
	return decide(b.Hook, code, out.kept, string(errs.kept), said.output)
}

// heldBack is why a hook that must not fail refuses without being called.
func (m *Manager) heldBack(a *active) error {
	switch {
	case a.trouble != nil:
		return a.trouble
	case a.state == StateMissing:
		return fault.New(fault.Conflict, "plugin_missing", "The folder of the plugin %s is gone.", a.name)
	}
	return changedFault(a.name)
}

// job is how the hook is run.
func (b *bound) job(m *Manager, msg Message) (Job, error) {
	folder := b.plugin.place.folder
	msg.Plugin, msg.Hook, msg.Fluxway, msg.Settings = b.plugin.name, b.Name, m.opts.Version, b.plugin.settings
	msg.Asked, msg.Text, msg.Answer = told(msg.Asked), told(msg.Text), told(msg.Answer)
	text, err := json.Marshal(msg)
	if err != nil {
		return Job{}, fmt.Errorf("writing what the hook %s is told: %w", b.Name, err)
	}
	j := Job{Dir: folder, Folder: folder, ReadOnly: true, Network: b.Network, Stdin: bytes.NewReader(append(text, '\n'))}
	if b.Project != NoAccess && msg.Folder != "" {
		j.Dir, j.Folder, j.ReadOnly, j.Readable = msg.Folder, msg.Folder, b.Project == ReadOnly, []string{folder}
	}
	j.Argv = make([]string, len(b.Command))
	for i, arg := range b.Command {
		j.Argv[i] = fill(arg, folder, b.plugin.settings)
	}
	j.Argv[0] = own(b.Command[0], folder, b.plugin.settings)
	j.Env = []string{"FLUXWAY_EVENT=" + string(b.Event), "FLUXWAY_PLUGIN=" + b.plugin.name, "FLUXWAY_PLUGIN_FOLDER=" + folder, "PYTHONDONTWRITEBYTECODE=1"}
	for _, name := range slices.Sorted(maps.Keys(b.Env)) {
		j.Env = append(j.Env, name+"="+fill(b.Env[name], folder, b.plugin.settings))
	}
	return j, nil
}

func told(text string) string {
	if len(text) <= maxTold {
		return text
	}
	return strings.ToValidUTF8(text[:maxTold], "") + "…"
}

// decide makes an answer of how a hook ended. Nothing printed means yes.
func decide(h Hook, code int, out []byte, errs, output string) (answer, error) {
	said := answer{output: output}
	trimmed := bytes.TrimSpace(out)
	var printed answer
	readable := len(trimmed) > 0 && json.Unmarshal(trimmed, &printed) == nil
	switch {
	case code == vetoCode:
		said.Decision, said.Reason = deny, brief(printed.Reason, errs, "It gave no reason.")
		return said, nil
	case code != 0:
		return said, fault.New(fault.Unavailable, "hook_failed", "The hook %s ended with code %d: %s", h.Name, code, brief(errs, string(out), "it said nothing."))
	case len(trimmed) == 0 || !h.Event.asks():
		said.Decision = allow
		return said, nil
	case !readable || printed.Decision != allow && printed.Decision != deny:
		return said, fault.New(fault.Unavailable, "hook_garbage", "The hook %s printed something that is no decision.", h.Name).
			WithHint(`It prints nothing, or {"decision":"allow"}, or {"decision":"deny","reason":"…"}.`)
	}
	said.Decision, said.Reason = printed.Decision, printed.Reason
	if said.Decision == deny {
		said.Reason = brief(printed.Reason, errs, "It gave no reason.")
	}
	return said, nil
}

// brief is the first text that says something, on one line.
func brief(texts ...string) string {
	for _, t := range texts {
		if t = strings.Join(strings.Fields(clean(t)), " "); t != "" {
			if utf8.RuneCountInString(t) > maxReason {
				t = string([]rune(t)[:maxReason-1]) + "…"
			}
			return t
		}
	}
	return ""
}

// clean is what can be shown of what a program printed.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// capped keeps what is written up to a bound, and says when there is more.
type capped struct {
	kept []byte
	most int
	full func()
}

func (c *capped) Write(p []byte) (int, error) {
	room := c.most - len(c.kept)
	c.kept = append(c.kept, p[:min(len(p), room)]...)
	if len(p) > room {
		c.full()
	}
	return len(p), nil
}

func (c *capped) head(n int) string { return string(c.kept[:min(n, len(c.kept))]) }

// tail keeps the end of what is written.
type tail struct {
	kept []byte
	most int
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-t.most):]...)
	if over := len(t.kept) - t.most; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}
