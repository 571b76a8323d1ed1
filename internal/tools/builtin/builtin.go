package builtin

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/browser"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// Origin is what the tools of this package are put into a toolbox as.
const Origin = "builtin"

// Options are what the tools need. A tool whose need is not met is left out.
type Options struct {
	DB      *store.DB        // for the list of things to do and the notes
	Bodies  *store.Bodies    // for read_output
	Sandbox *sandbox.Sandbox // for commands and Git
	Net     *safenet.Dialer  // for fetch_url and http_request
	Browser *browser.Browser // for the browser tools
	Rooms   *Rooms           // for sandboxes that last and run_js
	Environ []string         // of npm, for its tools; nil: they are left out
	// CommandNetwork lets commands ask for the network with an argument, which the gate sees.
	CommandNetwork bool
	Now            func() time.Time // nil: time.Now
}

// All makes every tool whose needs are met.
func All(opts Options) ([]tools.Tool, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	list := []tools.Tool{
		readFile(), writeFile(), editFile(), listFiles(), globFiles(), searchText(),
		prompt{currentTime(opts.Now)}, prompt{calculator()}, prompt{askUser()},
	}
	if opts.Sandbox != nil {
		list = append(list, gitTools(opts.Sandbox)...)
		list = append(list, runCommand(opts), runCode(opts))
	}
	if opts.Rooms != nil {
		list = append(list, opts.Rooms.tools(opts)...)
		list = append(list, runJS(opts, opts.Rooms))
	}
	if opts.Environ != nil {
		list = append(list, searchPackages(opts), dependencyTypes(opts))
	}
	if opts.Net != nil {
		list = append(list, fetchURL(opts.Net), httpRequest(opts.Net))
	}
	if opts.Browser != nil {
		list = append(list, browserTools(opts.Browser)...)
	}
	if opts.DB != nil {
		n := newNotes(opts.DB)
		list = append(list, n.tools()...)
	}
	if opts.Bodies != nil {
		list = append(list, readOutput(opts.Bodies))
	}
	for _, t := range list {
		if t.Spec().Description == "" {
			return nil, fmt.Errorf("builtin: %s has no description", t.Spec().Name)
		}
	}
	return list, nil
}

//go:embed descriptions/*.md
var descriptions embed.FS

// tool is a spec and what it does with arguments of its own type.
type tool[T any] struct {
	spec tools.Spec
	do   func(ctx context.Context, call tools.Call, args T) (tools.Result, error)
}

// Spec gives the spec.
func (t tool[T]) Spec() tools.Spec { return t.spec }

// Run reads the arguments and does it.
func (t tool[T]) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	args, err := tools.Decode[T](call)
	if err != nil {
		return tools.Result{}, err
	}
	return t.do(ctx, call, args)
}

// prompt is a tool that only computes, and little.
type prompt struct{ tools.Tool }

// Punctual: it waits for nothing.
func (prompt) Punctual() {}

// define completes a spec with its description and the schema of its parameters: a JSON object of properties,
// and the names of those that are required.
func define[T any](spec tools.Spec, properties string, required []string, do func(context.Context, tools.Call, T) (tools.Result, error)) tools.Tool {
	text, err := descriptions.ReadFile("descriptions/" + spec.Name + ".md")
	if err == nil {
		spec.Description = strings.TrimSpace(string(text))
	}
	schema := map[string]any{"type": "object", "additionalProperties": false, "properties": json.RawMessage(properties)}
	if len(required) > 0 {
		schema["required"] = required
	}
	spec.Schema, err = json.Marshal(schema)
	if err != nil { // the toolbox refuses it, with the reason
		spec.Schema = json.RawMessage(properties)
	}
	return tool[T]{spec, do}
}

// paths says that these arguments name files or folders.
func paths(names ...string) tools.Arguments { return tools.Arguments{Paths: names} }

// none are the arguments of a tool without parameters.
type none struct{}
