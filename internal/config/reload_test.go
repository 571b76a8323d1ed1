package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func put(t *testing.T, src Sources, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(src.Dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	src := place(t, map[string]string{"fluxway.yaml": "listen: :1\nlog: {level: info}\ndatabase: {url: 'postgres://u:old@h/d'}\n"})
	r := newReloader(t, src)
	var heard []Config
	r.Subscribe(func(_ context.Context, c Config) { heard = append(heard, c) })
	ctx := context.Background()

	put(t, src, "fluxway.yaml", "listen: :2\nlog: {level: debug}\ndatabase: {url: 'postgres://u:new@h/d'}\n")
	change, err := r.Reload(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(change.Live) != 1 || change.Live[0].Key != "log.level" || change.Live[0].Old != "info" || change.Live[0].New != "debug" {
		t.Errorf("live = %+v", change.Live)
	}
	if len(change.NeedsRestart) != 2 || change.NeedsRestart[0].Key != "listen" || change.NeedsRestart[1].New != "postgres://u:•••@h/d" {
		t.Errorf("needs restart = %+v", change.NeedsRestart)
	}
	if len(heard) != 1 || heard[0].Log.Level != "debug" || heard[0].Listen != ":1" {
		t.Errorf("subscribers heard %+v, want the new level and the old address", heard)
	}

	put(t, src, "fluxway.yaml", "listen: :2\nlog: {level: loud}\n")
	if _, err := r.Reload(ctx); err == nil || !strings.Contains(err.Error(), "loud") {
		t.Errorf("Reload of a bad file = %v", err)
	}
	s := r.State()
	if s.Running.Log.Level != "debug" || len(s.Problems) != 1 || len(s.Pending) != 2 || len(heard) != 1 {
		t.Errorf("state after a bad file = %+v", s)
	}

	put(t, src, "fluxway.yaml", "listen: :1\nlog: {level: debug}\ndatabase: {url: 'postgres://u:old@h/d'}\n")
	change, err = r.Reload(ctx)
	if err != nil || len(change.Live)+len(change.NeedsRestart) != 0 || len(r.State().Problems) != 0 || len(r.State().Pending) != 0 {
		t.Errorf("Reload back to the start = %+v, %v", change, err)
	}

	ended, cancel := context.WithCancel(ctx)
	cancel()
	<-r.turn
	if _, err := r.Reload(ended); err == nil {
		t.Error("Reload that waits with an ended context = nil error, want one")
	}
	r.leave()
}

// TestRunHearsFileChanges uses the real file system, as editors change it: in a
// folder of its own, and in the data folder, where the file is watched.
func TestRunHearsFileChanges(t *testing.T) {
	t.Parallel()
	for _, inData := range []bool{false, true} {
		t.Run(fmt.Sprintf("in the data folder %v", inData), func(t *testing.T) {
			t.Parallel()
			src := place(t, map[string]string{"fluxway.yaml": "log: {level: info}\n"})
			if inData {
				src.Env = append(src.Env, "FLUXWAY_HOME="+src.Dir)
				put(t, src, ".env", "")
			}
			r := newReloader(t, src)
			levels := make(chan string, 10)
			r.Subscribe(func(_ context.Context, c Config) { levels <- c.Log.Level })
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- r.Run(ctx) }()
			<-r.watching
			want := func(level string) {
				t.Helper()
				late := time.After(30 * time.Second)
				for { // a file that is read between two writes is news, too
					select {
					case got := <-levels:
						if got == level {
							return
						}
					case <-late:
						t.Fatalf("no news of level %q", level)
					}
				}
			}
			put(t, src, "fluxway.yaml", "log: {level: warn}\n")
			want("warn")
			for _, level := range []string{"error", "info"} { // the way editors save
				put(t, src, "fluxway.yaml~", "log: {level: "+level+"}\n")
				if err := os.Rename(filepath.Join(src.Dir, "fluxway.yaml~"), filepath.Join(src.Dir, "fluxway.yaml")); err != nil {
					t.Fatal(err)
				}
				want(level)
			}
			put(t, src, ".env", "FLUXWAY_LOG_LEVEL=debug\n")
			want("debug")
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

func TestNewReloaderRefusesNothing(t *testing.T) {
	t.Parallel()
	if _, err := NewReloader(ReloaderOptions{}); err == nil {
		t.Error("NewReloader without settings = nil error, want one")
	}
}
