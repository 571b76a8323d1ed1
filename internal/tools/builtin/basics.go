package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // machines without a zone database tell the time too

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

type timeArgs struct {
	Zone string `json:"zone"`
}

func currentTime(now func() time.Time) tools.Tool {
	return define(tools.Spec{Name: "current_time", Title: "Current time", Level: tools.Public, ReadOnly: true, Repeatable: true},
		`{"zone":{"type":"string","maxLength":100,"description":"such as Europe/Berlin; UTC if not given"}}`, nil,
		func(_ context.Context, _ tools.Call, a timeArgs) (tools.Result, error) {
			zone, err := time.LoadLocation(a.Zone)
			if err != nil || a.Zone == "Local" {
				return tools.Result{}, fault.New(fault.NotFound, "no_such_zone", "There is no time zone %q.", a.Zone).WithParam("zone").
					WithHint("Use a name such as Europe/Berlin, America/New_York or UTC.").Because(err)
			}
			t := now().In(zone)
			_, week := t.ISOWeek()
			return tools.Says(fmt.Sprintf("%s, %s (%s, week %d)", t.Weekday(), t.Format(time.RFC3339), zone, week)), nil
		})
}

type askArgs struct {
	Question string         `json:"question"`
	Options  []tools.Option `json:"options"`
	Multiple bool           `json:"multiple"`
}

func askUser() tools.Tool {
	return define(tools.Spec{Name: "ask_user", Title: "Ask the person", Level: tools.Public, ReadOnly: true, Repeatable: true},
		`{"question":{"type":"string","minLength":1,"maxLength":4000},
		  "options":{"type":"array","maxItems":12,"items":{"type":"object","additionalProperties":false,"required":["label"],
		    "properties":{"label":{"type":"string","minLength":1,"maxLength":200},"description":{"type":"string","maxLength":1000}}}},
		  "multiple":{"type":"boolean","description":"several options may be chosen"}}`, []string{"question"},
		func(_ context.Context, _ tools.Call, a askArgs) (tools.Result, error) {
			seen := map[string]bool{}
			for i, o := range a.Options {
				if seen[strings.ToLower(o.Label)] {
					return tools.Result{}, fault.New(fault.Invalid, "invalid_arguments", "The option %q is there twice.", o.Label).
						WithParam(fmt.Sprintf("options[%d].label", i))
				}
				seen[strings.ToLower(o.Label)] = true
			}
			return tools.Result{Code: "answer_needed", Needs: &tools.Need{Kind: tools.NeedAnswer, Question: a.Question, Options: a.Options, Multiple: a.Multiple}}, nil
		})
}

type outputArgs struct {
	ID     string `json:"id"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func readOutput(bodies *store.Bodies) tools.Tool {
	return define(tools.Spec{Name: "read_output", Title: "Read on in an output", Level: tools.Public, ReadOnly: true, Repeatable: true, MaxOutput: 128 << 10},
		`{"id":{"type":"string"},"offset":{"type":"integer","minimum":1,"description":"first line"},
		  "limit":{"type":"integer","minimum":1,"maximum":5000,"description":"lines; 500 if not given"}}`, []string{"id"},
		func(ctx context.Context, call tools.Call, a outputArgs) (tools.Result, error) {
			id, err := ids.Parse[ids.Body](a.ID)
			if err != nil {
				return tools.Result{}, err
			}
			body, text, err := bodies.Get(ctx, call.Workspace, id)
			if err != nil {
				return tools.Result{}, err
			}
			if body.Kind != "tool_result" { // other bodies are not the agent's to read
				return tools.Result{}, fault.New(fault.NotFound, "output_not_found", "There is no output with this id.").WithParam("id")
			}
			if a.Limit == 0 {
				a.Limit = 500
			}
			return tools.Says(numbered(text, max(1, a.Offset), a.Limit, false)), nil
		})
}
