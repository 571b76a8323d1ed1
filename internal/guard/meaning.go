package guard

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/tools"
)

// builtin is the origin of tools whose arguments mean what their specs say.
const builtin = "builtin"

// meaning is what the arguments of a call say it would touch.
type meaning struct {
	args    []argument
	command string // shell text that would run
	runs    bool   // it runs a command, also an empty one
	dir     string // where
	network bool   // what it is given may leave this machine
	method  string
	paths   []string // absolute
	urls    []string
}

// argument is one field of the arguments.
type argument struct {
	name string
	raw  json.RawMessage
}

// arguments are the fields in the order of their names.
func arguments(args json.RawMessage) (list []argument, err error) {
	plain := rawjson.Plain(args, func(key, value []byte, _ rawjson.Kind) bool {
		list = append(list, argument{string(key), value})
		return true
	})
	if plain {
		return list, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(args, &all); err != nil {
		return nil, err
	}
	list = list[:0]
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, argument{name, all[name]})
	}
	return list, nil
}

// understand reads the arguments that the spec names. What the spec of a foreign
// tool leaves out is told by the names of its arguments, which can make the ruling stricter only.
func understand(spec *tools.Spec, call *tools.Call) (m meaning, err error) {
	m = meaning{dir: call.Folder, network: spec.Network}
	means := spec.Means
	foreign := !understood(spec.Origin)
	if means.Command == "" && means.Code == "" && len(means.Paths) == 0 && len(means.URLs) == 0 {
		if !foreign || means.Folder == "" && means.Network == "" && silent(call.Args) {
			return m, nil
		}
	}
	if m.args, err = arguments(call.Args); err != nil {
		return m, err
	}
	if foreign {
		means = guess(means, m.args)
	}
	if sub := m.text(means.Folder); means.Folder != "" && sub != "" {
		m.dir = absolute(call.Folder, sub)
	}
	if means.Command != "" {
		m.command, m.runs = m.text(means.Command), true
	}
	if means.Code != "" {
		m.command, m.runs = program(cmp.Or(means.Speaks, m.text(means.Language)), m.text(means.Code)), true
	}
	if means.Network != "" { // it leaves only if it is asked to
		m.network = string(m.raw(means.Network)) == "true"
	}
	m.method = m.text(means.Method)
	for _, name := range means.Paths {
		for _, p := range m.texts(name) {
			if abs := absolute(call.Folder, p); abs != "" {
				m.paths = append(m.paths, abs)
			}
		}
	}
	for _, name := range means.URLs {
		m.urls = append(m.urls, m.texts(name)...)
	}
	return m, nil
}

// raw is an argument as it is; nil if there is none.
func (m *meaning) raw(name string) json.RawMessage {
	for i := range m.args {
		if m.args[i].name == name {
			return m.args[i].raw
		}
	}
	return nil
}

func (m *meaning) text(name string) string {
	if name == "" {
		return ""
	}
	s, _ := rawjson.Text(m.raw(name))
	return s
}

// texts is an argument that is one text or a list of them.
func (m *meaning) texts(name string) []string {
	raw := m.raw(name)
	if raw == nil {
		return nil
	}
	if one, ok := rawjson.Text(raw); ok {
		return []string{one}
	}
	if string(raw) == "null" {
		return []string{""}
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return many
}

// absolute is a path as the tool would open it; "" when that cannot be told.
func absolute(folder, p string) string {
	switch {
	case p == "" && folder == "":
		return ""
	case filepath.IsAbs(p):
		return filepath.Clean(p)
	case folder == "":
		return ""
	}
	return filepath.Join(folder, p)
}

// program is code as the shell line that would run it.
func program(language, code string) string {
	runner := map[string]string{"python": "python3 -", "javascript": "node -"}[language]
	if runner == "" {
		return code // shell, or something that is judged as if it were
	}
	end := "FLUXWAY_END"
	for strings.Contains(code, end) {
		end += "_"
	}
	return runner + " <<'" + end + "'\n" + code + "\n" + end
}

// The names that say what an argument of a foreign tool is.
var (
	commandNames = []string{"command", "cmd", "shell", "shell_command", "bash"}
	pathNames    = []string{"path", "paths", "file", "files", "filename", "file_path", "filepath", "directory", "dir", "folder", "source", "destination", "target", "output_path", "cwd"}
	urlNames     = []string{"url", "urls", "uri", "endpoint", "href", "webhook_url", "base_url"}
)

// silent reports whether no argument of a foreign tool has a telling name; false if that is not seen at once.
func silent(args json.RawMessage) bool {
	return rawjson.Plain(args, func(key, _ []byte, kind rawjson.Kind) bool {
		if kind != rawjson.KindText {
			return true
		}
		return !tells(commandNames, key) && !tells(pathNames, key) && !tells(urlNames, key)
	})
}

// tells reports whether a key is one of the names, in whatever case; a letter can be longer than the one it stands for.
func tells(names []string, key []byte) bool {
	for _, name := range names {
		if len(name) <= len(key) && strings.EqualFold(name, string(key)) {
			return true
		}
	}
	return false
}

func guess(means tools.Arguments, args []argument) tools.Arguments {
	for _, a := range args {
		name, raw := a.name, a.raw
		lower := strings.ToLower(name)
		text := len(raw) > 0 && (raw[0] == '"' || raw[0] == '[')
		switch {
		case !text:
		case means.Command == "" && means.Code == "" && raw[0] == '"' && slices.Contains(commandNames, lower):
			means.Command = name
		case slices.Contains(pathNames, lower) && !slices.Contains(means.Paths, name) && outright(raw):
			means.Paths = append(slices.Clip(means.Paths), name)
		case slices.Contains(urlNames, lower) && !slices.Contains(means.URLs, name) && strings.Contains(string(raw), "://"):
			means.URLs = append(slices.Clip(means.URLs), name)
		}
	}
	return means
}

// outright reports whether a path says by itself where it leads: a relative one of a foreign tool begins
// in a folder we do not know.
func outright(raw json.RawMessage) bool {
	text := string(raw)
	return strings.HasPrefix(text, `"/`) || strings.HasPrefix(text, `["/`) || strings.HasPrefix(text, `"~`) || strings.Contains(text, "..")
}

// strings of a value, however deep, for looking at what would leave.
func leaves(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	gather(&b, v)
	return b.String()
}

func gather(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case []any:
		for _, e := range v {
			gather(b, e)
		}
	case map[string]any:
		for name, e := range v {
			if s, ok := e.(string); ok { // password=… is telling, and so is {"password":"…"}
				b.WriteString(name + "=" + s + "\n" + s + "\n")
				continue
			}
			gather(b, e)
		}
	}
}
