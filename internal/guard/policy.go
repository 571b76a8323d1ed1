package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// Action is what happens to a call that a rule is about.
type Action string

// The actions, the mildest first.
const (
	Permit    Action = "allow"
	AskPerson Action = "ask"
	Forbid    Action = "refuse"
)

// strictness orders the actions; what is none counts as the mildest.
func (a Action) strictness() int {
	switch a {
	case AskPerson:
		return 1
	case Forbid:
		return 2
	case Permit:
	}
	return 0
}

func (a Action) known() bool { return a == Permit || a == AskPerson || a == Forbid }

// Mode is how much agents may do without being asked about.
type Mode string

// The modes, the freest first.
const (
	Standard Mode = "standard" // each call is judged by what it would do
	Careful  Mode = "careful"  // whatever changes something is asked
	Locked   Mode = "locked"   // whatever changes something is refused
)

// Unattended is what becomes of a question when nobody is there to answer.
type Unattended string

// The ways to deal with runs that nobody watches.
const (
	RefuseUnattended Unattended = "refuse"  // what would be asked is refused
	WaitUnattended   Unattended = "wait"    // the run waits for a person
	OnlyAllowed      Unattended = "allowed" // what changes something must be on the list of what is allowed
)

// Policy is what a workspace lets its agents do.
type Policy struct {
	Mode   Mode                    `json:"mode"`
	Levels Levels                  `json:"levels"`
	Tools  []ToolRule              `json:"tools"`  // over the level; the strictest that fits counts
	Agents map[string]tools.Filter `json:"agents"` // by name; "*" is for agents that have none
	Rates  []Rate                  `json:"rates"`
	Paths  PathRules               `json:"paths"`
	Hosts  HostRules               `json:"hosts"`
	// Secrets is what happens when the arguments of a tool that talks to others hold what looks like a
	// secret. One that is stored here is always refused.
	Secrets            Action     `json:"secrets"`
	TwoPerson          bool       `json:"two_person"` // critical calls need a person other than the one who asked for the work
	Unattended         Unattended `json:"unattended"`
	Deadline           Seconds    `json:"deadline_seconds"`
	UnattendedDeadline Seconds    `json:"unattended_deadline_seconds"`
}

// Seconds is a span of time as people write it in settings.
type Seconds int64

// Std is the span for the clock.
func (s Seconds) Std() time.Duration { return time.Duration(s) * time.Second }

// Levels says what each level of tools may do.
type Levels struct {
	Public     Action `json:"public"`
	Restricted Action `json:"restricted"` // inside the project; outside, Paths decides
	Dangerous  Action `json:"dangerous"`  // a command is judged by what it does; this is for the rest
}

// of is what tools of a level may do; "" for a level that does not exist.
func (l Levels) of(level tools.Level) Action {
	switch level {
	case tools.Public:
		return l.Public
	case tools.Restricted:
		return l.Restricted
	case tools.Dangerous:
		return l.Dangerous
	}
	return ""
}

// ToolRule is about the tools whose names fit a glob.
type ToolRule struct {
	Tool   string `json:"tool"`
	Action Action `json:"action"`
}

// Per is what a rate is counted by.
type Per string

// What rates can be counted by.
const (
	PerWorkspace Per = "workspace"
	PerAgent     Per = "agent"
	PerTool      Per = "tool" // of one agent
)

// Rate is how many calls may be made within any span of this length.
type Rate struct {
	Per   Per     `json:"per"`
	Tool  string  `json:"tool,omitempty"` // a glob; empty: all
	Limit int     `json:"limit"`
	Every Seconds `json:"every_seconds"`
}

// PathRules is about files outside the project.
type PathRules struct {
	Outside Action   `json:"outside"`
	Allow   []string `json:"allow"` // folders, absolute
	Deny    []string `json:"deny"`  // files and folders, absolute; inside the project too
}

// HostRules is about web addresses. Deny wins.
type HostRules struct {
	Allow  []string `json:"allow"` // globs over host names; changes there need not be asked
	Deny   []string `json:"deny"`
	Others Action   `json:"others"` // hosts on neither list
}

// DefaultPolicy is the policy of a workspace that has not chosen one.
func DefaultPolicy() Policy {
	return Policy{
		Mode:   Standard,
		Levels: Levels{Public: Permit, Restricted: Permit, Dangerous: AskPerson},
		Tools:  []ToolRule{}, Agents: map[string]tools.Filter{},
		Rates:   []Rate{{Per: PerWorkspace, Limit: 6000, Every: 60}, {Per: PerAgent, Limit: 1200, Every: 60}},
		Paths:   PathRules{Outside: AskPerson, Allow: []string{}, Deny: []string{}},
		Hosts:   HostRules{Allow: []string{}, Deny: []string{}, Others: Permit},
		Secrets: AskPerson, TwoPerson: true, Unattended: RefuseUnattended, Deadline: 15 * 60, UnattendedDeadline: 24 * 60 * 60,
	}
}

const (
	maxRate     = 20_000
	maxDeadline = 30 * 24 * 60 * 60
)

// Check says what is wrong with a policy.
func (p Policy) Check() error {
	bad := func(param, format string, args ...any) error {
		return fault.New(fault.Invalid, "bad_policy", format, args...).WithParam(param).WithHint("GET /api/v1/guard/policy shows a policy that is right.")
	}
	if p.Mode != Standard && p.Mode != Careful && p.Mode != Locked {
		return bad("mode", "There is no mode %q; it is standard, careful or locked.", p.Mode)
	}
	if p.Unattended != RefuseUnattended && p.Unattended != WaitUnattended && p.Unattended != OnlyAllowed {
		return bad("unattended", "%q is not refuse, wait or allowed.", p.Unattended)
	}
	actions := map[string]Action{
		"levels.public": p.Levels.Public, "levels.restricted": p.Levels.Restricted, "levels.dangerous": p.Levels.Dangerous,
		"paths.outside": p.Paths.Outside, "hosts.others": p.Hosts.Others, "secrets": p.Secrets,
	}
	for i, r := range p.Tools {
		actions[fmt.Sprintf("tools[%d].action", i)] = r.Action
		if _, err := path.Match(r.Tool, ""); err != nil || r.Tool == "" {
			return bad("tools", "The pattern %q cannot be read.", r.Tool)
		}
	}
	for param, a := range actions {
		if !a.known() {
			return bad(param, "%q is not allow, ask or refuse.", a)
		}
	}
	for name, f := range p.Agents {
		if err := f.Check(); err != nil {
			return bad("agents", "The tools of %q: %v.", name, err)
		}
	}
	for _, r := range p.Rates {
		if r.Per != PerWorkspace && r.Per != PerAgent && r.Per != PerTool || r.Limit < 1 || r.Limit > maxRate || r.Every < 1 || r.Every > 24*60*60 {
			return bad("rates", "A rate has a limit of 1 to %d calls in 1 to 86400 seconds, per workspace, agent or tool.", maxRate)
		}
		if _, err := path.Match(r.Tool, ""); err != nil {
			return bad("rates", "The pattern %q cannot be read.", r.Tool)
		}
	}
	for _, dir := range append(append([]string{}, p.Paths.Allow...), p.Paths.Deny...) {
		if !filepath.IsAbs(dir) {
			return bad("paths", "%q is not absolute.", dir)
		}
	}
	for _, host := range append(append([]string{}, p.Hosts.Allow...), p.Hosts.Deny...) {
		if _, err := path.Match(host, ""); err != nil || host == "" {
			return bad("hosts", "The pattern %q cannot be read.", host)
		}
	}
	if p.Deadline < 1 || p.Deadline > maxDeadline || p.UnattendedDeadline < 1 || p.UnattendedDeadline > maxDeadline {
		return bad("deadline_seconds", "A deadline is between a second and 30 days.")
	}
	return nil
}

// policyLife is how long a policy that another process changed may go unnoticed.
const policyLife = 5 * time.Second

type knownPolicy struct {
	policy *Policy // never changed
	until  time.Time
}

// Policy is the workspace's own policy, or the one of the settings.
func (g *Guard) Policy(ctx context.Context, ws ids.Workspace) (Policy, error) {
	policy, err := g.policy(ctx, ws)
	if err != nil {
		return Policy{}, err
	}
	return *policy, nil
}

// policy is Policy, not to be changed.
func (g *Guard) policy(ctx context.Context, ws ids.Workspace) (*Policy, error) {
	now := g.now()
	g.mu.RLock()
	known, ok := g.policies[ws]
	g.mu.RUnlock()
	if ok && now.Before(known.until) {
		return known.policy, nil
	}
	g.mu.RLock()
	policy := g.defaults
	g.mu.RUnlock()
	raw, err := store.One[json.RawMessage](ctx, g.db.Read(), selectPolicy, ws)
	switch {
	case errors.Is(err, store.ErrNoRows):
	case err != nil:
		return nil, fmt.Errorf("reading the policy: %w", err)
	default:
		if err := json.Unmarshal(raw, &policy); err != nil {
			return nil, fmt.Errorf("reading the policy: %w", err)
		}
	}
	g.mu.Lock()
	g.policies[ws] = knownPolicy{&policy, now.Add(policyLife)}
	g.mu.Unlock()
	return &policy, nil
}

// SetPolicy makes this the workspace's policy.
func (g *Guard) SetPolicy(ctx context.Context, ws ids.Workspace, by ids.User, p Policy) error {
	if err := p.Check(); err != nil {
		return err
	}
	return g.changePolicy(ctx, ws, PolicyChanged{By: by, Mode: p.Mode}, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, upsertPolicy, ws, store.JSON(p), by, g.now())
		return err
	})
}

// ResetPolicy gives the workspace the policy of the settings back.
func (g *Guard) ResetPolicy(ctx context.Context, ws ids.Workspace, by ids.User) error {
	return g.changePolicy(ctx, ws, PolicyChanged{By: by}, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, deletePolicy, ws)
		return err
	})
}

func (g *Guard) changePolicy(ctx context.Context, ws ids.Workspace, fact PolicyChanged, change func(tx *store.Tx) error) error {
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return g.hub.Append(ctx, tx, ws, Channel, fact)
	})
	if err != nil {
		return fmt.Errorf("changing the policy: %w", err)
	}
	g.mu.Lock()
	delete(g.policies, ws)
	g.mu.Unlock()
	return nil
}

// Configure sets the policy of workspaces that have none of their own.
func (g *Guard) Configure(p Policy) error {
	if err := p.Check(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.defaults = p
	clear(g.policies)
	return nil
}
