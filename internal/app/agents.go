package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/runs"
)

// openAgents builds who can be asked, and who chooses among them.
func (a *App) openAgents() (err error) {
	settings, err := agentSettings(a.cfg, a.opts.Loaded.Origins)
	if err != nil {
		return err
	}
	a.agents, err = agents.Open(agents.Options{
		DB: a.db, Hub: a.hub, Model: a.models.preset, Log: a.log, Settings: settings, Known: a.models.knows, Shared: !a.alone(),
	})
	if err != nil {
		return err
	}
	a.router, err = agents.NewRouter(agents.RouterOptions{
		Roster: a.agents, Ask: a.chooseByModel, Default: a.cfg.Routing.Default, TTL: a.cfg.Routing.Remembered.Std(), Timeout: a.cfg.Routing.Timeout.Std(), Log: a.log,
	})
	return err
}

// configureAgents takes over what the settings say now.
func (a *App) configureAgents(cfg config.Config) error {
	settings, err := agentSettings(cfg, a.settings.State().Loaded.Origins)
	if err != nil {
		return err
	}
	return a.agents.Configure(settings)
}

// route is runs' way to an agent for a message that names none.
func (a *App) route(ctx context.Context, who conversations.Asker, text string) (runs.Routing, error) {
	c, err := a.router.Pick(ctx, who.Workspace, who.User, text)
	return runs.Routing{Agent: c.Agent, Why: c.Why, How: string(c.How), Confidence: c.Confidence}, err
}

// noModel in routing.model has words alone decide.
const noModel = "none"

// chooseByModel asks a small model which agent to take; the demonstration cannot judge.
func (a *App) chooseByModel(ctx context.Context, ws ids.Workspace, req *providers.Request) (*providers.Response, bool, error) {
	name := a.models.settings().Routing.Model
	if name == "" {
		preset, err := a.models.preset(ctx, ws)
		if err != nil {
			return nil, false, err
		}
		name = small(preset)
	}
	if name == noModel || strings.HasPrefix(name, demo.Vendor+"/") {
		return nil, false, nil
	}
	model, known, err := a.models.find(ctx, ws, name)
	if err != nil {
		return nil, false, err
	}
	by := costs.From(ctx)
	by.Workspace, by.Door, by.Asked = ws, "routing", name
	req.Model = known
	answer, err := providers.Complete(costs.With(ctx, by), model, req)
	return answer, err == nil, err
}

// smalls are quick and cheap models of providers that have a favourite.
var smalls = map[string]string{
	"anthropic": "claude-haiku-5-5", "openai": "gpt-6-luna", "gemini": "gemini-3.5-flash-lite", "mistral": "mistral-small-latest", "copilot": "gpt-5-mini",
}

// small is a quick and cheap model of the provider that serves model, or that
// model itself. It is the one for titles, summaries and choices.
func small(model string) string {
	provider, _, ok := strings.Cut(model, "/")
	if name := smalls[provider]; ok && name != "" {
		return provider + "/" + name
	}
	return model
}

// cheap names the model for small work beside a run; "": the demonstration's
// runs have theirs done by rule.
func (a *App) cheap(_ context.Context, _ ids.Workspace, model string) string {
	if strings.HasPrefix(model, demo.Vendor+"/") {
		return ""
	}
	return small(model)
}

// knows says whether a workspace can ask for a model: a route, or one of a
// provider it has. What the catalogue does not list may still be served, by
// providers that it lists nothing of.
func (m *models) knows(ctx context.Context, ws ids.Workspace, name string) bool {
	if _, ok := m.settings().Models.Routes[name]; ok {
		return true
	}
	provider, _, ok := strings.Cut(name, "/")
	b, err := m.board(ctx, ws)
	if err != nil || !ok || b.table[provider] == nil {
		return false
	}
	if _, listed := m.opts.Catalogue.Find(name); listed {
		return true
	}
	for _, e := range m.opts.Catalogue.All() {
		if strings.HasPrefix(e.ID, provider+"/") {
			return false
		}
	}
	return true
}

// agentSettings makes merge patches of what the settings say about agents: only
// what was really given covers a preset.
func agentSettings(cfg config.Config, origins map[string]config.Origin) (map[string]json.RawMessage, error) {
	patches := map[string]json.RawMessage{}
	for name, a := range cfg.Agents {
		patch := map[string]any{}
		for key, f := range agentFields(a) {
			if _, given := origins["agents."+name+"."+key]; !given {
				continue
			}
			at := patch
			if f.section != "" {
				inner, _ := patch[f.section].(map[string]any)
				if inner == nil {
					inner = map[string]any{}
					patch[f.section] = inner
				}
				at = inner
			}
			at[f.field] = f.value
		}
		text, err := json.Marshal(patch)
		if err != nil {
			return nil, fmt.Errorf("the agent %s of the settings: %w", name, err)
		}
		patches[name] = text
	}
	return patches, nil
}

// agentField is where a setting stands in a definition.
type agentField struct {
	section, field string
	value          any
}

func agentFields(a config.Agent) map[string]agentField {
	return map[string]agentField{
		"title": {"", "title", a.Title}, "description": {"", "description", a.Description}, "model": {"", "model", a.Model},
		"instructions": {"", "instructions", a.Instructions}, "persona": {"", "persona", a.Persona}, "helpers": {"", "helpers", a.Helpers},
		"users": {"", "users", a.Users}, "hue": {"", "hue", a.Hue},
		"tools": {"tools", "allow", a.Tools}, "deny_tools": {"tools", "deny", a.DenyTools},
		"recall": {"memory", "recall", a.Recall}, "remember": {"memory", "remember", a.Remember}, "knowledge": {"memory", "knowledge", a.Knowledge},
		"temperature": {"params", "temperature", float64(a.Temperature.Micros) / 1e6}, "top_p": {"params", "top_p", float64(a.TopP.Micros) / 1e6},
		"max_tokens": {"params", "max_tokens", a.MaxTokens}, "effort": {"params", "effort", a.Effort},
		"max_turns": {"limits", "turns", a.MaxTurns}, "max_tool_calls": {"limits", "tool_calls", a.MaxToolCalls}, "max_helpers": {"limits", "helpers", a.MaxHelpers},
		"max_depth": {"limits", "depth", a.MaxDepth}, "max_time": {"limits", "time_ns", int64(a.MaxTime.Std())}, "max_money": {"limits", "money_micros", a.MaxMoney.Micros},
		"window": {"limits", "window", a.Window},
	}
}
