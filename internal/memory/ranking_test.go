package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestAnswersAreFoundByTheirQuestions asks in the words of a question that was answered without them.
func TestAnswersAreFoundByTheirQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), memory.Options{Rules: memory.Rules{Turns: true}})
	conversation := ids.New[ids.Conversation]()
	for _, x := range [][2]string{
		{"Which evening course did Valentin choose?", "It is pottery, twice a week."},
		{"Valentin sold the old house.", "Good to hear at last."},
		{"Valentin drives a van.", "That must be handy."},
	} {
		must(t, w.Observe(t.Context(), memory.Exchange{
			Workspace: w.anna.Workspace, User: w.anna.User, Conversation: conversation, Message: ids.New[ids.Message](), Asked: x[0], Reply: ids.New[ids.Message](), Answered: x[1],
		}))
	}
	_, err := w.Learn(t.Context(), w.anna.Workspace, w.anna.User, conversation)
	must(t, err)
	found := w.find(w.anna, "the evening course of Valentin")
	answer, comment := slices.Index(found, "It is pottery, twice a week."), slices.Index(found, "Good to hear at last.")
	if answer < 0 || answer > 1 || comment >= 0 && comment < answer {
		t.Errorf("the answer is at %d and the comment at %d of %q", answer, comment, found)
	}
}

// TestTextsThatDifferInAName has both found, and the one that is asked for first.
func TestTextsThatDifferInAName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), memory.Options{})
	text := "The NAME draws two hundred watts at full load, and if its fuse blows one waits some minutes before it is switched on again by hand"
	for _, name := range []string{"Orbit", "Raven", "Tundra"} {
		w.add(w.anna, strings.ReplaceAll(text, "NAME", name))
	}
	for _, name := range []string{"Orbit", "Raven", "Tundra"} {
		if found := w.find(w.anna, "How many watts does the "+name+" draw at full load?"); !strings.Contains(first(found), name) {
			t.Errorf("asked for %s, found %q", name, found)
		}
	}
	if found := w.find(w.anna, "How many watts do the Raven and the Tundra draw?"); len(found) < 2 || strings.Contains(found[0]+found[1], "Orbit") {
		t.Errorf("asked for two, found %q", found)
	}
}
