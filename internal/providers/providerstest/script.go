// Package providerstest holds what tests of models need: scripted models, a fake of each vendor, and the contract of the port.
//
// In:    a testing.TB and what the model should do.
// Out:   Script: a providers.Model; Contract: the suite every adapter passes; fakes that speak a vendor's wire format and count tokens.
// Keeps: nothing. Says: nothing.
// Not here: anything a running program uses.
package providerstest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/providers/scripted"
)

// Script makes a model that answers with the turns, in order. Turns left over
// when the test ends fail it.
func Script(t testing.TB, turns ...scripted.Turn) *scripted.Model {
	t.Helper()
	m, err := scripted.New(scripted.Script{Name: t.Name(), Turns: turns})
	if err != nil {
		t.Fatalf("scripting a model: %v", err)
	}
	t.Cleanup(func() {
		if n := m.Unplayed(); n > 0 && !t.Failed() {
			t.Errorf("the script has %d turns that nobody asked for", n)
		}
	})
	return m
}

// Says is a turn of plain text.
func Says(text string) scripted.Turn { return turn(scripted.Step{Says: text}) }

// Calls is a turn that asks for one tool; args is JSON.
func Calls(tool, args string) scripted.Turn {
	return turn(scripted.Step{Calls: tool, RawArgs: json.RawMessage(args)})
}

// Thinks is a turn's reasoning; join it with Together.
func Thinks(text string) scripted.Turn { return turn(scripted.Step{Thinks: text}) }

// Waits is a pause; join it with Together.
func Waits(d time.Duration) scripted.Turn { return turn(scripted.Step{Waits: scripted.Duration(d)}) }

// Fails is a turn that fails: auth, quota, rate, context_too_long,
// content_filtered, overloaded, unavailable, bad_request or broken. Alone it
// fails before the stream; after other steps, inside it.
func Fails(how string) scripted.Turn { return turn(scripted.Step{Fails: how}) }

// Together joins turns into one: thinking, then two calls at once, say.
func Together(turns ...scripted.Turn) scripted.Turn {
	var all scripted.Turn
	for _, t := range turns {
		all.Steps = append(all.Steps, t.Steps...)
	}
	return all
}

// When makes a turn answer whatever the user says that matches.
func When(match string, t scripted.Turn) scripted.Turn {
	t.Match = match
	return t
}

func turn(steps ...scripted.Step) scripted.Turn { return scripted.Turn{Steps: steps} }
