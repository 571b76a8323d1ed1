package agents

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// foreign takes fields out of another product's agent; what is left at the end
// was not understood.
type foreign struct {
	fields map[string]any
	notes  *importNotes
	out    map[string]any
}

func newForeign(fields map[string]any, notes *importNotes) *foreign {
	return &foreign{fields, notes, map[string]any{}}
}

func (f *foreign) take(name string) (any, bool) {
	v, ok := f.fields[name]
	delete(f.fields, name)
	return v, ok && v != nil
}

// text takes a field that should hold text.
func (f *foreign) text(name string) string {
	v, ok := f.take(name)
	if !ok {
		return ""
	}
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case map[string]any, []any:
		f.notes.add(name, "A text was expected here.")
		return ""
	default:
		return fmt.Sprint(v)
	}
}

func (f *foreign) table(name string) map[string]any {
	v, ok := f.take(name)
	m, isTable := v.(map[string]any)
	if ok && !isTable {
		f.notes.add(name, "A table of fields was expected here.")
	}
	return m
}

// names takes a list of texts, or of tables that have a name.
func (f *foreign) names(name string) []string {
	v, _ := f.take(name)
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		switch e := e.(type) {
		case string:
			out = append(out, e)
		case map[string]any:
			out = append(out, cmp.Or(asText(e["name"]), asText(e["id"])))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

func asText(v any) string {
	s, _ := v.(string)
	return s
}

func (f *foreign) set(section, name string, v any) {
	inner, _ := f.out[section].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		f.out[section] = inner
	}
	inner[name] = v
}

// servers lets the agent use the tools of MCP servers, which the file cannot bring along.
func (f *foreign) servers(field string, allow []string) []string {
	for _, s := range f.names(field) {
		name := slug(s)
		f.notes.add(field, "The MCP server %s is not taken over: add it with fluxway mcp add %s. Its tools, %s__*, are allowed.", s, name, name)
		if !slices.Contains(allow, "*") {
			allow = append(allow, name+"__*")
		}
	}
	return allow
}

// rest notes what nobody took.
func (f *foreign) rest() {
	for _, name := range sortedNames(f.fields) {
		f.notes.add(name, "Agents here have nothing like it.")
	}
}

var notInNames = regexp.MustCompile(`[^a-z0-9_-]+`)

// slug makes a name of ours of any text.
func slug(text string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), "-"), "-_")
	return strings.TrimRight(name[:min(len(name), 48)], "-_")
}

// vendorOf guesses whose model a bare name is.
func vendorOf(model string) string {
	if model == "" || strings.Contains(model, "/") {
		return model
	}
	for start, vendor := range map[string]string{
		"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "claude": "anthropic", "gemini": "gemini", "grok": "xai",
		"mistral": "mistral", "deepseek": "deepseek",
	} {
		if strings.HasPrefix(strings.ToLower(model), start) {
			return vendor + "/" + model
		}
	}
	return model
}

// fromFluxmaster reads an entry of agents.list.
func fromFluxmaster(fields, around map[string]any, notes *importNotes) Draft {
	f := newForeign(fields, notes)
	id := cmp.Or(f.text("id"), f.text("name"))
	notes.agent = slug(id)
	f.out["title"] = id
	f.out["description"] = f.text("description")
	f.out["model"] = vendorOf(f.text("model"))
	f.instructions("systemPrompt")
	agents, _ := around["agents"].(map[string]any)
	defaults, _ := agents["defaults"].(map[string]any)
	for theirs, our := range map[string]string{"maxTokens": "max_tokens", "temperature": "temperature"} {
		v, ok := f.take(theirs)
		if !ok {
			v, ok = defaults[theirs]
		}
		if ok && v != nil {
			f.set("params", our, v)
		}
	}
	f.fluxmasterTools(around, id)
	f.persona(around)
	f.rest()
	return draft(slug(id), StyleFluxmaster, f.out)
}

func (f *foreign) instructions(field string) {
	text := f.text(field)
	if file, ok := strings.CutPrefix(text, "file:"); ok {
		f.notes.add(field, "The instructions are in the file %s: put its text into the agent.", file)
		return
	}
	f.out["instructions"] = text
}

// theirTools are names of other products' tools that are called otherwise here;
// "": there is nothing like it.
var theirTools = map[string]string{
	"search_files": "glob", "execute_command": "run_command", "bash": "run_command", "shell": "run_command", "http_fetch": "fetch_url", "fetch": "fetch_url",
	"scratchpad_read": "scratch_read", "scratchpad_list": "scratch_read", "scratchpad_write": "scratch_write", "task_list": "todo_read", "task_create": "todo_write",
	"task_update": "todo_write", "run_js": "run_code", "browser_get_text": "fetch_url",
}

// fluxmasterTools maps the list of tools, where an empty one means all.
func (f *foreign) fluxmasterTools(around map[string]any, id string) {
	var allow []string
	listed := f.names("tools")
	for _, t := range listed {
		switch {
		case t == "delegate_to_agent", t == "fan_out":
			f.out["helpers"] = []string{"*"}
		case theirTools[t] != "":
			allow = append(allow, theirTools[t])
		default:
			allow = append(allow, t)
		}
	}
	if len(listed) == 0 {
		allow, f.out["helpers"] = []string{"*"}, []string{"*"}
	}
	allow = f.servers("mcpServers", allow)
	slices.Sort(allow)
	f.set("tools", "allow", slices.Compact(allow))
	security, _ := around["security"].(map[string]any)
	permissions, _ := security["agentPermissions"].(map[string]any)
	own, _ := permissions[id].(map[string]any)
	if deny, ok := own["denylist"].([]any); ok {
		f.set("tools", "deny", deny)
	}
	if own["allowlist"] != nil {
		f.notes.add("security.agentPermissions.allowlist", "Exceptions for dangerous tools are rules of the guard here.")
	}
	if own["maxCallsPerMinute"] != nil {
		f.notes.add("security.agentPermissions.maxCallsPerMinute", "Rates are rules of the guard here.")
	}
}

// persona writes a Fluxmaster persona as text.
func (f *foreign) persona(around map[string]any) {
	v, _ := f.take("persona")
	if ref := f.text("personaRef"); ref != "" {
		all, _ := around["personas"].(map[string]any)
		if v = all[ref]; v == nil {
			f.notes.add("personaRef", "The file has no persona %q.", ref)
		}
	}
	if text, ok := v.(string); ok {
		f.out["persona"] = text
		return
	}
	p, _ := v.(map[string]any)
	if p == nil {
		return
	}
	var lines []string
	say := func(label string, v any) {
		switch v := v.(type) {
		case string:
			lines = append(lines, label+": "+v)
		case []any:
			var words []string
			for _, w := range v {
				words = append(words, fmt.Sprint(w))
			}
			lines = append(lines, label+": "+strings.Join(words, ", "))
		}
	}
	who, _ := p["identity"].(map[string]any)
	soul, _ := p["soul"].(map[string]any)
	say("Name", who["name"])
	say("Role", who["role"])
	say("Traits", soul["coreTraits"])
	say("Decides by", soul["decisionFramework"])
	say("Priorities", soul["priorities"])
	say("Speaks", soul["communicationStyle"])
	say("Guidelines", soul["guidelines"])
	f.out["persona"] = strings.Join(lines, "\n")
	for _, name := range []string{"toolPreferences", "memoryProtocol", "autonomy"} {
		if p[name] != nil {
			f.notes.add("persona."+name, "Agents here have nothing like it.")
		}
	}
}

// fromMUXI reads an agent file of MUXI, of its first or its present kind.
func fromMUXI(fields map[string]any, notes *importNotes) Draft {
	f := newForeign(fields, notes)
	id, name := f.text("id"), f.text("name")
	notes.agent = slug(cmp.Or(id, name))
	f.out["title"] = cmp.Or(name, id)
	f.out["description"] = f.text("description")
	f.instructions("system_message")
	f.muxiModel()
	f.muxiMemory()
	allow := f.names("tools")
	for i, t := range allow {
		allow[i] = cmp.Or(theirTools[t], t)
	}
	f.set("tools", "allow", f.servers("mcp_servers", allow))
	if v, ok := f.take("active"); ok && v == false {
		notes.add("active", "It was switched off; delete it if it is to stay so.")
	}
	for _, about := range []string{"schema", "author", "version"} {
		f.take(about)
	}
	f.rest()
	return draft(notes.agent, StyleMUXI, f.out)
}

func (f *foreign) muxiModel() {
	if models, ok := f.fields["llm_models"].([]any); ok {
		delete(f.fields, "llm_models")
		for _, m := range models {
			one, _ := m.(map[string]any)
			if text := asText(one["text"]); text != "" {
				f.fields["model"] = map[string]any{"model": text, "settings": one["settings"]}
			} else {
				f.notes.add("llm_models", "Only the model for text is taken over.")
			}
		}
	}
	if text, ok := f.fields["model"].(string); ok {
		delete(f.fields, "model")
		f.out["model"] = vendorOf(text)
		return
	}
	m := f.table("model")
	provider, model := asText(m["provider"]), asText(m["model"])
	if provider != "" && model != "" && !strings.Contains(model, "/") {
		model = provider + "/" + model
	}
	f.out["model"] = vendorOf(model)
	settings, _ := m["settings"].(map[string]any)
	for _, name := range []string{"temperature", "max_tokens", "top_p"} {
		if v := m[name]; v != nil {
			f.set("params", name, v)
		} else if v := settings[name]; v != nil {
			f.set("params", name, v)
		}
	}
	if m["api_key"] != nil {
		f.notes.add("model.api_key", "Keys are not taken over: store it with fluxway auth add.")
	}
}

func (f *foreign) muxiMemory() {
	m := f.table("memory")
	switch long := m["long_term"].(type) {
	case bool:
		f.set("memory", "recall", long)
		f.set("memory", "remember", long)
	case string:
		f.set("memory", "recall", true)
		f.set("memory", "remember", true)
		f.notes.add("memory.long_term", "Memories are kept in this server's database, not at the address in the file.")
	}
	if m["buffer"] != nil {
		f.notes.add("memory.buffer", "How much of a conversation a model sees follows from its context window.")
	}
	if names := f.names("knowledge"); len(names) > 0 {
		f.set("memory", "knowledge", names)
		f.notes.add("knowledge", "Add the sources under the same names: %s.", strings.Join(names, ", "))
	}
}
