package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/yamlnode"
	"github.com/fluxway/fluxway/internal/tools"
)

// Checks are what only other parts can say of a plugin.
type Checks struct {
	// Server says what is wrong with an MCP server; nil: nothing ever is.
	Server func(Server) error
}

// The bounds of what a plugin contributes.
const (
	maxServers   = 20
	maxAgents    = 50
	maxSkills    = 100
	maxWorkflows = 50
	maxHooks     = 30
	maxText      = 2000
)

// Read reads the plugin in a folder. With problems the manifest holds what could be read.
func Read(folder string, checks Checks) (*Manifest, []Problem) {
	r := &reader{file: ManifestFile}
	m := &Manifest{Name: strings.ToLower(filepath.Base(folder))}
	root, err := os.OpenRoot(folder)
	if err != nil {
		r.wrong(0, 0, "", "", "cannot be read: %v", reason(err))
		return m, r.problems
	}
	defer root.Close()
	src, err := readFile(root, ManifestFile, maxManifest)
	if err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = "fluxway plugins new makes one to begin with."
		}
		r.wrong(0, 0, "", hint, "cannot be read: %v", reason(err))
		return m, r.problems
	}
	n, bad := parse(src)
	if bad != nil {
		r.wrong(bad.At.Line, bad.At.Column, "", "", "%s", bad.Message)
		return m, r.problems
	}
	read := &manifestReader{reader: r, m: m, root: root, checks: checks}
	read.all(n)
	return m, r.problems
}

// reason is the heart of an error of the file system.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func readFile(root *os.Root, name string, most int) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	src, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(src) > most {
		err = fmt.Errorf("it is larger than %d kB", most>>10)
	}
	return src, err
}

// manifestReader reads a manifest with the files it names.
type manifestReader struct {
	*reader
	m      *Manifest
	root   *os.Root
	checks Checks
}

func (r *manifestReader) all(n *node) {
	r.known(n, "", "name", "version", "description", "author", "homepage", "settings", "contributes")
	r.name(n)
	for key, at := range map[string]*string{"version": &r.m.Version, "author": &r.m.Author, "homepage": &r.m.Homepage} {
		*at = r.text(get(n, key), key, 200)
	}
	r.m.Description = r.text(get(n, "description"), "description", maxText)
	for _, key := range []string{"version", "description"} {
		if v := get(n, key); v == nil || v.Kind == yamlnode.Null {
			r.wrong(n.At.Line, n.At.Column, key, "", "is missing")
		}
	}
	if h := r.m.Homepage; h != "" && !strings.HasPrefix(h, "https://") && !strings.HasPrefix(h, "http://") {
		r.at(get(n, "homepage"), "homepage", "", "must begin with https://")
	}
	r.settings(get(n, "settings"))
	c := get(n, "contributes")
	if !r.is(c, "contributes", yamlnode.Table) {
		return
	}
	r.known(c, "contributes", "mcp_servers", "agents", "skills", "workflows", "hooks")
	r.servers(get(c, "mcp_servers"))
	r.agents(get(c, "agents"))
	r.skills(get(c, "skills"))
	r.workflows(get(c, "workflows"))
	r.hooks(get(c, "hooks"))
}

func (r *manifestReader) name(n *node) {
	at := get(n, "name")
	name := r.text(at, "name", 100)
	switch {
	case name == "":
		if at == nil || at.Kind == yamlnode.Null {
			r.wrong(n.At.Line, n.At.Column, "name", "", "is missing")
		}
		return
	case !namePattern.MatchString(name):
		r.at(at, "name", "", "must be 1 to 32 small letters, digits and hyphens")
		return
	case slices.Contains(reserved, name):
		r.at(at, "name", "Choose another.", "means something else here")
	}
	r.m.Name = name
}

func (r *manifestReader) settings(n *node) {
	if !r.is(n, "settings", yamlnode.Table) {
		return
	}
	if len(n.Entries) > maxSettings {
		r.at(n, "settings", "", "has %d entries; the most is %d", len(n.Entries), maxSettings)
		return
	}
	for _, e := range n.Entries {
		key := join("settings", e.Key)
		if !settingPattern.MatchString(e.Key) {
			r.wrong(e.At.Line, e.At.Column, key, "", "must be small letters, digits and _, a letter first")
			continue
		}
		if r.is(e.Value, key, yamlnode.Table) {
			r.setting(e, key)
		}
	}
}

func (r *manifestReader) setting(e yamlnode.Entry, key string) {
	n := e.Value
	r.known(n, key, "type", "title", "description", "default", "required", "choices", "min", "max")
	s := Setting{
		Name: e.Key, Type: Type(r.choice(get(n, "type"), join(key, "type"), string(TypeText), types...)), Title: r.text(get(n, "title"), join(key, "title"), 200),
		Description: r.text(get(n, "description"), join(key, "description"), maxText), Required: r.flag(get(n, "required"), join(key, "required")),
		Choices: r.texts(get(n, "choices"), join(key, "choices"), 100), Min: r.number(get(n, "min"), join(key, "min")), Max: r.number(get(n, "max"), join(key, "max")),
	}
	if s.Title == "" {
		s.Title = strings.ToUpper(s.Name[:1]) + strings.ReplaceAll(s.Name[1:], "_", " ")
	}
	if s.Type == TypeChoice && len(s.Choices) == 0 {
		r.wrong(e.At.Line, e.At.Column, join(key, "choices"), "", "is missing: a choice needs something to choose from")
		return
	}
	if d := get(n, "default"); d != nil && d.Kind != yamlnode.Null {
		raw := asJSON(d)
		if s.Type == TypeSecret {
			r.at(d, join(key, "default"), "Leave it out: a secret in the plugin's files is none.", "cannot be given for a secret")
		} else if _, err := s.check(raw); err != nil {
			r.at(d, join(key, "default"), "", "%v", err)
		} else {
			s.Default = raw
		}
	}
	r.m.Settings = append(r.m.Settings, s)
}

// asJSON is a value as JSON.
func asJSON(n *node) json.RawMessage {
	var v any
	switch n.Kind {
	case yamlnode.Text:
		v = n.Text
	case yamlnode.Number, yamlnode.Boolean:
		if json.Valid([]byte(n.Text)) {
			return json.RawMessage(n.Text)
		}
		v = n.Text
	case yamlnode.List:
		items := make([]json.RawMessage, len(n.Items))
		for i, item := range n.Items {
			items[i] = asJSON(item)
		}
		v = items
	case yamlnode.Table:
		fields := make(map[string]json.RawMessage, len(n.Entries))
		for _, e := range n.Entries {
			fields[e.Key] = asJSON(e.Value)
		}
		v = fields
	case yamlnode.Null:
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// refers checks what a text refers to.
func (r *manifestReader) refers(n *node, key, text string) {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if m[1] == "folder" {
			continue
		}
		name, isSetting := strings.CutPrefix(m[1], "settings.")
		if !isSetting {
			r.at(n, key, "A plugin sees no variables of the server: make it a setting and write ${settings.NAME}.", "refers to %s, which is not known here", m[0])
			continue
		}
		if _, err := r.m.setting(name); err != nil {
			r.at(n, key, fault.From(err).Hint, "refers to the setting %q, which the plugin does not have", name)
		}
	}
}

// showsNoSecret keeps secrets out of what everybody on the machine can see.
func (r *manifestReader) showsNoSecret(n *node, key, text string) {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if s, err := r.m.setting(strings.TrimPrefix(m[1], "settings.")); err == nil && s.Type == TypeSecret {
			r.at(n, key, "Give it in env or headers.", "shows the secret %s to everybody who sees the command", s.Name)
		}
	}
}

func (r *manifestReader) servers(n *node) {
	if !r.is(n, "contributes.mcp_servers", yamlnode.Table) {
		return
	}
	if len(n.Entries) > maxServers {
		r.at(n, "contributes.mcp_servers", "", "has %d entries; the most is %d", len(n.Entries), maxServers)
		return
	}
	for _, e := range n.Entries {
		if key := join("contributes.mcp_servers", e.Key); r.is(e.Value, key, yamlnode.Table) {
			r.server(e, key)
		}
	}
}

func (r *manifestReader) server(e yamlnode.Entry, key string) {
	n := e.Value
	r.known(n, key, "transport", "command", "args", "env", "url", "headers", "sign_in", "allow", "deny", "read_only", "level", "timeout")
	sub := func(name string) (*node, string) { return get(n, name), join(key, name) }
	s := Server{Name: e.Key}
	s.Transport = r.choice(get(n, "transport"), join(key, "transport"), "", "stdio", "http", "sse")
	s.Command = r.text(get(n, "command"), join(key, "command"), 4096)
	s.Args = r.texts(get(n, "args"), join(key, "args"), 100)
	s.Env, s.Headers = r.table(sub("env")), r.table(sub("headers"))
	s.URL, s.SignIn = r.text(get(n, "url"), join(key, "url"), 4096), r.flag(sub("sign_in"))
	s.Allow, s.Deny, s.ReadOnly = r.globs(sub("allow")), r.globs(sub("deny")), r.globs(sub("read_only"))
	s.Level = tools.Level(r.choice(get(n, "level"), join(key, "level"), "", string(tools.Public), string(tools.Restricted), string(tools.Dangerous)))
	s.Timeout = r.duration(get(n, "timeout"), join(key, "timeout"), 0, maxServerTimeout)
	for _, text := range slices.Concat([]string{s.Command, s.URL}, s.Args, values(s.Env), values(s.Headers)) {
		r.refers(n, key, text)
	}
	for _, text := range append([]string{s.Command, s.URL}, s.Args...) {
		r.showsNoSecret(n, key, text)
	}
	r.variables(get(n, "env"), join(key, "env"), s.Env)
	r.program(get(n, "command"), join(key, "command"), s.Command)
	if r.checks.Server != nil {
		if err := r.checks.Server(s); err != nil {
			f := fault.From(err)
			r.wrong(e.At.Line, e.At.Column, strings.TrimSuffix(join(key, f.Param), "."), f.Hint, "%s", clause(f.Message))
			return
		}
	}
	r.m.Servers = append(r.m.Servers, s)
}

// clause is a sentence that goes on after a colon.
func clause(sentence string) string { return strings.TrimSuffix(sentence, ".") }

func values(m map[string]string) []string {
	var out []string
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

func (r *manifestReader) variables(n *node, key string, env map[string]string) {
	for name := range env {
		if !envPattern.MatchString(name) {
			r.at(n, join(key, name), "", "is not the name of a variable")
		}
	}
}

// program checks a command that is a file of the plugin.
func (r *manifestReader) program(n *node, key, command string) {
	file, ours := ownProgram(command)
	if !ours || n == nil {
		return
	}
	info, err := r.root.Stat(file)
	switch {
	case err != nil:
		r.at(n, key, "", "names the program %s, which is not in the folder", file)
	case !info.Mode().IsRegular():
		r.at(n, key, "", "names %s, which is not a file", file)
	case info.Mode()&0o111 == 0:
		r.at(n, key, fmt.Sprintf("chmod +x %s", file), "names %s, which may not be executed", file)
	}
}

// ownProgram is the file of a command that is one of the plugin's: ./check.sh or ${folder}/check.sh.
func ownProgram(command string) (string, bool) {
	for _, prefix := range []string{"./", "${folder}/"} {
		if file, ok := strings.CutPrefix(command, prefix); ok {
			return path.Clean(file), true
		}
	}
	return "", false
}

// files expands a list of files and patterns below the folder.
func (r *manifestReader) files(n *node, key string, most int) (out []string) {
	if !r.is(n, key, yamlnode.List) {
		return nil
	}
	for i, item := range n.Items {
		at := fmt.Sprintf("%s[%d]", key, i)
		glob := path.Clean(r.text(item, at, 1024))
		if glob == "." || !fs.ValidPath(glob) {
			r.at(item, at, "Give a path such as agents/reviewer.yaml.", "must be a path below the plugin's folder")
			continue
		}
		found, err := fs.Glob(r.root.FS(), glob)
		if err != nil || len(found) == 0 {
			r.at(item, at, "", "names %s, which is not in the folder", glob)
			continue
		}
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	if len(out) > most {
		r.at(n, key, "", "names %d files; the most is %d", len(out), most)
		return nil
	}
	return out
}

func (r *manifestReader) agents(n *node) {
	for _, file := range r.files(n, "contributes.agents", maxAgents) {
		src, err := readFile(r.root, file, agents.MaxFile)
		if err != nil {
			r.inFile(file, "", "cannot be read: %v", reason(err))
			continue
		}
		list, notes, err := agents.Read(src)
		if err != nil {
			f := fault.From(err)
			r.problems = append(r.problems, Problem{File: file, Key: f.Param, Message: clause(f.Message), Hint: f.Hint})
			continue
		}
		for _, note := range notes {
			r.problems = append(r.problems, Problem{File: file, Key: strings.Trim(note.Agent+"."+note.Field, "."), Message: clause(note.Message)})
		}
		for _, a := range list {
			if slices.ContainsFunc(r.m.Agents, func(o Agent) bool { return o.Agent.Name == a.Name }) {
				r.inFile(file, a.Name, "is a second agent of this name")
				continue
			}
			r.m.Agents = append(r.m.Agents, Agent{file, a})
		}
	}
}

func (r *manifestReader) inFile(file, key, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: file, Key: key, Message: fmt.Sprintf(format, args...)})
}

func (r *manifestReader) skills(n *node) {
	for _, folder := range r.files(n, "contributes.skills", maxSkills) {
		s, ok, err := agents.ReadSkill(r.root, folder)
		switch {
		case err != nil:
			r.inFile(folder, "", "cannot be read: %v", reason(err))
		case !ok:
			r.problems = append(r.problems, Problem{File: folder + "/SKILL.md", Message: "is missing, or has no name and description between --- lines at its beginning"})
		case slices.ContainsFunc(r.m.Skills, func(o agents.Skill) bool { return o.Name == s.Name }):
			r.inFile(folder, s.Name, "is a second skill of this name")
		default:
			s.Plugin = r.m.Name
			r.m.Skills = append(r.m.Skills, s)
		}
	}
}

// workflows are looked at as far as anybody can today: each is a table with a name.
func (r *manifestReader) workflows(n *node) {
	for _, file := range r.files(n, "contributes.workflows", maxWorkflows) {
		src, err := readFile(r.root, file, maxManifest)
		if err != nil {
			r.inFile(file, "", "cannot be read: %v", reason(err))
			continue
		}
		flow, bad := parse(src)
		if bad != nil {
			r.problems = append(r.problems, Problem{File: file, Line: bad.At.Line, Column: bad.At.Column, Message: bad.Message})
			continue
		}
		name := get(flow, "name")
		if name == nil || name.Kind != yamlnode.Text || name.Text == "" {
			r.problems = append(r.problems, Problem{File: file, Line: flow.At.Line, Column: flow.At.Column, Key: "name", Message: "is missing"})
			continue
		}
		r.m.Workflows = append(r.m.Workflows, Workflow{name.Text, file})
	}
}
