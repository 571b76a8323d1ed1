package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/store/storetest"
)

const (
	kills   = 50
	writers = 8
)

// TestNothingAcknowledgedIsLost kills the server again and again while writers
// get acknowledgements and subscribers follow. Every acknowledged row must be
// there, every event must be seen exactly once, in order, without a gap.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(t *testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"FLUXWAY_DATABASE_URL=" + storetest.EmptyPostgresURL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killTest(t, newServer(t, append(database(t), "FLUXWAY_LIMITS_PER_IDENTITY=1000000")...))
		})
	}
}

// acks collects what the server confirmed.
type acks struct {
	mu     sync.Mutex // guards titles
	titles map[string]string
}

func killTest(t *testing.T, s *server) {
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	followers := []*follower{follow(ctx, s, "conversations/*"), follow(ctx, s, "conversations/*")}
	var reading sync.WaitGroup
	for _, f := range followers {
		reading.Go(func() { f.run(ctx) })
	}
	acked := &acks{titles: make(map[string]string)}
	for round := range kills {
		s.start()
		alive, die := context.WithCancel(ctx)
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() { acked.write(alive, s, fmt.Sprintf("round %d writer %d", round, w)) })
		}
		pause(ctx, time.Duration(20+rand.IntN(180))*time.Millisecond)
		s.kill()
		die()
		writing.Wait()
	}
	s.start()
	if len(acked.titles) < kills {
		t.Fatalf("only %d acknowledgements in %d rounds: the test tests nothing", len(acked.titles), kills)
	}
	acked.check(ctx, t, s)
	for i, f := range followers {
		acked.checkSeen(ctx, t, i, f)
	}
	cancel()
	reading.Wait()
	s.stop()
	checkDoctor(t, s)
	t.Logf("%d acknowledged writes, %d reconnects", len(acked.titles), followers[0].drops)
}

// checkDoctor runs the integrity checks. The throwaway PostgreSQL is told not to
// wait for the disk, which doctor rightly finds wrong; nothing else may be.
func checkDoctor(t *testing.T, s *server) {
	t.Helper()
	out, err := s.command(t.Context(), "doctor", "--json").Output()
	var report struct {
		Findings []struct {
			Name, Detail string
			OK           bool
		}
	}
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil || len(report.Findings) < 5 {
		t.Fatalf("doctor printed %q (%v, %v)", out, err, jsonErr)
	}
	thrownAway := map[string]bool{"fsync": true, "full_page_writes": true, "synchronous_commit": true}
	for _, f := range report.Findings {
		if !f.OK && !thrownAway[f.Name] {
			t.Errorf("doctor found %s: %s", f.Name, f.Detail)
		}
	}
}

// pause waits for a random moment to kill: there is nothing to wait for.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// write creates conversations until the server dies.
func (a *acks) write(ctx context.Context, s *server, name string) {
	for n := 0; ctx.Err() == nil; n++ {
		var made struct {
			ID string `json:"id"`
		}
		title := fmt.Sprintf("%s number %d", name, n)
		status, err := s.call(ctx, "POST", "/api/v1/conversations", map[string]string{"agent": "assistant", "title": title}, &made)
		if err != nil || status != 201 {
			if status != 0 && status != 503 && ctx.Err() == nil {
				s.t.Errorf("a write was answered %d: %v", status, err)
			}
			return
		}
		a.mu.Lock()
		a.titles[made.ID] = title
		a.mu.Unlock()
	}
}

// check reads every conversation back.
func (a *acks) check(ctx context.Context, t *testing.T, s *server) {
	t.Helper()
	stored := make(map[string]string)
	cursor := ""
	for {
		var page struct {
			Data []struct {
				ID    string `json:"id"`
				Title string `json:"title"`
			} `json:"data"`
			HasMore    bool   `json:"has_more"`
			NextCursor string `json:"next_cursor"`
		}
		if _, err := s.call(ctx, "GET", "/api/v1/conversations?limit=500&cursor="+cursor, nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Data {
			stored[c.ID] = c.Title
		}
		if cursor = page.NextCursor; !page.HasMore {
			break
		}
	}
	lost := 0
	for id, title := range a.titles {
		if stored[id] != title {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged conversations are lost", lost, len(a.titles))
	}
}

// checkSeen waits until a follower has seen every acknowledged conversation,
// and checks that it saw each event once, in order, without a gap.
func (a *acks) checkSeen(ctx context.Context, t *testing.T, n int, f *follower) {
	t.Helper()
	seen := func(events []envelope) map[string]int {
		count := make(map[string]int)
		for _, e := range events {
			var data struct {
				Conversation struct{ ID string } `json:"conversation"`
			}
			if e.Kind == "conversations.created" && json.Unmarshal(e.Data, &data) == nil {
				count[data.Conversation.ID]++
			}
		}
		return count
	}
	waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	context.AfterFunc(waiting, f.more.Broadcast)
	complete := f.until(waiting, func(events []envelope) bool {
		count := seen(events)
		for id := range a.titles {
			if count[id] == 0 {
				return false
			}
		}
		return true
	})
	if !complete {
		t.Errorf("follower %d never saw every acknowledged event", n)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, times := range seen(f.events) {
		if times != 1 {
			t.Errorf("follower %d saw %s %d times", n, id, times)
		}
	}
	for i := 1; i < len(f.events); i++ {
		if f.events[i].Cursor <= f.events[i-1].Cursor {
			t.Fatalf("follower %d: cursor %d after %d", n, f.events[i].Cursor, f.events[i-1].Cursor)
		}
	}
}
