package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// started is what a chat is answered with.
type started struct {
	Run struct {
		ID    string `json:"id"`
		Agent string `json:"agent"`
		State string `json:"state"`
	} `json:"run"`
	Conversation struct {
		ID string `json:"id"`
	} `json:"conversation"`
	Routing *struct {
		Agent, Why, How string
		Confidence      float64
	} `json:"routing"`
}

// device is a client on a WebSocket that keeps what it hears.
type device struct {
	t    *testing.T
	conn *websocket.Conn
	all  []envelope
}

func (s *server) device(ctx context.Context, channels string) *device {
	s.t.Helper()
	conn, _, err := websocket.Dial(ctx, "ws://"+s.address+"/api/v1/ws", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.key}}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"op":"subscribe","id":"a","channels":["`+channels+`"]}`)); err != nil {
		s.t.Fatal(err)
	}
	if _, text, err := conn.Read(ctx); err != nil || !strings.Contains(string(text), `"subscribed"`) {
		s.t.Fatalf("subscribing: %s, %v", text, err)
	}
	return &device{t: s.t.(*testing.T), conn: conn}
}

// until reads on to the end of a run.
func (d *device) until(ctx context.Context, kind, run string) envelope {
	d.t.Helper()
	for {
		_, text, err := d.conn.Read(ctx)
		if err != nil {
			d.t.Errorf("waiting for %s: %v", kind, err)
			return envelope{}
		}
		var e envelope
		if err := json.Unmarshal(text, &e); err != nil || e.Kind == "" {
			continue // a notice
		}
		d.all = append(d.all, e)
		if e.Kind == kind && strings.Contains(string(e.Data), run) {
			return e
		}
	}
}

// told is the text of the deltas, and the kinds of the facts, of what a client heard.
func told(all []envelope) (text string, facts []string) {
	for _, e := range all {
		if e.Kind == "runs.text_delta" {
			var d struct{ Text string }
			if json.Unmarshal(e.Data, &d) == nil {
				text += d.Text
			}
		}
		if e.Cursor > 0 {
			facts = append(facts, e.Kind)
		}
	}
	return text, facts
}

// TestSeveralDevicesSeeTheSameChat has two WebSockets, an event stream and a terminal follow one conversation in which an
// agent has two helpers work. All hear the same, in order; the helpers' words are not among the answer's.
func TestSeveralDevicesSeeTheSameChat(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	devices := []*device{s.device(ctx, "conversations/*"), s.device(ctx, "conversations/*")}
	stream := follow(ctx, s, "conversations/*")
	stream.deltas = true
	var reading sync.WaitGroup
	reading.Go(func() { stream.run(ctx) })
	<-stream.opened
	screen := s.terminal(ctx, "run", "--agent", "coordinator", "ask the researcher and the coder: what time is it?")
	var devicesRead sync.WaitGroup
	for _, d := range devices {
		devicesRead.Go(func() { d.until(ctx, "runs.finished", "") })
	}
	devicesRead.Wait()
	stream.until(ctx, func(all []envelope) bool {
		return slices.ContainsFunc(all, func(e envelope) bool { return e.Kind == "runs.finished" })
	})
	text, facts := told(devices[0].all)
	other, otherFacts := told(devices[1].all)
	if text != other || !slices.Equal(facts, otherFacts) {
		t.Errorf("the devices heard different things:\n%q %v\n%q %v", text, facts, other, otherFacts)
	}
	stream.mu.Lock()
	streamedText, streamed := told(stream.events)
	stream.mu.Unlock()
	if streamedText != text {
		t.Errorf("the stream heard %q, the devices %q", streamedText, text)
	}
	if len(streamed) < len(facts) || !slices.Equal(streamed[:len(facts)], facts) {
		t.Errorf("the stream heard %v, the devices %v", streamed, facts)
	}
	count := map[string]int{}
	for _, f := range facts {
		count[f]++
	}
	if count["runs.helper_spawned"] != 2 || count["runs.helper_finished"] != 2 || count["runs.tool_finished"] != 2 {
		t.Errorf("facts %v", facts)
	}
	var about struct{ Conversation string }
	if err := json.Unmarshal(devices[0].all[len(devices[0].all)-1].Data, &about); err != nil {
		t.Fatal(err)
	}
	if answer := s.answer(ctx, about.Conversation); answer != text {
		t.Errorf("the answer is %q, the pieces were %q", answer, text)
	}
	shown := screen.text(t)
	for _, line := range strings.Split(text, "\n") {
		if line = bare(line); !strings.Contains(shown, line) {
			t.Errorf("the terminal does not show %q:\n%s", line, shown)
		}
	}
	cancel()
	reading.Wait()
}

// answer is the text of the last answer.
func (s *server) answer(ctx context.Context, conversation string) string {
	s.t.Helper()
	var messages struct {
		Data []struct {
			Role  string
			Parts []struct{ Kind, Text string }
		}
	}
	if _, err := s.call(ctx, "GET", "/api/v1/conversations/"+conversation+"/messages", nil, &messages); err != nil {
		s.t.Fatal(err)
	}
	text := ""
	for _, m := range messages.Data {
		if m.Role != "assistant" {
			continue
		}
		for _, p := range m.Parts {
			if p.Kind == "text" {
				text += p.Text
			}
		}
		return text
	}
	return ""
}

// TestARunOutlivesItsClientsAndStopStopsIt closes every connection while an answer streams, then stops another.
func TestARunOutlivesItsClientsAndStopStopsIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first := s.device(ctx, "conversations/*")
	var a started
	if _, err := s.call(ctx, "POST", "/api/v1/chat", map[string]string{"message": "show markdown"}, &a); err != nil {
		t.Fatal(err)
	}
	if a.Routing == nil || a.Routing.Agent != a.Run.Agent || a.Routing.Why == "" || a.Routing.How == "" {
		t.Errorf("who answers: %+v", a.Routing)
	}
	var models struct{ Data []struct{ ID string } }
	if _, err := s.call(ctx, "GET", "/v1/models", nil, &models); err != nil || !slices.Contains(models.Data, struct{ ID string }{"agent/assistant"}) {
		t.Errorf("agents are not among the models %+v (%v)", models, err)
	}
	first.until(ctx, "runs.text_delta", a.Run.ID)
	first.conn.CloseNow()
	second := s.device(ctx, "conversations/*")
	second.until(ctx, "runs.finished", a.Run.ID)
	var b started
	if _, err := s.call(ctx, "POST", "/api/v1/agents/assistant/chat", map[string]string{"message": "tell a long story"}, &b); err != nil {
		t.Fatal(err)
	}
	second.until(ctx, "runs.text_delta", b.Run.ID)
	if _, err := s.call(ctx, "POST", "/api/v1/runs/"+b.Run.ID+"/cancel", nil, nil); err != nil {
		t.Fatal(err)
	}
	second.until(ctx, "runs.cancelled", b.Run.ID)
}

// TestACallIsApprovedInTheMiddleOfARun has the demonstration run a command, which a person must allow.
func TestACallIsApprovedInTheMiddleOfARun(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := s.device(ctx, "conversations/*")
	var a started
	if _, err := s.call(ctx, "POST", "/api/v1/agents/assistant/chat", map[string]string{"message": "run `find . -name x -delete; echo approved-$((40+2))`"}, &a); err != nil {
		t.Fatal(err)
	}
	waiting := d.until(ctx, "runs.waiting", a.Run.ID)
	var about struct {
		Needs []struct{ Kind, Ticket, Call string }
	}
	if err := json.Unmarshal(waiting.Data, &about); err != nil || len(about.Needs) != 1 || about.Needs[0].Kind != "approval" {
		t.Fatalf("it waits for %s (%v)", waiting.Data, err)
	}
	s.stop() // nobody waits in memory
	s.start()
	d = s.device(ctx, "conversations/*")
	if _, err := s.call(ctx, "POST", "/api/v1/guard/approvals/"+about.Needs[0].Ticket+"/answer", map[string]string{"decision": "approve"}, nil); err != nil {
		t.Fatal(err)
	}
	d.until(ctx, "runs.finished", a.Run.ID)
	if answer := s.answer(ctx, a.Conversation.ID); !strings.Contains(answer, "approved-42") {
		t.Errorf("the answer is %q", answer)
	}
}
