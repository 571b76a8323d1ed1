package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// learnKind is the job that learns from what was said.
const learnKind = "memory.learn"

// longestHeard bounds how much of a message is learned from.
const longestHeard = 16 << 10

// learnArgs name a conversation with something new in it.
type learnArgs struct {
	User         ids.User         `json:"user"`
	Conversation ids.Conversation `json:"conversation"`
}

// Observe hears an exchange, to be learned from by a durable job. Someone who
// does not want that, or a caller without a user, is not listened to.
func (m *Mind) Observe(ctx context.Context, e Exchange) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error { return m.ObserveTx(ctx, tx, e) })
}

// ObserveTx is Observe in the caller's transaction.
func (m *Mind) ObserveTx(ctx context.Context, tx *store.Tx, e Exchange) error {
	if e.User == "" || e.Workspace == "" || m.rules.Off {
		return nil
	}
	learn, err := m.learns(ctx, tx, Owner{e.Workspace, e.User})
	if err != nil || !learn {
		return err
	}
	e.Asked, e.Answered = cut(e.Asked, longestHeard), cut(e.Answered, longestHeard)
	if _, err := tx.Exec(ctx, insertHeard, ids.New[ids.Passage](), e.Workspace, e.User, e.Conversation, store.JSON(e), time.Now()); err != nil {
		return fmt.Errorf("hearing an exchange: %w", err)
	}
	_, err = m.queue.Enqueue(ctx, tx, jobs.Request{Workspace: e.Workspace, Kind: learnKind, Args: learnArgs{e.User, e.Conversation}})
	return err
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// heard is an exchange that waits.
type heard struct {
	ID       string          `db:"id"`
	Exchange json.RawMessage `db:"exchange"`
}

// learn is the job. What it keeps and the rows it learned from change in one
// transaction, so that after a crash nothing is lost or learned twice.
func (m *Mind) learn(ctx context.Context, task *jobs.Task) (any, error) {
	var args learnArgs
	if err := task.Decode(&args); err != nil {
		return nil, err
	}
	return m.learnFrom(ctx, task.Workspace, args)
}

// learnFrom learns from what was heard in a conversation, and counts what became of it.
func (m *Mind) learnFrom(ctx context.Context, ws ids.Workspace, args learnArgs) (map[string]int, error) {
	rows, err := store.All[heard](ctx, m.db.Read(), selectHeard, ws, args.User, args.Conversation)
	if err != nil || len(rows) < m.rules.Every {
		return nil, err
	}
	list := make([]Exchange, len(rows))
	for i, r := range rows {
		if err := json.Unmarshal(r.Exchange, &list[i]); err != nil {
			return nil, fmt.Errorf("reading what was heard: %w", err)
		}
	}
	guesses, drawn := m.guesses(ctx, list)
	learned := map[string]int{}
	err = m.db.InTx(ctx, func(tx *store.Tx) error {
		clear(learned)
		for _, r := range rows {
			n, err := tx.Exec(ctx, deleteHeard, r.ID)
			if err != nil {
				return err
			}
			if n == 0 {
				return errTaken
			}
		}
		if err := m.keepTurns(ctx, tx, list); err != nil {
			return err
		}
		for i, e := range list {
			if err := m.draw(ctx, tx, e, drawn[i]); err != nil {
				return fmt.Errorf("drawing the graph: %w", err)
			}
		}
		return m.keepGuesses(ctx, tx, guesses, learned)
	})
	if errors.Is(err, errTaken) { // another job learned from these, or they are to be forgotten
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		m.usedBy(ctx, e)
	}
	return learned, nil
}

var errTaken = errors.New("memory: someone else learned from this")

// sourced is a guess and the exchange it was found in.
type sourced struct {
	Guess
	from Exchange
}

// guesses asks the rules for facts and for what each exchange adds to the graph, and the extractor if there is
// one. One that fails leaves what the rules found.
func (m *Mind) guesses(ctx context.Context, list []Exchange) ([]sourced, []drawing) {
	var found []sourced
	drawn := make([]drawing, len(list))
	for i, e := range list {
		for _, g := range extractByRules(e.Asked) {
			found = append(found, sourced{g, e})
		}
		drawn[i] = m.drawn(e.Asked)
	}
	if m.extractor == nil {
		return found, drawn
	}
	more, err := m.extractor.Extract(ctx, list)
	if err != nil {
		m.log.WarnContext(ctx, "facts not extracted by a model", "part", "memory", "err", err)
		return found, drawn
	}
	for _, g := range more.Facts {
		found = append(found, sourced{g, list[len(list)-1]})
	}
	last := &drawn[len(list)-1]
	for _, n := range more.Entities {
		have := last.node(n.Name, n.EntityType)
		have.Observations = append(have.Observations, n.Observations...)
	}
	for _, r := range more.Relations {
		last.relate(r)
	}
	return found, drawn
}

// keepGuesses remembers what was found; what is refused is passed over, for nobody asked for it.
func (m *Mind) keepGuesses(ctx context.Context, tx *store.Tx, guesses []sourced, learned map[string]int) error {
	for _, g := range guesses {
		c, err := m.considered(NewFact{
			Scope: Scope{User: g.from.User}, Text: g.Text, Confidence: g.Confidence, Origin: FromTalk,
			Source: Place{Conversation: g.from.Conversation, Message: g.from.Message, Run: g.from.Run},
		})
		var f *fault.Fault
		if errors.As(err, &f) {
			learned["refused"]++
			continue
		}
		if err != nil {
			return err
		}
		out, err := m.remember(ctx, tx, g.from.Workspace, c)
		if err != nil {
			return err
		}
		learned[string(out.Outcome)]++
	}
	return nil
}

// keepTurns makes what was said findable, without what must not be kept.
func (m *Mind) keepTurns(ctx context.Context, tx *store.Tx, list []Exchange) error {
	if !m.rules.Turns {
		return nil
	}
	for _, e := range list {
		if e.Conversation == "" {
			continue
		}
		seq, err := store.One[int64](ctx, tx, nextSeq, e.Conversation)
		if err != nil {
			return err
		}
		var pieces []text
		for _, said := range []struct {
			who     string
			message ids.Message
			text    string
		}{{"user", e.Message, e.Asked}, {"agent", e.Reply, e.Answered}} {
			body := strings.TrimSpace(said.text)
			if len(words.Cut(body)) < 3 || sensitive(body) != "" {
				continue
			}
			if _, bad := denied(body, m.rules.Deny); bad {
				continue
			}
			pieces = append(pieces, text{
				ID: string(ids.New[ids.Passage]()), Workspace: e.Workspace, Scope: Scope{User: e.User}, Kind: KindTurn, Thread: string(e.Conversation),
				Seq: seq + int64(len(pieces)), Text: cut(body, 4000), At: time.Now(),
				Place: Place{Conversation: e.Conversation, Message: said.message, Run: e.Run, Author: said.who},
			})
		}
		if err := m.putNew(ctx, tx, pieces...); err != nil {
			return err
		}
	}
	return nil
}

// Settings is what a user wants of memory.
type Settings struct {
	Learn bool `json:"learn"` // facts are learned from what they say
}

// Settings reads what a user wants; learning is on until they say otherwise.
func (m *Mind) Settings(ctx context.Context, o Owner) (Settings, error) {
	learn, err := m.learns(ctx, m.db.Read(), o)
	return Settings{Learn: learn && !m.rules.Off}, err
}

func (m *Mind) learns(ctx context.Context, q store.Querier, o Owner) (bool, error) {
	learn, err := store.One[bool](ctx, q, selectLearn, o.Workspace, o.User)
	if errors.Is(err, store.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the settings of %s: %w", o.User, err)
	}
	return learn, nil
}

// SetSettings changes what a user wants. Someone who opts out is no longer
// learned from, also not from what was said and not yet looked at.
func (m *Mind) SetSettings(ctx context.Context, o Owner, s Settings) (Settings, error) {
	if s.Learn && m.rules.Off {
		return Settings{}, fault.New(fault.Conflict, "learning_off", "This server does not learn from conversations.").
			WithHint("An administrator can turn it on with memory.learn.")
	}
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		if !s.Learn {
			if _, err := tx.Exec(ctx, deleteHeardOf, o.Workspace, o.User); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, upsertLearn, o.Workspace, o.User, s.Learn, time.Now())
		return err
	})
	if err != nil {
		return Settings{}, fmt.Errorf("changing the settings of %s: %w", o.User, err)
	}
	return s, nil
}
