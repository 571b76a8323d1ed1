package runs_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// listening hears what a run does, and says no where it was told to.
type listening struct {
	refuse string
	heard  *[]string
	over   chan struct{}
}

func (l listening) note(what string) error {
	*l.heard = append(*l.heard, what)
	if what == l.refuse {
		return fault.New(fault.Forbidden, "plugin_refused", "Not this one.")
	}
	return nil
}

func (l listening) BeforeRun(_ context.Context, asked string) error {
	return l.note("before run " + asked)
}

func (l listening) BeforeTurn(_ context.Context, turn int) error {
	return l.note(fmt.Sprintf("before turn %d", turn))
}

func (l listening) AfterTurn(_ context.Context, t *agents.Turn) {
	_ = l.note(fmt.Sprintf("after turn %d", t.Number)) // what is over cannot be refused
}

func (l listening) AfterRun(_ context.Context, end runs.State, answer string, trouble *runs.Trouble) {
	what := fmt.Sprintf("after run %s %s", end, answer)
	if trouble != nil {
		what += trouble.Code
	}
	_ = l.note(what)
	close(l.over)
}

func TestHooks(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	hub := eventstest.New(t, db)
	queue, err := jobs.New(jobs.Options{DB: db, Hub: hub, Sole: true})
	if err != nil {
		t.Fatal(err)
	}
	book, err := conversations.New(conversations.Options{DB: db, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	var now listening // of the run that is asked next
	desk, err := runs.New(runs.Options{
		DB: db, Hub: hub, Jobs: queue, Conversations: book, Agents: agents.New(agents.Always("test/model")), Journal: journalOf(db),
		Model: func(context.Context, ids.Workspace, string) (providers.Model, string, error) {
			return newModel("Yes."), "model", nil
		},
		Hooks: func(runs.Run, string) runs.Hooks { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	o := &office{desk, t, db, queue, book, conversations.Asker{Workspace: storetest.Workspace(), User: ids.New[ids.User]()}}
	defer o.work()()
	for refuse, want := range map[string]struct {
		state runs.State
		heard []string
	}{
		"":                 {runs.Finished, []string{"before run hello", "before turn 1", "after turn 1", "after run finished Yes."}},
		"before run hello": {runs.Failed, []string{"before run hello", "after run failed plugin_refused"}},
		"before turn 1":    {runs.Failed, []string{"before run hello", "before turn 1", "after run failed plugin_refused"}},
	} {
		var heard []string
		now = listening{refuse, &heard, make(chan struct{})}
		a := o.ask("hello", "")
		o.over(a.Run.ID)
		<-now.over
		run := o.get(a.Run.ID)
		if run.State != want.state || !slices.Equal(heard, want.heard) {
			t.Errorf("refusing %q: %s, heard %q, want %s, %q", refuse, run.State, heard, want.state, want.heard)
		}
		if want.state == runs.Failed && (run.Error == nil || run.Error.Code != "plugin_refused") {
			t.Errorf("refusing %q: %+v", refuse, run.Error)
		}
	}
}
