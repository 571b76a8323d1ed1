package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// helperOrigin is where the tools that hand work to agents come from.
const helperOrigin = "agents"

// aliases are names that some models know for handing work to a specialist.
var aliases = map[string]string{"call_research_agent": "researcher", "call_code_agent": "coder"}

// maxTask bounds how much of a task is said of a helper, in characters.
const maxTask = 500

// maxFan is how many tasks one fan_out may have.
const maxFan = 16

// belt is the tools of a run: its agent's, and those that hand work to the agents it may ask.
func (d *Desk) belt(ctx context.Context, a *attempt) (agents.Belt, error) {
	belt, err := d.realBelt(ctx, a)
	if err != nil || belt == nil {
		return belt, err
	}
	return d.plays(ctx, a, belt)
}

func (d *Desk) realBelt(ctx context.Context, a *attempt) (agents.Belt, error) {
	if d.opts.Tools == nil {
		return nil, nil
	}
	belt, err := d.opts.Tools.In(a.run.Workspace, a.agent.Tools)
	if err != nil {
		return nil, err
	}
	if len(a.agent.Helpers) == 0 || a.below <= 0 {
		return belt, nil
	}
	all, err := d.opts.Agents.List(ctx, a.run.Workspace)
	if err != nil {
		return nil, err
	}
	var helpers []agents.Agent
	for _, other := range all {
		if other.Name != a.agent.Name && allowed(a.agent.Helpers, other.Name) {
			helpers = append(helpers, other)
		}
	}
	if len(helpers) == 0 {
		return belt, nil
	}
	list, err := a.delegates(helpers)
	if err != nil {
		return nil, err
	}
	return belt.With(helperOrigin, list...)
}

func allowed(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { ok, err := path.Match(g, name); return ok && err == nil })
}

// delegates makes the tools that hand work over.
func (a *attempt) delegates(helpers []agents.Agent) ([]tools.Tool, error) {
	names := make([]string, len(helpers))
	var who strings.Builder
	longest := time.Minute
	for i, h := range helpers {
		names[i] = h.Name
		fmt.Fprintf(&who, "\n- %s: %s", h.Name, h.Description)
		longest = max(longest, h.Limits.Defaults().Time)
	}
	enum, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	const task = `{"type":"string","minLength":1,"maxLength":100000,"description":"All that the helper has to know: it does not see this conversation."}`
	one := func(name, agent, about string) tools.Tool {
		return handover{a: a, agent: agent, spec: spec(name, "Ask "+agent, about, longest,
			`{"type":"object","additionalProperties":false,"properties":{"task":`+task+`},"required":["task"]}`)}
	}
	list := []tools.Tool{
		handover{a: a, spec: spec("delegate", "Hand a task over", "Hands a task to another agent and gives back its answer. Several calls in one turn work at the same time. The agents:"+who.String(), longest,
			`{"type":"object","additionalProperties":false,"properties":{"agent":{"type":"string","enum":`+string(enum)+`},"task":`+task+`},"required":["agent","task"]}`)},
		handover{a: a, many: true, spec: spec("fan_out", "Hand several tasks over", "Hands several tasks to agents that work at the same time and gives back all answers. The agents:"+who.String(), longest,
			fmt.Sprintf(`{"type":"object","additionalProperties":false,"properties":{"tasks":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","additionalProperties":false,
			"properties":{"agent":{"type":"string","enum":%s},"task":%s},"required":["agent","task"]}}},"required":["tasks"]}`, maxFan, enum, task))},
	}
	for _, h := range helpers {
		list = append(list, one("delegate_to_"+h.Name, h.Name, "Hands a task to "+h.Name+": "+h.Description))
	}
	for alias, name := range aliases {
		if slices.Contains(names, name) {
			list = append(list, one(alias, name, "Hands a task to "+name+"; the same as delegate_to_"+name+"."))
		}
	}
	return list, nil
}

// spec describes a tool that hands work over. It changes nothing itself, and made again after a crash it goes on with
// the helper that is there: what the helper does is judged call by call.
func spec(name, title, about string, longest time.Duration, schema string) tools.Spec {
	return tools.Spec{
		Name: name, Title: title, Description: about, Schema: json.RawMessage(schema), Level: tools.Public, ReadOnly: true, Repeatable: true,
		Timeout: longest + time.Minute, MaxOutput: 128 << 10,
	}
}

// handover is a tool that has a helper do something.
type handover struct {
	a     *attempt
	spec  tools.Spec
	agent string // "": the arguments name it
	many  bool
}

// Spec gives the spec.
func (h handover) Spec() tools.Spec { return h.spec }

// order is one task for one agent.
type order struct {
	Agent string `json:"agent"`
	Task  string `json:"task"`
}

// Run has the helpers work and gives back what they answer.
func (h handover) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	args, err := tools.Decode[struct {
		order
		Tasks []order `json:"tasks"`
	}](call)
	if err != nil {
		return tools.Result{}, err
	}
	orders := args.Tasks
	if !h.many {
		if h.agent != "" {
			args.Agent = h.agent
		}
		orders = []order{args.order}
	}
	answers := make([]helped, len(orders))
	var wg sync.WaitGroup
	for i, o := range orders {
		key := call.ID
		if h.many {
			key = fmt.Sprintf("%s/%d", call.ID, i+1)
		}
		wg.Go(func() { answers[i] = h.a.help(ctx, key, o) })
	}
	wg.Wait()
	return gather(orders, answers)
}

// helped is what came of one order.
type helped struct {
	run  ids.Run
	text string
	err  error
}

// gather makes one result of the answers. A helper that waits for a person makes the call wait.
func gather(orders []order, answers []helped) (tools.Result, error) {
	var waiting []string
	var failures int
	for _, h := range answers {
		switch {
		case errors.Is(h.err, agents.ErrParked):
			waiting = append(waiting, string(h.run))
		case errors.Is(h.err, errInterrupted):
			return tools.Result{}, h.err
		case h.err != nil:
			failures++
		}
	}
	if len(waiting) > 0 {
		return tools.Result{Code: "helper_waits", Needs: &tools.Need{Kind: agents.NeedHelper, Question: "A helper waits for a person.", Ticket: strings.Join(waiting, " ")}}, nil
	}
	if len(answers) == 1 {
		if answers[0].err != nil {
			return failed(orders[0].Agent, answers[0].err), nil
		}
		r := tools.Says(answers[0].text)
		r.Meta = map[string]any{"helper": answers[0].run}
		return r, nil
	}
	var b strings.Builder
	runs := make([]ids.Run, len(answers))
	for i, h := range answers {
		runs[i] = h.run
		text := h.text
		if h.err != nil {
			text = failed(orders[i].Agent, h.err).Text()
		}
		fmt.Fprintf(&b, "## %d. %s\n\n%s\n\n", i+1, orders[i].Agent, text)
	}
	r := tools.Says(strings.TrimSpace(b.String()))
	r.Meta = map[string]any{"helpers": runs}
	if failures == len(answers) {
		r.IsError, r.Code = true, "helper_failed"
	}
	return r, nil
}

func failed(agent string, err error) tools.Result {
	f := fault.From(err)
	hint := f.Hint
	if hint == "" {
		hint = "Try another way, or answer without it."
	}
	return tools.Fails(fault.New(f.Kind, "helper_failed", "%s could not do it: %s", agent, f.Message).WithHint("%s", hint))
}

// errInterrupted says that the parent is to stop, so that the helper goes on when it does.
var errInterrupted = errors.New("runs: the helper was interrupted")

// help has one helper work, or goes on with the one that does already.
func (a *attempt) help(ctx context.Context, key string, o order) helped {
	run, err := a.hire(ctx, key, o)
	if err != nil {
		return helped{err: err}
	}
	h := helped{run: run.ID}
	switch run.State {
	case Finished:
		h.text = run.Result
		return h
	case Failed, Cancelled:
		h.err = errStopped
		if run.Error != nil {
			h.err = fault.New(fault.Conflict, run.Error.Code, "%s", run.Error.Message).WithHint("%s", run.Error.Hint)
		}
		return h
	case Queued, Running, Waiting:
	}
	child := &attempt{d: a.d, run: run, task: a.task, parent: a}
	err = a.d.work(ctx, child)
	if errors.Is(err, agents.ErrParked) {
		h.err = err
		return h
	}
	if err != nil && context.Cause(ctx) != nil { // the parent was stopped too, and says why
		h.err = errors.Join(errInterrupted, context.Cause(ctx))
		return h
	}
	h.text, h.err = child.result, err
	return h
}

// hire finds the helper of a call, or makes it.
func (a *attempt) hire(ctx context.Context, key string, o order) (run Run, err error) {
	run, err = store.One[Run](ctx, a.d.opts.DB.Read(), selectHelper, a.run.ID, key)
	if err == nil {
		return run, nil
	}
	if !errors.Is(err, store.ErrNoRows) {
		return run, fmt.Errorf("looking for the helper of %s: %w", key, err)
	}
	agent, err := a.helperNamed(ctx, o.Agent)
	if err != nil {
		return run, err
	}
	run = Run{
		ID: ids.New[ids.Run](), Workspace: a.run.Workspace, Conversation: a.run.Conversation, Parent: a.run.ID, User: a.run.User, Key: a.run.Key,
		Door: a.run.Door, Project: a.run.Project, Agent: agent.Name, Model: agent.Model, State: Queued, Question: a.run.Question, Job: a.run.Job,
		Call: key, Depth: a.run.Depth + 1, Title: clip(o.Task, 200), Task: o.Task, CreatedAt: time.Now().UTC().Truncate(time.Microsecond),
	}
	if err := a.d.scribe.settle(ctx, a.run.ID); err != nil { // that the call was started is said first
		return run, err
	}
	err = a.d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		n, err := store.One[int](ctx, tx, countHelpers, a.run.ID)
		if err != nil {
			return err
		}
		if most := a.agent.Limits.Defaults().Helpers; n >= most {
			return fault.New(fault.Exhausted, "helper_limit", "The run has had its %d helpers.", most).WithHint("Go on without another.")
		}
		if err := a.d.insert(ctx, tx, run); err != nil {
			return err
		}
		spawned := HelperSpawned{helping{a.run.subject(), key, run.ID, run.Agent}, run.Model, clip(o.Task, maxTask)}
		return a.d.say(ctx, tx, a.root().run, spawned)
	})
	return run, err
}

// helperNamed finds an agent that this one may ask.
func (a *attempt) helperNamed(ctx context.Context, name string) (agents.Agent, error) {
	if a.below <= 0 {
		return agents.Agent{}, fault.New(fault.Forbidden, "helper_depth", "Helpers of helpers end here.").WithHint("Do it yourself.")
	}
	if !allowed(a.agent.Helpers, name) || name == a.agent.Name {
		f := fault.New(fault.NotFound, "helper_not_found", "There is no helper called %q.", name).WithParam("agent")
		if near, ok := suggest.Closest(name, a.agent.Helpers); ok {
			return agents.Agent{}, f.WithHint("Did you mean %s?", near)
		}
		return agents.Agent{}, f.WithHint("You may ask: %s.", strings.Join(a.agent.Helpers, ", "))
	}
	return a.d.opts.Agents.Get(ctx, a.run.Workspace, name)
}
