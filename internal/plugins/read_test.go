package plugins

import (
	"strings"
	"testing"
)

func TestTheDocumentedPluginCanBeRead(t *testing.T) {
	t.Parallel()
	m, problems := Read(folder(t, examples(t, "../../docs/plugins.md")), Checks{})
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	if m.Name != "house-rules" || m.Version != "1.0.0" || len(m.Settings) != 2 || len(m.Servers) != 1 || len(m.Agents) != 1 || len(m.Skills) != 1 || len(m.Workflows) != 1 || len(m.Hooks) != 1 {
		t.Errorf("read %+v", m)
	}
	if h := m.Hooks[0]; h.OnError != FailClosed || h.Project != NoAccess || h.Network || h.Timeout.Seconds() != 5 {
		t.Errorf("the hook is %+v", h)
	}
}

func TestTheTemplateCanBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/my-plugin"
	if err := Begin(dir, "my-plugin"); err != nil {
		t.Fatal(err)
	}
	m, problems := Read(dir, Checks{})
	if len(problems) > 0 || m.Name != "my-plugin" || len(m.Hooks) != 1 || len(m.Skills) != 1 {
		t.Errorf("read %+v, problems %v", m, problems)
	}
	if err := Begin(dir, "my-plugin"); err == nil {
		t.Error("a folder that exists was written into")
	}
}

func TestProblemsSayWhere(t *testing.T) {
	t.Parallel()
	const head = "name: x\nversion: 1\ndescription: x\n"
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":                {head + "contributs: {}", "plugin.yaml:4:1: contributs: is not known here. Did you mean \"contributes\"?"},
		"a wrong type":                  {head + "contributes:\n  hooks: yes please", "plugin.yaml:5:10: contributes.hooks: must be a list, and is text"},
		"a missing name":                {"version: 1\ndescription: x", "plugin.yaml:1:1: name: is missing"},
		"a bad name":                    {"name: My Plugin\nversion: 1\ndescription: x", "plugin.yaml:1:7: name: must be 1 to 32 small letters"},
		"a reserved name":               {"name: new\nversion: 1\ndescription: x", "plugin.yaml:1:7: name: means something else here"},
		"an unknown event":              {head + "contributes:\n  hooks:\n    - event: before_tools\n      command: [cat]", "plugin.yaml:6:14: contributes.hooks[0].event: must be one of before_run, before_turn, before_tool, after_tool, after_turn, after_run. Did you mean \"before_tool\"?"},
		"a hook without a command":      {head + "contributes:\n  hooks:\n    - event: before_tool", "plugin.yaml:6:7: contributes.hooks[0].command: is missing"},
		"a program that is not there":   {head + "contributes:\n  hooks:\n    - {event: after_run, command: [./no.sh]}", "names the program no.sh, which is not in the folder"},
		"too much time before a tool":   {head + "contributes:\n  hooks:\n    - {event: before_tool, command: [cat], timeout: 9s}", "contributes.hooks[0].timeout: must be more than 0 and at most 8s"},
		"closed where nothing is asked": {head + "contributes:\n  hooks:\n    - {event: after_tool, command: [cat], on_error: fail_closed}", "cannot be fail_closed"},
		"tools of a run":                {head + "contributes:\n  hooks:\n    - {event: before_run, command: [cat], tools: [x]}", "has a meaning only before and after a tool"},
		"a variable of the server":      {head + "contributes:\n  mcp_servers:\n    s: {command: cat, env: {K: \"${OPENAI_API_KEY}\"}}", "refers to ${OPENAI_API_KEY}, which is not known here"},
		"an unknown setting":            {head + "settings: {token: {type: secret}}\ncontributes:\n  mcp_servers:\n    s: {command: cat, env: {K: \"${settings.tokn}\"}}", "refers to the setting \"tokn\", which the plugin does not have. Did you mean \"token\"?"},
		"a secret on the command line":  {head + "settings: {token: {type: secret}}\ncontributes:\n  mcp_servers:\n    s: {command: cat, args: [\"${settings.token}\"]}", "shows the secret token to everybody"},
		"a default that does not fit":   {head + "settings: {n: {type: number, max: 3, default: 4}}", "settings.n.default: must be at most 3"},
		"a default of a secret":         {head + "settings: {n: {type: secret, default: x}}", "cannot be given for a secret"},
		"a choice of nothing":           {head + "settings: {n: {type: choice}}", "a choice needs something to choose from"},
		"a path that leads out":         {head + "contributes: {agents: [../agents.yaml]}", "contributes.agents[0]: must be a path below the plugin's folder"},
		"a file that is not there":      {head + "contributes: {skills: [skills/none]}", "names skills/none, which is not in the folder"},
		"broken YAML":                   {"name: [", "plugin.yaml:1:"},
		"an alias":                      {"name: &a x\nversion: *a", "has an anchor, an alias or a tag"},
		"a list":                        {"- x", "must be a table of keys, and is a list"},
		"nothing":                       {"", "is empty"},
		"a key twice":                   {head + "name: y", "plugin.yaml:4:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := Read(folder(t, map[string]string{ManifestFile: c.text}), Checks{})
			var said []string
			for _, p := range problems {
				said = append(said, p.String())
			}
			if !strings.Contains(strings.Join(said, "\n"), c.want) {
				t.Errorf("problems of\n%s\n= %q, want %q", c.text, said, c.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add("name: x\nversion: 1\ndescription: y\nsettings: {a: {type: number, default: 1}}\ncontributes: {hooks: [{event: before_run, command: [cat, \"${settings.a}\"]}]}")
	f.Add("a: &x [*x]")
	f.Fuzz(func(t *testing.T, text string) {
		n, bad := parse([]byte(text))
		if (n == nil) == (bad == nil) {
			t.Fatalf("parse(%q) = %v, %v", text, n, bad)
		}
		if bad == nil {
			r := &manifestReader{reader: &reader{file: ManifestFile}, m: &Manifest{}, root: nil}
			r.settings(get(n, "settings"))
		}
	})
}
