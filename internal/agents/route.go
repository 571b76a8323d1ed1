package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// How says by what an agent was chosen.
type How string

// The ways to choose, in the order they are tried.
const (
	ByOnly    How = "only"      // there is no other
	ByMention How = "mentioned" // the text names it
	ByCache   How = "cached"    // the same text was decided before, among the same agents
	ByModel   How = "model"     // a small model decided
	ByWords   How = "words"     // its description shares most with the text
	ByDefault How = "default"   // nothing speaks for another
)

// Choice is the agent that takes a text, and why.
type Choice struct {
	Agent      string  `json:"agent"`
	How        How     `json:"how"`
	Why        string  `json:"why"`
	Confidence float64 `json:"confidence" doc:"0 to 1."`
}

// RouterOptions are what a Router needs.
type RouterOptions struct {
	Roster *Roster // required
	// Ask puts a question to a cheap model of the workspace; ok is false where
	// there is none that can judge. nil: no model is asked.
	Ask func(ctx context.Context, ws ids.Workspace, req *providers.Request) (answer *providers.Response, ok bool, err error)

	Default    string        // who takes what fits nobody; "": assistant
	TTL        time.Duration // of a remembered decision; 0: an hour; negative: none is remembered
	Timeout    time.Duration // of the model; 0: 3 s
	Confidence float64       // the least with which a model's word counts; 0: 0.5
	Log        *slog.Logger  // nil: silent
}

// Router says which agent takes a text.
type Router struct {
	opts RouterOptions
	log  *slog.Logger

	mu    sync.Mutex // guards the field below
	known map[question]decision
}

// question is a text among certain agents, for someone.
type question struct {
	ws    ids.Workspace
	user  ids.User
	stamp uint64
	text  [sha256.Size]byte
}

type decision struct {
	choice Choice
	until  time.Time
}

// maxDecisions bounds what is remembered.
const maxDecisions = 10_000

// NewRouter makes a router.
func NewRouter(opts RouterOptions) (*Router, error) {
	if opts.Roster == nil {
		return nil, errors.New("agents: RouterOptions.Roster is nil")
	}
	opts.Default = cmp.Or(opts.Default, "assistant")
	opts.TTL = cmp.Or(opts.TTL, time.Hour)
	opts.Timeout = cmp.Or(opts.Timeout, 3*time.Second)
	opts.Confidence = cmp.Or(opts.Confidence, 0.5)
	r := &Router{opts: opts, log: opts.Log, known: map[question]decision{}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r, nil
}

// Pick chooses among the agents the caller may use. Decisions are remembered for
// a while, and only as long as no agent changes.
func (r *Router) Pick(ctx context.Context, ws ids.Workspace, user ids.User, text string) (Choice, error) {
	all, stamp, err := r.opts.Roster.view(ctx, ws)
	if err != nil {
		return Choice{}, err
	}
	switch len(all) {
	case 0:
		return Choice{}, fault.New(fault.Conflict, "no_agents", "There is no agent that could take this.").WithHint("Make one, or ask an administrator for one you may use.")
	case 1:
		return Choice{all[0].Name, ByOnly, "It is the only agent.", 1}, nil
	}
	if c, ok := mentioned(all, text); ok {
		return c, nil
	}
	q := question{ws, user, stamp, sha256.Sum256([]byte(visible(ctx, all) + "\x00" + strings.TrimSpace(text)))}
	if c, ok := r.recall(q); ok {
		return c, nil
	}
	c := r.decide(ctx, ws, all, text)
	r.remember(q, c)
	return c, nil
}

// visible tells callers apart who may use different agents.
func visible(ctx context.Context, all []Agent) string {
	if identity.From(ctx) == nil {
		return ""
	}
	var b strings.Builder
	for _, a := range all {
		b.WriteString(a.Name)
		b.WriteByte(' ')
	}
	return b.String()
}

func (r *Router) recall(q question) (Choice, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, ok := r.known[q]
	if !ok || !time.Now().Before(d.until) {
		return Choice{}, false
	}
	c := d.choice
	c.Why, c.How = "Decided before: "+c.Why, ByCache
	return c, true
}

// remember keeps a decision; one that only fell back is made again next time.
func (r *Router) remember(q question, c Choice) {
	if r.opts.TTL < 0 || c.How == ByDefault {
		return
	}
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxDecisions {
		for old, d := range r.known {
			if !now.Before(d.until) {
				delete(r.known, old)
			}
		}
		if len(r.known) >= maxDecisions {
			clear(r.known)
		}
	}
	r.known[q] = decision{c, now.Add(r.opts.TTL)}
}

// decide asks the model, else counts words, else takes the default.
func (r *Router) decide(ctx context.Context, ws ids.Workspace, all []Agent, text string) Choice {
	if r.opts.Ask != nil {
		c, ok, err := r.ask(ctx, ws, all, text)
		if err != nil {
			r.log.WarnContext(ctx, "the model did not choose an agent", "part", "agents", "err", err)
		}
		if ok {
			return c
		}
	}
	if c, ok := byWords(all, text); ok {
		return c
	}
	return Choice{r.fallback(all), ByDefault, "Nothing in the message speaks for another agent.", 0}
}

// fallback is the default agent, or whoever comes closest to one.
func (r *Router) fallback(all []Agent) string {
	for _, name := range []string{r.opts.Default, "assistant", "coordinator"} {
		if slices.ContainsFunc(all, func(a Agent) bool { return a.Name == name }) {
			return name
		}
	}
	return all[0].Name
}

// quoted is a list of words for a sentence.
func quoted(words []string) string {
	for i, w := range words {
		words[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(words, ", ")
}
