package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/projects"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

var commandSpec = tools.Spec{Name: "run_command", Origin: "builtin", Level: tools.Dangerous, Means: tools.Arguments{Command: "command"}}

// asks lets an agent of the administrator ask for a command and gives the ruling.
func asks(t *testing.T, w *apitest.World, command string) tools.Ruling {
	t.Helper()
	id := identity.From(w.AdminContext)
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Guard.Judge(t.Context(), commandSpec, tools.Call{Workspace: id.Workspace, User: id.User, Agent: "coder", Folder: "/srv/app", Args: args, Door: "chat"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestApprovalsOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		ticket := asks(t, w, "frobnicate --all").Ticket
		var list struct {
			Data []struct{ ID, Code, State, Command, Kind string }
		}
		w.Viewer.Do(t, "GET", "/api/v1/guard/approvals?state=asked", nil).Must(t, 200, &list)
		if len(list.Data) != 1 || list.Data[0].ID != ticket || list.Data[0].Command != "frobnicate --all" {
			t.Fatalf("approvals = %+v", list)
		}
		path := "/api/v1/guard/approvals/" + list.Data[0].Code
		w.Viewer.Do(t, "POST", path+"/answer", `{"decision":"approve"}`).Fails(t, 403, "forbidden")
		w.Foreign.Do(t, "POST", "/api/v1/guard/approvals/"+ticket+"/answer", `{"decision":"approve"}`).Fails(t, 404, "approval_not_found")
		w.Foreign.Do(t, "GET", path, nil).Fails(t, 404, "approval_not_found")
		var answered struct{ State, Scope, Via string }
		w.Operator.Do(t, "POST", path+"/answer", `{"decision":"approve","scope":"always","words":"fine","via":"phone"}`).Must(t, 200, &answered)
		if answered.State != "approved" || answered.Scope != "always" {
			t.Errorf("answered = %+v", answered)
		}
		w.Operator.Do(t, "POST", "/api/v1/guard/approvals/"+ticket+"/answer", `{"decision":"deny"}`).Fails(t, 409, "approval_approved")
		var allowed struct {
			Data []struct{ ID, Scope, Shown string }
		}
		w.Viewer.Do(t, "GET", "/api/v1/guard/allowed", nil).Must(t, 200, &allowed)
		if len(allowed.Data) != 1 || allowed.Data[0].Shown != "frobnicate --all" {
			t.Errorf("allowed = %+v", allowed)
		}
		w.Operator.Do(t, "DELETE", "/api/v1/guard/allowed/"+allowed.Data[0].ID, nil).Fails(t, 403, "forbidden")
		w.Admin.Do(t, "DELETE", "/api/v1/guard/allowed/"+allowed.Data[0].ID, nil).Must(t, 204, nil)

		critical := asks(t, w, "rm -rf / --no-preserve-root").Ticket
		w.Admin.Do(t, "POST", "/api/v1/guard/approvals/"+critical+"/answer", `{"decision":"approve"}`).Fails(t, 403, "second_person_needed")
		if body := string(w.Admin.Do(t, "POST", "/api/v1/guard/approvals/"+critical+"/answer", `{"decision":"approve"}`).Body); !strings.Contains(body, "fluxway guard policy --two-person off") {
			t.Errorf("somebody who works alone is not told what to do: %s", body)
		}
		w.Operator.Do(t, "POST", "/api/v1/guard/approvals/"+critical+"/answer", `{"decision":"approve","scope":"always"}`).Fails(t, 400, "critical_once")
		w.Operator.Do(t, "POST", "/api/v1/guard/approvals/"+critical+"/answer", `{"decision":"approve"}`).Must(t, 200, &answered)
	})
}

func TestSpendingBeyondABudgetIsForThoseWhoHaveTheMoney(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	ask := func() string {
		t.Helper()
		run := ids.New[ids.Run]()
		r, err := w.Guard.Overdraw(t.Context(), guard.Overdraft{
			Workspace: w.Workspace, Agent: "coder", Run: run, Root: run, Budget: ids.New[ids.Budget](), Reason: "It is used up.", Standing: map[string]int{"spent": 1},
		})
		if err != nil || r.Verdict != tools.Ask {
			t.Fatalf("%+v, %v", r, err)
		}
		return "/api/v1/guard/approvals/" + r.Ticket + "/answer"
	}
	yes, no := ask(), ask()
	for kind, want := range map[string]int{"ask": 2, "budget": 2, "exception": 0} {
		var list struct{ Data []guard.Approval }
		if w.Viewer.Do(t, "GET", "/api/v1/guard/approvals?state=asked&kind="+kind, nil).Must(t, 200, &list); len(list.Data) != want {
			t.Errorf("%s lists %d, want %d", kind, len(list.Data), want)
		}
	}
	w.Operator.Do(t, "POST", yes, `{"decision":"approve"}`).Fails(t, 403, "forbidden")
	w.Operator.Do(t, "POST", no, `{"decision":"deny"}`).Must(t, 200, nil)
	var answered guard.Approval
	if w.Admin.Do(t, "POST", yes, `{"decision":"approve"}`).Must(t, 200, &answered); answered.Scope != guard.ForRun || answered.State != guard.StateApproved {
		t.Errorf("answered %+v", answered)
	}
}

func TestGuardOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		var ruling struct{ Verdict, Rule, Alternative, Reason, Approval string }
		w.Viewer.Do(t, "POST", "/api/v1/guard/check", `{"command":"git reset --hard","folder":"/srv/app"}`).Must(t, 200, &ruling)
		if ruling.Verdict != "refuse" || ruling.Rule != "core.git.reset-hard" || ruling.Alternative == "" {
			t.Errorf("check = %+v", ruling)
		}
		w.Operator.Do(t, "POST", "/api/v1/guard/judge", `{"command":"git reset --hard","folder":"/srv/app","agent":"claude","tool":"Bash"}`).Must(t, 200, &ruling)
		if ruling.Verdict != "refuse" || ruling.Approval == "" {
			t.Errorf("judge = %+v", ruling)
		}
		w.Operator.Do(t, "POST", "/api/v1/guard/judge", `{"command":"ls","agent":"claude"}`).Must(t, 200, &ruling)
		var calls struct {
			Data []struct{ ID, Agent, Door, Verdict, Rule, Outcome, Feedback string }
		}
		w.Viewer.Do(t, "GET", "/api/v1/guard/audit?door=hook", nil).Must(t, 200, &calls)
		if len(calls.Data) != 2 || calls.Data[0].Outcome != "ok" || calls.Data[1].Outcome != "refused" || calls.Data[1].Agent != "claude" {
			t.Fatalf("audit = %+v", calls)
		}
		denied := calls.Data[1].ID
		w.Viewer.Do(t, "GET", "/api/v1/guard/denied", nil).Must(t, 200, &calls)
		if len(calls.Data) != 1 || calls.Data[0].ID != denied {
			t.Errorf("denied = %+v", calls)
		}
		w.Operator.Do(t, "POST", "/api/v1/guard/feedback", `{"call":"`+denied+`","feedback":"wrong","words":"it was clean"}`).Must(t, 200, nil)
		w.Viewer.Do(t, "GET", "/api/v1/guard/audit?feedback=wrong", nil).Must(t, 200, &calls)
		if len(calls.Data) != 1 {
			t.Errorf("with feedback: %+v", calls)
		}
		w.Foreign.Do(t, "GET", "/api/v1/guard/audit/"+denied, nil).Fails(t, 404, "call_not_found")
		if csv := string(w.Viewer.Do(t, "GET", "/api/v1/guard/audit/export", nil).Must(t, 200, nil).Body); strings.Count(csv, "\n") != 3 {
			t.Errorf("export = %q; want a head and two rows", csv)
		}
		policyOverHTTP(t, w)
		var packs struct{ Data []struct{ ID string } }
		w.Viewer.Do(t, "GET", "/api/v1/guard/packs", nil).Must(t, 200, &packs)
		if len(packs.Data) < 10 {
			t.Errorf("%d packs", len(packs.Data))
		}
	})
}

func policyOverHTTP(t *testing.T, w *apitest.World) {
	t.Helper()
	var policy map[string]any
	w.Viewer.Do(t, "GET", "/api/v1/guard/policy", nil).Must(t, 200, &policy)
	policy["mode"] = "careful"
	w.Operator.Do(t, "PUT", "/api/v1/guard/policy", policy).Fails(t, 403, "forbidden")
	w.Admin.Do(t, "PUT", "/api/v1/guard/policy", policy).Must(t, 200, &policy)
	if policy["mode"] != "careful" {
		t.Errorf("policy = %v", policy)
	}
	policy["mode"] = "loose"
	w.Admin.Do(t, "PUT", "/api/v1/guard/policy", policy).Fails(t, 400, "bad_policy")
	w.Admin.Do(t, "DELETE", "/api/v1/guard/policy", nil).Must(t, 200, &policy)
	if policy["mode"] != "standard" {
		t.Errorf("after a reset: %v", policy)
	}
}

func TestProjectsAndUndoOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		dir := t.TempDir()
		name := filepath.Join(dir, "a.txt")
		if err := os.WriteFile(name, []byte("before"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.Operator.Do(t, "POST", "/api/v1/projects", `{"folder":"nowhere"}`).Fails(t, 400, "bad_folder")
		var project struct {
			ID, Name string
			Trusted  bool
		}
		w.Operator.Do(t, "POST", "/api/v1/projects", map[string]any{"folder": dir, "name": "app"}).Must(t, 201, &project)
		w.Operator.Do(t, "PATCH", "/api/v1/projects/"+project.ID, `{"trusted":true}`).Must(t, 200, &project)
		if !project.Trusted || project.Name != "app" {
			t.Errorf("project = %+v", project)
		}
		w.Foreign.Do(t, "GET", "/api/v1/projects/"+project.ID, nil).Fails(t, 404, "project_not_found")
		touched := projects.Touched{Workspace: w.Workspace, Call: ids.New[ids.ToolCall](), Run: ids.New[ids.Run](), Tool: "write_file", Folder: dir, Paths: []string{name}}
		if err := w.Projects.Before(t.Context(), touched); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("after"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.Projects.After(t.Context(), w.Workspace, touched.Call); err != nil {
			t.Fatal(err)
		}
		body := map[string]any{"run": touched.Run}
		var plan struct {
			Steps []struct{ Path, Action string }
			Done  bool
		}
		w.Viewer.Do(t, "POST", "/api/v1/guard/undo/preview", body).Must(t, 200, &plan)
		if len(plan.Steps) != 1 || plan.Steps[0].Action != "restore" || plan.Done {
			t.Errorf("preview = %+v", plan)
		}
		w.Foreign.Do(t, "POST", "/api/v1/guard/undo", body).Fails(t, 404, "nothing_to_undo")
		w.Viewer.Do(t, "POST", "/api/v1/guard/undo", body).Fails(t, 403, "forbidden")
		w.Operator.Do(t, "POST", "/api/v1/guard/undo", body).Must(t, 200, &plan)
		if got, err := os.ReadFile(name); err != nil || string(got) != "before" || !plan.Done {
			t.Errorf("after the undo: %q, %v, %+v", got, err, plan)
		}
		var list struct {
			Data []struct{ State, Tool string }
		}
		w.Viewer.Do(t, "GET", "/api/v1/guard/snapshots", nil).Must(t, 200, &list)
		if len(list.Data) != 2 || list.Data[0].Tool != "undo" || list.Data[1].State != "undone" {
			t.Errorf("snapshots = %+v", list)
		}
		w.Operator.Do(t, "DELETE", "/api/v1/projects/"+project.ID, nil).Must(t, 204, nil)
	})
}
