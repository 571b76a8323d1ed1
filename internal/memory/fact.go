package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/store"
)

// State is what a fact is good for.
type State string

// The states of a fact.
const (
	Active State = "active" // recalled
	Review State = "review" // waits for a person to say whether it is true
	Past   State = "past"   // a newer one replaced it; kept as history
)

// Origin is how a fact came to be known.
type Origin string

// The origins of facts.
const (
	FromTool    Origin = "tool"    // an agent was asked to remember it
	FromAPI     Origin = "api"     // a person wrote it down
	FromTalk    Origin = "learned" // found in a conversation
	FromImport  Origin = "import"
	sureEnough         = 1.0
	mostHistory        = 100
)

// Fact is one thing remembered.
type Fact struct {
	ID        ids.Fact      `db:"id" json:"id"`
	Workspace ids.Workspace `db:"workspace_id" json:"-"`
	Scope
	State      State     `db:"state" json:"state"`
	Text       string    `db:"text" json:"text"`
	Subject    string    `db:"subject" json:"subject,omitempty"` // what only one fact can be true of
	Value      string    `db:"value" json:"-"`
	Confidence float64   `db:"confidence" json:"confidence"`
	Origin     Origin    `db:"origin" json:"origin"`
	Pinned     bool      `db:"pinned" json:"pinned"`
	Source     Place     `db:"source,json" json:"source"`
	Heard      int64     `db:"heard" json:"heard"` // how often it was said
	Uses       int64     `db:"uses" json:"uses"`
	Useful     int64     `db:"useful" json:"useful"` // how often an answer took it up
	UsedAt     time.Time `db:"used_at" json:"used_at,omitzero"`
	ReplacedBy ids.Fact  `db:"replaced_by" json:"replaced_by,omitempty"`
	CreatedAt  time.Time `db:"created_at" json:"created_at"`
	UpdatedAt  time.Time `db:"updated_at" json:"updated_at"`
}

// NewFact is something to remember.
type NewFact struct {
	Scope
	Text       string
	Confidence float64 // 0: sure
	Origin     Origin  // "": FromAPI
	Pinned     bool
	Source     Place
}

// Outcome says what became of something to remember.
type Outcome string

// The outcomes of Add.
const (
	Added    Outcome = "added"
	Merged   Outcome = "merged"   // known already; said once more
	Replaced Outcome = "replaced" // what was known before is history now
	Queued   Outcome = "queued"   // waits for review
)

// Added is a fact with what became of it.
type AddedFact struct {
	Fact
	Outcome  Outcome  `json:"outcome"`
	Replaces ids.Fact `json:"replaces,omitempty"`
}

// Owner is who looks at or changes memory: a person in a workspace.
type Owner struct {
	Workspace ids.Workspace
	User      ids.User
}

// sees refuses scopes of others.
func (o Owner) sees(s Scope) error {
	if s.User != "" && s.User != o.User {
		return fault.New(fault.Forbidden, "not_your_memory", "What is remembered of another person is theirs alone.").WithParam("user").
			WithHint("Leave user out for yourself, or use the scope workspace.")
	}
	return nil
}

// Fact reads one.
func (m *Mind) Fact(ctx context.Context, o Owner, id ids.Fact) (Fact, error) {
	return m.fact(ctx, m.db.Read(), o, id)
}

func (m *Mind) fact(ctx context.Context, q store.Querier, o Owner, id ids.Fact) (Fact, error) {
	f, err := store.One[Fact](ctx, q, selectFact, id, o.Workspace, o.User)
	if errors.Is(err, store.ErrNoRows) {
		return f, fault.New(fault.NotFound, "fact_not_found", "There is no fact %s.", id).WithHint("List the facts, or search for it.")
	}
	return f, err
}

// History lists what was true before, newest first.
func (m *Mind) History(ctx context.Context, o Owner, id ids.Fact) ([]Fact, error) {
	if _, err := m.Fact(ctx, o, id); err != nil {
		return nil, err
	}
	return store.All[Fact](ctx, m.db.Read(), historyOf, id, o.Workspace, o.User)
}

// FactFilter narrows a list of facts.
type FactFilter struct {
	page.Query
	Scope
	State  State // "": Active
	Pinned bool  // only those
}

// Facts lists what someone may see, newest first.
func (m *Mind) Facts(ctx context.Context, o Owner, f FactFilter) (page.Page[Fact], error) {
	if f.State == "" {
		f.State = Active
	}
	after, _, err := page.Decode[string](f.Cursor)
	if err != nil {
		return page.Page[Fact]{}, err
	}
	rows, err := store.All[Fact](ctx, m.db.Read(), listFacts, o.Workspace, o.User, f.State, f.User, f.User, f.Agent, f.Agent, f.Project, f.Project, f.Pinned,
		after, after, f.Size()+1)
	if err != nil {
		return page.Page[Fact]{}, fmt.Errorf("listing facts: %w", err)
	}
	return page.Of(f.Query, rows, func(f Fact) string { return string(f.ID) }), nil
}

// FactChange is what to change of a fact; nil leaves as it is.
type FactChange struct {
	Text   *string
	Pinned *bool
	State  *State // Active takes it out of the review queue
}

// Change edits, pins or accepts a fact.
func (m *Mind) Change(ctx context.Context, o Owner, id ids.Fact, change FactChange) (Fact, error) {
	var f Fact
	err := m.db.InTx(ctx, func(tx *store.Tx) (err error) {
		if f, err = m.fact(ctx, tx, o, id); err != nil {
			return err
		}
		f, err = m.change(ctx, tx, f, change)
		return err
	})
	if err != nil {
		return Fact{}, err
	}
	return f, nil
}

func (m *Mind) change(ctx context.Context, tx *store.Tx, f Fact, change FactChange) (Fact, error) {
	if f.State == Past {
		return f, fault.New(fault.Conflict, "fact_past", "This fact is history; a newer one replaced it.").WithHint("Change %s instead.", f.ReplacedBy)
	}
	print := fingerprint(f.Text)
	if change.Text != nil {
		f.Text = tidy(*change.Text)
		if err := m.refuse(f.Text, FromAPI); err != nil {
			return f, err
		}
		c := parseClaim(f.Text)
		f.Subject, f.Value, print = c.subject, c.value, fingerprint(f.Text)
	}
	if change.Pinned != nil {
		f.Pinned = *change.Pinned
	}
	if change.State != nil && *change.State == Active && f.State == Review {
		f.State, f.Confidence = Active, sureEnough
	}
	f.UpdatedAt = time.Now().UTC().Truncate(time.Microsecond)
	if _, err := tx.Exec(ctx, updateFact, f.Text, print, f.Subject, f.Value, f.Pinned, f.State, f.Confidence, f.UpdatedAt, f.ID); err != nil {
		return f, err
	}
	if f.State == Active {
		if err := m.put(ctx, tx, f.piece()); err != nil {
			return f, err
		}
		w := writing{m: m, tx: tx, ws: f.Workspace}
		if _, err := w.supersede(ctx, f); err != nil {
			return f, err
		}
	}
	return f, m.say(ctx, tx, f.Workspace, FactChanged{f.ID, f.User, f.State})
}

// Forget deletes a fact with its history.
func (m *Mind) Forget(ctx context.Context, o Owner, id ids.Fact) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error {
		f, err := m.fact(ctx, tx, o, id)
		if err != nil {
			return err
		}
		return m.forget(ctx, tx, f)
	})
}

func (m *Mind) forget(ctx context.Context, tx *store.Tx, f Fact) error {
	for _, statement := range []string{deletePast, deleteFact} {
		if _, err := tx.Exec(ctx, statement, f.ID); err != nil {
			return fmt.Errorf("forgetting %s: %w", f.ID, err)
		}
	}
	if err := m.drop(ctx, tx, f.Workspace, string(f.ID)); err != nil {
		return err
	}
	return m.say(ctx, tx, f.Workspace, FactForgotten{f.ID, f.User})
}

// fade forgets what was learned and not used for long.
func (m *Mind) fade(ctx context.Context, before time.Time) (int64, error) {
	var sum int64
	for {
		var n int64
		err := m.db.InTx(ctx, func(tx *store.Tx) error {
			rows, err := store.All[Fact](ctx, tx, selectFading, before, before, 200)
			if err != nil {
				return err
			}
			n = int64(len(rows))
			for _, f := range rows {
				if err := m.forget(ctx, tx, f); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return sum, err
		}
		if sum += n; n < 200 {
			return sum, nil
		}
	}
}
