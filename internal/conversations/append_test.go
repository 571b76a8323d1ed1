package conversations

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/rawjson/rawjsontest"
	"github.com/fluxway/fluxway/internal/providers"
)

func TestMessagesAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	rawjsontest.Same(t, func(f *MessageAdded, to []byte) ([]byte, error) { return f.AppendJSON(to) })
	rawjsontest.Same(t, func(m *Message, to []byte) ([]byte, error) { return m.append(to, &written{}) })
	rawjsontest.Same(t, (*CallNote).append)
	rawjsontest.Same(t, (*Notes).append)
	rawjsontest.Same(t, func(f *Annotated, to []byte) ([]byte, error) {
		fact, err := f.AppendJSON(nil)
		if want, _ := json.Marshal(f.Notes); string(f.notesIn(fact)) != string(want) {
			t.Errorf("the notes in %s are not %s", fact, want)
		}
		return append(to, fact...), err
	})
}

// A message is written once: its row has the pieces that its fact has.
func TestARowHasWhatTheFactHas(t *testing.T) {
	t.Parallel()
	cost := int64(7)
	m := Message{ID: "msg_1", Parts: []providers.Part{providers.Text("a <b>"), providers.Text(strings.Repeat("long ", 1000))},
		Usage: &providers.Usage{Input: 3}, Notes: &Notes{Cost: &cost, Calls: []CallNote{{Call: "c", TookMs: 2}}}}
	for _, m := range []Message{m, {ID: "msg_2", Parts: []providers.Part{}}, {ID: "msg_3"}} {
		w, err := m.write()
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2]any{"fact": {w.fact, MessageAdded{m.ID, &m}}, "parts": {w.parts, m.Parts}, "usage": {w.usage, m.Usage}, "notes": {w.notes, m.Notes}} {
			want, err := json.Marshal(pair[1])
			if err != nil {
				t.Fatal(err)
			}
			if got := pair[0].(json.RawMessage); string(got) != string(want) && (got != nil || string(want) != "null") {
				t.Errorf("%s of %s are written as %s, want %s", name, m.ID, got, want)
			}
		}
	}
}
