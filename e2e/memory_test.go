package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestAFactIsRecalledInAnotherConversation tells the demonstration something in one conversation and asks for it in
// another. It has no network and no key: what it remembers, and where that was said, comes from memory alone.
func TestAFactIsRecalledInAnotherConversation(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream := follow(ctx, s, "**")
	var reading sync.WaitGroup
	reading.Go(func() { stream.run(ctx) })
	defer reading.Wait()
	defer cancel()
	chat := func(message string) started {
		t.Helper()
		var a started
		if status, err := s.call(ctx, "POST", "/api/v1/chat", map[string]string{"agent": "assistant", "message": message}, &a); err != nil || status/100 != 2 {
			t.Fatalf("%q was answered %d, %v", message, status, err)
		}
		if !stream.until(ctx, said("runs.finished", a.Run.ID)) {
			t.Fatalf("%q has no end", message)
		}
		return a
	}
	told := chat("By the way, my dog is called Rex and he is afraid of thunder.")
	if !stream.until(ctx, said("memory.fact_added", "")) {
		t.Fatal("nothing was learned")
	}
	asked := chat("What is the name of my dog?")
	if asked.Conversation.ID == told.Conversation.ID {
		t.Fatal("both are one conversation")
	}
	if answer := s.answer(ctx, asked.Conversation.ID); !strings.Contains(answer, "Rex") || !strings.Contains(answer, "said on ") {
		t.Errorf("the answer is %q, without the name or where it comes from", answer)
	}
	var messages struct {
		Data []struct {
			ID    string
			Role  string
			Notes *struct {
				Recalled []struct{ Kind, Text, Source, Conversation, Message string }
			}
		}
	}
	if _, err := s.call(ctx, "GET", "/api/v1/conversations/"+asked.Conversation.ID+"/messages", nil, &messages); err != nil {
		t.Fatal(err)
	}
	shown := false
	for _, m := range messages.Data {
		if m.Notes == nil {
			continue
		}
		for _, r := range m.Notes.Recalled {
			shown = shown || m.Role == "assistant" && r.Kind == "fact" && strings.Contains(r.Text, "Rex") && r.Conversation == told.Conversation.ID && r.Message != "" && r.Source != ""
		}
	}
	if !shown {
		t.Errorf("the answer does not show what was recalled for it, and from where: %+v", messages.Data)
	}
	var graph struct {
		Entities []struct{ Name string }
	}
	if _, err := s.call(ctx, "GET", "/api/v1/memory/graph", nil, &graph); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(graph.Entities, func(e struct{ Name string }) bool { return e.Name == "Rex" }) {
		t.Errorf("the graph has %+v, without Rex", graph.Entities)
	}
}

// said waits for an event of a kind that names something.
func said(kind, name string) func([]envelope) bool {
	return func(all []envelope) bool {
		return slices.ContainsFunc(all, func(e envelope) bool { return e.Kind == kind && strings.Contains(string(e.Data), name) })
	}
}

const (
	readKills = 6
	folderOf  = 40 // files
)

// TestKilledWhileItReads kills the server again and again while it reads a folder and documents are given to it. Every
// document that was acknowledged must be found, and no piece of any twice.
func TestKilledWhileItReads(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(t *testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"FLUXWAY_DATABASE_URL=" + storetest.EmptyPostgresURL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "notes")
			for i := range folderOf {
				writeNote(t, folder, i)
			}
			readTest(t, newServer(t, append(database(t), "FLUXWAY_LIMITS_PER_IDENTITY=1000000", "FLUXWAY_MEMORY_FOLDERS="+folder, "FLUXWAY_MEMORY_EMBEDDER=off")...), folder)
		})
	}
}

func writeNote(t *testing.T, folder string, i int) {
	t.Helper()
	text := fmt.Sprintf("# Note %d\n\nThe lantern%dx hangs in the hall.\n\n", i, i) + strings.Repeat(fmt.Sprintf("## Part of %d\n\nIt was lit at dusk and put out at dawn, as every day.\n\n", i), 30)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("note%d.md", i)), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readTest(t *testing.T, s *server, folder string) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	stream := follow(ctx, s, "memory")
	var reading sync.WaitGroup
	reading.Go(func() { stream.run(ctx) })
	sources := map[string]string{} // id, and a word that only it has
	for round := range readKills {
		s.start()
		if round == 0 {
			if id := addSource(ctx, s, map[string]any{"location": folder}); id != "" {
				sources[id] = "lantern7x"
			}
		}
		alive, die := context.WithCancel(ctx)
		var writing sync.WaitGroup
		writing.Go(func() {
			for n := 0; n < 8 && alive.Err() == nil; n++ {
				word := fmt.Sprintf("harbour%dy%dx", round, n)
				id := addSource(alive, s, map[string]any{"text": "The ship " + word + " lies in the port.", "title": word})
				if id == "" {
					return
				}
				sources[id] = word
			}
		})
		pause(ctx, time.Duration(30+rand.IntN(250))*time.Millisecond)
		s.kill()
		die()
		writing.Wait()
	}
	s.start()
	if len(sources) < readKills {
		t.Fatalf("only %d sources were acknowledged: the test tests nothing", len(sources))
	}
	if !stream.until(ctx, func(all []envelope) bool { return allRead(all, sources) }) {
		t.Fatal("not all that was acknowledged was read")
	}
	settleReading(ctx, t, s, stream)
	checkRead(ctx, t, s, sources)
	cancel()
	reading.Wait()
	t.Logf("%d sources acknowledged, %d reconnects", len(sources), stream.drops)
}

// addSource gives the id of a source the server acknowledged; "" if it did not.
func addSource(ctx context.Context, s *server, in map[string]any) string {
	var made struct {
		ID string `json:"id"`
	}
	if status, err := s.call(ctx, "POST", "/api/v1/knowledge/sources", in, &made); err != nil || status != 201 {
		return ""
	}
	return made.ID
}

func allRead(all []envelope, sources map[string]string) bool {
	done := map[string]bool{}
	for _, e := range all {
		var d struct{ Source, State string }
		if e.Kind == "memory.source_indexed" && json.Unmarshal(e.Data, &d) == nil && d.State == "ready" {
			done[d.Source] = true
		}
	}
	for id := range sources {
		if !done[id] {
			return false
		}
	}
	return true
}

// settleReading waits for sources that are read again: a job that was killed before its end was written is done twice.
func settleReading(ctx context.Context, t *testing.T, s *server, stream *follower) {
	t.Helper()
	for {
		var before, now map[string]int
		stream.until(ctx, func(all []envelope) bool { before = timesRead(all); return true })
		var page struct{ Data []struct{ ID, State string } }
		if _, err := s.call(ctx, "GET", "/api/v1/knowledge/sources?limit=200", nil, &page); err != nil {
			t.Fatal(err)
		}
		again := ""
		for _, src := range page.Data {
			if src.State == "indexing" {
				again = src.ID
			}
		}
		if again == "" {
			return
		}
		if !stream.until(ctx, func(all []envelope) bool { now = timesRead(all); return now[again] > before[again] }) {
			t.Fatalf("%s is read again and again", again)
		}
	}
}

// timesRead counts how often each source was read.
func timesRead(all []envelope) map[string]int {
	n := map[string]int{}
	for _, e := range all {
		var d struct{ Source string }
		if e.Kind == "memory.source_indexed" && json.Unmarshal(e.Data, &d) == nil {
			n[d.Source]++
		}
	}
	return n
}

func checkRead(ctx context.Context, t *testing.T, s *server, sources map[string]string) {
	t.Helper()
	pieces := 0
	cursor := ""
	for {
		var page struct {
			Data []struct {
				ID, State     string
				Files, Failed int
				Pieces        int
			}
			Next string `json:"next_cursor"`
		}
		if _, err := s.call(ctx, "GET", "/api/v1/knowledge/sources?limit=200&cursor="+cursor, nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, src := range page.Data {
			pieces += src.Pieces
			if word, known := sources[src.ID]; known && (src.State != "ready" || src.Failed != 0 || src.Pieces == 0 || word == "lantern7x" && src.Files != folderOf) {
				t.Errorf("%+v", src)
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	var stats struct{ Texts map[string]int }
	if _, err := s.call(ctx, "GET", "/api/v1/memory/stats", nil, &stats); err != nil {
		t.Fatal(err)
	}
	if stats.Texts["knowledge"] != pieces {
		t.Errorf("%d pieces can be found, the documents have %d", stats.Texts["knowledge"], pieces)
	}
	for id, word := range sources {
		var answer struct {
			Data []struct{ Source struct{ Source string } }
		}
		if _, err := s.call(ctx, "GET", "/api/v1/knowledge/search?limit=100&query="+word, nil, &answer); err != nil {
			t.Fatal(err)
		}
		if len(answer.Data) != 1 || answer.Data[0].Source.Source != id {
			t.Errorf("%s of %s was found %d times", word, id, len(answer.Data))
		}
	}
}
