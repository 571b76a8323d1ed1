package runs

import (
	"encoding/json"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
)

// entry is one thing that a run's journal keeps: lines of the log, what is said of them, and what the run has
// done with them.
type entry struct {
	run       ids.Run
	workspace ids.Workspace
	attempt   int
	n         int64 // counts the entries of an attempt, from 1
	channel   string
	sum       totals
	usage     string // of sum, as JSON
	lines     []line
	facts     []events.Encoded

	by   *attempt    // nil: of a process that died
	leaf *spool.Leaf // where the journal's files have it
}

// line is a step as it is from now on.
type line struct {
	*step
	fresh bool // there is no row of it yet
}

// entryVersion is the first byte of an entry.
const entryVersion = 1

// append writes the entry down.
func (e *entry) append(to []byte) []byte {
	to = append(to, entryVersion)
	to = spool.AppendText(to, e.run)
	to = spool.AppendText(to, e.workspace)
	to = spool.AppendNumber(to, e.attempt)
	to = spool.AppendNumber(to, e.n)
	to = spool.AppendText(to, e.channel)
	to = spool.AppendNumber(to, e.sum.turns)
	to = spool.AppendNumber(to, e.sum.calls)
	to = spool.AppendNumber(to, int64(e.sum.spent))
	to = spool.AppendTime(to, e.sum.first)
	to = spool.AppendText(to, e.usage)
	to = spool.AppendNumber(to, len(e.lines))
	for i := range e.lines {
		to = e.lines[i].append(to)
	}
	to = spool.AppendNumber(to, len(e.facts))
	for _, f := range e.facts {
		to = spool.AppendText(to, f.Kind)
		to = spool.AppendText(to, f.Data)
	}
	return to
}

// append writes a line without what its entry says already.
func (l *line) append(to []byte) []byte {
	flags := 0
	if l.fresh {
		flags |= 1
	}
	if l.Safe {
		flags |= 2
	}
	to = spool.AppendNumber(to, flags)
	to = spool.AppendNumber(to, l.Seq)
	to = spool.AppendNumber(to, l.Turn)
	for _, text := range [...]string{string(l.Kind), l.Name, l.Title, l.Origin, l.Call, l.State, l.Approval} {
		to = spool.AppendText(to, text)
	}
	for _, raw := range [...]json.RawMessage{l.Input, l.Output, l.Need, l.Reply, l.Usage} {
		to = spool.AppendText(to, raw)
	}
	to = spool.AppendTime(to, l.StartedAt)
	to = spool.AppendTime(to, l.FirstAt)
	return spool.AppendTime(to, l.FinishedAt)
}

// readEntry is the entry that was written down.
func readEntry(raw []byte) (*entry, error) {
	if len(raw) == 0 || raw[0] != entryVersion {
		return nil, spool.ErrEntry
	}
	in := spool.Reader{Rest: raw[1:]}
	e := &entry{run: ids.Run(in.Text()), workspace: ids.Workspace(in.Text()), attempt: int(in.Number()), n: in.Number(), channel: in.Text()}
	e.sum = totals{turns: int(in.Number()), calls: int(in.Number()), spent: costs.Micros(in.Number()), first: in.Time()}
	e.usage = in.Text()
	for range in.Count() {
		e.lines = append(e.lines, readLine(&in, e))
	}
	for range in.Count() {
		e.facts = append(e.facts, events.Encoded{Kind: in.Text(), Data: in.Bytes()})
	}
	return e, in.End()
}

func readLine(in *spool.Reader, e *entry) line {
	flags := in.Number()
	l := line{step: &step{}, fresh: flags&1 != 0}
	l.Run, l.Workspace, l.Safe = e.run, e.workspace, flags&2 != 0
	l.Seq, l.Turn = int(in.Number()), int(in.Number())
	l.Kind, l.Name, l.Title, l.Origin, l.Call, l.State, l.Approval = StepKind(in.Text()), in.Text(), in.Text(), in.Text(), in.Text(), in.Text(), in.Text()
	for _, raw := range [...]*json.RawMessage{&l.Input, &l.Output, &l.Need, &l.Reply, &l.Usage} {
		if text := in.Bytes(); len(text) > 0 {
			*raw = text
		}
	}
	l.StartedAt, l.FirstAt, l.FinishedAt = in.Time(), in.Time(), in.Time()
	return l
}

// entry makes an entry of the attempt. The steps are new unless old says that they have rows.
func (a *attempt) entry(sum totals, lines []line, facts ...events.Event) (*entry, error) {
	e := &entry{run: a.run.ID, workspace: a.run.Workspace, attempt: a.run.Attempt, channel: a.run.channel(), sum: sum, lines: lines, by: a}
	e.facts = make([]events.Encoded, len(facts))
	for i, f := range facts {
		var err error
		if e.facts[i], err = a.d.opts.Hub.Encode(f); err != nil {
			return nil, err
		}
	}
	e.usage = string(sum.usage.AppendJSON(make([]byte, 0, 64)))
	return e, nil
}

// fresh makes a line of a step that has no row yet.
func fresh(s *step) line { return line{s, true} }

// changed makes a line of a step that has one.
func changed(s *step) line { return line{s, false} }

// callLines are the lines of calls that were kept before.
func (a *attempt) callLines(calls []*agents.Call) ([]line, error) {
	lines := make([]line, len(calls))
	for i, c := range calls {
		s, err := a.callStep(c)
		if err != nil {
			return nil, err
		}
		lines[i] = changed(s)
	}
	return lines, nil
}
