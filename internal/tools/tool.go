package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Tool is the port that built-in tools, MCP servers, agents, workflows and plugins serve.
type Tool interface {
	// Spec describes the tool; it never changes once the tool is in a toolbox.
	Spec() Spec
	// Run does the work and ends soon after ctx does. An error becomes an error
	// result: a fault's message and hint as they are, anything else as "our side".
	Run(ctx context.Context, call Call) (Result, error)
}

// Waiter is a tool whose calls can wait for a person's answer and then go on where they were.
type Waiter interface {
	// Waits says whether this call is under way and waits for Call.Answer.
	Waits(call Call) bool
}

// Level is how much harm a tool can do.
type Level string

// The levels, least harm first.
const (
	Public     Level = "public"     // looks, and does not change anything
	Restricted Level = "restricted" // changes the project or talks to the outside
	Dangerous  Level = "dangerous"  // can do anything its sandbox lets it
)

// Spec is what everyone may know of a tool.
type Spec struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"` // for the model
	Schema      json.RawMessage `json:"schema"`      // JSON Schema 2020-12 of the arguments, an object
	// Defaults are arguments for where the model gives none, said by a person. They are filled in before the gate judges.
	Defaults   map[string]json.RawMessage `json:"defaults,omitempty"`
	Level      Level                      `json:"level"`
	ReadOnly   bool                       `json:"read_only"`            // leaves everything as it is
	Repeatable bool                       `json:"repeatable"`           // safe to run again after a crash
	Network    bool                       `json:"network"`              // may talk to other machines
	Sandboxed  bool                       `json:"sandboxed,omitempty"`  // runs programs, which the sandbox confines as far as it can
	Origin     string                     `json:"origin"`               // set by the toolbox: "builtin", "mcp/github", …
	Timeout    time.Duration              `json:"timeout_ns,omitempty"` // 0: DefaultTimeout
	MaxOutput  int                        `json:"max_output,omitempty"` // bytes of text given to the model; 0: DefaultOutput
	Means      Arguments                  `json:"means,omitzero"`       // which arguments the gate has to understand
}

// Arguments names the arguments of a tool that say what it would touch.
type Arguments struct {
	Command  string   `json:"command,omitempty"`  // shell text that is run
	Code     string   `json:"code,omitempty"`     // program text that is run
	Language string   `json:"language,omitempty"` // of Code: python, javascript or shell
	Speaks   string   `json:"speaks,omitempty"`   // the language of Code where no argument says it
	Folder   string   `json:"folder,omitempty"`   // where Command runs, below the project
	Network  string   `json:"network,omitempty"`  // a boolean that lets Command or Code talk to other machines
	Paths    []string `json:"paths,omitempty"`    // files and folders, one or a list
	URLs     []string `json:"urls,omitempty"`     // web addresses
	Method   string   `json:"method,omitempty"`   // of HTTP: GET and HEAD only look
}

// The limits of a tool that names none.
const (
	DefaultTimeout = time.Minute
	DefaultOutput  = 32 << 10
)

// Call asks for one tool to be run.
type Call struct {
	ID           string           `json:"id"` // the model's id for it, or one of our own
	Tool         string           `json:"tool"`
	Workspace    ids.Workspace    `json:"workspace"`
	User         ids.User         `json:"user,omitempty"`
	Agent        string           `json:"agent,omitempty"` // the agent's name; empty: a person calls
	Run          ids.Run          `json:"run,omitempty"`
	Conversation ids.Conversation `json:"conversation,omitempty"`
	Project      string           `json:"project,omitempty"` // the project's id; empty: none
	Folder       string           `json:"folder,omitempty"`  // where the call works: the root of the project, or the workspace's own files
	Turn         string           `json:"turn,omitempty"`    // the model call that asked for it, within Run
	Door         string           `json:"door,omitempty"`    // where it came in: chat, api, mcp, v1, schedule, hook, …
	// Unattended says that nobody watches: a schedule, a trigger or a hook started it.
	Unattended bool `json:"unattended,omitempty"`
	// Asking says that a person wants to be asked before whatever changes something.
	Asking bool            `json:"asking,omitempty"`
	Args   json.RawMessage `json:"args"`
	// Approval names a person's earlier answer to this very call, for the Gate to look up.
	Approval string `json:"approval,omitempty"`
	// Answer is what a person said to the need that this very call had, where the need says that it is called again.
	Answer string `json:"answer,omitempty"`
	// Progress hears how far the tool is; nil: nobody listens. It must not block.
	Progress func(Progress) `json:"-"`
}

// Report tells whoever listens how far the call is.
func (c Call) Report(p Progress) {
	if c.Progress != nil {
		c.Progress(p)
	}
}

// Scope is what a call's notes belong to: the conversation, or else the run.
func (c Call) Scope() string {
	if c.Conversation != "" {
		return string(c.Conversation)
	}
	return string(c.Run)
}

// Progress is one sign of life of a running call.
type Progress struct {
	Text  string  `json:"text,omitempty"`  // output since the last one, or what is being done
	Done  float64 `json:"done,omitempty"`  // of Total
	Total float64 `json:"total,omitempty"` // 0: unknown
}

// PartKind says which fields of a Part matter.
type PartKind string

// The kinds of part.
const (
	PartText  PartKind = "text"  // Text; with Data and MediaType, what the text stands for
	PartImage PartKind = "image" // Data and MediaType, or Kept
	PartFile  PartKind = "file"  // Path below the call's folder, MediaType
	PartJSON  PartKind = "json"  // JSON
)

// Part is one piece of a result.
type Part struct {
	Kind      PartKind        `json:"kind"`
	Text      string          `json:"text,omitempty"`
	Data      []byte          `json:"data,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Path      string          `json:"path,omitempty"`
	URI       string          `json:"uri,omitempty"` // of the resource that it is the content of
	JSON      json.RawMessage `json:"json,omitempty"`
	Kept      *Kept           `json:"kept,omitempty"` // where Data is, once it was put there
}

// Kept is the content of a part that lies in a place of its own instead of within what is written of a result.
type Kept struct {
	ID        ids.Attachment `json:"id" doc:"GET /api/v1/attachments/{attachment}/content gives the bytes."`
	MediaType string         `json:"media_type"`
	Size      int64          `json:"size"`
	Width     int            `json:"width,omitempty" doc:"In pixels; left out when unknown."`
	Height    int            `json:"height,omitempty"`
}

// Result is what came of a call.
type Result struct {
	Parts     []Part         `json:"parts"`
	IsError   bool           `json:"is_error,omitempty"`
	Code      string         `json:"code,omitempty"` // of the error: programs switch on it
	Truncated bool           `json:"truncated,omitempty"`
	Full      *Full          `json:"full,omitempty"`  // where the rest is, if it was kept
	Needs     *Need          `json:"needs,omitempty"` // not done: a person has to answer first
	Meta      map[string]any `json:"meta,omitempty"`  // for screens and logs, not for the model
}

// Full says where an output that was cut can be read whole.
type Full struct {
	Body ids.Body `json:"body"`
	Size int64    `json:"size"` // bytes kept
	Cut  bool     `json:"cut"`  // even this is not all there was
}

// NeedKind is what a person is asked for.
type NeedKind string

// What a person may be needed for.
const (
	NeedApproval NeedKind = "approval" // the gate asks: may this call run?
	NeedAnswer   NeedKind = "answer"   // the tool asks: the answer is its result
)

// Need is a question to a person that must be answered before the call has a result.
type Need struct {
	Kind     NeedKind `json:"kind"`
	Question string   `json:"question"`
	Options  []Option `json:"options,omitempty"` // none: free text
	Multiple bool     `json:"multiple,omitempty"`
	Fields   []Field  `json:"fields,omitempty"` // a form; its answer is an object in JSON, or what Help says
	Help     string   `json:"help,omitempty"`   // what else to know before answering, and how to do so in words
	Again    bool     `json:"again,omitempty"`  // of an answer: the tool is called again with it, in Call.Answer
	Rule     string   `json:"rule,omitempty"`   // of an approval: what wants a person
	Ticket   string   `json:"ticket,omitempty"` // of an approval: what the gate will look for in Call.Approval
}

// Field is one thing that a form asks for.
type Field struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Type        string          `json:"type"` // string, number, integer, boolean, or array for several of the choices
	Required    bool            `json:"required,omitempty"`
	Choices     []Choice        `json:"choices,omitempty"` // none: anything
	Preset      json.RawMessage `json:"preset,omitempty"`
}

// Choice is one value of a field.
type Choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// Option is one answer to choose from.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Text joins the text of a result, with JSON parts as they are.
func (r Result) Text() string {
	var out []byte
	for _, p := range r.Parts {
		if p.Kind != PartText && p.Kind != PartJSON {
			continue
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, p.Text...)
		out = append(out, p.JSON...)
	}
	return string(out)
}

// Apart is the result without the contents that are kept in a place of their own: what is written down of it.
func (r *Result) Apart() *Result {
	if !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Kept != nil && p.Data != nil }) {
		return r
	}
	out := *r
	out.Parts = slices.Clone(r.Parts)
	for i := range out.Parts {
		if out.Parts[i].Kept != nil {
			out.Parts[i].Data = nil
		}
	}
	return &out
}

// Images lists the pictures of a result that are kept.
func (r *Result) Images() []Kept {
	var all []Kept
	for _, p := range r.Parts {
		if p.Kind == PartImage && p.Kept != nil {
			all = append(all, *p.Kept)
		}
	}
	return all
}

// Says makes a result of plain text.
func Says(text string) Result { return Result{Parts: []Part{{Kind: PartText, Text: text}}} }

// Gives makes a result of a value as JSON.
func Gives(value any) (Result, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return Result{}, err
	}
	return Result{Parts: []Part{{Kind: PartJSON, JSON: text}}}, nil
}

// Fails makes the result that tells the model what went wrong and what to do instead.
func Fails(err error) Result {
	f := fault.From(err)
	text := f.Message
	if f.Param != "" {
		text = f.Param + ": " + text
	}
	if f.Hint != "" {
		text += "\n" + f.Hint
	}
	r := Says(text)
	r.IsError, r.Code = true, f.Code
	return r
}

// Decode reads arguments that the toolbox has already checked against the schema.
func Decode[T any](call Call) (T, error) {
	var args T
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return args, fault.New(fault.Invalid, "invalid_arguments", "The arguments do not fit.").Because(err)
	}
	return args, nil
}
