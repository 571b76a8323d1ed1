package guard

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/guard/command"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// analysisTime bounds the look at a command, scripts on slow disks included; what takes longer is asked.
const analysisTime = 100 * time.Millisecond

// judging is a call on its way through the chain.
type judging struct {
	meaning
	spec   tools.Spec
	call   tools.Call
	policy *Policy
}

// finding is what one link of the chain has to say; the zero value says nothing.
type finding struct {
	action      Action
	rule        string
	reason      string
	hint        string
	severity    command.Severity
	alternative string
	final       bool // no person can lift it
}

// final is a refusal that no person can lift.
func final(rule, reason, hint string) finding {
	return finding{action: Forbid, rule: rule, reason: reason, hint: hint, final: true}
}

// or is the stricter of two findings; of two alike, the more severe, then the first.
func (f finding) or(other finding) finding {
	if other.action == "" && other.rule == "" {
		return f
	}
	a, b := f.action.strictness(), other.action.strictness()
	if b > a || b == a && (other.severity > f.severity || f.rule == "") {
		return other
	}
	return f
}

// Judge rules on a call, whatever door it came through.
func (g *Guard) Judge(ctx context.Context, spec tools.Spec, call tools.Call) (tools.Ruling, error) {
	policy, err := g.policy(ctx, call.Workspace)
	if err != nil {
		return tools.Ruling{}, err
	}
	m, err := understand(&spec, &call)
	if err != nil {
		return tools.Ruling{}, fmt.Errorf("reading the arguments of %s: %w", spec.Name, err)
	}
	j := judging{meaning: m, spec: spec, call: call, policy: policy}
	found, err := g.chain(ctx, &j)
	if err != nil {
		return tools.Ruling{}, err
	}
	if spec.Sandboxed && g.opts.Isolation != nil && found.action != Forbid {
		found.reason = strings.TrimSpace(found.reason + " " + g.opts.Isolation())
	}
	return g.settle(ctx, &j, found)
}

// Punctual: all that a ruling waits for is the database and whoever the options name, which end with ctx.
func (g *Guard) Punctual() {}

// Cold says whether the call runs a command and the judge of commands is not built, or how programs are confined not tried out.
func (g *Guard) Cold(spec tools.Spec, call tools.Call) bool {
	if g.warm.Load() {
		return false
	}
	m, err := understand(&spec, &call)
	return err == nil && m.runs
}

// Warm builds the one and tries out the other: half a second's work, and all commands of a start wait for it.
func (g *Guard) Warm(ctx context.Context) {
	done := make(chan struct{})
	g.analyses.Go(func() {
		defer close(done)
		defer func() { _ = recover() }() // the ruling meets it again
		if _, err := g.opts.Commands(); err != nil {
			return
		}
		if g.opts.Isolation != nil {
			g.opts.Isolation()
		}
		g.warm.Store(true)
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// chain asks every link, and stops at a refusal that no person can lift.
func (g *Guard) chain(ctx context.Context, j *judging) (finding, error) {
	found := finding{}
	for n := range links {
		f, err := g.link(ctx, j, n)
		if err != nil {
			return finding{}, err
		}
		if f.final {
			return f, nil
		}
		found = found.or(f)
	}
	return found, nil
}

// links is how many the chain has.
const links = 10

// link asks one link of the chain. They are called by name, so that a call that is allowed stays where it is: on the stack.
func (g *Guard) link(ctx context.Context, j *judging, n int) (finding, error) {
	switch n {
	case 0:
		return judgeAgent(j), nil
	case 1:
		return judgeMode(j), nil
	case 2:
		return judgeTool(j), nil
	case 3:
		return g.judgeRates(j), nil
	case 4:
		return g.judgePaths(j), nil
	case 5:
		return g.judgeURLs(j), nil
	case 6:
		return g.judgeContent(ctx, j)
	case 7:
		return g.judgeSpend(ctx, j)
	case 8:
		return g.judgeTrust(ctx, j)
	default:
		return g.judgeCommand(ctx, j)
	}
}

// judgeAgent: the tools the policy gives the agent. The belt hides the others; this holds for every belt.
func judgeAgent(j *judging) finding {
	filter, ok := j.policy.Agents[j.call.Agent]
	if !ok {
		filter, ok = j.policy.Agents["*"]
	}
	if !ok || j.call.Agent == "" || filter.Has(j.spec.Name) {
		return finding{}
	}
	return final("guard.agent", j.call.Agent+" may not use "+j.spec.Name+".", "Use another tool, or hand the work to an agent that may.")
}

func judgeMode(j *judging) finding {
	if j.spec.ReadOnly {
		return finding{}
	}
	switch {
	case j.policy.Mode == Locked:
		return final("guard.locked", "This workspace lets agents look and change nothing.", "Describe what you would do instead.")
	case j.policy.Mode == Careful:
		return finding{action: AskPerson, rule: "guard.careful", reason: j.spec.Name + " changes something, and this workspace asks about every change."}
	case j.call.Asking:
		return finding{action: AskPerson, rule: "guard.asking", reason: j.spec.Name + " changes something, and whoever started this wants to be asked about every change."}
	}
	return finding{}
}

// judgeTool is what the policy says of the tool, or else of its level.
func judgeTool(j *judging) finding {
	said := finding{}
	for _, r := range j.policy.Tools {
		if ok, err := path.Match(r.Tool, j.spec.Name); !ok || err != nil {
			continue
		}
		said = said.or(finding{action: r.Action, rule: "guard.tool", reason: "The policy of this workspace is to " + string(r.Action) + " " + j.spec.Name + "."})
	}
	if said.rule != "" {
		said.final = said.action == Forbid
		return said
	}
	action := j.policy.Levels.of(j.spec.Level)
	level := finding{action: action, rule: "guard.level", reason: j.spec.Name + " is a " + string(j.spec.Level) + " tool."}
	switch {
	case action == Forbid || action == "":
		return final("guard.level", level.reason, "Use another tool.")
	case j.spec.Level == tools.Dangerous && j.runs: // judged by what the command does
		return finding{action: Permit, rule: "guard.level", reason: level.reason}
	case action == Permit && !j.spec.ReadOnly && j.spec.Level != tools.Public && j.spec.Origin != builtin:
		return finding{action: AskPerson, rule: "guard.unknown_change", reason: j.spec.Name + " of " + j.spec.Origin + " changes something that the guard does not know."}
	}
	return level
}

func (g *Guard) judgeSpend(ctx context.Context, j *judging) (finding, error) {
	if g.opts.Spend == nil {
		return finding{}, nil
	}
	err := g.opts.Spend.Room(ctx, j.call.Workspace, j.call.Agent, j.call.Run)
	if err == nil {
		return finding{}, nil
	}
	f := fault.From(err)
	if f.Kind != fault.Exhausted {
		return finding{}, err
	}
	return final("guard.spend", f.Message, f.Hint), nil
}

// judgeTrust: a folder somebody else made can name programs that run in places one does not expect.
func (g *Guard) judgeTrust(ctx context.Context, j *judging) (finding, error) {
	if !j.runs || g.opts.Trusted == nil || j.call.Folder == "" {
		return finding{}, nil
	}
	trusted, known, err := g.opts.Trusted(ctx, j.call.Workspace, j.call.Folder)
	if err != nil || trusted {
		return finding{}, err
	}
	f := finding{action: AskPerson, rule: "guard.untrusted_project", reason: "The project is not trusted, so commands in it are asked about.", severity: command.Medium}
	if known {
		return f, nil
	}
	if j.spec.Origin == outsideOrigin { // an outside agent asks its own person whether a folder is trusted
		return finding{}, nil
	}
	f.rule, f.reason = "guard.unknown_folder", "Nobody has said that "+j.call.Folder+" is trusted, so commands in it are asked about."
	f.hint = "A person can make it a trusted project."
	return f, nil
}

// judgeCommand is what the command would do.
func (g *Guard) judgeCommand(ctx context.Context, j *judging) (finding, error) {
	if !j.runs {
		return finding{}, nil
	}
	r, err := g.Check(ctx, Command{Text: j.command, Dir: j.dir, Shell: "sh"})
	if err != nil {
		return finding{}, err
	}
	f := finding{action: Permit, rule: r.Rule, reason: r.Effect, severity: r.Severity, alternative: r.Alternative}
	if f.rule == "" {
		f.rule = "guard.command"
	}
	if r.Alternative != "" {
		f.hint = "Safer: " + r.Alternative
	}
	switch r.Verdict {
	case Allow, Warn:
		return f, nil
	case Ask:
		f.action = AskPerson
	default:
		f.action = Forbid
	}
	return f, nil
}
