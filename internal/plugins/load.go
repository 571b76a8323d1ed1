package plugins

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/store"
)

// Source is how a plugin came to this server.
type Source string

// The sources.
const (
	FromFolder Source = "folder"   // it is in the server's own folder of plugins
	FromLink   Source = "link"     // a link there leads to it
	FromConfig Source = "settings" // the settings name its folder
)

// place is a folder that may be a plugin.
type place struct {
	path   string // as it is shown
	folder string // without links; "": it is not there
	source Source
	*inspection
}

// inspection is what a folder held when it was last read.
type inspection struct {
	stamp    string
	manifest *Manifest
	problems []Problem
	tree     tree
}

// places looks at every folder, those of the server first; the first of a name counts.
func (m *Manager) places() ([]*place, error) {
	entries, err := os.ReadDir(m.opts.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the folder of plugins: %w", err)
	}
	var all []*place
	for _, e := range entries {
		link := e.Type()&fs.ModeSymlink != 0
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() && !link {
			continue
		}
		p := &place{path: filepath.Join(m.opts.Folder, e.Name()), source: FromFolder}
		if link {
			p.source = FromLink
		}
		all = append(all, p)
	}
	for _, folder := range m.opts.Extra {
		all = append(all, &place{path: folder, source: FromConfig})
	}
	seen := map[string]bool{}
	for _, p := range all {
		m.inspect(p)
		if seen[p.manifest.Name] {
			p.problems = append(slices.Clone(p.problems), Problem{File: ManifestFile, Key: "name", Message: "is the name of another plugin here", Hint: "Rename one of the two."})
			p.inspection = &inspection{p.stamp, &Manifest{Name: uniqueName(seen, filepath.Base(p.path))}, p.problems, p.tree}
		}
		seen[p.manifest.Name] = true
	}
	slices.SortFunc(all, func(a, b *place) int { return cmp.Compare(a.manifest.Name, b.manifest.Name) })
	return all, nil
}

func uniqueName(seen map[string]bool, name string) string {
	for i := 2; seen[name]; i++ {
		name = fmt.Sprintf("%s-%d", strings.TrimRight(name, "-0123456789"), i)
	}
	return name
}

// inspect reads a folder, unless nothing was written there since it was last read.
func (m *Manager) inspect(p *place) {
	name := strings.ToLower(filepath.Base(p.path))
	broken := func(err error) {
		p.inspection = &inspection{manifest: &Manifest{Name: name}, problems: []Problem{{File: ManifestFile, Message: fmt.Sprintf("cannot be read: %v", reason(err))}}}
	}
	folder, err := filepath.EvalSymlinks(p.path)
	if err != nil {
		broken(err)
		return
	}
	p.folder = folder
	stamp, err := stampOf(folder)
	if err != nil {
		broken(err)
		return
	}
	m.mu.Lock()
	known := m.known[folder]
	m.mu.Unlock()
	if known != nil && known.stamp == stamp {
		p.inspection = known
		return
	}
	in := &inspection{stamp: stamp}
	in.manifest, in.problems = Read(folder, m.opts.Checks)
	if in.tree, err = treeOf(folder); err != nil {
		in.problems = append(in.problems, Problem{File: ".", Message: reason(err).Error()})
	}
	p.inspection = in
	m.mu.Lock()
	m.known[folder] = in
	m.mu.Unlock()
}

// row is what a workspace knows of a plugin.
type row struct {
	Workspace ids.Workspace              `db:"workspace_id"`
	Name      string                     `db:"name"`
	Enabled   bool                       `db:"enabled"`
	Agreed    agreed                     `db:"agreed,json"`
	Settings  map[string]json.RawMessage `db:"settings,json"`
	Sealed    []byte                     `db:"secrets"`
	EnabledBy ids.User                   `db:"enabled_by"`
	EnabledAt time.Time                  `db:"enabled_at"`
	UpdatedAt time.Time                  `db:"updated_at"`
}

// agreed is what a person looked at when they enabled a plugin.
type agreed struct {
	Digest  string            `json:"digest,omitempty"`
	Version string            `json:"version,omitempty"`
	Files   map[string]string `json:"files,omitempty"`
	Hooks   []Hook            `json:"hooks,omitempty"`
}

// State is how a plugin stands in a workspace.
type State string

// The states.
const (
	StateDisabled State = "disabled" // it gives nothing
	StateEnabled  State = "enabled"
	StateChanged  State = "changed" // its files are not those that were agreed to: it gives nothing
	StateInvalid  State = "invalid" // it cannot be used as it is
	StateMissing  State = "missing" // its folder is gone
)

// stateOf decides how a plugin stands.
func stateOf(r *row, p *place) State {
	switch {
	case p == nil || p.folder == "":
		return StateMissing
	case r != nil && r.Enabled && r.Agreed.Digest != p.tree.digest:
		return StateChanged
	case len(p.problems) > 0:
		return StateInvalid
	case r != nil && r.Enabled:
		return StateEnabled
	}
	return StateDisabled
}

// active is an enabled plugin of a workspace. It does not change.
type active struct {
	key
	state    State
	row      row
	place    *place // nil: the folder is gone
	settings map[string]any
	trouble  error // why it gives nothing although it is enabled
}

// same says whether nothing has to be brought in line.
func (a *active) same(b *active) bool {
	return b != nil && a.state == b.state && a.row.UpdatedAt.Equal(b.row.UpdatedAt) && a.row.Agreed.Digest == b.row.Agreed.Digest &&
		(a.trouble == nil) == (b.trouble == nil) && a.folder() == b.folder()
}

func (a *active) folder() string {
	if a.place == nil {
		return ""
	}
	return a.place.folder
}

// gives says whether the plugin contributes anything.
func (a *active) gives() bool { return a.state == StateEnabled && a.trouble == nil }

// Load brings what plugins give in line with what was agreed to, the settings and the folders. It reads nothing
// where there are no plugins.
func (m *Manager) Load(ctx context.Context) error {
	m.loading.Lock()
	defer m.loading.Unlock()
	m.mu.Lock()
	before := m.active
	m.mu.Unlock()
	if len(before) == 0 && !m.Any() {
		return nil
	}
	rows, err := store.All[row](ctx, m.opts.DB.Read(), selectRows, "", "")
	if err != nil {
		return fmt.Errorf("reading plugins: %w", err)
	}
	places, err := m.places()
	if err != nil {
		return err
	}
	after := map[key]*active{}
	for i := range rows {
		if !rows[i].Enabled {
			continue
		}
		a := m.weigh(rows[i], places)
		if old := before[a.key]; old != nil && a.same(old) && old.place != nil && a.place != nil && old.place.stamp == a.place.stamp {
			a = old
		}
		after[a.key] = a
	}
	m.bringIn(ctx, before, after)
	m.mu.Lock()
	m.active = after
	m.mu.Unlock()
	m.hooks.Store(tableOf(after, m.healthOf))
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return nil
}

// weigh works out what an enabled plugin is now.
func (m *Manager) weigh(r row, places []*place) *active {
	a := &active{key: key{r.Workspace, r.Name}, row: r, place: find(places, r.Name)}
	a.state = stateOf(&r, a.place)
	if a.state != StateEnabled {
		return a
	}
	have, err := m.open(r)
	if err == nil {
		a.settings, err = a.place.manifest.resolve(have, m.opts.Lookup)
	}
	a.trouble = err
	return a
}

func find(places []*place, name string) *place {
	for _, p := range places {
		if p.manifest.Name == name {
			return p
		}
	}
	return nil
}

// bringIn hands over what changed between two states, and takes back what is gone.
func (m *Manager) bringIn(ctx context.Context, before, after map[key]*active) {
	for k, old := range before {
		if after[k] == nil && old.gives() {
			m.withdraw(ctx, k)
		}
	}
	for k, a := range after {
		old := before[k]
		if a == old || a.same(old) {
			continue
		}
		if a.gives() {
			m.give(ctx, a)
			continue
		}
		if old != nil && old.gives() {
			m.withdraw(ctx, k)
		}
		m.complain(ctx, a)
	}
}

// complain keeps why an enabled plugin gives nothing.
func (m *Manager) complain(ctx context.Context, a *active) {
	if a.state == StateChanged {
		changes := changesOf(a.row.Agreed.Files, a.place.tree.files)
		m.say(ctx, a.ws, Changed{a.name, changes[:min(len(changes), 20)]})
		return
	}
	if a.trouble != nil {
		f := fault.From(a.trouble)
		m.failed(ctx, a.key, Failure{Code: f.Code, Message: f.Message})
	}
}

// give hands a plugin's servers and agents over; what is wrong with one is kept with the plugin.
func (m *Manager) give(ctx context.Context, a *active) {
	man := a.place.manifest
	if m.opts.Servers != nil {
		list := make([]ReadyServer, 0, len(man.Servers))
		for _, s := range man.Servers {
			list = append(list, m.ready(a, s))
		}
		for name, err := range m.opts.Servers(ctx, a.ws, a.name, list) {
			m.failed(ctx, a.key, Failure{Code: "server_not_offered", Message: fmt.Sprintf("The MCP server %s is not offered: %s", name, fault.From(err).Message)})
		}
	}
	if m.opts.Agents == nil {
		return
	}
	list := make([]agents.Agent, 0, len(man.Agents))
	for _, one := range man.Agents {
		list = append(list, one.Agent)
	}
	taken, err := m.opts.Agents(ctx, a.ws, a.name, list)
	if err != nil {
		m.failed(ctx, a.key, Failure{Code: "agents_not_offered", Message: fault.From(err).Message})
	}
	for _, name := range taken {
		m.failed(ctx, a.key, Failure{Code: "agent_exists", Message: fmt.Sprintf("The agent %s is not offered: there is another of this name.", name)})
	}
}

func (m *Manager) withdraw(ctx context.Context, k key) {
	if m.opts.Servers != nil {
		m.opts.Servers(ctx, k.ws, k.name, nil)
	}
	if m.opts.Agents != nil {
		if _, err := m.opts.Agents(ctx, k.ws, k.name, nil); err != nil {
			m.log.ErrorContext(ctx, "agents of a plugin not taken back", "part", "plugins", "plugin", k.name, "err", err)
		}
	}
}

// ready fills the settings into a server. A text that a setting is in is kept as a secret, so that it is not shown.
func (m *Manager) ready(a *active, s Server) ReadyServer {
	folder := a.place.folder
	out := ReadyServer{Server: s, Folder: folder, Secrets: map[string]secret.Text{}}
	out.Command, out.URL = own(s.Command, folder, a.settings), fill(s.URL, folder, a.settings)
	out.Args = make([]string, len(s.Args))
	for i, arg := range s.Args {
		out.Args[i] = fill(arg, folder, a.settings)
	}
	hide := func(prefix string, from map[string]string) map[string]string {
		to := make(map[string]string, len(from))
		for name, text := range from {
			word := prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
			if !strings.Contains(text, "${settings.") {
				to[name] = fill(text, folder, a.settings)
				continue
			}
			out.Secrets[word], to[name] = secret.New(fill(text, folder, a.settings)), "${"+word+"}"
		}
		return to
	}
	out.Env, out.Headers = hide("ENV_", s.Env), hide("HEADER_", s.Headers)
	if s.Command != "" {
		out.Env["FLUXWAY_PLUGIN"], out.Env["FLUXWAY_PLUGIN_FOLDER"], out.Env["PYTHONDONTWRITEBYTECODE"] = a.name, folder, "1"
		if text, err := json.Marshal(a.settings); err == nil {
			out.Secrets["SETTINGS"], out.Env["FLUXWAY_SETTINGS"] = secret.New(string(text)), "${SETTINGS}"
		}
	}
	out.Ready = func() error { return m.unchanged(a) }
	return out
}

// own makes a program of the plugin's folder an absolute path.
func own(command, folder string, settings map[string]any) string {
	if file, ok := ownProgram(command); ok {
		return filepath.Join(folder, filepath.FromSlash(file))
	}
	return fill(command, folder, settings)
}

// unchanged says whether a plugin's files are still those that were agreed to. Where they are not, Run takes back what
// it gives; it is not done here, because whoever asks may be what is waited for then.
func (m *Manager) unchanged(a *active) error {
	if stamp, err := stampOf(a.place.folder); err == nil && stamp == a.place.stamp {
		return nil
	}
	if t, err := treeOf(a.place.folder); err == nil && t.digest == a.row.Agreed.Digest {
		return nil
	}
	select {
	case m.look <- struct{}{}:
	default:
	}
	return changedFault(a.name)
}

func changedFault(name string) error {
	return fault.New(fault.Conflict, "plugin_changed", "Files of the plugin %s are not those that were agreed to.", name).
		WithHint("Somebody who may manage plugins has to look at it: fluxway plugins show %s.", name)
}

func sealed(k key) []byte { return seal.Place("plugins_plugins", string(k.ws), k.name, "secrets") }

// open gives what a person set, secrets included.
func (m *Manager) open(r row) (stored, error) {
	have := stored{values: r.Settings, secrets: map[string]secret.Text{}}
	if len(r.Sealed) == 0 {
		return have, nil
	}
	text, err := m.opts.Box.Open(r.Sealed, sealed(key{r.Workspace, r.Name}))
	if err != nil {
		return have, fmt.Errorf("opening the secrets of %s: %w", r.Name, err)
	}
	var plain map[string]string
	if err := json.Unmarshal(text, &plain); err != nil {
		return have, fmt.Errorf("reading the secrets of %s: %w", r.Name, err)
	}
	for name, value := range plain {
		have.secrets[name] = secret.New(value)
	}
	return have, nil
}

// Shelf is the skills that a workspace has from its plugins.
func (m *Manager) Shelf(_ context.Context, ws ids.Workspace) []agents.Shelved {
	m.mu.Lock()
	var givers []*active
	for _, a := range m.active {
		if a.ws == ws && a.gives() && len(a.place.manifest.Skills) > 0 {
			givers = append(givers, a)
		}
	}
	m.mu.Unlock()
	slices.SortFunc(givers, func(a, b *active) int { return cmp.Compare(a.name, b.name) })
	var out []agents.Shelved
	for _, a := range givers {
		if m.unchanged(a) != nil {
			continue
		}
		for _, s := range a.place.manifest.Skills {
			if !slices.ContainsFunc(out, func(o agents.Shelved) bool { return o.Name == s.Name }) {
				out = append(out, agents.Shelved{Skill: s, Root: a.place.folder})
			}
		}
	}
	return out
}
