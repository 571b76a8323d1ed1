package scripted_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
)

const script = `
name: reader
pace: 10ms
turns:
  - match: read (the )?file
    steps:
      - thinks: A file is wanted.
      - calls: read_file
        args: {path: go.mod}
  - after: read_file
    steps:
      - says: It is a Go module.
  - steps:
      - says: "First answer of two."
  - steps:
      - fails: rate
        retry_after: 5s
        message: slow down
  - steps:
      - says: half
      - waits: 1m
      - fails: broken
`

func model(t *testing.T) *scripted.Model {
	t.Helper()
	s, err := scripted.Parse(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	m, err := scripted.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(text string, more ...providers.Part) *providers.Request {
	msgs := []providers.Message{providers.UserText(text)}
	if len(more) > 0 {
		msgs = append(msgs, providers.Message{Role: providers.RoleUser, Parts: more})
	}
	return &providers.Request{Model: "reader", Messages: msgs}
}

func TestScriptIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := model(t)
		got, err := providers.Complete(t.Context(), m, ask("Please READ the file"))
		if err != nil || got.Stop != providers.StopTools || got.Parts[1].Name != "read_file" {
			t.Fatalf("a matching turn: %+v, %v", got, err)
		}
		got, err = providers.Complete(t.Context(), m, ask("read file", providers.ToolResult("call_1", "read_file", "module x")))
		if err != nil || got.Text() != "It is a Go module." {
			t.Fatalf("after the tool: %q, %v", got.Text(), err)
		}
		start := time.Now()
		got, err = providers.Complete(t.Context(), m, ask("hello"))
		if err != nil || got.Text() != "First answer of two." || time.Since(start) != 40*time.Millisecond {
			t.Fatalf("in order: %q, %v, %s; want four words at 10 ms", got.Text(), err, time.Since(start))
		}
		_, err = providers.Complete(t.Context(), m, ask("hello"))
		if f := fault.From(err); f.Code != providers.CodeRate || f.RetryAfter != 5*time.Second || f.Details["vendor_message"] != "slow down" {
			t.Fatalf("a failing turn: %+v", f)
		}
		got, err = providers.Complete(t.Context(), m, ask("hello"))
		if !fault.HasCode(err, providers.CodeBroken) || got.Text() != "half" || got.Stop != "" {
			t.Fatalf("a broken turn: %+v, %v", got, err)
		}
		if _, err = m.Stream(t.Context(), ask("hello")); !scripted.Exhausted(err) {
			t.Fatalf("the end: %v", err)
		}
		if n := m.Unplayed(); n != 0 || len(m.Requests()) != 6 {
			t.Errorf("unplayed %d, requests %d", n, len(m.Requests()))
		}
	})
}

func TestCancelEndsAPacedStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, err := scripted.New(scripted.Script{Pace: scripted.Duration(time.Hour), Turns: []scripted.Turn{{Steps: []scripted.Step{{Says: "never said in full"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s, err := m.Stream(ctx, ask("x"))
		if err != nil {
			t.Fatal(err)
		}
		var c providers.Chunk
		for err == nil {
			err = s.Next(&c)
		}
		if err == io.EOF || fault.From(err).Code != "timeout" {
			t.Errorf("err = %v; want the deadline", err)
		}
	})
}

func TestMaxTokensStopsTheAnswer(t *testing.T) {
	t.Parallel()
	m, err := scripted.New(scripted.Script{Turns: []scripted.Turn{{Steps: []scripted.Step{{Says: strings.Repeat("word ", 100)}}}}})
	if err != nil {
		t.Fatal(err)
	}
	req := ask("x")
	req.MaxTokens = 10
	got, err := providers.Complete(t.Context(), m, req)
	if err != nil || got.Stop != providers.StopLength || got.Usage.Output > 10 {
		t.Errorf("stop %s, usage %+v, err %v; want length within 10", got.Stop, got.Usage, err)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ yaml, want string }{
		"no turns":          {"name: x", "no turns"},
		"an unknown field":  {"turns:\n  - stepz: []", "cannot be read"},
		"two in one step":   {"turns:\n  - steps:\n      - says: a\n        thinks: b", "exactly one"},
		"a bad pattern":     {"turns:\n  - match: '('\n    steps: [{says: a}]", "regular expression"},
		"an unknown fault":  {"turns:\n  - steps: [{fails: badly}]", "badly"},
		"args without call": {"turns:\n  - steps: [{says: a, args: {x: 1}}]", "args"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.Parse(strings.NewReader(tt.yaml))
			if !fault.HasCode(err, "script_invalid") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v; want script_invalid with %q", err, tt.want)
			}
		})
	}
}
