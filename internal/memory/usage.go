package memory

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/words"
	"github.com/fluxway/fluxway/internal/store"
)

// usage collects which facts were recalled and taken up, so that recalling
// writes nothing itself. What a crash loses of it are counts.
type usage struct {
	mu     sync.Mutex // guards counts
	counts map[usedFact]used
}

type usedFact struct {
	workspace ids.Workspace
	id        string
}

type used struct {
	uses, useful int64
	at           time.Time
}

// mostUsage bounds what is collected between two times it is written down.
const mostUsage = 10_000

func (u *usage) add(ws ids.Workspace, id string, uses, useful int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.counts == nil {
		u.counts = map[usedFact]used{}
	}
	key := usedFact{ws, id}
	have, known := u.counts[key]
	if !known && len(u.counts) >= mostUsage {
		return
	}
	u.counts[key] = used{have.uses + uses, have.useful + useful, time.Now()}
}

func (u *usage) take() map[usedFact]used {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.counts
	u.counts = nil
	return all
}

// saveUsage writes down what was used.
func (m *Mind) saveUsage(ctx context.Context) {
	all := m.used.take()
	if len(all) == 0 {
		return
	}
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		for key, n := range all {
			if _, err := tx.Exec(ctx, markUsed, n.uses, n.useful, n.at, key.id, key.workspace); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		m.log.WarnContext(ctx, "use of facts not counted", "part", "memory", "facts", len(all), "err", err)
	}
}

// usedBy counts which of the recalled facts an answer took up: those most of
// whose words that the question did not hold are in it.
func (m *Mind) usedBy(ctx context.Context, e Exchange) {
	if len(e.Recalled) == 0 || e.Answered == "" {
		return
	}
	var facts []string
	for _, id := range e.Recalled {
		if strings.HasPrefix(id, ids.Fact("").Prefix()+"_") {
			facts = append(facts, id)
		}
	}
	if len(facts) == 0 {
		return
	}
	rows, err := store.All[text](ctx, m.db.Read(), m.engine.fetch, m.engine.list(facts), e.Workspace, e.User, e.Agent, e.Project)
	if err != nil {
		m.log.WarnContext(ctx, "use of facts not judged", "part", "memory", "err", err)
		return
	}
	asked, answered := bag(words.Cut(e.Asked)), bag(words.Cut(e.Answered))
	for _, row := range rows {
		if takenUp(row.Words, asked, answered) {
			m.used.add(e.Workspace, row.ID, 0, 1)
		}
	}
}

// takenUp says whether an answer holds at least half of what a fact adds to the question.
func takenUp(fact string, asked, answered map[string]bool) bool {
	adds, holds := 0, 0
	for _, w := range strings.Fields(fact) {
		if asked[w] || len(w) < 3 || w == "the" || w == "user" {
			continue
		}
		adds++
		if answered[w] {
			holds++
		}
	}
	return adds > 0 && holds*2 >= adds
}

func bag(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}
