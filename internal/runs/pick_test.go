package runs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// chooser picks the messages that say what it is told, and tells what it was asked.
type chooser struct {
	wants []string
	asked chan pick
}

type pick struct {
	question runs.Question
	said     []runs.Said
	room     runs.Room
}

func (c *chooser) Pick(_ context.Context, q runs.Question, said []runs.Said, room runs.Room) []int {
	c.asked <- pick{q, said, room}
	var places []int
	for i, s := range said {
		if slices.Contains(c.wants, s.Text) {
			places = append(places, i)
		}
	}
	return places
}

func TestTheModelGetsWhatThePickerChoseOfALongConversation(t *testing.T) {
	t.Parallel()
	c := &chooser{wants: []string{"line 8", "line 9"}, asked: make(chan pick, 4)}
	m := script(t, turn(says("Short.")), turn(says("Long.")))
	p := newPlant(t, storetest.SQLite(t), setup{models: map[string]*scripted.Model{"assistant": m}, picker: c})
	defer p.work()()
	talk := func(lines int) ids.Conversation {
		t.Helper()
		f := conversations.Exported{Format: conversations.Format, Version: conversations.FormatVersion, Title: "Talk", Agent: "assistant"}
		for i := range lines {
			one := conversations.Message{ID: ids.New[ids.Message](), Role: providers.RoleUser, State: conversations.Complete, Parts: []providers.Part{providers.Text(fmt.Sprint("line ", i))}}
			if i%2 == 1 {
				one.Role = providers.RoleModel
			}
			if i > 0 {
				one.Parent = f.Messages[i-1].ID
			}
			f.Messages = append(f.Messages, one)
		}
		made, err := p.book.Import(t.Context(), p.who, f)
		if err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	read := func(n int) []string {
		var all []string
		for _, msg := range m.Requests()[n].Messages {
			all = append(all, msg.Text())
		}
		return all
	}
	p.over(p.ask("All of it?", talk(10)).Run.ID)
	if got := read(0); len(got) != 11 || len(c.asked) != 0 {
		t.Errorf("what has room is chosen from: %v", got)
	}
	long := p.ask("What was eight?", talk(60))
	p.over(long.Run.ID)
	if got := read(1); !slices.Equal(got, []string{"line 8", "line 9", "What was eight?"}) {
		t.Errorf("the model reads %q", got)
	}
	asked := <-c.asked
	if asked.question.Text != "What was eight?" || asked.question.Run != long.Run.ID || len(asked.said) != 61 || asked.said[60].Text != "What was eight?" || asked.room.Messages != 40 {
		t.Errorf("the picker was asked %+v with %d messages for %+v", asked.question, len(asked.said), asked.room)
	}
}
