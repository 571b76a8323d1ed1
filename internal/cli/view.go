package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
)

// lively shows a run on a terminal as it goes: text as Markdown, tools and
// helpers as dim lines.
type lively struct {
	p    printer
	text *markdown
	turn turnText
	// progress says whether tools and helpers are shown.
	progress bool
}

// turnText is what was shown of a turn. Pieces may be lost on the way; the whole
// turn comes at its end.
type turnText struct {
	number int
	shown  strings.Builder
	next   int // number of the next piece
	gap    bool
}

func newLively(p printer) *lively { return &lively{p: p, text: newMarkdown(p.out), progress: true} }

func (v *lively) accepted(a runs.Accepted) {
	if a.Routing != nil {
		v.note("%s · %s", a.Routing.Agent, a.Routing.Why)
	}
}

// note shows a dim line between what is said.
func (v *lively) note(format string, args ...any) {
	v.text.end()
	v.p.line("%s", v.p.paint(dim, harmless(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))))
}

func (v *lively) event(ev client.Event, f *facts) {
	switch ev.Kind {
	case "runs.text_delta":
		v.delta(f)
	case "runs.turn_finished":
		v.settle(f.Text)
	case "conversations.message_added":
		if f.Added != nil && f.Added.Role == providers.RoleModel {
			v.settle(lastText(*f.Added))
		}
	case "runs.started":
		if f.Attempt > 1 {
			v.note("↻ going on from turn %d", f.Turn)
		}
		v.begin(f.Turn)
		v.turn.next = 0
	default:
		if v.progress {
			v.step(ev.Kind, f)
		}
	}
}

func (v *lively) step(kind string, f *facts) {
	switch kind {
	case "runs.tool_started":
		v.note("  → %s %s", title(f), cutTo(string(f.Args), 100))
	case "runs.tool_finished":
		if f.OK != nil && !*f.OK {
			v.note("  ✗ %s: %s", title(f), cutTo(f.Preview, 200))
		}
	case "runs.helper_spawned":
		v.note("  ⇢ %s: %s", f.Helper, cutTo(f.Task, 100))
	case "runs.helper_finished":
		v.note("  ⇠ %s is done (%s)", f.Helper, (time.Duration(f.TookMS) * time.Millisecond).Round(100*time.Millisecond))
	case "runs.helper_failed":
		if f.Error != nil {
			v.note("  ✗ %s: %s", f.Helper, f.Error.Message)
		}
	case "runs.compacted":
		v.note("  ⇣ the conversation was shortened from %d to %d tokens", f.Before, f.After)
	}
}

func title(f *facts) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Tool
}

func (v *lively) begin(turn int) {
	v.turn.number, v.turn.gap = turn, false
	v.turn.shown.Reset()
}

// delta shows a piece. Behind one that is missing nothing is shown until the
// turn is whole.
func (v *lively) delta(f *facts) {
	if f.Turn != v.turn.number {
		v.text.end()
		v.begin(f.Turn)
	}
	if f.Seq != v.turn.next {
		v.turn.gap = true
	}
	v.turn.next = f.Seq + 1
	if v.turn.gap {
		return
	}
	v.turn.shown.WriteString(f.Text)
	v.text.write(f.Text)
}

// settle shows what of a turn was not shown yet.
func (v *lively) settle(whole string) {
	shown := v.turn.shown.String()
	if rest, ok := strings.CutPrefix(whole, shown); ok {
		v.text.write(rest)
	} else if whole != "" {
		v.text.end()
		v.text.write(whole)
	}
	v.text.end()
	v.begin(v.turn.number + 1)
}

func (v *lively) ended(o *outcome) {
	v.text.end()
	if o.state == runs.Cancelled {
		v.note("Stopped.")
	}
}

// silent shows nothing: the answer is printed once it is whole.
type silent struct{}

func (silent) accepted(runs.Accepted)     {}
func (silent) event(client.Event, *facts) {}
func (silent) ended(*outcome)             {}

// lines prints every event as a line of JSON, for programs.
type lines struct{ p printer }

func (v lines) accepted(a runs.Accepted) {
	text, err := json.Marshal(map[string]any{"kind": "accepted", "data": a})
	if err == nil {
		v.p.line("%s", text)
	}
}

func (v lines) event(ev client.Event, _ *facts) {
	var one bytes.Buffer
	if json.Compact(&one, ev.Data) == nil {
		v.p.line("%s", one.String())
	}
}

func (v lines) ended(*outcome) {}

// cutTo shortens a text for a line on the screen.
func cutTo(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most]) + "…"
}
