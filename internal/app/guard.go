package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/vendors"
	"github.com/fluxway/fluxway/internal/store"
)

// openGuard makes the gate that every toolbox is given, and what it asks.
func (a *App) openGuard(context.Context) (err error) {
	a.projects, err = projects.New(projects.Options{
		DB: a.db, Hub: a.hub, Blobs: filepath.Join(a.data.Dir, "snapshots"), Forbidden: []string{a.data.Dir}, Own: filepath.Join(a.data.Dir, filesDir), Keep: a.cfg.Retention.Snapshots.Std(),
		TotalBytes: a.cfg.Guard.SnapshotBytes.Int64(), Log: a.log,
	})
	if err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		home = ""
	}
	packs := a.cfg.Guard.Packs
	commands := a.opts.Commands
	if commands == nil {
		commands = sync.OnceValues(func() (*guard.Commands, error) {
			return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}, Home: filepath.ToSlash(home)}, packs)
		})
	}
	if packs != "" { // a mistake in one's own rules must not wait for the first command
		if _, err := commands(); err != nil {
			return fault.New(fault.Invalid, "bad_packs", "The packs in %s cannot be used: %v", packs, err).WithHint("fluxway guard packs --packs %s shows what is wrong.", packs)
		}
	}
	policy := policyOf(a.cfg)
	a.guard, err = guard.New(guard.Options{
		DB: a.db, Hub: a.hub, Commands: commands, UserPacks: packs, Policy: &policy, Snapshots: snapshots{a.projects}, Spend: &spending{ledger: a.ledger},
		Journal: a.data.journal(), Trusted: a.projects.Trust, Secrets: a.secrets, Isolation: a.isolation, Protected: protected(a.data.Dir, home), PrivateHosts: a.cfg.Tools.PrivateHosts,
		Grant: a.cfg.Guard.ApprovalLife.Std(), Always: a.cfg.Guard.AllowedLife.Std(), Keep: a.cfg.Retention.Calls.Std(), Log: a.log,
	})
	if err != nil {
		return err
	}
	a.guard.OnAnswer(func(ctx context.Context, tx *store.Tx, answered guard.Approval) error {
		if answered.Run == "" {
			return nil
		}
		return a.runs.Wake(ctx, tx, answered.Run)
	})
	a.ledger.OnRoom(a.guard.Room)
	a.db.OnRestore(store.RestoreHook{Name: "guard", Done: func(context.Context) { a.guard.ForgetAll() }})
	return nil
}

// policyOf is the policy of workspaces that have chosen none.
func policyOf(cfg config.Config) guard.Policy {
	c, p := cfg.Guard, guard.DefaultPolicy()
	p.Mode, p.TwoPerson, p.Unattended, p.Secrets = guard.Mode(c.Mode), c.TwoPerson, guard.Unattended(c.Unattended), guard.Action(c.Secrets)
	p.Deadline, p.UnattendedDeadline = guard.Seconds(c.Deadline.Std()/time.Second), guard.Seconds(c.UnattendedDeadline.Std()/time.Second)
	p.Rates = []guard.Rate{{Per: guard.PerWorkspace, Limit: c.CallsPerMinute, Every: 60}, {Per: guard.PerAgent, Limit: c.AgentCallsPerMinute, Every: 60}}
	p.Hosts.Allow, p.Hosts.Deny = append(p.Hosts.Allow, c.AllowHosts...), append(p.Hosts.Deny, c.DenyHosts...)
	if len(c.AllowHosts) > 0 {
		p.Hosts.Others = guard.AskPerson
	}
	p.Paths.Deny = append(p.Paths.Deny, c.DenyPaths...)
	return p
}

// protected is what no tool may touch: our own data, but for the folder an agent was given in it, and where people keep
// their keys.
func protected(data, home string) []string {
	list := []string{data, "/etc/shadow", "/etc/sudoers"}
	if home == "" {
		return list
	}
	for _, name := range []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".netrc", ".docker/config.json", ".config/gcloud", ".config/gh"} {
		list = append(list, filepath.Join(home, name))
	}
	return list
}

// snapshots lets the guard keep what calls are about to change.
type snapshots struct{ projects *projects.Projects }

// Before keeps it.
func (s snapshots) Before(ctx context.Context, t guard.Touched) error {
	return s.projects.Before(ctx, projects.Touched(t))
}

// After notes what changed.
func (s snapshots) After(ctx context.Context, ws ids.Workspace, call ids.ToolCall) error {
	return s.projects.After(ctx, ws, call)
}

// secrets are the keys of providers that a workspace has, its own and those of the settings.
func (a *App) secrets(ctx context.Context, ws ids.Workspace) ([]secret.Text, error) {
	var all []secret.Text
	cfg := a.settings.State().Running
	for _, p := range cfg.Providers {
		all = append(all, p.Key)
		for _, k := range p.Keys {
			all = append(all, k)
		}
	}
	keeper, err := providers.NewKeeper(providers.KeeperOptions{DB: a.db, Hub: a.hub, Box: a.box})
	if err != nil {
		return nil, err
	}
	for _, v := range vendors.All() {
		open, err := keeper.Open(ctx, ws, v.Name)
		if err != nil {
			return nil, err
		}
		for _, account := range open {
			all = append(all, account.Secret)
		}
	}
	return all, nil
}

// spending tells the guard when an agent has nothing left. Models are held to budgets call by call; this keeps an agent
// from going on with tools alone.
type spending struct {
	ledger *costs.Ledger

	mu    sync.Mutex // guards the field below
	known map[ids.Workspace]knownBudgets
}

type knownBudgets struct {
	list  []costs.BudgetStatus
	until time.Time
}

const budgetsLife = 5 * time.Second

// Room answers with a fault if a budget that blocks is used up.
func (s *spending) Room(ctx context.Context, ws ids.Workspace, agent string, _ ids.Run) error {
	list, err := s.budgets(ctx, ws)
	if err != nil {
		return err
	}
	for _, b := range list {
		about := b.Scope == costs.ScopeWorkspace || b.Scope == costs.ScopeAgent && b.ScopeID == agent
		if about && b.Enabled && b.AtLimit == costs.Block && b.Spent >= b.Limit {
			return fault.New(fault.Exhausted, "budget_spent", "The budget %s is used up.", strings.TrimSpace(b.Name)).
				WithHint("Wait for its next period, or have somebody allow more.")
		}
	}
	return nil
}

func (s *spending) budgets(ctx context.Context, ws ids.Workspace) ([]costs.BudgetStatus, error) {
	now := time.Now()
	s.mu.Lock()
	known, ok := s.known[ws]
	s.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.list, nil
	}
	// A ruling must not wait for the database to take what the ledger has in its journal.
	list, err := s.ledger.BudgetsWritten(ctx, ws)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[ids.Workspace]knownBudgets)
	}
	s.known[ws] = knownBudgets{list, now.Add(budgetsLife)}
	return list, nil
}
