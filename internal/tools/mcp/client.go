//lint:file-ignore SA1019 Servers of the older era still sample, log and ask for roots; the SDK keeps them working.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools"
)

// client makes the SDK's client of a connection, which offers what there is a port for.
func (l *link) client(ctx context.Context, v *live) (*sdk.Client, error) {
	m := l.s.m
	opts := &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { l.listAgain(v) },
		PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) {
			l.changed(v, tools.UpstreamChanged{Prompts: true})
		},
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) {
			l.changed(v, tools.UpstreamChanged{Resources: true})
		},
		ResourceUpdatedHandler:      func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { l.updated(r.Params) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { v.progress(r.Params) },
		LoggingMessageHandler:       func(_ context.Context, r *sdk.LoggingMessageRequest) { l.s.logged(r.Params) },
	}
	def := l.s.definition()
	if m.opts.Sampler != nil && def.Sampling != SamplingOff {
		opts.CreateMessageHandler = func(req context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			req, cancel := during(req, ctx)
			defer cancel()
			return l.sample(req, v, r.Params)
		}
	}
	if m.opts.Asker != nil || m.opts.Parks {
		opts.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
		opts.ElicitationHandler = func(req context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			req, cancel := during(req, ctx)
			defer cancel()
			return l.ask(req, v, r.Params)
		}
	}
	rooted := m.opts.Roots != nil && !def.NoRoots
	if rooted {
		opts.Capabilities.RootsV2 = &sdk.RootCapabilities{}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "fluxway", Title: "Fluxway", Version: m.opts.Version}, opts)
	if !rooted {
		return client, nil
	}
	roots, err := l.roots(ctx, v)
	if err != nil {
		return nil, err
	}
	client.AddRoots(roots...) // servers of the newer era are told within a call
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(req context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method != "roots/list" {
				return next(req, method, r)
			}
			roots, err := l.roots(req, v)
			if err != nil {
				return nil, refusal(err)
			}
			return &sdk.ListRootsResult{Roots: roots}, nil
		}
	})
	return client, nil
}

// roots are the folders that a server may work in now: that of the call it works on, or those of all projects.
func (l *link) roots(ctx context.Context, v *live) ([]*sdk.Root, error) {
	from := l.from(ctx, v)
	folders, err := l.s.m.opts.Roots.Folders(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("finding the folders for server %s: %w", l.s.key.name, err)
	}
	out := []*sdk.Root{}
	for _, f := range folders {
		out = append(out, &sdk.Root{Name: f.Name, URI: (&url.URL{Scheme: "file", Path: f.Path}).String()})
	}
	return out, nil
}

// during ends a server's request when its connection ends.
func during(ctx, connection context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(connection, func() { cancel(context.Cause(connection)) })
	return ctx, func() { stop(); cancel(nil) }
}

// from says on whose behalf a server asks. Servers of the newer era ask within a call; of an older one, with one call
// under way it can only be that one.
func (l *link) from(ctx context.Context, v *live) From {
	out := From{Workspace: l.s.key.ws, Server: l.s.key.name}
	within, _ := ctx.Value(callOf{}).(*held)
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.calls {
		if within != nil && f.held != within || within == nil && len(v.calls) != 1 {
			continue
		}
		call := f.call
		out.Call, out.held = &call, f.held
		if out.Workspace == "" {
			out.Workspace = call.Workspace
		}
	}
	return out
}

func (l *link) sample(ctx context.Context, v *live, p *sdk.CreateMessageParams) (*sdk.CreateMessageResult, error) {
	req := Sample{System: p.SystemPrompt, MaxTokens: p.MaxTokens, Temperature: p.Temperature, Stop: p.StopSequences}
	if p.ModelPreferences != nil {
		for _, h := range p.ModelPreferences.Hints {
			req.Hints = append(req.Hints, h.Name)
		}
	}
	for _, m := range p.Messages {
		switch c := m.Content.(type) {
		case *sdk.TextContent:
			req.Messages = append(req.Messages, Message{Role: string(m.Role), Text: c.Text})
		case *sdk.ImageContent:
			req.Messages = append(req.Messages, Message{Role: string(m.Role), Image: c.Data, MediaType: c.MIMEType})
		default:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("content of type %T is not supported", c)}
		}
	}
	from := l.from(ctx, v)
	if err := l.maySample(ctx, from, req); err != nil {
		return nil, refusal(err)
	}
	got, err := l.s.m.opts.Sampler.Sample(ctx, from, req)
	if err != nil {
		return nil, refusal(err)
	}
	return &sdk.CreateMessageResult{Role: "assistant", Model: got.Model, StopReason: got.Stop, Content: &sdk.TextContent{Text: got.Text}}, nil
}

func (l *link) ask(ctx context.Context, v *live, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	q := Question{Text: p.Message, URL: p.URL}
	if p.RequestedSchema != nil {
		schema, err := json.Marshal(p.RequestedSchema)
		if err != nil {
			return nil, err
		}
		q.Schema = schema
	}
	got, err := l.answer(ctx, l.from(ctx, v), q)
	if err != nil {
		return nil, refusal(err)
	}
	return &sdk.ElicitResult{Action: got.Action, Content: got.Content}, nil
}

// answer finds somebody who answers a server's question: the person whose run it is, asked until the answer can be
// read, or else whoever answers for calls that belong to no run.
func (l *link) answer(ctx context.Context, from From, q Question) (Answer, error) {
	if from.held == nil {
		if l.s.m.opts.Asker == nil {
			l.s.log.add("fluxway", "its question was cancelled: nobody who could answer is known to be behind it")
			return Answer{Action: "cancel"}, nil
		}
		return l.s.m.opts.Asker.Ask(ctx, from, q)
	}
	problem := ""
	for {
		need, err := q.need(l.s.key.name, problem)
		if err != nil {
			return Answer{}, fault.New(fault.Invalid, "form_unreadable", "The form cannot be read.").Because(err)
		}
		words, err := from.held.put(ctx, need)
		if err != nil {
			return Answer{}, err
		}
		var a Answer
		if a, problem = q.read(words); problem == "" {
			return a, nil
		}
	}
}

// maySample asks the person of the run before a server uses our models, unless the server's definition says otherwise.
func (l *link) maySample(ctx context.Context, from From, req Sample) error {
	if l.s.definition().Sampling == SamplingAllow {
		return nil
	}
	refused := fault.New(fault.Forbidden, "sampling_refused", "The person did not allow a model to be used.")
	if from.held == nil {
		return refused.WithHint("Only calls within a run can be asked about; set sampling to allow on the server to go without.")
	}
	var text strings.Builder
	text.WriteString(req.System)
	for _, m := range req.Messages {
		fmt.Fprintf(&text, "\n\n%s: %s", m.Role, m.Text)
	}
	words, err := from.held.put(ctx, tools.Need{
		Question: fmt.Sprintf("May the MCP server %s have a model answer something, at your cost?", l.s.key.name),
		Help:     tools.Middle(strings.TrimSpace(text.String()), maxAsked), Options: options(sayAllow),
	})
	if err != nil {
		return err
	}
	if !strings.EqualFold(strings.TrimSpace(words), sayAllow) {
		return refused
	}
	return nil
}

// maxAsked bounds what of a request a person is shown.
const maxAsked = 3000

// refusal is what a server is told when its request failed: nothing about our inside.
func refusal(err error) error {
	f := fault.From(err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: f.Message}
}

// logged keeps what a server says through the protocol.
func (s *server) logged(p *sdk.LoggingMessageParams) {
	text, ok := p.Data.(string)
	if !ok {
		raw, err := json.Marshal(p.Data)
		if err != nil {
			return
		}
		text = string(raw)
	}
	s.log.add("server", string(p.Level)+": "+text)
}

// list asks the server what it has and takes it in.
func (l *link) list(ctx context.Context, v *live) error {
	if r := v.session.InitializeResult(); r == nil || r.Capabilities == nil || r.Capabilities.Tools == nil {
		return l.s.heard(ctx, map[string]Described{})
	}
	offered := map[string]Described{}
	params := &sdk.ListToolsParams{}
	for page := 0; ; page++ {
		res, err := v.session.ListTools(ctx, params)
		if err != nil {
			return l.s.failure(ctx, err)
		}
		for _, t := range res.Tools {
			d, err := describe(t)
			if err != nil {
				l.s.log.add("fluxway", fmt.Sprintf("the tool %.100q is left out: %v", t.Name, err))
				continue
			}
			offered[t.Name] = d
		}
		if len(offered) > maxTools || page > maxTools {
			return fault.New(fault.Unavailable, "mcp_too_many_tools", "The MCP server %s lists more than %d tools.", l.s.key.name, maxTools)
		}
		if res.NextCursor == "" {
			return l.s.heard(ctx, offered)
		}
		params = &sdk.ListToolsParams{Cursor: res.NextCursor}
	}
}

func describe(t *sdk.Tool) (Described, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Described{}, err
	}
	title := t.Title
	if title == "" && t.Annotations != nil {
		title = t.Annotations.Title
	}
	if len(t.Name) == 0 || len(t.Name) > 256 {
		return Described{}, errors.New("its name is empty or too long")
	}
	if len(schema) > maxSchema {
		return Described{}, fmt.Errorf("its schema has %d bytes", len(schema))
	}
	if len(t.Description) > maxDescription || len(title) > maxDescription {
		return Described{}, fmt.Errorf("its description has %d bytes", len(t.Description)+len(title))
	}
	return Described{Title: title, Description: t.Description, Schema: bytes.TrimSpace(schema)}, nil
}

// listAgain lists the tools once more; what comes while it does so is one more time, not a queue.
func (l *link) listAgain(v *live) {
	select {
	case <-v.up:
	default: // it is being listed for the first time anyway
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.listing {
		v.relist = true
		return
	}
	v.listing = true
	l.s.m.wg.Go(func() {
		for again := true; again; {
			ctx, cancel := context.WithTimeout(l.s.m.running, l.s.m.opts.ConnectTime)
			err := l.list(ctx, v)
			cancel()
			if err != nil {
				l.s.log.add("fluxway", "its tools could not be listed: "+sentence(err))
			}
			v.mu.Lock()
			again = v.relist && err == nil
			v.relist, v.listing = false, again
			v.mu.Unlock()
		}
	})
}

// progress passes a sign of life on to the call it belongs to.
func (v *live) progress(p *sdk.ProgressNotificationParams) {
	token, ok := p.ProgressToken.(string)
	if !ok {
		return
	}
	v.mu.Lock()
	f, ok := v.calls[token]
	v.mu.Unlock()
	if ok {
		f.call.Report(progressOf(p))
	}
}

// failure gives an error of the SDK its type.
func (s *server) failure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errLost) {
		return cause
	}
	name := s.key.name
	var signIn *fault.Fault
	if errors.As(err, &signIn) && signIn.Code == "mcp_signin_needed" {
		return signIn
	}
	var answer *jsonrpc.Error
	switch {
	case errors.Is(context.Cause(ctx), errLost), errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, sdk.ErrSessionMissing):
		return lost(name, err)
	case errors.As(err, &answer) && answer.Code == codeTooLarge, errors.Is(err, errTooLarge):
		return fault.New(fault.TooLarge, "mcp_answer_too_large", "The answer of the MCP server %s is larger than %d MB.", name, maxMessage>>20).
			WithHint("Ask for less at once.")
	case errors.As(err, &answer):
		return fault.New(fault.Invalid, "mcp_refused", "The MCP server %s refused: %s.", name, sentence(errors.New(answer.Message))).Because(err)
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return lost(name, err)
	}
	return fault.New(fault.Unavailable, "mcp_broken", "The MCP server %s does not speak the protocol: %s.", name, sentence(err)).Because(err).
		WithHint("Its log says more: fluxway mcp logs %s.", name)
}

func lost(name string, err error) error {
	return fault.New(fault.Unavailable, "mcp_lost", "The MCP server %s was lost during the call; what it had begun may be half done.", name).Because(err).
		WithHint("Look at what it did before you try again; it is being started again.")
}
