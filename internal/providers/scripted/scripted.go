package scripted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// Vendor is the provider's name.
const Vendor = "scripted"

// Script is what a model will do.
type Script struct {
	Name  string   `yaml:"name,omitempty"`
	Pace  Duration `yaml:"pace,omitempty"` // pause after each word
	Turns []Turn   `yaml:"turns"`
}

// Turn is one answer. A turn with Match or After may be played whenever it
// fits; one without either is played once, in the order written.
type Turn struct {
	Match string `yaml:"match,omitempty"` // regular expression on the last thing the user said
	After string `yaml:"after,omitempty"` // the tool whose result came last
	Once  bool   `yaml:"once,omitempty"`  // with Match or After: play it a single time
	Steps []Step `yaml:"steps"`

	match *regexp.Regexp
}

// Duration reads "200ms" in a script.
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes a duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Parse reads a script in YAML and checks it.
func Parse(r io.Reader) (Script, error) {
	var s Script
	body, err := io.ReadAll(io.LimitReader(r, 4<<20))
	if err != nil {
		return s, fmt.Errorf("reading script: %w", err)
	}
	if err := yaml.NewDecoder(bytes.NewReader(body), yaml.Strict()).Decode(&s); err != nil {
		return s, fault.New(fault.Invalid, "script_invalid", "The script cannot be read: %s", strings.SplitN(err.Error(), "\n", 2)[0]).
			WithHint("A script has turns, each with steps: thinks, says, calls, waits or fails.").Because(err)
	}
	return s, s.compile()
}

func (s *Script) compile() error {
	if len(s.Turns) == 0 {
		return invalid("turns", "The script has no turns.")
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Match != "" {
			re, err := regexp.Compile("(?is)" + t.Match)
			if err != nil {
				return invalid(fmt.Sprintf("turns[%d].match", i), "The pattern %q is not a regular expression: %v.", t.Match, err)
			}
			t.match = re
		}
		for j := range t.Steps {
			if err := t.Steps[j].check(fmt.Sprintf("turns[%d].steps[%d]", i, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (st *Step) check(at string) error {
	set := 0
	for _, is := range []bool{st.Thinks != "", st.Says != "", st.Calls != "", st.Waits != 0, st.Fails != ""} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return invalid(at, "A step has exactly one of thinks, says, calls, waits and fails; this one has %d.", set)
	case st.Args != nil && st.Calls == "":
		return invalid(at+".args", "Only a calls step takes args.")
	case st.Fails != "" && !slices.Contains(Failures(), strings.ToLower(st.Fails)):
		return invalid(at+".fails", "A step cannot fail with %q.", st.Fails)
	}
	return nil
}

func invalid(param, format string, args ...any) error {
	names := Failures()
	slices.Sort(names)
	return fault.New(fault.Invalid, "script_invalid", format, args...).WithParam(param).
		WithHint("Failures are: %s.", strings.Join(names, ", "))
}

// Model plays a script; it is safe for use by many goroutines.
type Model struct {
	script Script

	mu       sync.Mutex // guards the fields below
	played   []int      // how often each turn was played
	requests []*providers.Request
}

// New makes a model that follows the script.
func New(s Script) (*Model, error) {
	s.Turns = slices.Clone(s.Turns)
	if err := s.compile(); err != nil {
		return nil, err
	}
	return &Model{script: s, played: make([]int, len(s.Turns))}, nil
}

// Stream plays the turn that fits the request.
func (m *Model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, providers.Unreachable(ctx, Vendor, err)
	}
	steps, err := m.choose(req)
	if err != nil {
		return nil, err
	}
	return Play(ctx, Vendor, req, steps, time.Duration(m.script.Pace))
}

// Requests are the requests so far, in order.
func (m *Model) Requests() []*providers.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Unplayed counts the turns in order that nobody asked for yet.
func (m *Model) Unplayed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for i := range m.script.Turns {
		if m.script.Turns[i].inOrder() && m.played[i] == 0 {
			n++
		}
	}
	return n
}

func (t *Turn) inOrder() bool { return t.match == nil && t.After == "" }

func (m *Model) choose(req *providers.Request) ([]Step, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	said, tool := last(req)
	next := -1
	for i := range m.script.Turns {
		t := &m.script.Turns[i]
		if t.inOrder() {
			if next < 0 && m.played[i] == 0 {
				next = i
			}
			continue
		}
		if t.fits(said, tool) && (!t.Once || m.played[i] == 0) {
			m.played[i]++
			return t.Steps, nil
		}
	}
	if next < 0 {
		return nil, errNothingLeft.WithDetail("said", said)
	}
	m.played[next]++
	return m.script.Turns[next].Steps, nil
}

var errNothingLeft = fault.New(fault.Conflict, "script_exhausted", "The script has no turn left that fits this request.").
	WithHint("Add a turn, or one with a match that fits.")

// Exhausted says whether err means that the script had no fitting turn.
func Exhausted(err error) bool { return errors.Is(err, errNothingLeft) }

func (t *Turn) fits(said, tool string) bool {
	if t.After != "" {
		return t.After == tool && (t.match == nil || t.match.MatchString(said))
	}
	return tool == "" && t.match.MatchString(said)
}

// last is what the user said last, and the tool that answered since, if any.
func last(req *providers.Request) (said, tool string) {
	for _, msg := range slices.Backward(req.Messages) {
		if msg.Role != providers.RoleUser {
			continue
		}
		for i := range msg.Parts {
			if p := &msg.Parts[i]; p.Kind == providers.PartToolResult && tool == "" {
				tool = p.Name
			}
		}
		if text := msg.Text(); text != "" {
			return text, tool
		}
	}
	return "", tool
}
