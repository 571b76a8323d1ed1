package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/fluxway/fluxway/internal/api/compat"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Gateway gives the models that a caller may ask. Each provider of the router
// stands behind costs.Meter, so that every attempt is reserved and recorded for
// whom the doors name with costs.With.
type Gateway interface {
	Router(ctx context.Context) (*providers.Router, error)
}

// Everyone is a Gateway whose callers all ask the same router.
type Everyone struct{ All *providers.Router }

// Router is the one there is.
func (e Everyone) Router(context.Context) (*providers.Router, error) { return e.All, nil }

// maxPrompt bounds a request with images, documents or sound in it.
const maxPrompt = 50 << 20

// doorsAPI is other vendors' APIs in front of any model.
type doorsAPI struct {
	s       *Server
	gateway Gateway
}

func (a doorsAPI) routes() []route {
	var all []route
	all = append(all, a.openAI()...)
	all = append(all, a.anthropic()...)
	return append(all, a.gemini()...)
}

// foreign makes an action of a door that speaks another vendor's dialect. In
// only describes the address: the body is the dialect's, and what nobody knows
// in the query is ignored, as the vendors do.
func foreign[In any](d compat.Dialect, f func(c *call) error, opts ...option) action {
	a := action{
		in: reflect.TypeFor[In](), input: new(input), invoke: f, dialect: d,
		status: http.StatusOK, media: "application/json", timeout: -1, limit: maxPrompt, raw: true, quiet: true, looseQuery: true,
	}
	for _, o := range opts {
		o(&a)
	}
	return a
}

// ownBody leaves the body to the door, which reads it as it comes.
func ownBody(a *action) { a.ownBody = true }

// modelPath is the address of a model; a name with slashes takes more segments.
type modelPath struct {
	Model string `path:"model"`
}

type modelPath2 struct {
	Provider string `path:"provider"`
	modelPath
}

type modelPath3 struct {
	Provider string `path:"provider"`
	Vendor   string `path:"vendor"`
	Model    string `path:"model"`
}

// perModel repeats a route for names with up to two slashes.
func perModel(method, base, permission, summary string, d compat.Dialect, f func(c *call) error, opts ...option) []route {
	return []route{
		{method, base + "/{model}", permission, summary, foreign[modelPath](d, f, opts...)},
		{method, base + "/{provider}/{model}", permission, summary, foreign[modelPath2](d, f, opts...)},
		{method, base + "/{provider}/{vendor}/{model}", permission, summary, foreign[modelPath3](d, f, opts...)},
	}
}

// pathModel joins the segments of a model's address.
func pathModel(c *call) string {
	n := strings.Count(c.e.route.Pattern, "{")
	return strings.Join(c.params[:n], "/")
}

// charged carries who asks and what for, so that costs knows.
func (c *call) charged(door, model string) context.Context {
	id := c.caller
	return costs.With(c.ctx, costs.Attribution{Workspace: id.Workspace, User: id.User, Key: id.Key, Door: door, Asked: model})
}

// plain says which requests are questions to a model: they are many, and their
// bodies are read at once and whole.
func (s *Server) plain(path string) bool {
	var params [maxParams]string
	n := s.router.find(path, &params)
	if n == nil {
		return false
	}
	e := n.endpoint(http.MethodPost)
	return e != nil && e.route.Action.dialect != nil && !e.route.Action.ownBody
}

// keyInURL refuses a credential where logs and histories would keep it.
func (c *call) keyInURL() error {
	query := c.r.URL.RawQuery
	if c.e.route.Action.dialect == nil || !strings.HasPrefix(query, "key=") && !strings.Contains(query, "&key=") {
		return nil
	}
	return fault.New(fault.Unauthenticated, "key_in_url", "A key in the address is not taken: logs and histories keep addresses.").
		WithParam("key").WithHint("Send it in the header x-goog-api-key, x-api-key, or Authorization: Bearer fx_….")
}

// failForeign renders a fault in the shape that the door's own clients read.
func (c *call) failForeign(f *fault.Fault) {
	d := c.e.route.Action.dialect
	h := c.w.Header()
	if wantsAnthropic(c) {
		d = compat.Messages{}
	}
	if d.Name() == providers.DialectMessages {
		h["Request-Id"] = []string{c.origin.Request}
	}
	if f.Hint == "" {
		f = f.WithHint("%s", hints[f.Kind])
	}
	if f.Status() == http.StatusTooManyRequests && (f.Code == costs.CodeBudget || f.Code == providers.CodeQuota) {
		h["X-Should-Retry"] = []string{"false"} // trying again at once spends nothing but time
	}
	c.writeJSON(f.Status(), d.Error(f, c.origin.Request))
}
