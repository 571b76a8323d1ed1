package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/events/eventstest"
	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
	"github.com/fluxway/fluxway/internal/tools"
)

const (
	asked    = "frobnicate --all"     // no pack knows it
	refused  = "git checkout -f main" // high
	critical = "rm -rf / --no-preserve-root"
)

func TestStates(t *testing.T) {
	t.Parallel()
	states := []guard.State{guard.StateAsked, guard.StateApproved, guard.StateDenied, guard.StateExpired, guard.StateUsed, guard.StateWithdrawn}
	moves := []guard.Move{guard.MoveApprove, guard.MoveDeny, guard.MoveExpire, guard.MoveUse, guard.MoveWithdraw}
	want := map[string]guard.State{
		"asked approve": guard.StateApproved, "asked deny": guard.StateDenied, "asked expire": guard.StateExpired, "asked withdraw": guard.StateWithdrawn, "approved withdraw": guard.StateWithdrawn,
		"approved use": guard.StateUsed, "approved expire": guard.StateExpired,
	}
	for _, s := range states {
		for _, m := range moves {
			next, ok := s.Move(m)
			if w, may := want[string(s)+" "+string(m)]; next != w || ok != may {
				t.Errorf("%s.Move(%s) = %q, %v; want %q, %v", s, m, next, ok, w, may)
			}
		}
	}
}

func TestApproveAcrossARestart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		heard := eventstest.Listen(t, w.hub, w.ws, guard.ApprovalsChannel)
		call := w.command(asked)
		first := w.judge(t, runCommand, call)
		if first.Verdict != tools.Ask || first.Ticket == "" {
			t.Fatalf("Judge = %+v, want ask with a ticket", first)
		}
		if again := w.judge(t, runCommand, call); again.Ticket != first.Ticket {
			t.Errorf("the same call asks twice: %s, then %s", first.Ticket, again.Ticket)
		}
		a := w.approval(t, first.Ticket)
		if len(a.Code) != 6 || strings.ContainsAny(a.Code, "IOL01") || a.Command != asked || a.Folder != w.folder || a.Agent != "coder" || a.RequestedBy != w.user {
			t.Errorf("approval = %+v", a)
		}
		if got := heard.Next(); got.Kind != "guard.asked" {
			t.Errorf("heard %s, want guard.asked", got.Kind)
		}
		w.open(t) // another process
		call.Approval = first.Ticket
		if r := w.judge(t, runCommand, call); r.Verdict != tools.Ask || r.Ticket != first.Ticket {
			t.Errorf("before an answer: %+v, want the same question", r)
		}
		done := w.answer(t, strings.ToLower(a.Code), guard.Answer{Approve: true, By: w.user, Via: "phone", Words: "go on"})
		if done.State != guard.StateApproved || done.AnsweredVia != "phone" || done.Scope != guard.Once {
			t.Errorf("answered = %+v", done)
		}
		if got := heard.Next(); got.Kind != "guard.answered" || !strings.Contains(string(got.JSON), `"state":"approved"`) {
			t.Errorf("heard %s %s, want guard.answered", got.Kind, got.JSON)
		}
		w.open(t)
		if r := w.judge(t, runCommand, call); r.Verdict != tools.Allow || r.Rule != "guard.approved" || r.Ticket != first.Ticket {
			t.Errorf("after the answer: %+v, want allow", r)
		}
		if r := w.judge(t, runCommand, call); r.Verdict != tools.Refuse || r.Rule != "guard.approval_used" {
			t.Errorf("a second use: %+v, want refuse", r)
		}
		call.Approval = ""
		if r := w.judge(t, runCommand, call); r.Verdict != tools.Ask || r.Ticket == first.Ticket {
			t.Errorf("asking again: %+v, want a new question", r)
		}
		if _, err := w.Answer(t.Context(), w.ws, first.Ticket, guard.Answer{Approve: true, By: w.user}); !fault.HasCode(err, "approval_used") {
			t.Errorf("answering twice: %v, want approval_used", err)
		}
	})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Run("denied with words", func(t *testing.T) {
			w := newWorld(t, db)
			call := w.command(asked)
			call.Approval = w.judge(t, runCommand, call).Ticket
			w.answer(t, call.Approval, guard.Answer{By: w.user, Words: "not on a Friday"})
			if r := w.judge(t, runCommand, call); r.Verdict != tools.Refuse || r.Rule != "guard.denied" || !strings.Contains(r.Reason, "not on a Friday") {
				t.Errorf("Judge = %+v, want refuse with the person's words", r)
			}
		})
		t.Run("another call cannot use it", func(t *testing.T) {
			w := newWorld(t, db)
			ticket := w.judge(t, runCommand, w.command(asked)).Ticket
			w.answer(t, ticket, guard.Answer{Approve: true, By: w.user})
			for name, change := range map[string]func(*tools.Call){
				"another command": func(c *tools.Call) { *c = w.command(asked + " --hard") },
				"another folder":  func(c *tools.Call) { c.Folder = t.TempDir() },
				"another agent":   func(c *tools.Call) { c.Agent = "stranger" },
				"the network":     func(c *tools.Call) { *c = w.call(runCommand, object{"command": asked, "network": true}) },
			} {
				call := w.command(asked)
				change(&call)
				call.Approval = ticket
				if r := w.judge(t, runCommand, call); r.Verdict != tools.Refuse || r.Rule != "guard.approval_mismatch" {
					t.Errorf("%s: %+v, want refuse", name, r)
				}
			}
			call := w.command(asked)
			call.Approval, call.Workspace = ticket, ids.New[ids.Workspace]()
			if r := w.judge(t, runCommand, call); r.Rule != "guard.approval_unknown" {
				t.Errorf("another workspace: %+v, want refuse", r)
			}
			call = w.call(runCommand, object{"timeout_seconds": 9, "command": asked}) // what does not matter may differ
			call.Approval = ticket
			if r := w.judge(t, runCommand, call); r.Verdict != tools.Allow {
				t.Errorf("the same command with another time limit: %+v, want allow", r)
			}
		})
		t.Run("arguments in another order are the same call", func(t *testing.T) {
			w := newWorld(t, db)
			call := w.call(foreign, object{"a": 1, "b": "x"})
			call.Approval = w.judge(t, foreign, call).Ticket
			w.answer(t, call.Approval, guard.Answer{Approve: true, By: w.user})
			call.Args = []byte(`{"b":"x",  "a":1}`)
			if r := w.judge(t, foreign, call); r.Verdict != tools.Allow {
				t.Errorf("Judge = %+v, want allow", r)
			}
		})
		t.Run("an exception to a refusal", func(t *testing.T) {
			w := newWorld(t, db)
			r := w.judge(t, runCommand, w.command(refused))
			a := w.approval(t, r.Ticket)
			if r.Verdict != tools.Refuse || !strings.Contains(r.Hint, a.Code) || a.Kind != guard.KindException || a.TwoPerson {
				t.Fatalf("Judge = %+v, approval %+v; want refuse with a code", r, a)
			}
			w.answer(t, a.Code, guard.Answer{Approve: true, By: w.user})
			if r := w.judge(t, runCommand, w.command(refused)); r.Verdict != tools.Allow || r.Rule != "guard.approved" {
				t.Errorf("after the exception: %+v, want allow", r)
			}
			if r := w.judge(t, runCommand, w.command(refused)); r.Verdict != tools.Refuse {
				t.Errorf("the next one: %+v, want refuse", r)
			}
		})
		t.Run("two persons for what is critical", func(t *testing.T) {
			w := newWorld(t, db)
			a := w.approval(t, w.judge(t, runCommand, w.command(critical)).Ticket)
			if !a.TwoPerson || a.Severity != "critical" {
				t.Fatalf("approval = %+v, want the rule of two persons", a)
			}
			for _, by := range []ids.User{w.user, ""} {
				if _, err := w.Answer(t.Context(), w.ws, a.Code, guard.Answer{Approve: true, By: by}); !fault.HasCode(err, "second_person_needed") {
					t.Errorf("approved by %q: %v, want second_person_needed", by, err)
				}
			}
			if _, err := w.Answer(t.Context(), w.ws, a.Code, guard.Answer{Approve: true, By: w.other, Scope: guard.Always}); !fault.HasCode(err, "critical_once") {
				t.Errorf("always: %v, want critical_once", err)
			}
			w.answer(t, a.Code, guard.Answer{Approve: true, By: w.other})
			if r := w.judge(t, runCommand, w.command(critical)); r.Verdict != tools.Allow {
				t.Errorf("after a second person: %+v, want allow", r)
			}
			late := w.approval(t, w.judge(t, runCommand, w.command(critical)).Ticket)
			w.policy(t, func(p *guard.Policy) { p.TwoPerson = false })
			if !late.TwoPerson {
				t.Fatalf("approval = %+v, want the rule of two persons", late)
			}
			w.answer(t, late.Code, guard.Answer{Approve: true, By: w.user}) // the rule was turned off since
			if r := w.judge(t, runCommand, w.command(critical)); r.Verdict != tools.Allow {
				t.Errorf("after the rule was turned off: %+v, want allow", r)
			}
			b := w.approval(t, w.judge(t, runCommand, w.command(critical)).Ticket)
			w.answer(t, b.Code, guard.Answer{Approve: true, By: w.user})
		})
	})
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		heard := eventstest.Listen(t, w.hub, w.ws, guard.ApprovalsChannel)
		call := w.command(asked)
		call.Approval = w.judge(t, runCommand, call).Ticket
		heard.Next()
		w.clock.move(15 * time.Minute)
		if a := w.approval(t, call.Approval); a.State != guard.StateExpired {
			t.Errorf("state at the deadline = %s, want expired", a.State)
		}
		if _, err := w.Answer(t.Context(), w.ws, call.Approval, guard.Answer{Approve: true, By: w.user}); !fault.HasCode(err, "approval_expired") {
			t.Errorf("answering too late: %v, want approval_expired", err)
		}
		if r := w.judge(t, runCommand, call); r.Verdict != tools.Refuse || r.Rule != "guard.expired" {
			t.Errorf("Judge = %+v, want refuse", r)
		}
		if _, err := w.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := heard.Next(); got.Kind != "guard.expired" {
			t.Errorf("heard %s, want guard.expired", got.Kind)
		}
		call.Approval = ""
		call.Approval = w.judge(t, runCommand, call).Ticket
		w.answer(t, call.Approval, guard.Answer{Approve: true, By: w.user})
		w.clock.move(2 * time.Hour)
		if r := w.judge(t, runCommand, call); r.Rule != "guard.expired" {
			t.Errorf("an approval that was not used in time: %+v, want refuse", r)
		}
	})
}

func TestRunKeepsDeadlines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *guard.Options) { o.Now = time.Now })
	w.open(t, func(o *guard.Options) { o.Now = time.Now })
	w.policy(t, func(p *guard.Policy) { p.Deadline = 1 })
	heard := eventstest.Listen(t, w.hub, w.ws, guard.ApprovalsChannel)
	running(t, w)
	ticket := w.judge(t, runCommand, w.command(asked)).Ticket
	a, err := w.Wait(t.Context(), w.ws, ids.Approval(ticket))
	if err != nil || a.State != guard.StateExpired {
		t.Errorf("Wait = %s, %v; want expired", a.State, err)
	}
	if got := heard.Next(); got.Kind != "guard.asked" {
		t.Errorf("heard %s", got.Kind)
	}
	if got := heard.Next(); got.Kind != "guard.expired" {
		t.Errorf("heard %s, want guard.expired", got.Kind)
	}
}

func TestWaitHearsTheAnswer(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, func(o *guard.Options) { o.Now = time.Now })
		ticket := ids.Approval(w.judge(t, runCommand, w.command(asked)).Ticket)
		got := make(chan guard.Approval, 1)
		failed := make(chan error, 1)
		go func() {
			a, err := w.Wait(background, w.ws, ticket)
			got <- a
			failed <- err
		}()
		elsewhere := *w
		elsewhere.open(t, func(o *guard.Options) { o.Now = time.Now })
		elsewhere.answer(t, string(ticket), guard.Answer{Approve: true, By: w.user})
		if a, err := <-got, <-failed; err != nil || a.State != guard.StateApproved {
			t.Errorf("Wait = %s, %v; want approved", a.State, err)
		}
	})
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	told := guard.State("")
	w.OnAnswer(func(_ context.Context, _ *store.Tx, a guard.Approval) error {
		told = a.State
		return nil
	})
	call := w.command(asked)
	call.Approval = w.judge(t, runCommand, call).Ticket
	heard := eventstest.Listen(t, w.hub, w.ws, guard.ApprovalsChannel)
	if err := w.db.InTx(t.Context(), func(tx *store.Tx) error { return w.Withdraw(t.Context(), tx, w.ws, call.Run) }); err != nil {
		t.Fatal(err)
	}
	if a := w.approval(t, call.Approval); a.State != guard.StateWithdrawn || a.Words == "" {
		t.Errorf("approval = %+v, want withdrawn with a reason", a)
	}
	if told != guard.StateWithdrawn {
		t.Errorf("told %q, want withdrawn", told)
	}
	if got := heard.Next(); got.Kind != "guard.withdrawn" {
		t.Errorf("heard %s, want guard.withdrawn", got.Kind)
	}
	if r := w.judge(t, runCommand, call); r.Verdict != tools.Refuse || r.Rule != "guard.withdrawn" {
		t.Errorf("the call is judged %+v, want refused", r)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		elsewhere := func(w *world) func(*tools.Call) { return func(c *tools.Call) { c.Folder = w.folder + "/sub" } }
		tests := map[string]struct {
			answer guard.Answer
			spec   tools.Spec
			change func(*world) func(*tools.Call)
			after  time.Duration
			want   tools.Verdict
		}{
			"once":                      {answer: guard.Answer{Scope: guard.Once}, want: tools.Ask},
			"this run":                  {answer: guard.Answer{Scope: guard.ForRun}, want: tools.Allow},
			"this run, another":         {answer: guard.Answer{Scope: guard.ForRun}, change: func(*world) func(*tools.Call) { return func(c *tools.Call) { c.Run = "run_2" } }, want: tools.Ask},
			"this project, another run": {answer: guard.Answer{Scope: guard.ForProject}, change: func(*world) func(*tools.Call) { return func(c *tools.Call) { c.Run = "run_2" } }, want: tools.Allow},
			"this project, elsewhere":   {answer: guard.Answer{Scope: guard.ForProject}, change: elsewhere, want: tools.Ask},
			"this project, other agent": {answer: guard.Answer{Scope: guard.ForProject}, change: func(*world) func(*tools.Call) { return func(c *tools.Call) { c.Agent = "other" } }, want: tools.Ask},
			"a while":                   {answer: guard.Answer{Scope: guard.ForTime, For: time.Minute}, after: 59 * time.Second, want: tools.Allow},
			"a while later":             {answer: guard.Answer{Scope: guard.ForTime, For: time.Minute}, after: time.Minute, want: tools.Ask},
			"always, elsewhere":         {answer: guard.Answer{Scope: guard.Always}, change: elsewhere, want: tools.Allow},
			"always ends too":           {answer: guard.Answer{Scope: guard.Always}, after: 91 * 24 * time.Hour, want: tools.Ask},
			"the whole tool":            {answer: guard.Answer{Scope: guard.Always, Covers: guard.CoversTool}, spec: foreign, change: func(w *world) func(*tools.Call) { return func(c *tools.Call) { c.Args = []byte(`{"other":1}`) } }, want: tools.Allow},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, db)
				spec, call := runCommand, w.command(asked)
				if tt.spec.Name != "" {
					spec, call = tt.spec, w.call(tt.spec, object{"title": "x"})
				}
				call.Approval = w.judge(t, spec, call).Ticket
				tt.answer.Approve, tt.answer.By = true, w.user
				w.answer(t, call.Approval, tt.answer)
				if r := w.judge(t, spec, call); r.Verdict != tools.Allow {
					t.Fatalf("the call that was approved: %+v", r)
				}
				w.clock.move(tt.after)
				call.Approval = ""
				if tt.change != nil {
					tt.change(w)(&call)
				}
				if r := w.judge(t, spec, call); r.Verdict != tt.want {
					t.Errorf("the next call: %+v, want %s", r, tt.want)
				}
			})
		}
	})
}

func TestNotEveryCommandAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	a := w.judge(t, runCommand, w.command(asked))
	_, err := w.Answer(t.Context(), w.ws, a.Ticket, guard.Answer{Approve: true, By: w.user, Scope: guard.Always, Covers: guard.CoversTool})
	if !fault.HasCode(err, "too_wide") {
		t.Errorf("Answer = %v, want too_wide", err)
	}
	if got := w.approval(t, a.Ticket); got.State != guard.StateAsked {
		t.Errorf("state = %s: an answer that fails must change nothing", got.State)
	}
	if _, err := w.Allow(t.Context(), w.ws, guard.NewAllowance{By: w.user}); !fault.HasCode(err, "too_wide") {
		t.Errorf("Allow = %v, want too_wide", err)
	}
	if _, err := w.Allow(t.Context(), w.ws, guard.NewAllowance{Command: critical, By: w.user}); !fault.HasCode(err, "critical_once") {
		t.Errorf("Allow = %v, want critical_once", err)
	}
}

func TestAllowList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	e, err := w.Allow(t.Context(), w.ws, guard.NewAllowance{Command: refused, Folder: w.folder, Note: "our fork", By: w.user})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.judge(t, runCommand, w.command(refused)); r.Verdict != tools.Allow || r.Ticket != string(e.ID) {
		t.Errorf("Judge = %+v, want allow by %s", r, e.ID)
	}
	list, err := w.Allowances(t.Context(), w.ws, guard.ApprovalFilter{}.Query)
	if err != nil || len(list.Data) != 1 || list.Data[0].Note != "our fork" {
		t.Errorf("Allowances = %+v, %v", list, err)
	}
	if err := errors.Join(w.Disallow(t.Context(), w.ws, e.ID, w.user)); err != nil {
		t.Fatal(err)
	}
	if r := w.judge(t, runCommand, w.command(refused)); r.Verdict != tools.Refuse {
		t.Errorf("after it was removed: %+v, want refuse", r)
	}
	if err := w.Disallow(t.Context(), w.ws, e.ID, w.user); !fault.HasCode(err, "allowance_not_found") {
		t.Errorf("Disallow again = %v", err)
	}
}

func TestUnattended(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		tests := map[string]struct {
			policy  guard.Unattended
			command string
			listed  bool
			want    tools.Verdict
		}{
			"refuse":                        {guard.RefuseUnattended, asked, false, tools.Refuse},
			"refuse, but listed":            {guard.RefuseUnattended, asked, true, tools.Allow},
			"refuse, harmless":              {guard.RefuseUnattended, "go build", false, tools.Allow},
			"wait":                          {guard.WaitUnattended, asked, false, tools.Ask},
			"only what is listed":           {guard.OnlyAllowed, "go build", true, tools.Allow},
			"only what is listed, harmless": {guard.OnlyAllowed, "go build", false, tools.Refuse},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, db)
				w.policy(t, func(p *guard.Policy) { p.Unattended = tt.policy })
				if tt.listed {
					if _, err := w.Allow(t.Context(), w.ws, guard.NewAllowance{Command: tt.command, By: w.user}); err != nil {
						t.Fatal(err)
					}
				}
				call := w.command(tt.command)
				call.Unattended, call.Door = true, "schedule"
				r := w.judge(t, runCommand, call)
				if r.Verdict != tt.want {
					t.Errorf("Judge = %+v, want %s", r, tt.want)
				}
				if tt.want != tools.Ask {
					return
				}
				if a := w.approval(t, r.Ticket); a.Deadline.Sub(a.AskedAt) != 24*time.Hour || !a.Unattended {
					t.Errorf("approval = %+v, want a day to answer", a)
				}
			})
		}
	})
}
