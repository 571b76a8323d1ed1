package api_test

import (
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// chat asks and waits for the end.
func chat(t *testing.T, w *apitest.World, c apitest.Client, body map[string]any) runs.Accepted {
	t.Helper()
	var a runs.Accepted
	c.Do(t, "POST", "/api/v1/agents/assistant/chat", body).Must(t, 202, &a)
	over(t, w, a.Run.ID)
	return a
}

func over(t *testing.T, w *apitest.World, id ids.Run) {
	t.Helper()
	if _, err := w.Desk.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

func TestRunsAreReadAndDoneAgain(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	a := chat(t, w, w.Operator, map[string]any{"message": "Hello there"})
	run := "/api/v1/runs/" + string(a.Run.ID)
	var got runs.Run
	w.Operator.Do(t, "GET", run, nil).Must(t, 200, &got)
	if got.State != runs.Finished || got.Turns != 1 || got.Partial != nil || got.Usage == nil || got.Title != "Hello there" {
		t.Errorf("run %+v", got)
	}
	for query, want := range map[string]int{
		"": 1, "state=finished": 1, "state=failed": 0, "agent=assistant": 1, "agent=coder": 0, "search=THERE": 1, "search=nowhere": 0,
		"conversation=" + string(a.Conversation.ID): 1, "since=2001-01-01T00:00:00Z": 1, "until=2001-01-01T00:00:00Z": 0, "parent=" + string(a.Run.ID): 0,
	} {
		var list page.Page[runs.Run]
		w.Operator.Do(t, "GET", "/api/v1/runs?"+query, nil).Must(t, 200, &list)
		if len(list.Data) != want {
			t.Errorf("%q lists %d runs, want %d", query, len(list.Data), want)
		}
	}
	w.Operator.Do(t, "GET", "/api/v1/runs?state=asleep", nil).Fails(t, 400, "not_allowed_value")
	var steps page.Page[runs.Step]
	w.Operator.Do(t, "GET", run+"/steps", nil).Must(t, 200, &steps)
	if len(steps.Data) != 1 || steps.Data[0].Kind != runs.StepModel || steps.Data[0].Preview != "You said: Hello there" {
		t.Errorf("steps %+v", steps.Data)
	}
	var helpers page.Page[runs.Run]
	if w.Operator.Do(t, "GET", run+"/helpers", nil).Must(t, 200, &helpers); len(helpers.Data) != 0 {
		t.Errorf("helpers %+v", helpers.Data)
	}
	w.Operator.Do(t, "POST", run+"/messages", map[string]any{"message": "One thing more"}).Fails(t, 409, "run_state")
	for path, body := range map[string]map[string]any{
		run + "/retry": {}, run + "/replay": {"model": "test/other"}, run + "/fork": {"turn": 1},
		"/api/v1/conversations/" + string(a.Conversation.ID) + "/messages/" + string(a.Run.Answer) + "/regenerate": {},
		"/api/v1/conversations/" + string(a.Conversation.ID) + "/messages/" + string(a.Run.Question) + "/edit":     {"message": "Something else"},
	} {
		var again runs.Accepted
		w.Operator.Do(t, "POST", path, body).Must(t, 202, &again)
		over(t, w, again.Run.ID)
		if again.Run.ID == a.Run.ID || again.Conversation.ID != a.Conversation.ID || (body["model"] != nil && again.Run.Model != body["model"]) {
			t.Errorf("%s made %+v", path, again.Run)
		}
	}
	var many api.Broadcast
	w.Operator.Do(t, "POST", "/api/v1/broadcast", map[string]any{"agents": []string{"assistant", "reviewer"}, "message": "All of you"}).Must(t, 202, &many)
	for _, one := range many.Data {
		over(t, w, one.Run.ID)
	}
	if len(many.Data) != 2 || many.Data[0].Run.Agent != "assistant" || many.Data[1].Run.Agent != "reviewer" {
		t.Errorf("broadcast to %+v", many.Data)
	}
}

func TestRunsRefuseWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	a := chat(t, w, w.Operator, map[string]any{"message": "Hello"})
	run := "/api/v1/runs/" + string(a.Run.ID)
	messages := "/api/v1/conversations/" + string(a.Conversation.ID) + "/messages/"
	for name, tt := range map[string]struct {
		path   string
		body   any
		status int
		code   string
	}{
		"stopping what is over":          {run + "/cancel", map[string]any{}, 409, "run_state"},
		"answering what asks nothing":    {run + "/answer", map[string]any{"answer": "yes"}, 409, "run_state"},
		"a turn that was not":            {run + "/fork", map[string]any{"turn": 7}, 400, "no_such_turn"},
		"a run that was not":             {"/api/v1/runs/" + string(ids.New[ids.Run]()) + "/retry", map[string]any{}, 404, "run_not_found"},
		"editing an answer":              {messages + string(a.Run.Answer) + "/edit", map[string]any{"message": "x"}, 400, "not_a_question"},
		"regenerating nothing":           {messages + string(ids.New[ids.Message]()) + "/regenerate", map[string]any{}, 404, "message_not_found"},
		"an unknown agent":               {"/api/v1/agents/asistant/chat", map[string]any{"message": "x"}, 404, "agent_not_found"},
		"an empty message":               {"/api/v1/agents/assistant/chat", map[string]any{"message": " \n"}, 400, "empty_message"},
		"no message":                     {"/api/v1/agents/assistant/chat", map[string]any{"message": ""}, 400, "out_of_range"},
		"a message of ten megabytes":     {"/api/v1/agents/assistant/chat", map[string]any{"message": strings.Repeat("x", 10<<20)}, 413, "body_too_large"},
		"a message that is too long":     {"/api/v1/agents/assistant/chat", map[string]any{"message": strings.Repeat("x", conversations.MaxMessage+1)}, 413, "message_too_long"},
		"an attachment that was not":     {"/api/v1/agents/assistant/chat", map[string]any{"message": "x", "attachments": []string{string(ids.New[ids.Attachment]())}}, 404, "attachment_not_found"},
		"an attachment of a wrong type":  {"/api/v1/attachments", map[string]any{"name": "x.png", "media_type": "image/png", "data": []byte("no picture")}, 400, "attachment_type"},
		"an attachment nobody can read":  {"/api/v1/attachments", map[string]any{"name": "x.exe", "data": []byte("MZ\x90\x00\x03\x00")}, 400, "attachment_type"},
		"a broadcast to nobody":          {"/api/v1/broadcast", map[string]any{"agents": []string{}, "message": "x"}, 400, "out_of_range"},
		"a broadcast to one that is not": {"/api/v1/broadcast", map[string]any{"agents": []string{"assistant", "nobody"}, "message": "x"}, 404, "agent_not_found"},
	} {
		p, err := w.Operator.Do(t, "POST", tt.path, tt.body).Problem()
		if err != nil || p.Code != tt.code || p.Message == "" {
			t.Errorf("%s: %+v (%v), want %s", name, p, err, tt.code)
		}
	}
	for name, stranger := range map[string]apitest.Client{"a colleague": w.Admin, "another workspace": w.Foreign} {
		for _, path := range []string{run, run + "/steps", run + "/helpers"} {
			if p := stranger.Do(t, "GET", path, nil).Fails(t, 404, "run_not_found"); p.Hint == "" {
				t.Errorf("%s reads %s: %+v", name, path, p)
			}
		}
		stranger.Do(t, "POST", run+"/cancel", map[string]any{}).Fails(t, 404, "run_not_found")
		stranger.Do(t, "POST", "/api/v1/agents/assistant/chat", map[string]any{"message": "x", "conversation": a.Conversation.ID}).Fails(t, 404, "conversation_not_found")
	}
	var list page.Page[runs.Run]
	if w.Operator.Do(t, "GET", "/api/v1/runs", nil).Must(t, 200, &list); len(list.Data) != 1 {
		t.Errorf("%d runs are left of bad requests", len(list.Data)-1)
	}
}
