package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/tools"
)

// tablesOfCommands is where the rows are that the command guard is tested with.
const tablesOfCommands = "internal/guard/command/testdata/tables/*.txt"

// decision is a row of the tables: a command and what is said of it there.
type decision struct{ want, text string }

// guardLane measures one decision about a command beside the bare parser on the same rows, and what a whole call
// costs on its way through the gate and into the journal.
func guardLane(ctx context.Context, b *bench) error {
	rows, err := decisions()
	if err != nil {
		return err
	}
	commands, err := guard.NewCommands(guard.CommandOptions{Home: "/home/dev"}, "")
	if err != nil {
		return err
	}
	ours, bare := timeRows(ctx, b, commands, rows)
	p50 := line{Lane: b.lane, Metric: fmt.Sprintf("decision p50 over %d commands, beside the bare parser", len(rows)), Unit: "µs", Ours: quantile(ours, 0.5), Baseline: quantile(bare, 0.5), Bar: "<= 3.00x", Verdict: "pass"}
	if p50.Ratio = p50.Ours / p50.Baseline; p50.Ratio > 3 {
		p50.Verdict = "fail"
	}
	b.lines = append(b.lines, p50)
	b.limit("decision p99", "µs", quantile(ours, 0.99), quantile(bare, 0.99), 100)
	slowest, unasked := large(ctx, commands, rows)
	b.limit("slowest of the inputs of 10 kB", "µs", slowest, 0, 5000)
	b.must("inputs of 10 kB that are hostile and would run", unasked)
	wrong := 0
	for _, r := range rows {
		if v := commands.Judge(ctx, guard.Command{Text: r.text, Dir: "/home/dev/project"}).Verdict; r.want == "refuse" && v <= guard.Warn {
			wrong++
		}
	}
	b.must("commands to be refused that would run", wrong)
	return gateCosts(ctx, b, commands)
}

// decisions are the rows of the tables and the examples of the packs.
func decisions() ([]decision, error) {
	files, err := filepath.Glob(tablesOfCommands)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no tables at %s: run it from the root of the checkout (%w)", tablesOfCommands, err)
	}
	var rows []decision
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for l := range strings.Lines(string(text)) {
			want, command, ok := strings.Cut(strings.TrimRight(l, "\n"), ": ")
			if ok && !strings.HasPrefix(l, "#") {
				rows = append(rows, decision{want, strings.ReplaceAll(command, "⏎", "\n")})
			}
		}
	}
	packs, err := guard.Packs("")
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		for _, r := range p.Rules {
			for _, example := range slices.Concat(r.Dangerous, r.Harmless) {
				rows = append(rows, decision{"", example})
			}
		}
	}
	return rows, nil
}

// timeRows times every row on both sides in turn and keeps the best of several tries, which is what the work takes
// when nobody else has the processor.
func timeRows(ctx context.Context, b *bench, commands *guard.Commands, rows []decision) (ours, bare []float64) {
	ours, bare = make([]float64, len(rows)), make([]float64, len(rows))
	for i := range rows {
		ours[i], bare[i] = math.Inf(1), math.Inf(1)
	}
	parser := syntax.NewParser()
	took := func(into *float64, f func()) {
		began := time.Now()
		f()
		*into = min(*into, float64(time.Since(began).Nanoseconds())/1000)
	}
	for range 3 * b.rounds {
		for i, r := range rows {
			took(&ours[i], func() { commands.Judge(ctx, guard.Command{Text: r.text, Dir: "/home/dev/project"}) })
			other := (i + len(rows)/2) % len(rows) // not the row whose text is still at hand
			took(&bare[other], func() {
				if _, err := parser.Parse(strings.NewReader(rows[other].text), ""); err != nil {
					return // some rows are there because they cannot be read
				}
			})
		}
	}
	return ours, bare
}

// large is the CPU of the slowest input of 10 kB, the best of a few tries each: the rows of the tables put together, and
// texts made to take long. The latter must be asked about.
func large(ctx context.Context, commands *guard.Commands, rows []decision) (slowest float64, unasked int) {
	const size = 10_000
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	hostile := []string{
		fill("$("), fill("`"), fill("(("), "echo " + fill("{a,b}"), strings.Repeat("$(echo ", 190) + strings.Repeat(")", 190), fill("frob | "), "rm -rf " + fill("a "),
		"x='" + fill("echo ")[:8000] + "'; " + strings.Repeat(`eval "$x";`, 180), strings.Repeat("for i in 1 2 3 4 5 6 7 8 9 10; do ", 15) + "frob $i" + strings.Repeat("; done", 15),
		strings.Repeat("f(){ g; };g(){ f; f; };f;g;", 100), strings.Repeat("sudo ", 1900) + "rm -rf /", strings.Repeat("eval ", 1900) + "frob",
	}
	texts := slices.Clone(hostile)
	var together strings.Builder
	for _, r := range rows {
		if together.Len() > 0 && together.Len()+len(r.text) > size {
			texts = append(texts, together.String())
			together.Reset()
		}
		together.WriteString(r.text + "\n")
	}
	for i, text := range texts {
		best, verdict := math.Inf(1), guard.Allow
		for range 5 {
			before := ownCPU()
			verdict = commands.Judge(ctx, guard.Command{Text: text, Dir: "/home/dev/project"}).Verdict
			best = min(best, float64((ownCPU()-before).Nanoseconds())/1000)
		}
		slowest = max(slowest, best)
		if i < len(hostile) && verdict < guard.Ask {
			unasked++
		}
	}
	return slowest, unasked
}

func quantile(v []float64, q float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[min(len(v)-1, int(float64(len(v))*q))]
}

// gateCosts shows the CPU of a whole call: judged, and written into the journal.
func gateCosts(ctx context.Context, b *bench, commands *guard.Commands) error {
	ground, err := openGround(ctx, mustDir(b))
	if err != nil {
		return err
	}
	defer ground.db.Close()
	g, err := guard.New(guard.Options{DB: ground.db, Hub: ground.hub, Commands: func() (*guard.Commands, error) { return commands, nil }, Journal: mustDir(b)})
	if err != nil {
		return err
	}
	policy := guard.DefaultPolicy()
	policy.Rates = nil
	if err := g.Configure(policy); err != nil {
		return err
	}
	folder := mustDir(b)
	for _, c := range []struct {
		name string
		spec tools.Spec
		args string
	}{
		{"reading a file", tools.Spec{Name: "read_file", Origin: "builtin", Level: tools.Public, ReadOnly: true, Repeatable: true, Means: tools.Arguments{Paths: []string{"path"}}}, `{"path":"src/main.go"}`},
		{"a command", tools.Spec{Name: "run_command", Origin: "builtin", Level: tools.Dangerous, Means: tools.Arguments{Command: "command"}}, `{"command":"go test ./..."}`},
	} {
		call := tools.Call{ID: "c1", Tool: c.spec.Name, Workspace: ground.workspace, Agent: "coder", Run: "run_1", Folder: folder, Door: "chat", Args: json.RawMessage(c.args)}
		judge := func() error {
			r, err := g.Judge(ctx, c.spec, call)
			if err == nil && r.Verdict != tools.Allow {
				err = fmt.Errorf("%s: %s by %s", c.name, r.Verdict, r.Rule)
			}
			return err
		}
		cost, err := b.cpu(judge)
		if err != nil {
			return err
		}
		b.shown("CPU of the whole chain, "+c.name, "µs", cost)
		cost, err = b.cpu(func() error {
			e := tools.Entry{ID: ids.New[ids.ToolCall](), Spec: c.spec, Call: call, Ruling: tools.Ruling{Verdict: tools.Allow}, At: time.Now(), Result: tools.Says("x")}
			if err := g.Started(ctx, e); err != nil {
				return err
			}
			return g.Finished(ctx, e)
		})
		if err != nil {
			return err
		}
		b.shown("CPU of its rows in the journal and the database, "+c.name, "µs", cost)
	}
	return nil
}

// cpu is the median CPU time of f in microseconds.
func (b *bench) cpu(f func() error) (float64, error) {
	var all []float64
	for range b.rounds {
		before, began, n := ownCPU(), time.Now(), 0
		for ; time.Since(began) < b.slice/4; n++ {
			if err := f(); err != nil {
				return 0, err
			}
		}
		all = append(all, float64((ownCPU()-before).Nanoseconds())/1000/float64(n))
	}
	return median(all), nil
}

// shown prints a number that nothing is held against.
func (b *bench) shown(metric, unit string, value float64) {
	b.lines = append(b.lines, line{Lane: b.lane, Metric: metric, Unit: unit, Ours: value, Verdict: "shown"})
}
