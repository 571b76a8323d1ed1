package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/store/storetest"
)

// runKills is more than a test has time for in its long form: go test ./e2e -run TestRunsSurviveKills -run-kills 200.
var runKills = flag.Int("run-kills", 8, "how often the server is killed while runs are worked on, on each database")

// jobsPerLife is how many requests each life of the server gets.
const jobsPerLife = 2

// TestRunsSurviveKills kills the program at random moments while agents with tools and helpers work. Every run must end
// as if nothing had happened, no command may have run twice, and a client that follows hears each thing once.
func TestRunsSurviveKills(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(t *testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"FLUXWAY_DATABASE_URL=" + storetest.EmptyPostgresURL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVendor(t, workers)
			// The last life makes all calls that the others have left, within a minute.
			env := append(v.env(), "FLUXWAY_GUARD_CALLS_PER_MINUTE=20000", "FLUXWAY_GUARD_AGENT_CALLS_PER_MINUTE=20000")
			f := &factory{server: newServer(t, append(env, database(t)...)...)}
			f.run(t, v)
		})
	}
}

// workers are the models of a boss and two helpers.
func workers(a asked) answer {
	hesitate := func() { pause(context.Background(), time.Duration(rand.IntN(4))*time.Millisecond) }
	command := func(what string) vendorCall {
		return vendorCall{"run_command", map[string]any{"command": "echo " + a.Task + "." + what + " >> effects.txt"}}
	}
	sum := vendorCall{"calculator", map[string]any{"expression": "1+1"}}
	out := answer{Pause: hesitate}
	switch {
	case a.Model != "boss" && a.Turn == 0:
		out.Calls = []vendorCall{command("c")}
	case a.Model != "boss":
		out.Says = []string{"The helper ", "is done."}
	case a.Turn == 0:
		out.Says, out.Calls = []string{"I look ", "at it. "}, []vendorCall{sum, sum}
	case a.Turn == 1:
		out.Calls = []vendorCall{command("c"), sum, command("e")}
	case a.Turn == 2:
		out.Says = []string{"I ask ", "both. "}
		out.Calls = []vendorCall{{"delegate_to_one", map[string]any{"task": a.Task + "-one"}}, {"delegate", map[string]any{"agent": "two", "task": a.Task + "-two"}}}
	default:
		out.Says = []string{"That was ", a.Task, " in the end."}
	}
	return out
}

// factory is a server that is killed, and what it was asked.
type factory struct {
	*server
}

// workRun is what this test reads of a run.
type workRun struct {
	ID           string `json:"id"`
	Conversation string `json:"conversation"`
	Title        string `json:"title"`
	State        string `json:"state"`
	Needs        []struct {
		Run, Call, Kind string
	} `json:"needs"`
}

func (f *factory) run(t *testing.T, v *vendor) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(*runKills)*4*time.Second)
	defer cancel()
	f.start()
	tools := map[string]any{"allow": []string{"run_command", "calculator"}}
	f.agent("boss", map[string]any{"model": "vllm/boss", "tools": tools, "helpers": []string{"one", "two"}})
	f.agent("one", map[string]any{"model": "vllm/one", "tools": tools})
	f.agent("two", map[string]any{"model": "vllm/two", "tools": tools})
	listener := follow(ctx, f.server, "conversations/*")
	var reading sync.WaitGroup
	reading.Go(func() { listener.run(ctx) })
	acked := map[string]string{} // run to task
	for life := range *runKills {
		alive, die := context.WithCancel(ctx)
		var living sync.WaitGroup
		living.Go(func() { f.attend(alive) })
		for n := range jobsPerLife {
			task := fmt.Sprintf("job%dx%d", life, n)
			var a started
			if _, err := f.call(ctx, "POST", "/api/v1/agents/boss/chat", map[string]string{"message": task}, &a); err != nil {
				t.Fatal(err)
			}
			acked[a.Run.ID] = task
		}
		pause(ctx, time.Duration(rand.IntN(400))*time.Millisecond)
		f.kill()
		die()
		living.Wait()
		for line := range strings.Lines(f.log.String()) {
			if strings.Contains(line, `"ERROR"`) {
				t.Logf("life %d: %s", life, line)
			}
		}
		f.start()
	}
	f.attendUntilOver(ctx, len(acked))
	f.check(ctx, t, acked, listener)
	if v.count("one") == 0 || v.count("two") == 0 {
		t.Errorf("the helpers' models were asked %d and %d times", v.count("one"), v.count("two"))
	}
	cancel()
	reading.Wait()
	t.Logf("%d kills, %d runs, %d reconnects, %d events", *runKills, len(acked), listener.drops, len(listener.events))
}

// attend is the person who answers what runs ask after a kill, until the server dies.
func (f *factory) attend(ctx context.Context) {
	for ctx.Err() == nil {
		f.answerAll(ctx)
		pause(ctx, 50*time.Millisecond) // another process has no other way to tell
	}
}

func (f *factory) attendUntilOver(ctx context.Context, want int) {
	f.t.Helper()
	for over := 0; over < want; {
		if ctx.Err() != nil {
			f.t.Fatalf("%d of %d runs are over: %+v\n%s", over, want, f.runs(f.t.Context(), ""), f.log)
		}
		f.answerAll(ctx)
		over = 0
		for _, r := range f.runs(ctx, "") {
			if r.State == "finished" || r.State == "failed" || r.State == "cancelled" {
				over++
			}
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// runs lists the runs of the person.
func (f *factory) runs(ctx context.Context, filter string) (all []workRun) {
	for cursor := ""; ; {
		var list struct {
			Data       []workRun
			HasMore    bool   `json:"has_more"`
			NextCursor string `json:"next_cursor"`
		}
		if status, err := f.call(ctx, "GET", "/api/v1/runs?limit=100&"+filter+"&cursor="+cursor, nil, &list); err != nil {
			if status != 0 && status != 503 && ctx.Err() == nil {
				f.t.Error(err)
			}
			return all // it was killed, and is asked again
		}
		all = append(all, list.Data...)
		if cursor = list.NextCursor; !list.HasMore {
			return all
		}
	}
}

var effectOf = regexp.MustCompile(`echo (\S+) `)

// answerAll looks, for every call whose outcome nobody knows, whether it was made, and says what to do about it.
func (f *factory) answerAll(ctx context.Context) {
	for _, run := range f.runs(ctx, "state=waiting") {
		for _, need := range run.Needs {
			var steps struct {
				Data []struct {
					Call, Kind string
					Input      json.RawMessage
				}
			}
			if _, err := f.call(ctx, "GET", "/api/v1/runs/"+need.Run+"/steps?limit=100", nil, &steps); err != nil {
				return
			}
			reply := "repeat"
			for _, s := range steps.Data {
				if m := effectOf.FindSubmatch(s.Input); s.Call == need.Call && s.Kind == "tool" && m != nil && slices.Contains(f.effects(), string(m[1])) {
					reply = "skip"
				}
			}
			// The list may be older than the last answer: a refusal changes nothing.
			_, _ = f.call(ctx, "POST", "/api/v1/runs/"+need.Run+"/answer", map[string]string{"call": need.Call, "answer": reply}, nil)
		}
	}
}

// effects is what commands left behind.
func (f *factory) effects() []string {
	files, err := filepath.Glob(filepath.Join(f.home, "files", "*", "effects.txt"))
	if err != nil || len(files) != 1 {
		return nil
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		f.t.Error(err)
	}
	return strings.Fields(string(text))
}

// check compares what is there with what would be there without any kill.
func (f *factory) check(ctx context.Context, t *testing.T, acked map[string]string, listener *follower) {
	t.Helper()
	var want []string
	conversations := map[string]bool{}
	for _, r := range f.runs(ctx, "") {
		task, known := acked[r.ID]
		if !known || r.State != "finished" {
			t.Errorf("%s is %s (asked for: %v)", r.Title, r.State, known)
		}
		for _, who := range []string{".c", ".e", "-one.c", "-two.c"} {
			want = append(want, task+who)
		}
		if got := f.answer(ctx, r.Conversation); got != "I look at it. I ask both. That was "+task+" in the end." {
			t.Errorf("the answer to %s is %q", task, got)
		}
		conversations[r.Conversation] = true
	}
	got := f.effects()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("commands that did not run once (-want +got):\n%s", cmp.Diff(want, got))
	}
	if len(conversations) != len(acked) {
		t.Fatalf("%d conversations of %d requests", len(conversations), len(acked))
	}
	f.checkHeard(ctx, t, conversations, listener)
}

// checkHeard compares what a client that reconnected again and again was told with what is stored, and counts.
func (f *factory) checkHeard(ctx context.Context, t *testing.T, conversations map[string]bool, listener *follower) {
	t.Helper()
	finished := func(all []envelope) bool {
		n := 0
		for _, e := range all {
			if e.Kind == "runs.finished" {
				n++
			}
		}
		return n >= len(conversations)
	}
	if !listener.until(ctx, finished) {
		t.Fatal("the client never heard of every end")
	}
	listener.mu.Lock()
	heard := slices.Clone(listener.events)
	listener.mu.Unlock()
	count := map[string]map[string]int{}
	for i, e := range heard {
		if i > 0 && e.Cursor <= heard[i-1].Cursor {
			t.Fatalf("cursor %d after %d", e.Cursor, heard[i-1].Cursor)
		}
		var data struct {
			Call, Tool, Code, Preview string
			Turn                      int
		}
		_ = json.Unmarshal(e.Data, &data) // a conversation's own facts look different, and are not counted
		if count[e.Channel] == nil {
			count[e.Channel] = map[string]int{}
		}
		if e.Kind == "runs.tool_finished" && data.Code != "" && data.Code != "outcome_unknown" {
			t.Errorf("%s failed with %s: %s", data.Tool, data.Code, data.Preview)
		}
		switch e.Kind {
		case "runs.turn_finished":
			count[e.Channel][fmt.Sprintf("turn %d", data.Turn)]++
		case "runs.tool_started", "runs.tool_finished", "runs.helper_spawned", "runs.helper_finished":
			count[e.Channel][e.Kind+" "+data.Call]++
		case "runs.queued", "runs.finished":
			count[e.Channel][e.Kind]++
		case "runs.failed", "runs.cancelled", "runs.helper_failed":
			t.Errorf("%s was told", e.Kind)
		}
	}
	for c := range conversations {
		told := count["conversations/"+c]
		for what, n := range told {
			if n != 1 {
				t.Errorf("%s was told %d times", what, n)
			}
		}
		if want := 3 + 2*7 + 2*2 + 2; len(told) != want { // turns, calls, helpers, beginning and end
			t.Errorf("%d things were told, want %d: %v", len(told), want, told)
		}
	}
	f.checkStored(ctx, t, heard)
}

// checkStored reads the log of facts and compares it with what was heard.
func (f *factory) checkStored(ctx context.Context, t *testing.T, heard []envelope) {
	t.Helper()
	last, at := heard[len(heard)-1].Cursor, 0
	for after := int64(0); after < last; {
		var list struct{ Data []envelope }
		if _, err := f.call(ctx, "GET", fmt.Sprintf("/api/v1/events?channel=conversations/*&limit=100&after=%d", after), nil, &list); err != nil || len(list.Data) == 0 {
			t.Fatalf("reading facts after %d: %d, %v", after, len(list.Data), err)
		}
		for _, e := range list.Data {
			if after = e.Cursor; e.Cursor > last {
				break
			}
			if at >= len(heard) || heard[at].Cursor != e.Cursor || heard[at].Kind != e.Kind {
				t.Fatalf("fact %d (%s, %s) was not heard in its place, but %+v", e.Cursor, e.Kind, e.Data, heard[max(0, at-1):min(at+2, len(heard))])
			}
			at++
		}
	}
	if at != len(heard) {
		t.Errorf("%d facts are stored, %d were heard", at, len(heard))
	}
}
