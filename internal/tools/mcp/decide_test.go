package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestToolName(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	long := strings.Repeat("very_long_", 10)
	names := map[string]bool{}
	for _, tool := range []string{"a.b", "a/b", "a_b", long + "1", long + "2", "ümlaut"} {
		name := toolName("srv", tool, taken)
		if len(name) > maxName || names[name] {
			t.Errorf("%q became %q, which is too long or twice", tool, name)
		}
		names[name] = true
	}
	if !names["srv__a_b"] {
		t.Errorf("the plain name is missing: %v", names)
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	a, b := Described{Description: "a"}, Described{Description: "b"}
	tests := map[string]struct {
		old     []pin
		offered map[string]Described
		want    string
	}{
		"met for the first time":     {nil, map[string]Described{"x": a}, "x pinned=a"},
		"the same":                   {[]pin{{Tool: "x", Pinned: &a}}, map[string]Described{"x": a}, "x pinned=a"},
		"changed":                    {[]pin{{Tool: "x", Pinned: &a}}, map[string]Described{"x": b}, "x pinned=a offered=b"},
		"changed back":               {[]pin{{Tool: "x", Pinned: &a, Offered: &b}}, map[string]Described{"x": a}, "x pinned=a"},
		"one more":                   {[]pin{{Tool: "x", Pinned: &a}}, map[string]Described{"x": a, "y": b}, "x pinned=a, y offered=b"},
		"one more, still not agreed": {[]pin{{Tool: "x", Pinned: &a}, {Tool: "y", Offered: &a}}, map[string]Described{"x": a, "y": b}, "x pinned=a, y offered=b"},
		"gone":                       {[]pin{{Tool: "x", Pinned: &a}}, map[string]Described{}, "x pinned=a gone"},
		"back again":                 {[]pin{{Tool: "x", Pinned: &a, Gone: true}}, map[string]Described{"x": a}, "x pinned=a"},
		"back again, changed":        {[]pin{{Tool: "x", Pinned: &a, Gone: true}}, map[string]Described{"x": b}, "x pinned=a offered=b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out []string
			for _, p := range settle(tt.old, tt.offered) {
				text := p.Tool
				if p.Pinned != nil {
					text += " pinned=" + p.Pinned.Description
				}
				if p.Offered != nil {
					text += " offered=" + p.Offered.Description
				}
				if p.Gone {
					text += " gone"
				}
				out = append(out, text)
			}
			if got := strings.Join(out, ", "); got != tt.want {
				t.Errorf("settle = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		def   Definition
		param string
	}{
		"a program":              {Definition{Name: "files", Command: "npx"}, ""},
		"an address":             {Definition{Name: "web", URL: "https://example.com/mcp"}, ""},
		"no name":                {Definition{Command: "npx"}, "name"},
		"a name with a dot":      {Definition{Name: "a.b", Command: "npx"}, "name"},
		"neither":                {Definition{Name: "x"}, "url"},
		"both":                   {Definition{Name: "x", Command: "npx", URL: "https://example.com"}, "command"},
		"a file as address":      {Definition{Name: "x", URL: "file:///etc/passwd"}, "url"},
		"a password in it":       {Definition{Name: "x", URL: "https://me:pw@example.com"}, "url"},
		"another way":            {Definition{Name: "x", Transport: "pigeon", Command: "npx"}, "transport"},
		"a broken pattern":       {Definition{Name: "x", Command: "npx", Allow: []string{"["}}, "allow"},
		"an unknown level":       {Definition{Name: "x", Command: "npx", Level: "safe"}, "level"},
		"a sign-in at a program": {Definition{Name: "x", Command: "npx", SignIn: true}, "sign_in"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.def.Check()
			if tt.param == "" && err != nil || tt.param != "" && (err == nil || fault.From(err).Param != tt.param) {
				t.Errorf("Check = %v, want a problem with %q", err, tt.param)
			}
		})
	}
}

func TestParseServers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"as most keep them":      {`{"mcpServers":{"My Files":{"command":"npx","args":["-y","x"]},"web":{"type":"sse","url":"https://example.com/sse"}}}`, "my-files stdio npx [-y x] map[] | web sse  [] map[]"},
		"under another word":     {`{"servers":{"a":{"url":"https://example.com/mcp"}},"inputs":[]}`, "a http  [] map[]"},
		"without a word":         {`{"a":{"command":"c"},"version":1,"note":null}`, "a stdio c [] map[]"},
		"one, with its name":     {`{"name":"One","command":"c"}`, "one stdio c [] map[]"},
		"what may be secret":     {`{"gh":{"command":"c","env":{"GITHUB_TOKEN":"ghp_1","MODE":"x","A_KEY":"${A}"}}}`, "gh stdio c [] map[A_KEY:${A} GITHUB_TOKEN:${GITHUB_TOKEN} MODE:x]"},
		"none":                   {`{"mcpServers":{}}`, ""},
		"no JSON":                {`not json`, "servers_unreadable"},
		"JSON that is no server": {`{"mcpServers":{"x":5}}`, "servers_unreadable"},
		"a broken one":           {`{"mcpServers":{"x":{"url":"ftp://example.com"}}}`, "server_invalid"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := ParseServers([]byte(tt.text))
			var out []string
			for _, d := range list {
				out = append(out, fmt.Sprint(d.Name, " ", d.Transport, " ", d.Command, " ", d.Args, " ", d.Env))
			}
			got := strings.Join(out, " | ")
			if err != nil {
				got = fault.From(err).Code
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	list, err := ParseServers([]byte(`{"gh":{"url":"https://example.com","headers":{"Authorization":"Bearer 1"}}}`))
	if err != nil || list[0].Headers["Authorization"] != "${HEADER_AUTHORIZATION}" || list[0].Secrets["HEADER_AUTHORIZATION"].Reveal() != "Bearer 1" {
		t.Errorf("%+v, %v", list, err)
	}
}

// read gives the lines that come through.
func read(t *testing.T, text string, limit int) (string, *ring, error) {
	t.Helper()
	log := &ring{}
	m := newMessages(io.NopCloser(strings.NewReader(text)), log)
	m.limit = limit
	var out bytes.Buffer
	_, err := io.Copy(&out, m)
	return out.String(), log, err
}

func TestMessages(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 300_000)
	tests := map[string]struct{ in, want string }{
		"a message":               {"{\"a\":1}\n", "{\"a\":1}\n"},
		"noise before and after":  {"Starting…\n{\"a\":1}\n\nnpm warn\n", "{\"a\":1}\n"},
		"without a last line end": {"{\"a\":1}", "{\"a\":1}\n"},
		"longer than the buffer":  {`{"a":"` + big[:100_000] + "\"}\n", `{"a":"` + big[:100_000] + "\"}\n"},
		"too large, the id first": {`{"jsonrpc":"2.0","id":7,"result":{"a":"` + big + "\"}}\n{\"b\":1}\n", `{"jsonrpc":"2.0","id":7,"error":{"code":-32070,"message":"the answer has 300043 bytes"}}` + "\n{\"b\":1}\n"},
		"too large, the id last":  {`{"result":{"a":"` + big + "\"},\"jsonrpc\":\"2.0\",\"id\":\"q9\"}\n", `{"jsonrpc":"2.0","id":"q9","error":{"code":-32070,"message":"the answer has 300046 bytes"}}` + "\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := read(t, tt.in, 200_000)
			if err != nil || got != tt.want {
				t.Errorf("got %.200q, %v; want %.200q", got, err, tt.want)
			}
		})
	}
	if _, _, err := read(t, "{\"method\":\""+big+"\"}\n", 200_000); err == nil {
		t.Error("a message that is too large and answers nothing did not end the connection")
	}
}

// FuzzMessages: whatever a program writes, what comes through are whole lines of bounded size.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{"{}\n", "x\n{\"id\":1}", strings.Repeat("{", 5000), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":\"" + strings.Repeat("y", 5000) + "\"}\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, log, _ := read(t, text, 1000)
		for line := range strings.Lines(got) {
			if !strings.HasSuffix(line, "\n") || len(line) > 66<<10 {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
		if lines, _ := log.tail(0); len(lines) > maxLines {
			t.Errorf("%d lines in the log", len(lines))
		}
	})
}

func TestRingIsBounded(t *testing.T) {
	t.Parallel()
	r := &ring{}
	w := &into{ring: r, from: "stderr"}
	for i := range 2000 {
		fmt.Fprintf(w, "line %d %s\n", i, strings.Repeat("é", 5000))
	}
	lines, total := r.tail(3)
	if total != 2000 || len(lines) != 3 || !strings.HasPrefix(lines[2].Text, "line 1999") || len(lines[2].Text) > maxLine+10 {
		t.Errorf("%d lines of %d: %.80v", len(lines), total, lines)
	}
	if len(r.lines) != maxLines || cap(w.part) > 4*maxLine {
		t.Errorf("%d lines kept, a buffer of %d", len(r.lines), cap(w.part))
	}
}

func TestUsable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``: `{"type":"object"}`, `null`: `{"type":"object"}`, `{}`: `{"type":"object"}`,
		`{"properties":{"a":{}}}`: `{"properties":{"a":{}},"type":"object"}`, `{"type":"object"}`: `{"type":"object"}`,
	} {
		if got, err := usable(json.RawMessage(in)); err != nil || string(got) != want {
			t.Errorf("usable(%s) = %s, %v", in, got, err)
		}
	}
	if _, err := usable(json.RawMessage(`{"$ref":"https://example.com/x.json"}`)); err == nil {
		t.Error("a schema in another document was taken")
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	several := `{"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Your name"},"age":{"type":"integer"},"score":{"type":"number","default":1.5},
		"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},"sure":{"type":"boolean"}}}`
	tests := map[string]struct{ schema, words, want, problem string }{
		"nothing to fill in":     {"", "Accept", "accept map[]", ""},
		"declined":               {several, "decline", "decline map[]", ""},
		"lines":                  {several, "Your name: Ada\nage: 36\nsize: large\nsure: yes", "accept map[age:36 name:Ada score:1.5 size:l sure:true]", ""},
		"one line":               {several, "name: Ada, age: 36; sure: no", "accept map[age:36 name:Ada score:1.5 sure:false]", ""},
		"JSON":                   {several, `{"name":"Ada","sure":false,"score":2}`, "accept map[name:Ada score:2 sure:false]", ""},
		"something is missing":   {several, "age: 3", "", "name is missing."},
		"no number":              {several, "name: Ada\nage: old", "", `age is a number, and "old" is none.`},
		"none of the choices":    {several, "name: Ada\nsize: huge", "", `"huge" is none of the choices for size.`},
		"one field":              {`{"properties":{"colour":{"type":"string"}}}`, "dark: green", "accept map[colour:dark: green]", ""},
		"one of several":         {`{"properties":{"c":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}}}`, "Green", "accept map[c:g]", ""},
		"some of several":        {`{"properties":{"c":{"type":"array","items":{"enum":["r","g","b"]}}}}`, "r\nb", "accept map[c:[r b]]", ""},
		"taking what is preset":  {`{"properties":{"a":{"type":"number","default":3},"b":{"type":"string","default":"x"}}}`, "accept", "accept map[a:3 b:x]", ""},
		"a form that is no form": {`[]`, "x", "cancel map[]", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, problem := Question{Schema: json.RawMessage(tt.schema)}.read(tt.words)
			if problem != tt.problem || problem == "" && fmt.Sprint(a.Action, " ", a.Content) != tt.want {
				t.Errorf("read = %v, %q; want %s, %q", a, problem, tt.want, tt.problem)
			}
		})
	}
	need, err := Question{Text: "Who?", Schema: json.RawMessage(several)}.need("srv", "name is missing.")
	if err != nil || !strings.HasPrefix(need.Help, "name is missing.") || !strings.Contains(need.Help, "- size (string, one of Small, Large)") || need.Options != nil ||
		len(need.Fields) != 5 || need.Fields[0].Name != "name" || !need.Fields[0].Required {
		t.Errorf("need = %+v, %v", need, err)
	}
	need, err = Question{Text: "Look.", URL: "https://example.com/x"}.need("srv", "")
	if err != nil || !strings.Contains(need.Help, "https://example.com/x") || len(need.Options) != 2 {
		t.Errorf("need = %+v, %v", need, err)
	}
}
