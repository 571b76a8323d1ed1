package mcp

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

func TestPromptsAndResourcesOfServers(t *testing.T) {
	t.Parallel()
	journal := &toolstest.Journal{}
	gate := toolstest.Gate(func(spec tools.Spec, call tools.Call) (tools.Ruling, error) {
		switch args := string(call.Args); {
		case strings.Contains(args, "/etc/shadow"):
			return tools.Ruling{Verdict: tools.Refuse, Reason: "Nobody reads that."}, nil
		case strings.Contains(args, "Eve"):
			return tools.Ruling{Verdict: tools.Ask, Reason: "Really her?", Ticket: "apr_1"}, nil
		}
		return tools.Ruling{Verdict: tools.Allow}, nil
	})
	box, err := tools.New(tools.Options{Gate: gate, Auditor: journal})
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, storetest.SQLite(t), func(o *Options) { o.Toolbox = box })
	def := program(t, "test", "good")
	def.Deny = []string{"secret*"}
	d.add(def)
	d.add(program(t, "down", "exit")) // the others are listed without it

	var prompts, resources, templates []string
	for _, p := range d.m.Prompts(t.Context(), d.ws, "") {
		prompts = append(prompts, p.Name)
	}
	for _, r := range d.m.Resources(t.Context(), d.ws, "") {
		resources = append(resources, r.URI)
	}
	for _, r := range d.m.Templates(t.Context(), d.ws, "") {
		templates = append(templates, r.URITemplate)
	}
	slices.Sort(resources)
	if !slices.Equal(prompts, []string{"test__greet"}) || !slices.Equal(resources, []string{"fluxway://mcp/test/file:///etc/shadow", "fluxway://mcp/test/note://a/1"}) ||
		!slices.Equal(templates, []string{"fluxway://mcp/test/note://a/{id}"}) {
		t.Errorf("%v, %v, %v", prompts, resources, templates)
	}
	if other := d.m.Prompts(t.Context(), ids.New[ids.Workspace](), ""); len(other) != 0 {
		t.Errorf("another workspace has %v", other)
	}

	call := tools.Call{Workspace: d.ws, Door: "mcp"}
	got, err := d.m.Prompt(t.Context(), call, "test__greet", map[string]string{"who": "Ada"})
	if err != nil || got.Messages[0].Content.(*sdk.TextContent).Text != "Greet Ada" {
		t.Errorf("%+v, %v", got, err)
	}
	read, err := d.m.Resource(t.Context(), call, "fluxway://mcp/test/note://a/2")
	if err != nil || read.Contents[0].URI != "fluxway://mcp/test/note://a/2" || read.Contents[0].Text != "the content of note://a/2" {
		t.Errorf("%+v, %v", read, err)
	}
	for what, tt := range map[string]struct {
		err  error
		code string
	}{
		"a prompt that is denied":     {second(d.m.Prompt(t.Context(), call, "test__secret_plan", nil)), "prompt_not_found"},
		"a prompt of nobody":          {second(d.m.Prompt(t.Context(), call, "nobody__greet", nil)), "prompt_not_found"},
		"a prompt that is asked":      {second(d.m.Prompt(t.Context(), call, "test__greet", map[string]string{"who": "Eve"})), "approval_needed"},
		"a resource that is denied":   {second(d.m.Resource(t.Context(), call, "fluxway://mcp/test/secret://b")), "resource_not_found"},
		"a resource that is refused":  {second(d.m.Resource(t.Context(), call, "fluxway://mcp/test/file:///etc/shadow")), "tool_refused"},
		"a resource that is not":      {second(d.m.Resource(t.Context(), call, "fluxway://mcp/test/other://x")), "resource_not_found"},
		"a resource of nobody":        {second(d.m.Resource(t.Context(), call, "fluxway://mcp/nobody/note://a/1")), "resource_not_found"},
		"a resource elsewhere":        {second(d.m.Resource(t.Context(), tools.Call{Workspace: ids.New[ids.Workspace]()}, "fluxway://mcp/test/note://a/1")), "resource_not_found"},
		"an address that is not ours": {second(d.m.Resource(t.Context(), call, "note://a/1")), "resource_not_found"},
	} {
		if !fault.HasCode(tt.err, tt.code) {
			t.Errorf("%s: %v, want %s", what, tt.err, tt.code)
		}
	}
	_, finished := journal.Lines()
	var lines []string
	for _, e := range finished {
		lines = append(lines, e.Call.Tool+" "+string(e.Call.Args)+" "+string(e.Ruling.Verdict))
	}
	slices.Sort(lines)
	want := []string{
		`test__get_prompt {"arguments":{"who":"Ada"},"name":"greet"} allow`, `test__get_prompt {"arguments":{"who":"Eve"},"name":"greet"} ask`,
		`test__read_resource {"path":"/etc/shadow"} refuse`, `test__read_resource {"resource":"note://a/2"} allow`, `test__read_resource {"resource":"other://x"} allow`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the journal has\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// Of two who want to watch a resource at once, the one whose wish was refused is told so, and the other watches it.
func TestAWatcherDoesNotRelyOnOneThatWasRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.SQLite(t))
	d.add(program(t, "test", "watched"))
	told := make(chan tools.UpstreamChanged, 10)
	d.m.Watch(func(c tools.UpstreamChanged) {
		if c.Resource != "" {
			told <- c
		}
	})
	const address = "fluxway://mcp/test/note://a/1"
	type outcome struct {
		cancel func()
		err    error
	}
	outcomes := make(chan outcome, 2)
	for range 2 {
		go func() {
			cancel, err := d.m.Subscribe(t.Context(), d.ws, "", address)
			outcomes <- outcome{cancel, err}
		}()
	}
	first, then := <-outcomes, <-outcomes
	if first.err != nil {
		first, then = then, first
	}
	if first.err != nil || then.err == nil {
		t.Fatalf("%v and %v, want one that is refused", first.err, then.err)
	}
	d.call("test__touch", "{}")
	if c := <-told; c.Resource != address || c.Workspace != d.ws {
		t.Errorf("told of %+v", c)
	}
	first.cancel()
	// Who watches after the last has left is heard after them.
	again, err := d.m.Subscribe(t.Context(), d.ws, "", address)
	if err != nil {
		t.Fatal(err)
	}
	defer again()
	d.call("test__touch", "{}")
	if c := <-told; c.Resource != address {
		t.Errorf("told of %+v", c)
	}
}

func second[T any](_ T, err error) error { return err }
