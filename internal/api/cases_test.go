package api_test

import (
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestAChatGoesOnFromAReplay(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	a := chat(t, w, w.Operator, map[string]any{"message": "Hello there"})
	chat(t, w, w.Operator, map[string]any{"message": "And more", "conversation": a.Conversation.ID})
	var replay runs.Accepted
	w.Operator.Do(t, "POST", "/api/v1/runs/"+string(a.Run.ID)+"/replay", map[string]any{"model": "test/other"}).Must(t, 202, &replay)
	over(t, w, replay.Run.ID)
	path := "/api/v1/runs/" + string(replay.Run.ID) + "/continue"
	messages := func() (page page.Page[conversations.Message]) {
		w.Operator.Do(t, "GET", "/api/v1/conversations/"+string(a.Conversation.ID)+"/messages", nil).Must(t, 200, &page)
		return page
	}
	if got := messages(); len(got.Data) != 4 {
		t.Errorf("a replay left %d messages", len(got.Data))
	}
	for range 2 {
		var got runs.Continued
		w.Operator.Do(t, "POST", path, map[string]any{}).Must(t, 200, &got)
		if got.Message != replay.Run.Answer || got.Conversation.ID != a.Conversation.ID || got.Conversation.Head != got.Message {
			t.Errorf("continued %+v", got)
		}
	}
	if got := messages(); len(got.Data) != 2 || got.Data[0].Versions != 2 || got.Data[0].Model != "test/other" {
		t.Errorf("the branch is %+v", got.Data)
	}
	for _, stranger := range []apitest.Client{w.Admin, w.Foreign} {
		stranger.Do(t, "POST", path, map[string]any{}).Fails(t, 404, "run_not_found")
	}
	w.Viewer.Do(t, "POST", path, map[string]any{}).Fails(t, 403, "forbidden")
}

func TestCases(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	a := chat(t, w, w.Operator, map[string]any{"message": "Hello there"})
	var kept runs.Case
	w.Operator.Do(t, "POST", "/api/v1/cases", map[string]any{"run": a.Run.ID, "name": "Greeting"}).Must(t, 201, &kept)
	if kept.Name != "Greeting" || kept.Run != a.Run.ID || kept.Expects.Answer != "You said: Hello there" || kept.Expects.Calls == nil {
		t.Errorf("kept %+v", kept)
	}
	one := "/api/v1/cases/" + string(kept.ID)
	var trial runs.Trial
	w.Operator.Do(t, "POST", one+"/run", map[string]any{"model": "test/other"}).Must(t, 202, &trial)
	over(t, w, trial.Run)
	var list page.Page[runs.Case]
	w.Operator.Do(t, "GET", "/api/v1/cases", nil).Must(t, 200, &list)
	if len(list.Data) != 1 || list.Data[0].Last == nil || list.Data[0].Last.Verdict != runs.VerdictPassed || list.Data[0].Last.Model != "test/other" {
		t.Errorf("listed %+v", list.Data)
	}
	w.Operator.Do(t, "POST", "/api/v1/cases", map[string]any{"run": a.Run.ID, "contains": []string{"Goodbye"}}).Fails(t, 400, "phrase_missing")
	w.Operator.Do(t, "POST", "/api/v1/cases", map[string]any{"run": ids.New[ids.Run]()}).Fails(t, 404, "run_not_found")
	for _, stranger := range []apitest.Client{w.Admin, w.Foreign} {
		stranger.Do(t, "GET", one, nil).Fails(t, 404, "case_not_found")
		stranger.Do(t, "POST", one+"/run", map[string]any{}).Fails(t, 404, "case_not_found")
		stranger.Do(t, "DELETE", one, nil).Fails(t, 404, "case_not_found")
		stranger.Do(t, "POST", "/api/v1/cases", map[string]any{"run": a.Run.ID}).Fails(t, 404, "run_not_found")
		var others page.Page[runs.Case]
		if stranger.Do(t, "GET", "/api/v1/cases", nil).Must(t, 200, &others); len(others.Data) != 0 {
			t.Errorf("a stranger sees %+v", others.Data)
		}
	}
	w.Operator.Do(t, "DELETE", one, nil).Must(t, 204, nil)
	w.Operator.Do(t, "GET", one, nil).Fails(t, 404, "case_not_found")
}
