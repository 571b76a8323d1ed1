package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/runs"
)

func TestCasesAreKeptAndTried(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(*app.Options) {})
	var asked bytes.Buffer
	if code, errs := h.command(strings.NewReader(""), &asked, "run", "--json", "--agent", "assistant", "What is 6*7?"); code != 0 {
		t.Fatalf("asking: %d %s", code, errs)
	}
	var accepted struct {
		Data runs.Accepted `json:"data"`
	}
	first, _, _ := strings.Cut(asked.String(), "\n")
	if err := json.Unmarshal([]byte(first), &accepted); err != nil || accepted.Data.Run.ID == "" {
		t.Fatalf("%s: %v", first, err)
	}
	var said bytes.Buffer
	command := func(want int, args ...string) string {
		t.Helper()
		said.Reset()
		if code, errs := h.command(nil, &said, args...); code != want {
			t.Errorf("%v: exit code %d, want %d: %s %s", args, code, want, said.String(), errs)
		}
		return said.String()
	}
	command(exitOK, "cases", "keep", string(accepted.Data.Run.ID), "--name", "Six times seven", "--contains", "42")
	if got := command(exitOK, "cases", "run"); !strings.Contains(got, "✓ Six times seven") || !strings.Contains(got, "1 of 1 passed.") {
		t.Errorf("it said %s", got)
	}
	if got := command(exitProblems, "cases", "run", "Six times seven", "--model", "openai/gpt-5"); !strings.Contains(got, "✗ Six times seven") || !strings.Contains(got, "It failed: ") {
		t.Errorf("it said %s", got)
	}
	command(exitNotFound, "cases", "run", "nothing")
	var listed struct{ Cases []runs.Case }
	if err := json.Unmarshal([]byte(command(exitOK, "cases", "list", "--json")), &listed); err != nil || len(listed.Cases) != 1 || listed.Cases[0].Last.Verdict != runs.VerdictDiffers {
		t.Fatalf("listed %+v, %v", listed, err)
	}
	if code, errs := h.command(nil, io.Discard, "cases", "remove", string(listed.Cases[0].ID)); code != 0 {
		t.Errorf("removing: %d %s", code, errs)
	}
	if got := command(exitOK, "cases", "list"); !strings.Contains(got, "No test cases yet") {
		t.Errorf("it said %s", got)
	}
}
