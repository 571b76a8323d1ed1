package runs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers/scripted"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

func TestWhatFillsAContext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		crew := team{"assistant": {Tools: tools.All(), Instructions: "Answer in one sentence."}}
		p := newPlant(t, db, setup{team: crew, models: map[string]*scripted.Model{"assistant": script(t, turn(says("It is noon.")))}})
		stop := p.work()
		defer stop()
		started, err := p.Start(t.Context(), p.who, runs.Request{Agent: "assistant", Message: "What time is it?"})
		if err != nil {
			t.Fatal(err)
		}
		p.listen(conversations.Channel(started.Conversation.ID)).until("runs.finished")

		full, err := p.ContextOf(t.Context(), p.who, started.Conversation.ID, "", "", true)
		if err != nil {
			t.Fatal(err)
		}
		of := func(kind string) runs.ContextSection {
			i := slices.IndexFunc(full.Sections, func(s runs.ContextSection) bool { return s.Kind == kind })
			if i < 0 {
				t.Fatalf("no %s in %+v", kind, full)
			}
			return full.Sections[i]
		}
		if one := of("instructions"); one.Tokens == 0 || one.Text != "Answer in one sentence." {
			t.Errorf("instructions %+v", one)
		}
		if one := of("messages"); one.Count != 2 || !strings.Contains(one.Text, "What time is it?") || !strings.Contains(one.Text, "It is noon.") {
			t.Errorf("messages %+v", one)
		}
		if one := of("tools"); one.Count == 0 || one.Tokens < int64(one.Count)*8 {
			t.Errorf("tools %+v", one)
		}
		sum := int64(0)
		for _, one := range full.Sections {
			sum += one.Tokens
		}
		if full.Used != sum || full.Agent != "assistant" || full.Messages == 0 {
			t.Errorf("sum %d of %+v", sum, full)
		}
		short, err := p.ContextOf(t.Context(), p.who, started.Conversation.ID, "", "other/model", false)
		if err != nil || short.Model != "other/model" || short.Sections[0].Text != "" {
			t.Errorf("without words %+v, %v", short, err)
		}
		stranger := conversations.Asker{Workspace: p.who.Workspace, User: ids.New[ids.User]()}
		if _, err := p.ContextOf(t.Context(), stranger, started.Conversation.ID, "", "", false); fault.From(err).Kind != fault.NotFound {
			t.Errorf("a stranger: %v", err)
		}
		if list, err := p.List(t.Context(), stranger, runs.Filter{Conversation: started.Conversation.ID}); err != nil || len(list.Data) != 0 {
			t.Errorf("a stranger's list: %+v, %v", list, err)
		}
		shared := conversations.Shared
		if _, err := p.book.Update(t.Context(), p.who, started.Conversation.ID, conversations.Change{Visibility: &shared}); err != nil {
			t.Fatal(err)
		}
		if list, err := p.List(t.Context(), stranger, runs.Filter{Conversation: started.Conversation.ID}); err != nil || len(list.Data) != 1 {
			t.Errorf("the list of a shared conversation: %+v, %v", list, err)
		}
	})
}
