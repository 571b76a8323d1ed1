package memory_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// world is a mind with two people in it.
type world struct {
	*memory.Mind
	t          *testing.T
	db         *store.DB
	anna, bert memory.Owner
}

func newWorld(t *testing.T, db *store.DB, opts memory.Options) *world {
	t.Helper()
	hub, err := events.New(events.Options{DB: db})
	must(t, err)
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Worker: "test", Sole: true})
	must(t, err)
	opts.DB, opts.Hub, opts.Jobs = db, hub, queue
	m, err := memory.New(opts)
	must(t, err)
	ws := storetest.Workspace()
	return &world{m, t, db, memory.Owner{Workspace: ws, User: ids.New[ids.User]()}, memory.Owner{Workspace: ws, User: ids.New[ids.User]()}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) add(o memory.Owner, text string) memory.AddedFact {
	w.t.Helper()
	f, err := w.Add(w.t.Context(), o, memory.NewFact{Scope: memory.Scope{User: o.User}, Text: text})
	must(w.t, err)
	return f
}

func (w *world) find(o memory.Owner, text string) []string {
	w.t.Helper()
	answer, err := w.Search(w.t.Context(), memory.Query{Workspace: o.Workspace, User: o.User, Text: text, Explain: true})
	must(w.t, err)
	list := []string{}
	for _, f := range answer.Found {
		list = append(list, f.Text)
	}
	return list
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		test(t, newWorld(t, db, memory.Options{Rules: memory.Rules{Turns: true}}))
	})
}

func TestFacts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		old := w.add(w.anna, "The user's dog is called Rex")
		w.add(w.anna, "The user prefers green tea in the morning")
		w.add(w.anna, "我喜欢北京烤鸭")
		w.add(w.anna, "ฉันชอบกินข้าวผัดที่เชียงใหม่")
		for ask, want := range map[string]string{
			"What is the name of my dog?":  "The user's dog is called Rex",
			"which tea do I like?":         "The user prefers green tea in the morning",
			"北京有什么好吃的":                     "我喜欢北京烤鸭",
			"ข้าวผัด":                      "ฉันชอบกินข้าวผัดที่เชียงใหม่",
			"what about quantum mechanics": "",
		} {
			if got := first(w.find(w.anna, ask)); got != want {
				t.Errorf("%q found %q, want %q", ask, got, want)
			}
		}
		if got := w.find(w.bert, "dog"); len(got) != 0 {
			t.Errorf("someone else found %v", got)
		}
		again := w.add(w.anna, "the user's dog is called Rex!")
		if again.Outcome != memory.Merged || again.ID != old.ID || again.Heard != 2 {
			t.Errorf("said again: %s %s heard %d, want merged into %s", again.Outcome, again.ID, again.Heard, old.ID)
		}
		newer := w.add(w.anna, "The user's dog is called Bello now")
		if newer.Outcome != memory.Replaced || newer.Replaces != old.ID {
			t.Errorf("a contradiction: %s, replaces %s; want replaced %s", newer.Outcome, newer.Replaces, old.ID)
		}
		if got := w.find(w.anna, "my dog"); len(got) != 1 || got[0] != newer.Text {
			t.Errorf("after a contradiction found %v, want the newer alone", got)
		}
		history, err := w.History(ctx, w.anna, newer.ID)
		must(t, err)
		if len(history) != 1 || history[0].ID != old.ID || history[0].State != memory.Past {
			t.Errorf("history = %+v, want the old fact", history)
		}
		text, pin := "The user's dog is called Bella", true
		edited, err := w.Change(ctx, w.anna, newer.ID, memory.FactChange{Text: &text, Pinned: &pin})
		must(t, err)
		if got := first(w.find(w.anna, "dog")); got != text || !edited.Pinned {
			t.Errorf("after an edit found %q, pinned %v", got, edited.Pinned)
		}
		if _, err := w.Change(ctx, w.bert, newer.ID, memory.FactChange{Text: &text}); !fault.HasCode(err, "fact_not_found") {
			t.Errorf("someone else may edit it: %v", err)
		}
		if err := w.Forget(ctx, w.bert, newer.ID); !fault.HasCode(err, "fact_not_found") {
			t.Errorf("someone else may forget it: %v", err)
		}
		must(t, w.Forget(ctx, w.anna, newer.ID))
		if got := w.find(w.anna, "dog"); len(got) != 0 {
			t.Errorf("after forgetting found %v", got)
		}
		page, err := w.Facts(ctx, w.anna, memory.FactFilter{})
		must(t, err)
		if len(page.Data) != 3 {
			t.Errorf("%d facts are left, want 3", len(page.Data))
		}
		_, err = w.Add(ctx, w.bert, memory.NewFact{Scope: memory.Scope{User: w.anna.User}, Text: "Anna owes me money"})
		if !fault.HasCode(err, "not_your_memory") {
			t.Errorf("writing into someone's memory: %v", err)
		}
	})
}

func TestScopes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for scope, text := range map[memory.Scope]string{
			{}:                                   "The standup moves to nine for everyone",
			{User: w.anna.User}:                  "The standup bores Anna",
			{Agent: "coder"}:                     "The standup notes are written by the coder",
			{Project: "web"}:                     "The standup of web is on Mondays",
			{User: w.anna.User, Agent: "coder"}:  "The standup is told to Anna by the coder",
			{Agent: "writer", Project: "secret"}: "The standup of secret is hidden",
		} {
			_, err := w.Add(ctx, w.anna, memory.NewFact{Scope: scope, Text: text})
			must(t, err)
		}
		count := func(q memory.Query) int {
			q.Workspace, q.Text, q.Limit = w.anna.Workspace, "standup", 100
			answer, err := w.Search(ctx, q)
			must(t, err)
			return len(answer.Found)
		}
		for _, c := range []struct {
			q    memory.Query
			want int
		}{
			{memory.Query{}, 1},
			{memory.Query{User: w.anna.User}, 2},
			{memory.Query{User: w.anna.User, Agent: "coder"}, 4},
			{memory.Query{User: w.anna.User, Agent: "coder", Project: "web"}, 5},
			{memory.Query{User: w.bert.User, Agent: "coder"}, 2},
			{memory.Query{User: w.bert.User, Agent: "writer"}, 1},
			{memory.Query{Agent: "writer", Project: "secret"}, 2},
		} {
			if got := count(c.q); got != c.want {
				t.Errorf("%+v sees %d, want %d", c.q, got, c.want)
			}
		}
	})
}

func TestObserve(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		conv, other := ids.New[ids.Conversation](), ids.New[ids.Conversation]()
		said := memory.Exchange{
			Workspace: w.anna.Workspace, User: w.anna.User, Agent: "assistant", Conversation: conv, Message: ids.New[ids.Message](),
			Asked: "Hello! My sister is called Klara. The roof of the shed leaks in the north corner.", Answered: "I will keep that in mind.",
		}
		must(t, w.Observe(ctx, said))
		learned, err := w.Learn(ctx, said.Workspace, said.User, conv)
		must(t, err)
		if learned["added"] != 1 {
			t.Errorf("learned %v, want one fact", learned)
		}
		if again, err := w.Learn(ctx, said.Workspace, said.User, conv); err != nil || len(again) != 0 {
			t.Errorf("learned again: %v, %v", again, err)
		}
		recalled, err := w.Recall(ctx, memory.Query{Workspace: said.Workspace, User: said.User, Text: "What is my sister called?", Not: other})
		must(t, err)
		if len(recalled) == 0 || recalled[0].Text != "The user's sister is called Klara" || recalled[0].Source.Message != said.Message {
			t.Fatalf("recalled %+v, want the sister with the message as its source", recalled)
		}
		recalled, err = w.Recall(ctx, memory.Query{Workspace: said.Workspace, User: said.User, Text: "Where does the shed leak?", Not: other})
		must(t, err)
		if len(recalled) == 0 || recalled[0].Kind != memory.KindTurn {
			t.Errorf("recalled %+v, want the turn", recalled)
		}
		if own, err := w.Recall(ctx, memory.Query{Workspace: said.Workspace, User: said.User, Text: "Where does the shed leak?", Not: conv}); err != nil || len(own) != 0 {
			t.Errorf("recalled %+v in the same conversation, %v", own, err)
		}
		asked := memory.Exchange{
			Workspace: w.anna.Workspace, User: w.anna.User, Agent: "assistant", Conversation: conv, Message: ids.New[ids.Message](), Asked: "Which birds nest under the bridge?",
		}
		must(t, w.Observe(ctx, asked))
		if before, err := w.Recall(ctx, memory.Query{Workspace: said.Workspace, User: said.User, Text: asked.Asked, Not: other}); err != nil || len(before) != 0 {
			t.Errorf("recalled %+v, %v: a question that was asked before is no answer", before, err)
		}
		if theirs, err := w.Recall(ctx, memory.Query{Workspace: said.Workspace, User: w.bert.User, Text: "sister Klara shed"}); err != nil || len(theirs) != 0 {
			t.Errorf("someone else recalls %+v, %v", theirs, err)
		}
		w.SaveUsage(ctx)
		facts, err := w.Facts(ctx, w.anna, memory.FactFilter{})
		must(t, err)
		if facts.Data[0].Uses != 1 || facts.Data[0].UsedAt.IsZero() {
			t.Errorf("uses = %d at %v, want 1", facts.Data[0].Uses, facts.Data[0].UsedAt)
		}
		must(t, w.db.InTx(ctx, func(tx *store.Tx) error { return w.ForgetConversation(ctx, tx, said.Workspace, conv) }))
		if got := w.find(w.anna, "shed"); len(got) != 0 {
			t.Errorf("after its conversation was deleted found %v", got)
		}
		if got := first(w.find(w.anna, "sister")); got == "" {
			t.Error("the fact went with the conversation")
		}
	})
}

func TestOptOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		conv := ids.New[ids.Conversation]()
		said := memory.Exchange{Workspace: w.anna.Workspace, User: w.anna.User, Conversation: conv, Asked: "My cat is called Minka and I live in Rome"}
		must(t, w.Observe(ctx, said))
		_, err := w.SetSettings(ctx, w.anna, memory.Settings{Learn: false})
		must(t, err)
		must(t, w.Observe(ctx, said))
		learned, err := w.Learn(ctx, said.Workspace, said.User, conv)
		if err != nil || len(learned) != 0 {
			t.Errorf("learned %v from someone who opted out, %v", learned, err)
		}
		if got, err := w.Settings(ctx, w.anna); err != nil || got.Learn {
			t.Errorf("settings = %+v, %v", got, err)
		}
	})
}

func TestReview(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		add := func(confidence float64) memory.AddedFact {
			f, err := w.Add(ctx, w.anna, memory.NewFact{Scope: memory.Scope{User: w.anna.User}, Text: "The gate code changes in spring", Confidence: confidence})
			must(t, err)
			return f
		}
		f := add(0.5)
		if f.Outcome != memory.Queued || len(w.find(w.anna, "gate")) != 0 {
			t.Errorf("%s, found %v; want queued and not found", f.Outcome, w.find(w.anna, "gate"))
		}
		if again := add(0.6); again.State != memory.Active || len(w.find(w.anna, "gate")) != 1 {
			t.Errorf("heard twice: %s, found %v; want it active", again.State, w.find(w.anna, "gate"))
		}
		doubt, err := w.Add(ctx, w.anna, memory.NewFact{Scope: memory.Scope{User: w.anna.User}, Text: "The ladder stands behind the barn", Confidence: 0.4})
		must(t, err)
		queue, err := w.Facts(ctx, w.anna, memory.FactFilter{State: memory.Review})
		must(t, err)
		if len(queue.Data) != 1 || queue.Data[0].ID != doubt.ID {
			t.Errorf("the queue holds %+v", queue.Data)
		}
		active := memory.Active
		_, err = w.Change(ctx, w.anna, doubt.ID, memory.FactChange{State: &active})
		must(t, err)
		if got := first(w.find(w.anna, "ladder")); got != doubt.Text {
			t.Errorf("after review found %q", got)
		}
	})
}

func TestForgetUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.add(w.anna, "The user plays the cello")
		w.add(w.bert, "The user plays the violin")
		conv := ids.New[ids.Conversation]()
		must(t, w.Observe(ctx, memory.Exchange{Workspace: w.anna.Workspace, User: w.anna.User, Conversation: conv, Asked: "I own a cello made of maple"}))
		must(t, w.ForgetUser(ctx, w.anna))
		if got := w.find(w.anna, "cello"); len(got) != 0 {
			t.Errorf("after forgetting a user found %v", got)
		}
		if got := first(w.find(w.bert, "violin")); got == "" {
			t.Error("someone else was forgotten too")
		}
		for _, table := range []string{"memory_facts", "memory_texts", "memory_heard", "memory_spaces"} {
			n, err := store.One[int](ctx, w.db.Read(), "SELECT count(*) FROM "+table+" WHERE user_id = ?", w.anna.User)
			if err != nil || n != 0 {
				t.Errorf("%s has %d rows of the user, %v", table, n, err)
			}
		}
	})
}

func TestSeveralCommonWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, text := range []string{"lamp rope sail tide", "lamp rope sail", "lamp rope", "tide sail", "tide"} {
			w.add(w.anna, text)
		}
		w.add(w.bert, "lamp rope sail")
		for asked, want := range map[string]int{"lamp rope sail tide": 3, "lamp rope sail": 3, "tide sail": 2, "tide": 0, "tide none": 0} {
			got, err := w.Holding(t.Context(), w.anna, strings.Fields(asked)...)
			must(t, err)
			if got != want {
				t.Errorf("%d texts hold several of %q, want %d", got, asked, want)
			}
		}
	})
}
