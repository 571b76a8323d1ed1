package projects

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Target is what is to be undone: a call, a turn of a run, or a whole run.
type Target struct {
	Call ids.ToolCall
	Run  ids.Run
	Turn string // of Run; "": all of it
}

// Action is what an undo does with one path.
type Action string

// The actions.
const (
	ActionRestore Action = "restore" // it is written as it was
	ActionRemove  Action = "remove"  // it was not there
	ActionNothing Action = "nothing" // it is as it was already
	ActionStuck   Action = "stuck"   // it changed since, or what was there is not kept
)

// Step is what an undo does with one path.
type Step struct {
	Folder string `json:"folder"`
	Path   string `json:"path"`
	Action Action `json:"action"`
	Is     string `json:"is"`  // what is there now
	Was    string `json:"was"` // what was there before
	Why    string `json:"why,omitempty"`

	to entry
}

// Plan is an undo before it is made.
type Plan struct {
	Calls []ids.ToolCall `json:"calls"` // that are undone
	Steps []Step         `json:"steps"`
	Stuck int            `json:"stuck"` // steps that stand in the way
	Notes []string       `json:"notes"` // what is not covered
	Done  bool           `json:"done"`
	Call  ids.ToolCall   `json:"call,omitempty"` // undoes the undo

	snapshots []Snapshot
}

// Preview says what an undo would do.
func (p *Projects) Preview(ctx context.Context, ws ids.Workspace, t Target) (Plan, error) {
	found, err := p.find(ctx, ws, t)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Calls: []ids.ToolCall{}, Steps: []Step{}, Notes: []string{}, snapshots: found}
	folders := map[string][]Snapshot{}
	for _, s := range found {
		plan.Calls = append(plan.Calls, s.Call)
		folders[s.Folder] = append(folders[s.Folder], s)
	}
	for dir, list := range folders {
		if err := p.planFolder(ctx, &plan, dir, list); err != nil {
			return Plan{}, err
		}
	}
	slices.SortFunc(plan.Steps, func(a, b Step) int { return cmp.Or(compareText(a.Folder, b.Folder), compareText(a.Path, b.Path)) })
	for _, s := range plan.Steps {
		if s.Action == ActionStuck {
			plan.Stuck++
		}
	}
	return plan, nil
}

func compareText(a, b string) int { return strings.Compare(a, b) }

// find reads the snapshots of a target, the oldest first.
func (p *Projects) find(ctx context.Context, ws ids.Workspace, t Target) ([]Snapshot, error) {
	var found []Snapshot
	var err error
	switch {
	case t.Call != "":
		found, err = store.All[Snapshot](ctx, p.db.Read(), selectCall, ws, t.Call)
		if len(found) > 0 && found[0].State == StateUndone {
			return nil, fault.New(fault.Conflict, "undone_already", "This call was undone already, at %s.", found[0].UndoneAt.Format(time.RFC3339)).
				WithHint("To have it back, undo the undo: it is a call of its own in the list of snapshots.")
		}
	case t.Run != "":
		found, err = store.All[Snapshot](ctx, p.db.Read(), selectRun, ws, t.Run, t.Turn, t.Turn)
	default:
		return nil, fault.New(fault.Invalid, "nothing_to_undo", "Say what to undo: a call, a turn or a run.").
			WithHint("Give call, or run and perhaps turn.")
	}
	if err != nil {
		return nil, fmt.Errorf("reading snapshots: %w", err)
	}
	if len(found) == 0 {
		return nil, fault.New(fault.NotFound, "nothing_to_undo", "Nothing is kept that could be undone.").
			WithHint("The call changed no file, it was undone already, or it is too long ago.")
	}
	return found, nil
}

// planFolder works out the steps in one folder.
func (p *Projects) planFolder(ctx context.Context, plan *Plan, dir string, list []Snapshot) error {
	history, err := p.history(ctx, plan, list)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fault.New(fault.NotFound, "no_project", "The folder %s is gone.", dir).WithHint("Bring the folder back first.").Because(err)
	}
	defer root.Close()
	names := make([]string, 0, len(history))
	for name := range history {
		names = append(names, name)
	}
	now, err := p.present(ctx, root, dir, names)
	if err != nil {
		return err
	}
	last := list[len(list)-1]
	for name, diffs := range history {
		step := planStep(name, diffs, now[name], func(hash string) bool { return p.blobs.has(hash) })
		step.Folder = dir
		if step.Action == ActionStuck {
			step.Why += p.culprit(ctx, last, name)
		}
		plan.Steps = append(plan.Steps, step)
	}
	return nil
}

// history gathers what each path went through, in order.
func (p *Projects) history(ctx context.Context, plan *Plan, list []Snapshot) (map[string][]difference, error) {
	history := map[string][]difference{}
	for _, s := range list {
		var diffs []difference
		var err error
		notes := s.Notes
		if s.State == StateOpen { // it never ended: whatever differs now counts as its work
			diffs, notes, err = p.compare(ctx, s)
			notes = append(notes, fmt.Sprintf("%s did not end properly; all that changed since it began counts as its work.", s.Tool))
		} else {
			diffs, err = store.All[difference](ctx, p.db.Read(), selectChanges, s.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("reading what %s changed: %w", s.Tool, err)
		}
		for _, d := range diffs {
			history[d.Path] = append(history[d.Path], d)
		}
		for _, n := range notes {
			if !slices.Contains(plan.Notes, n) {
				plan.Notes = append(plan.Notes, n)
			}
		}
	}
	return history, nil
}

// present is what stands at paths now, without what is below them.
func (p *Projects) present(ctx context.Context, root *os.Root, dir string, names []string) (listing, error) {
	s := &scan{p: p, ctx: ctx, root: root, seen: p.seenOf(dir), out: make(listing), left: p.limits.Bytes, named: len(names), passed: make(map[string]bool)}
	for _, name := range names {
		if err := s.alone(name); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// planStep decides what becomes of one path.
func planStep(name string, diffs []difference, now entry, kept func(hash string) bool) Step {
	was, left := diffs[0].Before, diffs[len(diffs)-1].After
	step := Step{Path: name, Is: now.words(), Was: was.words(), to: was, Action: ActionRestore}
	if was.Kind == absent {
		step.Action = ActionRemove
	}
	stuck := func(why string) Step {
		step.Action, step.Why = ActionStuck, why
		return step
	}
	for i := 1; i < len(diffs); i++ {
		if !diffs[i-1].After.same(diffs[i].Before) {
			return stuck("It was changed by somebody else between two of these calls.")
		}
	}
	switch {
	case now.same(was):
		step.Action = ActionNothing
	case !now.same(left):
		return stuck("It changed since.")
	case was.Kind == file && was.Hash == "":
		return stuck("What was in it is not kept, because of its size.")
	case was.Kind == file && !kept(was.Hash):
		return stuck("What was in it is no longer kept.")
	case was.Kind == other:
		return stuck("It was a special file, which cannot be made again.")
	}
	return step
}

// culprit names the later call that changed a path, if it was one of ours.
func (p *Projects) culprit(ctx context.Context, last Snapshot, name string) string {
	type later struct {
		Tool  string  `db:"tool"`
		Agent string  `db:"agent"`
		Run   ids.Run `db:"run_id"`
	}
	by, err := store.One[later](ctx, p.db.Read(), selectLater, last.Workspace, last.Folder, name, last.ID)
	if err != nil { // somebody outside did; or we cannot tell, which is no reason to fail
		return ""
	}
	return fmt.Sprintf(" %s of %s did so in %s; undo that first.", by.Tool, cmp.Or(by.Agent, "a person"), cmp.Or(string(by.Run), "another call"))
}

// words says what an entry is, for people.
func (e entry) words() string {
	switch e.Kind {
	case absent:
		return "nothing"
	case file:
		return fmt.Sprintf("file of %d bytes, mode %04o", e.Size, e.Mode)
	case link:
		return "link to " + e.Target
	case folder:
		return fmt.Sprintf("folder, mode %04o", e.Mode)
	}
	return "special file"
}

// Undo brings back what was there before, or changes nothing and says what stands in the way.
func (p *Projects) Undo(ctx context.Context, ws ids.Workspace, t Target, by ids.User) (Plan, error) {
	p.undoing.Lock()
	defer p.undoing.Unlock()
	plan, err := p.Preview(ctx, ws, t)
	if err != nil {
		return Plan{}, err
	}
	if plan.Stuck > 0 {
		return plan, stuckFault(plan)
	}
	plan.Call = ids.New[ids.ToolCall]()
	for _, dir := range plan.folders() {
		if err := p.undoFolder(ctx, ws, plan, dir, by); err != nil {
			return plan, err
		}
	}
	err = p.db.InTx(ctx, func(tx *store.Tx) error {
		for _, s := range plan.snapshots {
			if _, err := tx.Exec(ctx, undoSnapshot, by, time.Now(), ws, s.ID); err != nil {
				return err
			}
		}
		return p.hub.Append(ctx, tx, ws, Channel, Undone{Call: plan.Call, Calls: plan.Calls, Run: t.Run, Files: len(plan.Steps), By: by})
	})
	if err != nil {
		return plan, fmt.Errorf("noting the undo: %w", err)
	}
	plan.Done = true
	return plan, nil
}

func (plan Plan) folders() []string {
	var dirs []string
	for _, s := range plan.Steps {
		if !slices.Contains(dirs, s.Folder) {
			dirs = append(dirs, s.Folder)
		}
	}
	return dirs
}

func stuckFault(plan Plan) error {
	var first Step
	for _, s := range plan.Steps {
		if s.Action == ActionStuck {
			first = s
			break
		}
	}
	f := fault.New(fault.Conflict, "changed_since", "%s cannot be brought back: %s", first.Path, first.Why)
	if plan.Stuck > 1 {
		f = fault.New(fault.Conflict, "changed_since", "%d paths cannot be brought back; the first is %s: %s", plan.Stuck, first.Path, first.Why)
	}
	return f.WithHint("Nothing was changed. The preview lists every path; put those aside that you want to keep, or undo the later calls first.").
		WithDetail("steps", plan.Steps)
}
