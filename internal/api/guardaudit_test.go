package api_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/toolstest"
)

// withCommands gives the server a tool that runs commands, and says so only.
func withCommands(t *testing.T) func(*api.Options) {
	return func(o *api.Options) {
		box, err := tools.New(tools.Options{Gate: o.Guard, Auditor: o.Guard})
		if err != nil {
			t.Fatal(err)
		}
		spec := commandSpec
		spec.Schema = json.RawMessage(`{"type":"object"}`)
		err = box.Put(spec.Origin, toolstest.Tool{Is: spec, Do: func(context.Context, tools.Call) (tools.Result, error) { return tools.Says("done and done"), nil }})
		if err != nil {
			t.Fatal(err)
		}
		o.Tools = box
	}
}

// Every call through the API leaves a row: ruling, rule, arguments without secrets, how long, how much, who approved.
func TestAuditOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db, withCommands(t))
		began := time.Now().Add(-time.Second)
		call := func(command, approval string) (r tools.Result) {
			t.Helper()
			body := map[string]any{"arguments": map[string]string{"command": command}, "approval": approval}
			w.Operator.Do(t, "POST", "/api/v1/tools/run_command/call", body).Must(t, 200, &r)
			return r
		}
		const asked = "frobnicate --password=hunter22-and-more"
		waiting := call(asked, "")
		if waiting.Needs == nil {
			t.Fatalf("result = %+v, want a question", waiting)
		}
		w.Admin.Do(t, "POST", "/api/v1/guard/approvals/"+waiting.Needs.Ticket+"/answer", `{"decision":"approve","via":"phone"}`).Must(t, 200, nil)
		if r := call(asked, waiting.Needs.Ticket); r.IsError || r.Needs != nil {
			t.Fatalf("after the answer: %+v", r)
		}
		if r := call("rm -rf / --no-preserve-root", ""); r.Code != "tool_refused" {
			t.Fatalf("result = %+v, want tool_refused", r)
		}
		call("ls", "")

		rows := func(query string) (list []guard.ToolCall) {
			t.Helper()
			var page struct{ Data []guard.ToolCall }
			w.Viewer.Do(t, "GET", "/api/v1/guard/"+query, nil).Must(t, 200, &page)
			return page.Data
		}
		all := rows("audit")
		if len(all) != 4 {
			t.Fatalf("%d rows, want one of every call: %+v", len(all), all)
		}
		approved := all[2]
		if approved.Verdict != tools.Allow || approved.Rule != "guard.approved" || approved.ApprovedBy != identity.From(w.AdminContext).User || approved.Ticket != waiting.Needs.Ticket ||
			approved.Outcome != guard.OutcomeOK || approved.ResultSize != int64(len("done and done")) || approved.Took <= 0 || approved.Door != "api" || approved.User == "" {
			t.Errorf("the approved call = %+v", approved)
		}
		for _, r := range all {
			if strings.Contains(r.Args, "hunter22") || strings.Contains(r.Reason, "hunter22") {
				t.Errorf("a secret is kept: %+v", r)
			}
		}
		since := url.QueryEscape(began.UTC().Format(time.RFC3339))
		for query, want := range map[string]int{
			"audit?verdict=allow": 2, "audit?verdict=ask": 1, "audit?outcome=waiting": 1, "audit?outcome=refused": 1, "audit?rule=guard.approved": 1, "audit?tool=run_command": 4,
			"audit?tool=other": 0, "audit?door=api": 4, "audit?door=chat": 0, "audit?user=" + string(approved.User): 4, "audit?since=" + since: 4, "audit?until=" + since: 0,
			"audit?agent=coder": 0, "audit?run=run_1": 0, "denied": 1,
		} {
			if got := rows(query); len(got) != want {
				t.Errorf("%s: %d rows, want %d", query, len(got), want)
			}
		}
		var one guard.ToolCall
		w.Viewer.Do(t, "GET", "/api/v1/guard/audit/"+string(approved.ID), nil).Must(t, 200, &one)
		if one.ID != approved.ID || one.ApprovedBy != approved.ApprovedBy {
			t.Errorf("one = %+v", one)
		}
		exports(t, w, approved)
		denied := rows("denied")[0]
		w.Operator.Do(t, "POST", "/api/v1/guard/feedback", map[string]any{"call": denied.ID, "feedback": "wrong", "words": "in a container"}).Must(t, 200, nil)
		var counts struct{ Data []guard.RuleCount }
		w.Viewer.Do(t, "GET", "/api/v1/guard/audit/rules", nil).Must(t, 200, &counts)
		found := false
		for _, c := range counts.Data {
			found = found || c.Rule == denied.Rule && c.Calls == 1 && c.Wrong == 1
		}
		if marked := rows("audit?feedback=wrong"); !found || len(marked) != 1 || marked[0].FeedbackWords != "in a container" {
			t.Errorf("counts = %+v, marked = %+v", counts.Data, marked)
		}
	})
}

// exports checks that both forms of the export hold every row, with who approved it.
func exports(t *testing.T, w *apitest.World, approved guard.ToolCall) {
	t.Helper()
	lines := string(w.Viewer.Do(t, "GET", "/api/v1/guard/audit/export?format=jsonl", nil).Must(t, 200, nil).Body)
	if strings.Count(lines, "\n") != 4 || !strings.Contains(lines, `"approved_by":"`+string(approved.ApprovedBy)+`"`) || strings.Contains(lines, "hunter22") {
		t.Errorf("jsonl = %s", lines)
	}
	table, err := csv.NewReader(strings.NewReader(string(w.Viewer.Do(t, "GET", "/api/v1/guard/audit/export?rule=guard.approved", nil).Must(t, 200, nil).Body))).ReadAll()
	if err != nil || len(table) != 2 || !strings.Contains(strings.Join(table[1], " "), string(approved.ApprovedBy)) {
		t.Errorf("csv = %q, %v", table, err)
	}
}

// Every scope of a yes that the API offers counts for the calls it names, and for no others.
func TestScopesOverHTTP(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	id := identity.From(w.AdminContext)
	judge := func(command, run, folder string) tools.Ruling {
		t.Helper()
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.Guard.Judge(t.Context(), commandSpec, tools.Call{Workspace: id.Workspace, User: id.User, Agent: "coder", Run: ids.Run(run), Folder: folder, Args: args, Door: "chat"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for scope, want := range map[string][3]tools.Verdict{ // again in the run, in another run, in another folder
		"once":    {tools.Ask, tools.Ask, tools.Ask},
		"run":     {tools.Allow, tools.Ask, tools.Ask},
		"project": {tools.Allow, tools.Allow, tools.Ask},
		"time":    {tools.Allow, tools.Allow, tools.Ask},
		"always":  {tools.Allow, tools.Allow, tools.Allow},
	} {
		command := "frobnicate --" + scope
		asked := judge(command, "run_1", "/srv/app")
		var answered guard.Approval
		w.Operator.Do(t, "POST", "/api/v1/guard/approvals/"+asked.Ticket+"/answer", map[string]any{"decision": "approve", "scope": scope, "minutes": 5}).Must(t, 200, &answered)
		if r := judge(command, "run_1", "/srv/app"); r.Verdict != tools.Allow {
			t.Errorf("%s: the call that was approved: %+v", scope, r)
		}
		got := [3]tools.Verdict{judge(command, "run_1", "/srv/app").Verdict, judge(command, "run_2", "/srv/app").Verdict, judge(command, "run_3", "/srv/other").Verdict}
		if got != want {
			t.Errorf("%s: %v, want %v", scope, got, want)
		}
	}
}
