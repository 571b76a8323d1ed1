package runs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// mind is a memory that knows one thing and tells what it is asked and told.
type mind struct {
	asked   chan runs.Question
	learned chan runs.Exchange
}

func newMind() *mind {
	return &mind{make(chan runs.Question, 8), make(chan runs.Exchange, 8)}
}

func (m *mind) Recall(_ context.Context, q runs.Question) (string, []conversations.Recalled, error) {
	m.asked <- q
	if strings.Contains(q.Text, "broken") {
		return "", nil, errors.New("the memory is out of order")
	}
	return "You know: the cat is called Minka.", []conversations.Recalled{{ID: "fact_1", Kind: "fact", Text: "The cat is called Minka.", Score: 0.9}}, nil
}

func (m *mind) Observe(_ context.Context, e runs.Exchange) error {
	m.learned <- e
	return nil
}

func TestWhatIsKnownReachesTheModelAndWhatWasSaidTheMemory(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		m := newMind()
		model := script(t, turn(says("Minka.")), turn(says("I do not know.")))
		p := newPlant(t, db, setup{
			mind: m, models: map[string]*scripted.Model{"assistant": model, "forgetful": script(t, turn(says("Who?")))},
			team: team{"assistant": {Instructions: "Be brief.", Memory: agents.Memory{Recall: true, Remember: true}}, "forgetful": {}},
		})
		stop := p.work()
		defer stop()
		a := p.ask("What is the cat called?", "")
		l := p.listen(conversations.Channel(a.Conversation.ID))
		fact := l.until("runs.recalled")
		l.until("runs.finished")
		if !strings.Contains(string(fact.Data), "Minka") {
			t.Errorf("recalled %s", fact.Data)
		}
		if q := <-m.asked; q.Text != "What is the cat called?" || q.User != p.who.User || q.Agent.Name != "assistant" || q.Run != a.Run.ID {
			t.Errorf("memory was asked %+v", q)
		}
		var system []string
		for _, part := range model.Requests()[0].System {
			system = append(system, part.Text)
		}
		if !slices.Equal(system, []string{"Be brief.", "You know: the cat is called Minka."}) {
			t.Errorf("the model was told %q", system)
		}
		e := <-m.learned
		if e.Text != "What is the cat called?" || e.Answer != "Minka." || e.Answered != a.Run.Answer || e.Asked != a.Run.Question || len(e.Recalled) != 1 {
			t.Errorf("memory learned from %+v", e)
		}
		answer := p.said(a.Conversation.ID)[1]
		if answer.Notes == nil || len(answer.Notes.Recalled) != 1 || answer.Notes.Recalled[0].ID != "fact_1" {
			t.Errorf("noted %+v", answer.Notes)
		}
		b := p.ask("What if memory is broken?", "")
		p.over(b.Run.ID)
		if got := p.get(b.Run.ID); got.State != runs.Finished {
			t.Errorf("with a broken memory the run %s: %+v", got.State, got.Error)
		}
		<-m.asked
		<-m.learned
		c, err := p.Start(t.Context(), p.who, runs.Request{Agent: "forgetful", Message: "What is the cat called?"})
		if err != nil {
			t.Fatal(err)
		}
		p.over(c.Run.ID)
		stop()
		if len(m.asked)+len(m.learned) != 0 {
			t.Error("an agent without a memory asked or told it")
		}
	})
}
