package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// soon is how long after a person said stop the model call and the tool's process are gone. A machine that does other
// work too can take longer: one of some tries must be that quick.
const (
	soon  = 200 * time.Millisecond
	tries = 5
)

// TestStopStopsTheModelAndTheProcess stops runs whose model is speaking, and runs whose command is running.
func TestStopStopsTheModelAndTheProcess(t *testing.T) {
	t.Parallel()
	speaking, gone := make(chan struct{}, 1), make(chan time.Time, 1)
	v := newVendor(t, func(a asked) answer {
		if a.Model == "any" { // titles
			return answer{Says: []string{"{}"}}
		}
		if a.Last == "act" && a.Turn == 0 {
			return answer{Calls: []vendorCall{{"run_command", map[string]any{"command": "exec sleep 300 > pipe"}}}}
		}
		if a.Last == "act" {
			return answer{Says: []string{"Done."}}
		}
		speaking <- struct{}{}
		<-a.Gone
		gone <- time.Now()
		return answer{}
	})
	s := newServer(t, v.env()...)
	s.start()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s.agent("worker", map[string]any{"model": "vllm/worker", "tools": map[string]any{"allow": []string{"run_command"}}})
	listener := s.device(ctx, "conversations/*")
	stop := func(run string) time.Time {
		began := time.Now()
		if _, err := s.call(ctx, "POST", "/api/v1/runs/"+run+"/cancel", nil, nil); err != nil {
			t.Fatal(err)
		}
		return began
	}
	var model, process []time.Duration
	for range tries {
		run := s.ask(ctx, "speak")
		<-speaking
		began := stop(run)
		model = append(model, (<-gone).Sub(began))
		listener.until(ctx, "runs.cancelled", run)

		ended := s.pipe()
		run = s.ask(ctx, "act")
		if !<-ended { // opened
			t.Fatal("the command did not begin")
		}
		began = stop(run)
		<-ended
		process = append(process, time.Since(began))
		listener.until(ctx, "runs.cancelled", run)
	}
	t.Logf("the model call ended after %v, the process after %v", model, process)
	if slices.Min(model) > soon || slices.Min(process) > soon {
		t.Errorf("the model call ended after %v, the process after %v; want %s once", model, process, soon)
	}
}

// ask asks the worker and gives the run.
func (s *server) ask(ctx context.Context, text string) string {
	s.t.Helper()
	var a started
	if _, err := s.call(ctx, "POST", "/api/v1/agents/worker/chat", map[string]string{"message": text}, &a); err != nil {
		s.t.Fatal(err)
	}
	return a.Run.ID
}

// pipe makes the pipe that the command holds open. What it gives says true when a process has opened it, and false when
// none holds it any more.
func (s *server) pipe() <-chan bool {
	s.t.Helper()
	folders, err := filepath.Glob(filepath.Join(s.home, "files", "*"))
	if err != nil || len(folders) != 1 {
		s.t.Fatalf("folders %v, %v", folders, err)
	}
	name := filepath.Join(folders[0], "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil && !os.IsExist(err) {
		s.t.Fatal(err)
	}
	out := make(chan bool, 2)
	go func() {
		f, err := os.Open(name) // until someone opens the other end
		if err != nil {
			close(out)
			return
		}
		defer f.Close()
		out <- true
		_, _ = f.Read(make([]byte, 1))
		out <- false
	}()
	return out
}
