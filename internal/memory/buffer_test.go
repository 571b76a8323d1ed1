package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

func TestPick(t *testing.T) {
	eachWithVectors(t, func(t *testing.T, db *store.DB, index memory.Index) {
		ctx := t.Context()
		plain := newWorld(t, db, memory.Options{})
		var said []memory.Said
		for i := range 40 {
			said = append(said, memory.Said{Text: fmt.Sprintf("We talked about topic number %d for a while", i), Tokens: 10, Message: ids.New[ids.Message]()})
		}
		said[0].Keep = true
		said[7].Text = "The spare key lies under the blue flowerpot"
		said[9].Text = "Her automobile needs new tyres"
		if got := plain.Pick(ctx, plain.anna, said[:5], "anything", memory.Window{Tokens: 1000}); len(got) != 5 {
			t.Errorf("all fit, and %v were picked", got)
		}
		got := plain.Pick(ctx, plain.anna, said, "Where is the spare key?", memory.Window{Tokens: 100})
		if len(got) != 10 || !slices.Contains(got, 0) || !slices.Contains(got, 7) || !slices.Contains(got, 39) || !slices.IsSorted(got) {
			t.Errorf("picked %v, want the kept, the relevant and the newest", got)
		}
		if got := plain.Pick(ctx, plain.anna, said, "and now?", memory.Window{Tokens: 60, Recent: 3}); !slices.Equal(got, []int{0, 35, 36, 37, 38, 39}) {
			t.Errorf("with nothing to go by picked %v, want the newest", got)
		}
		if got := plain.Pick(ctx, plain.anna, said, "Where is the spare key?", memory.Window{Messages: 8}); len(got) != 8 || !slices.Contains(got, 7) || !slices.Contains(got, 36) {
			t.Errorf("of eight messages picked %v", got)
		}
		clever := newWorld(t, db, memory.Options{Index: index, Embedder: thesaurus{name: "one"}, Rules: memory.Rules{Turns: true}})
		conv := ids.New[ids.Conversation]()
		for i := 0; i < len(said); i += 2 {
			must(t, clever.Observe(ctx, memory.Exchange{
				Workspace: clever.anna.Workspace, User: clever.anna.User, Conversation: conv, Message: said[i].Message, Asked: said[i].Text, Reply: said[i+1].Message, Answered: said[i+1].Text,
			}))
		}
		_, err := clever.Learn(ctx, clever.anna.Workspace, clever.anna.User, conv)
		must(t, err)
		clever.embed()
		if got := clever.Pick(ctx, clever.anna, said, "the car", memory.Window{Messages: 8, Conversation: conv}); !slices.Contains(got, 9) {
			t.Errorf("by meaning picked %v, want 9", got)
		}
		if got := clever.Pick(ctx, clever.bert, said, "the car", memory.Window{Messages: 8, Conversation: conv}); slices.Contains(got, 9) {
			t.Errorf("someone else's turns were compared: %v", got)
		}
	})
}
