package memory_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// modelled is what a model would find besides what rules do.
type modelled struct{ calls *int }

func (m modelled) Extract(context.Context, []memory.Exchange) (memory.Extracted, error) {
	*m.calls++
	return memory.Extracted{Entities: []memory.Node{{Name: "Atlas", EntityType: "project"}}, Relations: []memory.Relation{{From: "Maria", To: "Atlas", RelationType: "is responsible for"}}}, nil
}

func relationsOf(g memory.Graph) string {
	var list []string
	for _, r := range g.Relations {
		list = append(list, r.From+" "+r.RelationType+" "+r.To)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestTalkDrawsAGraph has a graph drawn by what someone says, without a model, and with one in the call that learns facts.
func TestTalkDrawsAGraph(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		w := newWorld(t, db, memory.Options{Rules: memory.Rules{Deny: []string{"Voldemort"}}})
		say := func(w *world, text string) ids.Conversation {
			t.Helper()
			conv := ids.New[ids.Conversation]()
			must(t, w.Observe(ctx, memory.Exchange{Workspace: w.anna.Workspace, User: w.anna.User, Conversation: conv, Asked: text, Answered: "Berlin is nice, says Peter."}))
			_, err := w.Learn(ctx, w.anna.Workspace, w.anna.User, conv)
			must(t, err)
			return conv
		}
		say(w, "I work with Maria. Maria works at Northwind Bank. The password of Maria is hunter2. Voldemort knows Harry. Who is Clara?")
		say(w, "Northwind Bank uses Borealis.")
		g, err := w.ReadGraph(ctx, memory.GraphOf{Owner: w.anna})
		must(t, err)
		if got, want := relationsOf(g), "Maria works for Northwind Bank, Northwind Bank uses Borealis, user works with Maria"; got != want {
			t.Errorf("drawn: %s\nwant   %s", got, want)
		}
		for _, n := range g.Entities {
			if text := strings.Join(n.Observations, " "); strings.Contains(text, "hunter2") || n.Name == "Harry" || n.Name == "Peter" || n.Name == "Clara" {
				t.Errorf("the graph has %+v", n)
			}
		}
		near, err := w.Neighbourhood(ctx, memory.GraphOf{Owner: w.anna}, "user", 3)
		must(t, err)
		if len(near.Entities) != 4 {
			t.Errorf("within three steps are %+v", near.Entities)
		}
		if other, err := w.ReadGraph(ctx, memory.GraphOf{Owner: w.bert}); err != nil || len(other.Entities) != 0 {
			t.Errorf("someone else sees %+v, %v", other, err)
		}
		calls := 0
		clever := newWorld(t, db, memory.Options{Extractor: modelled{&calls}, Rules: memory.Rules{Session: true}})
		conv := say(clever, "Maria is busy these weeks with Cygnus")
		session, err := clever.ReadGraph(ctx, memory.GraphOf{Owner: clever.anna, Session: string(conv)})
		must(t, err)
		if got, want := relationsOf(session), "Maria is mentioned with Cygnus, Maria is responsible for Atlas"; got != want || calls != 1 {
			t.Errorf("with %d calls of a model: %s\nwant %s", calls, got, want)
		}
		must(t, db.InTx(ctx, func(tx *store.Tx) error { return clever.ForgetConversation(ctx, tx, clever.anna.Workspace, conv) }))
		if session, err = clever.ReadGraph(ctx, memory.GraphOf{Owner: clever.anna, Session: string(conv)}); err != nil || len(session.Entities) != 0 {
			t.Errorf("after the conversation: %+v, %v", session, err)
		}
	})
}
