package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/fluxway/fluxway/internal/providers"
)

// Step is one thing a model does in its turn; exactly one of the first five
// fields is set.
type Step struct {
	Thinks string         `yaml:"thinks,omitempty"`
	Says   string         `yaml:"says,omitempty"`
	Calls  string         `yaml:"calls,omitempty"` // a tool's name, with Args
	Waits  Duration       `yaml:"waits,omitempty"`
	Fails  string         `yaml:"fails,omitempty"` // auth, quota, rate, context_too_long, …; as the first step before the stream, later inside it
	Args   map[string]any `yaml:"args,omitempty"`

	RetryAfter Duration `yaml:"retry_after,omitempty"` // with Fails
	Message    string   `yaml:"message,omitempty"`     // with Fails

	RawArgs json.RawMessage `yaml:"-"` // with Calls, instead of Args
}

// Play streams one turn. pace is the pause after each word; 0 streams at once.
func Play(ctx context.Context, vendor string, req *providers.Request, steps []Step, pace time.Duration) (providers.Stream, error) {
	if len(steps) > 0 && steps[0].Fails != "" {
		return nil, steps[0].fault(vendor, req.Model)
	}
	s := &stream{ctx: ctx, vendor: vendor, req: req, steps: steps, pace: pace, stop: providers.StopEnd}
	s.usage.Input = max(1, providers.EstimateRequest(req))
	return s, nil
}

// stream plays steps as chunks, one per Next.
type stream struct {
	ctx    context.Context
	vendor string
	req    *providers.Request
	steps  []Step
	pace   time.Duration

	phase    phase
	at       int    // the step being played
	rest     string // what is left of its text
	inside   bool   // rest belongs to steps[at]
	calls    int
	usage    providers.Usage
	produced int64
	stop     providers.StopReason
	closed   bool
}

type phase uint8

const (
	starting phase = iota
	playing
	counting
	finishing
	finished
)

// Next plays on.
func (s *stream) Next(c *providers.Chunk) error {
	*c = providers.Chunk{}
	if s.closed || s.ctx.Err() != nil {
		return providers.Broken(s.ctx, s.vendor, io.ErrClosedPipe)
	}
	switch s.phase {
	case starting:
		s.phase = playing
		*c = providers.Chunk{Kind: providers.ChunkStart, ID: s.vendor + "-" + strconv.FormatInt(s.usage.Input, 36), Model: s.req.Model}
		return nil
	case playing:
		done, err := s.play(c)
		if err != nil || !done {
			return err
		}
		s.phase = counting
		fallthrough
	case counting:
		s.phase = finishing
		*c = providers.Chunk{Kind: providers.ChunkUsage, Usage: s.usage}
		return nil
	case finishing:
		s.phase = finished
		*c = providers.Chunk{Kind: providers.ChunkFinish, Stop: s.stop}
		return nil
	}
	return io.EOF
}

// Close ends the stream.
func (s *stream) Close() error {
	s.closed = true
	return nil
}

// play makes the next chunk, or says that no step is left.
func (s *stream) play(c *providers.Chunk) (done bool, err error) {
	for s.at < len(s.steps) && s.stop != providers.StopLength {
		step := &s.steps[s.at]
		switch {
		case step.Waits > 0:
			if err := s.wait(time.Duration(step.Waits)); err != nil {
				return false, err
			}
			s.next()
		case step.Fails != "":
			return false, step.fault(s.vendor, s.req.Model)
		case step.Calls != "":
			return false, s.call(step, c)
		default:
			if s.words(step, c) {
				return false, s.wait(s.pace)
			}
		}
	}
	return true, nil
}

func (s *stream) next() {
	s.at++
	s.inside = false
}

// words streams a text word by word; false means that the step is over.
func (s *stream) words(step *Step, c *providers.Chunk) bool {
	if !s.inside {
		s.inside, s.rest = true, step.Says+step.Thinks
	}
	word := firstWord(s.rest)
	if word == "" {
		s.next()
		return false
	}
	s.rest = s.rest[len(word):]
	kind, count := providers.ChunkText, &s.usage.Output
	if step.Thinks != "" {
		kind, count = providers.ChunkReasoning, &s.usage.Reasoning
	}
	if !s.spend(providers.EstimateText(word), count) {
		return false
	}
	*c = providers.Chunk{Kind: kind, Text: word}
	return true
}

// call streams a tool call in three moves: start, arguments, end.
func (s *stream) call(step *Step, c *providers.Chunk) error {
	switch {
	case !s.inside:
		args, err := step.arguments()
		if err != nil {
			return err
		}
		s.inside, s.rest = true, string(args)
		*c = providers.Chunk{Kind: providers.ChunkToolStart, Index: s.calls, Name: step.Calls, ID: s.callID()}
		s.usage.Output += providers.EstimateText(step.Calls)
	case s.rest != "":
		half := s.rest[:(len(s.rest)+1)/2]
		if len(s.rest) < 8 {
			half = s.rest
		}
		s.rest = s.rest[len(half):]
		s.usage.Output += providers.EstimateText(half)
		*c = providers.Chunk{Kind: providers.ChunkToolArgs, Index: s.calls, Text: half}
	default:
		*c = providers.Chunk{Kind: providers.ChunkToolEnd, Index: s.calls}
		s.stop = providers.StopTools
		s.calls++
		s.next()
	}
	return nil
}

// callID is unique within a conversation: it counts the calls already in it.
func (s *stream) callID() string {
	before := 0
	for i := range s.req.Messages {
		for j := range s.req.Messages[i].Parts {
			if s.req.Messages[i].Parts[j].Kind == providers.PartToolCall {
				before++
			}
		}
	}
	return fmt.Sprintf("call_%d", before+s.calls+1)
}

func (s *stream) spend(n int64, count *int64) bool {
	if s.req.MaxTokens > 0 && s.produced+n > s.req.MaxTokens {
		s.stop = providers.StopLength
		return false
	}
	s.produced += n
	*count += n
	return true
}

func (s *stream) wait(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return providers.Broken(s.ctx, s.vendor, s.ctx.Err())
	}
}

func (st *Step) arguments() (json.RawMessage, error) {
	if st.RawArgs != nil {
		return st.RawArgs, nil
	}
	if st.Args == nil {
		return json.RawMessage("{}"), nil
	}
	b, err := json.Marshal(st.Args)
	if err != nil {
		return nil, fmt.Errorf("encoding arguments of %s: %w", st.Calls, err)
	}
	return b, nil
}

// firstWord is the text up to and including the space after its first word.
func firstWord(s string) string {
	seen := false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if seen && !space {
			return s[:i]
		}
		seen = seen || space
	}
	return s
}

// failures maps a script's short words to what a vendor would have answered.
var failures = map[string]providers.Failure{
	"auth":             {Status: 401},
	"quota":            {Status: 402},
	"rate":             {Status: 429},
	"context_too_long": {Status: 400, Code: "context_length_exceeded"},
	"content_filtered": {Status: 400, Code: "content_filter"},
	"overloaded":       {Status: 529},
	"unavailable":      {Status: 500},
	"bad_request":      {Status: 400, Code: "invalid_request"},
}

// Failures lists the words that a fails step may use, besides "broken".
func Failures() []string {
	names := make([]string, 0, len(failures)+1)
	for name := range failures {
		names = append(names, name)
	}
	return append(names, "broken")
}

func (st *Step) fault(vendor, model string) error {
	if strings.EqualFold(st.Fails, "broken") {
		return providers.Broken(context.Background(), vendor, io.ErrUnexpectedEOF)
	}
	f := failures[strings.ToLower(st.Fails)]
	f.Vendor, f.Model, f.Message, f.RetryAfter = vendor, model, st.Message, time.Duration(st.RetryAfter)
	return f.Fault()
}
