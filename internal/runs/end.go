package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools"
)

// ending is how a run ends.
type ending struct {
	do      Action
	last    *agents.Turn // the last turn, or the one that broke off; nil: none
	trouble error
}

// end keeps the answer, or what came of it, and closes the run, in one transaction. A run does not finish while
// there is news for it: then nothing is kept.
func (d *Desk) end(ctx context.Context, a *attempt, e ending) (news bool, err error) {
	to, err := Move(a.run.State, e.do)
	if err != nil {
		return false, err
	}
	if e.trouble != nil {
		d.log.WarnContext(ctx, "run failed", "part", "runs", "run", a.run.ID, "err", e.trouble)
	}
	sum := a.with(e.last)
	turns := a.turns
	var line *step
	if e.last != nil && len(e.last.Parts) > 0 {
		e.last.Step = a.number(1)
		if e.last.Ended.IsZero() {
			e.last.Ended = time.Now()
		}
		if line, err = a.modelStep(e.last); err != nil {
			return false, err
		}
		if e.trouble != nil || to == Cancelled {
			line.State = stepFailed
		}
		turns = append(turns[:len(turns):len(turns)], e.last)
	}
	c := closing{run: a.run, to: to, turns: turns, sum: sum, trouble: troubleOf(e.trouble), line: line, recall: a.recall}
	if a.parent != nil {
		c.boss = a.parent.run.subject()
	}
	a.mu.Lock()
	c.signals, c.heard = a.looked, a.heard
	a.mu.Unlock()
	if c.rest, err = d.scribe.take(ctx, a); err != nil {
		return false, fmt.Errorf("ending %s: %w", a.run.ID, err)
	}
	kept := false
	defer func() { d.scribe.finish(c.rest, nil, kept) }()
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		news, err = d.close(ctx, tx, c)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("ending %s: %w", a.run.ID, err)
	}
	kept = !news
	if news {
		return true, a.catchUp(ctx)
	}
	a.result = answerText(turns)
	return false, nil
}

// endIdle ends a run that nobody works on.
func (d *Desk) endIdle(ctx context.Context, run Run, e ending) error {
	to, err := Move(run.State, e.do)
	if err != nil {
		return err
	}
	j, err := d.read(ctx, run.ID)
	if err != nil {
		return err
	}
	c := closing{run: run, to: to, turns: j.turns, trouble: troubleOf(e.trouble), recall: j.recall, signals: -1,
		sum: totals{turns: run.Turns, calls: run.Calls, spent: run.Spent}}
	if run.Usage != nil {
		c.sum.usage = *run.Usage
	}
	err = d.opts.DB.InTx(ctx, func(tx *store.Tx) error {
		_, err := d.close(ctx, tx, c)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending %s: %w", run.ID, err)
	}
	return nil
}

// closing is a run that is about to be over.
type closing struct {
	run     Run
	to      State
	turns   []*agents.Turn
	sum     totals
	trouble *Trouble
	line    *step  // of the last turn
	rest    *group // what the database does not have of the run yet
	recall  *recollection
	boss    subject // of a helper: the run it works for
	signals int64   // known; < 0: whatever came is ignored
	heard   int64
}

// close writes the end of a run.
func (d *Desk) close(ctx context.Context, tx *store.Tx, c closing) (news bool, err error) {
	signals := c.signals
	if c.to != Finished {
		signals = -1
	}
	text := ""
	if c.run.Parent != "" {
		text = answerText(c.turns)
	}
	for {
		n, err := tx.Exec(ctx, endRun, c.to, store.JSON(c.sum.usage), store.JSONOf(c.trouble), text, c.sum.turns, c.sum.calls, c.sum.spent, c.sum.first, time.Now(),
			c.run.ID, c.run.State, c.run.Attempt, signals, signals)
		if err != nil {
			return false, err
		}
		if n > 0 {
			break
		}
		if signals, err = d.unheard(ctx, tx, c); err != nil || signals < 0 {
			return err == nil, err
		}
	}
	if err := d.closeJournal(ctx, tx, c); err != nil {
		return false, err
	}
	if d.opts.Over != nil {
		tx.AfterCommit(func() { d.opts.Over(c.run.Workspace, c.run.ID) })
	}
	if c.to != Finished {
		if err := d.withdraw(ctx, tx, c.run); err != nil {
			return false, err
		}
	}
	answer, err := d.leave(ctx, tx, c)
	if err != nil {
		return false, err
	}
	if err := d.endHelpers(ctx, tx, c.run.subject()); err != nil {
		return false, err
	}
	if err := d.say(ctx, tx, c.run, c.fact(answer)); err != nil {
		return false, err
	}
	if c.run.Parent != "" {
		return false, d.report(ctx, tx, c, text)
	}
	if err := d.plan(ctx, tx, c, answer); err != nil {
		return false, err
	}
	return false, d.release(ctx, tx, c.run)
}

// closeJournal writes what is left of the journal, with the last turn.
func (d *Desk) closeJournal(ctx context.Context, tx *store.Tx, c closing) error {
	var lines []line
	if c.rest != nil {
		var facts []events.Encoded
		for _, e := range c.rest.entries {
			lines, facts = append(lines, e.lines...), append(facts, e.facts...)
		}
		if err := d.opts.Hub.AppendEncoded(tx, c.run.Workspace, c.run.channel(), facts); err != nil {
			return err
		}
		if err := d.opts.Hub.AppendDeltas(tx, c.run.Workspace, c.run.channel(), c.rest.deltas); err != nil {
			return err
		}
	}
	if c.line != nil {
		lines = append(lines, fresh(c.line))
	}
	return writeLines(ctx, tx, lines)
}

// unheard is why a run could not finish: it gives the signals to finish with after all, or < 0 when a message waits.
func (d *Desk) unheard(ctx context.Context, tx *store.Tx, c closing) (int64, error) {
	if c.to != Finished {
		return 0, errMoved
	}
	signals, err := store.One[int64](ctx, tx, selectSignals, c.run.ID, c.run.Attempt)
	if errors.Is(err, store.ErrNoRows) || (err == nil && signals == c.signals) {
		return 0, errMoved
	}
	if err != nil {
		return 0, err
	}
	letters, err := store.All[letter](ctx, tx, selectInbox, c.run.ID, c.heard)
	if err != nil {
		return 0, err
	}
	if len(letters) > 0 {
		return -1, nil
	}
	return signals, nil
}

// catchUp learns which signals came.
func (a *attempt) catchUp(ctx context.Context) error {
	signals, err := store.One[int64](ctx, a.d.opts.DB.Read(), selectSignals, a.run.ID, a.run.Attempt)
	if errors.Is(err, store.ErrNoRows) {
		return errMoved
	}
	if err == nil {
		a.signal(signals)
	}
	return err
}

func (c closing) fact(answer ids.Message) events.Event {
	switch c.to {
	case Finished:
		return RunFinished{c.run.subject(), answer, c.sum.usage, c.sum.turns, c.sum.calls}
	case Failed:
		return RunFailed{c.run.subject(), answer, c.trouble}
	case Queued, Running, Waiting, Cancelled:
	}
	return RunCancelled{c.run.subject(), answer}
}

// report tells those who follow the run that a person started how a helper of it ended.
func (d *Desk) report(ctx context.Context, tx *store.Tx, c closing, text string) error {
	about := helping{c.boss, c.run.Call, c.run.ID, c.run.Agent}
	about.Run = c.run.Parent
	about.Conversation = c.run.Conversation
	took := time.Since(c.run.CreatedAt).Milliseconds()
	var fact events.Event = HelperFinished{about, clip(text, 500), c.sum.usage, took}
	if c.to != Finished {
		trouble := c.trouble
		if trouble == nil {
			trouble = troubleOf(errStopped)
		}
		fact = HelperFailed{about, trouble, took}
	}
	top, err := store.One[Run](ctx, tx, selectTop, c.run.Parent)
	if err != nil {
		return fmt.Errorf("finding whom %s worked for: %w", c.run.ID, err)
	}
	return d.say(ctx, tx, top, fact)
}

// withdraw takes back what a run asked people, once it is over in the same transaction.
func (d *Desk) withdraw(ctx context.Context, tx *store.Tx, run Run) error {
	if d.opts.Withdraw == nil {
		return nil
	}
	return d.opts.Withdraw(ctx, tx, run.Workspace, run.ID)
}

// endHelpers ends what helpers of a run are still open: they cannot go on without it.
func (d *Desk) endHelpers(ctx context.Context, tx *store.Tx, boss subject) error {
	helpers, err := store.All[Run](ctx, tx, openHelpers, boss.Run)
	if err != nil {
		return err
	}
	for _, h := range helpers {
		usage := providers.Usage{}
		if h.Usage != nil {
			usage = *h.Usage
		}
		if _, err := tx.Exec(ctx, endRun, Cancelled, store.JSON(usage), nil, "", h.Turns, h.Calls, h.Spent, time.Time{}, time.Now(), h.ID, h.State, h.Attempt, -1, -1); err != nil {
			return err
		}
		if err := d.withdraw(ctx, tx, h); err != nil {
			return err
		}
		if err := d.say(ctx, tx, h, RunCancelled{h.subject(), ""}); err != nil {
			return err
		}
		if err := d.report(ctx, tx, closing{run: h, to: Cancelled, sum: totals{usage: usage}, boss: boss}, ""); err != nil {
			return err
		}
		if err := d.endHelpers(ctx, tx, h.subject()); err != nil {
			return err
		}
	}
	return nil
}

// leave stores what a run leaves: an answer in its conversation; of one that works beside it, only how a case went.
func (d *Desk) leave(ctx context.Context, tx *store.Tx, c closing) (ids.Message, error) {
	switch {
	case c.run.Reason == Tried:
		return "", d.judge(ctx, tx, c)
	case c.run.aside():
		return "", nil
	}
	return d.keep(ctx, tx, c)
}

// keep stores the answer if there is one and its conversation still exists. A run that others wait behind
// always leaves one, so that they follow something.
func (d *Desk) keep(ctx context.Context, tx *store.Tx, c closing) (ids.Message, error) {
	if c.run.Parent != "" {
		return "", nil
	}
	parts := answerParts(c.turns)
	if len(parts) == 0 {
		return "", nil
	}
	if gone, err := d.opts.Conversations.Gone(ctx, tx, c.run.Workspace, c.run.Conversation); gone || err != nil {
		return "", err
	}
	state := map[State]conversations.MessageState{Finished: conversations.Complete, Failed: conversations.Failed, Cancelled: conversations.Stopped}[c.to]
	parent, err := d.lastSaid(ctx, tx, c.run)
	if err != nil {
		return "", err
	}
	usage := c.sum.usage
	m := conversations.Message{
		ID: c.run.Answer, Workspace: c.run.Workspace, Conversation: c.run.Conversation, Parent: parent, Run: c.run.ID,
		Role: providers.RoleModel, Author: c.run.Agent, State: state, Model: c.run.Model, Parts: parts, Usage: &usage,
	}
	m.Notes = c.notes()
	m, err = d.opts.Conversations.Add(ctx, tx, m)
	if err == nil && c.to == Finished && d.scribe != nil { // else another process may look at it
		tx.AfterCommit(func() { d.answers.put(c.run.ID, m) })
	}
	return c.run.Answer, err
}

// notes is what is kept with the answer and was not said.
func (c closing) notes() *conversations.Notes {
	n := conversations.Notes{}
	if c.recall != nil {
		n.Recalled = c.recall.Facts
	}
	if c.sum.spent > 0 {
		cost := int64(c.sum.spent)
		n.Cost = &cost
	}
	if n.Calls = callNotes(c.turns); n.Recalled == nil && n.Cost == nil && n.Calls == nil {
		return nil
	}
	return &n
}

// notedMeta bounds what is noted of all calls of an answer together; the execution log has it whole.
const notedMeta = 32 << 10

// callNotes is what is known of the calls that have a result, beside it.
func callNotes(turns []*agents.Turn) []conversations.CallNote {
	count := 0
	for _, t := range turns {
		count += len(t.Calls)
	}
	if count == 0 {
		return nil
	}
	notes := make([]conversations.CallNote, 0, count)
	left := notedMeta
	for _, t := range turns {
		for _, c := range t.Calls {
			if c.Result == nil || c.Began.IsZero() {
				continue
			}
			n := conversations.CallNote{Call: c.ID, Title: c.Title, Code: c.Result.Code, StartedAt: c.Began.UTC(), TookMs: c.Ended.Sub(c.Began).Milliseconds()}
			if meta := metaOf(c.Result); len(meta) <= left {
				n.Meta = meta
				left -= len(meta)
			}
			notes = append(notes, n)
		}
	}
	if len(notes) == 0 {
		return nil
	}
	return notes
}

// keptResult bounds a tool's result in the answer; the execution log has it whole.
const keptResult = 8 << 10

// answerParts is all that a run said and did, in order.
func answerParts(turns []*agents.Turn) []providers.Part {
	size := 0
	for _, t := range turns {
		size += len(t.Parts) + len(t.Calls)
	}
	parts := make([]providers.Part, 0, size)
	for _, t := range turns {
		parts = append(parts, t.Parts...)
		for _, c := range t.Calls {
			p := c.ResultPart()
			if text := p.ResultText(); len(text) > keptResult {
				p.Text = tools.Middle(text, keptResult)
			} else if p.Text == "" {
				p.Text = text
			}
			p.Parts = references(c)
			parts = append(parts, p)
		}
	}
	return parts
}

// answerText is what a helper hands back: what it said last.
func answerText(turns []*agents.Turn) string {
	for i := len(turns) - 1; i >= 0; i-- {
		m := providers.Message{Parts: turns[i].Parts}
		if text := m.Text(); text != "" {
			return text
		}
	}
	return ""
}
