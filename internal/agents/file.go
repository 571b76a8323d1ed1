package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// FileFormat is what the files we write call themselves.
const FileFormat = "agents/1"

// File is agents as they are exported, to be kept or taken elsewhere.
type File struct {
	Format string      `json:"fluxway" yaml:"fluxway"`
	Agents []FileAgent `json:"agents" yaml:"agents"`
}

// FileAgent is one agent in a file, in words that people write.
type FileAgent struct {
	Name         string       `json:"name" yaml:"name"`
	Title        string       `json:"title,omitempty" yaml:"title,omitempty"`
	Description  string       `json:"description,omitempty" yaml:"description,omitempty"`
	Model        string       `json:"model,omitempty" yaml:"model,omitempty"`
	Params       *Params      `json:"params,omitempty" yaml:"params,omitempty"`
	Instructions string       `json:"instructions,omitempty" yaml:"instructions,omitempty"`
	Persona      string       `json:"persona,omitempty" yaml:"persona,omitempty"`
	Tools        tools.Filter `json:"tools" yaml:"tools"`
	Helpers      []string     `json:"helpers,omitempty" yaml:"helpers,omitempty"`
	Memory       Memory       `json:"memory" yaml:"memory"`
	Driver       string       `json:"driver" yaml:"driver"`
	Limits       *FileLimits  `json:"limits,omitempty" yaml:"limits,omitempty"`
	Users        []string     `json:"users,omitempty" yaml:"users,omitempty"`
	Hue          string       `json:"hue,omitempty" yaml:"hue,omitempty"`
}

// FileLimits are limits in words that people write.
type FileLimits struct {
	Turns     int    `json:"turns,omitempty" yaml:"turns,omitempty"`
	ToolCalls int    `json:"tool_calls,omitempty" yaml:"tool_calls,omitempty"`
	Helpers   int    `json:"helpers,omitempty" yaml:"helpers,omitempty"`
	Depth     int    `json:"depth,omitempty" yaml:"depth,omitempty"`
	Time      string `json:"time,omitempty" yaml:"time,omitempty"`   // 30m
	Money     string `json:"money,omitempty" yaml:"money,omitempty"` // dollars: 2.50
	Window    int    `json:"window,omitempty" yaml:"window,omitempty"`
}

// Export gives agents as a file; no names: all that the workspace made or changed.
func (r *Roster) Export(ctx context.Context, ws ids.Workspace, names ...string) (File, error) {
	s, err := r.shelf(ctx, ws)
	if err != nil {
		return File{}, err
	}
	f := File{Format: FileFormat, Agents: []FileAgent{}}
	for _, name := range s.names {
		if a := s.agents[name]; len(names) == 0 && a.Origin == FromWorkspace && open(ctx, &a) {
			f.Agents = append(f.Agents, fileAgent(a))
		}
	}
	for _, name := range names {
		a, ok := s.agents[name]
		if !ok || !open(ctx, &a) {
			return File{}, notFound(ctx, s, name)
		}
		f.Agents = append(f.Agents, fileAgent(a))
	}
	return f, nil
}

// YAML writes the file for people.
func (f File) YAML() ([]byte, error) {
	return yaml.MarshalWithOptions(f, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
}

func fileAgent(a Agent) FileAgent {
	a = a.clone()
	f := FileAgent{
		Name: a.Name, Title: a.Title, Description: a.Description, Model: a.Model, Instructions: a.Instructions, Persona: a.Persona,
		Tools: a.Tools, Helpers: a.Helpers, Memory: a.Memory, Driver: a.Driver, Users: a.Users, Hue: a.Hue,
	}
	if a.Params != (Params{}) {
		f.Params = &a.Params
	}
	if l := a.Limits; l != (Limits{}) {
		f.Limits = &FileLimits{Turns: l.Turns, ToolCalls: l.ToolCalls, Helpers: l.Helpers, Depth: l.Depth, Window: l.Window}
		if l.Time > 0 {
			f.Limits.Time = l.Time.String()
		}
		if l.Money > 0 {
			f.Limits.Money = dollars(l.Money)
		}
	}
	return f
}

// dollars writes micro-dollars exactly.
func dollars(micros int64) string {
	text := fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// micros reads dollars exactly.
func micros(text string) (int64, error) {
	whole, part, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "$"), ".")
	if len(part) > 6 || whole == "" || strings.HasPrefix(part, "-") || strings.HasPrefix(part, "+") {
		return 0, fmt.Errorf("%q is not an amount of dollars", text)
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", 6-len(part)), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not an amount of dollars", text)
	}
	return n, nil
}

// ImportOptions say how a file is taken over.
type ImportOptions struct {
	Replace bool // agents of the same name are changed instead of refused
	DryRun  bool // only say what would happen
}

// Imported is what came of a file.
type Imported struct {
	Agents        []ImportedAgent `json:"agents"`
	NotUnderstood []Note          `json:"not_understood" doc:"What the file says and no agent here can be told."`
	DryRun        bool            `json:"dry_run"`
}

// ImportedAgent is one agent of a file.
type ImportedAgent struct {
	Name     string    `json:"name"`
	Style    Style     `json:"style"`
	Outcome  Outcome   `json:"outcome"`
	Version  int       `json:"version,omitempty"`
	Warnings []Problem `json:"warnings,omitempty"`
}

// Outcome is what became of an agent in a file.
type Outcome string

// The outcomes.
const (
	OutCreated Outcome = "created"
	OutChanged Outcome = "changed"
	OutSame    Outcome = "unchanged"
)

// Import takes over the agents of a file, all or none. Files of ours, of MUXI
// and of Fluxmaster are understood, in YAML and JSON.
func (r *Roster) Import(ctx context.Context, ws ids.Workspace, text []byte, opts ImportOptions) (Imported, error) {
	drafts, notes, err := ParseFile(text)
	if err != nil {
		return Imported{}, err
	}
	s, err := r.fresh(ctx, ws)
	if err != nil {
		return Imported{}, err
	}
	out := Imported{NotUnderstood: notes, DryRun: opts.DryRun, Agents: []ImportedAgent{}}
	steps, err := r.plan(ctx, ws, s, drafts, opts, &out)
	if err != nil || opts.DryRun {
		return out, err
	}
	err = r.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		for i, st := range steps {
			if st == nil {
				continue
			}
			if err := r.write(ctx, tx, ws, s, st); err != nil {
				return err
			}
			out.Agents[i].Version = st.agent.Version
		}
		return nil
	})
	if err != nil {
		return Imported{}, fmt.Errorf("importing agents: %w", err)
	}
	return out, nil
}

// plan works out what each draft of a file does; nil: nothing.
func (r *Roster) plan(ctx context.Context, ws ids.Workspace, s *shelf, drafts []Draft, opts ImportOptions, out *Imported) ([]*step, error) {
	var steps []*step
	var wrong []Problem
	for i, d := range drafts {
		old, there := s.agents[d.Name]
		if there && !opts.Replace {
			return nil, exists(d.Name).(*fault.Fault).WithHint("Import with replace, or rename one of the two.")
		}
		below := blank(d.Name)
		below.Version, below.Origin = old.Version, old.Origin
		a, err := below.merged(d.Fields)
		if err != nil {
			f := fault.From(err)
			return nil, f.WithParam(fmt.Sprintf("agents[%d].%s", i, f.Param))
		}
		for _, p := range a.check() {
			wrong = append(wrong, Problem{fmt.Sprintf("agents[%d].%s", i, p.Param), p.Message, p.Hint})
		}
		one := ImportedAgent{Name: d.Name, Style: d.Style, Outcome: OutCreated, Version: old.Version, Warnings: r.odd(ctx, ws, &a, s)}
		st := &step{WasImported, a, s.rows[d.Name].Version}
		switch {
		case there && same(old, a):
			one.Outcome, st = OutSame, nil
		case there:
			one.Outcome = OutChanged
		}
		out.Agents, steps = append(out.Agents, one), append(steps, st)
	}
	if len(wrong) > 0 {
		return nil, invalid(wrong)
	}
	return steps, nil
}

// ours reads an agent of our own file: its fields as they are, with times and
// money in people's words.
func ours(item map[string]any, notes *importNotes) Draft {
	name, _ := item["name"].(string)
	notes.agent = name
	if limits, ok := item["limits"].(map[string]any); ok {
		if text, ok := limits["time"].(string); ok {
			delete(limits, "time")
			if d, err := time.ParseDuration(text); err == nil {
				limits["time_ns"] = int64(d)
			} else {
				notes.add("limits.time", "%q is not a time such as 30m.", text)
			}
		}
		if v, ok := limits["money"]; ok {
			delete(limits, "money")
			if n, err := micros(fmt.Sprint(v)); err == nil {
				limits["money_micros"] = n
			} else {
				notes.add("limits.money", "%v is not an amount of dollars such as 2.50.", v)
			}
		}
	}
	keep(item, ourFields, "", notes)
	return draft(name, StyleOurs, item)
}

// ourFields are the names a definition may have, with those inside them.
var ourFields = map[string][]string{
	"name": nil, "title": nil, "description": nil, "model": nil, "instructions": nil, "persona": nil, "helpers": nil, "driver": nil, "users": nil, "hue": nil,
	"params": {"temperature", "top_p", "max_tokens", "effort"}, "tools": {"allow", "deny"}, "memory": {"recall", "remember", "knowledge"},
	"limits": {"turns", "tool_calls", "helpers", "depth", "time_ns", "money_micros", "window"},
}

// keep takes out of an item what has no meaning, and notes it.
func keep(item map[string]any, known map[string][]string, under string, notes *importNotes) {
	for _, name := range sortedNames(item) {
		inside, ok := known[name]
		if !ok {
			delete(item, name)
			notes.add(under+name, "Agents have no such field.")
			continue
		}
		inner, isObject := item[name].(map[string]any)
		if isObject && inside != nil {
			fields := map[string][]string{}
			for _, f := range inside {
				fields[f] = nil
			}
			keep(inner, fields, under+name+".", notes)
		}
	}
}

func draft(name string, style Style, fields map[string]any) Draft {
	delete(fields, "name")
	text, err := json.Marshal(fields)
	if err != nil { // it was read from JSON or YAML
		text = []byte("{}")
	}
	return Draft{Name: name, Style: style, Fields: text}
}
