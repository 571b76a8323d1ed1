package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Add remembers something: junk and secrets are refused with the reason, what is known already is
// merged, and what says otherwise than before replaces it.
func (m *Mind) Add(ctx context.Context, o Owner, in NewFact) (AddedFact, error) {
	if err := o.sees(in.Scope); err != nil {
		return AddedFact{}, err
	}
	c, err := m.considered(in)
	if err != nil {
		return AddedFact{}, err
	}
	var out AddedFact
	err = m.db.InTx(ctx, func(tx *store.Tx) (err error) {
		out, err = m.remember(ctx, tx, o.Workspace, c)
		return err
	})
	if err != nil {
		return AddedFact{}, fmt.Errorf("remembering: %w", err)
	}
	return out, nil
}

// AddMany remembers several things in one transaction, each as Add would; those that are refused have their
// reason in place of an outcome.
func (m *Mind) AddMany(ctx context.Context, o Owner, list []NewFact) ([]AddedFact, []error, error) {
	out, refused := make([]AddedFact, len(list)), make([]error, len(list))
	var kept []candidate
	var places []int
	for i, in := range list {
		if refused[i] = o.sees(in.Scope); refused[i] != nil {
			continue
		}
		var c candidate
		if c, refused[i] = m.considered(in); refused[i] == nil {
			kept, places = append(kept, c), append(places, i)
		}
	}
	err := m.db.InTx(ctx, func(tx *store.Tx) error {
		added, err := m.rememberAll(ctx, tx, o.Workspace, kept)
		for n, f := range added {
			out[places[n]] = f
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("remembering %d facts: %w", len(list), err)
	}
	return out, refused, nil
}

// candidate is a fact that passed hygiene.
type candidate struct {
	NewFact
	print string
	claim claim
}

// considered checks something to remember and works out what it says.
func (m *Mind) considered(in NewFact) (candidate, error) {
	in.Text = tidy(in.Text)
	if in.Origin == "" {
		in.Origin = FromAPI
	}
	if in.Confidence == 0 {
		in.Confidence = sureEnough
	}
	if err := m.refuse(in.Text, in.Origin); err != nil {
		return candidate{}, err
	}
	return candidate{in, fingerprint(in.Text), parseClaim(in.Text)}, nil
}

// remember keeps a candidate in the caller's transaction.
func (m *Mind) remember(ctx context.Context, tx *store.Tx, ws ids.Workspace, c candidate) (AddedFact, error) {
	out, err := m.rememberAll(ctx, tx, ws, []candidate{c})
	if err != nil {
		return AddedFact{}, err
	}
	return out[0], nil
}

// rememberAll keeps candidates in the caller's transaction, each after the one before.
func (m *Mind) rememberAll(ctx context.Context, tx *store.Tx, ws ids.Workspace, list []candidate) ([]AddedFact, error) {
	w := writing{m: m, tx: tx, ws: ws}
	if err := w.lookUp(ctx, list); err != nil {
		return nil, err
	}
	out := make([]AddedFact, len(list))
	for i, c := range list {
		var err error
		if out[i], err = w.remember(ctx, c); err != nil {
			return nil, err
		}
	}
	return out, w.flush(ctx)
}

// writing is facts on their way into a transaction.
type writing struct {
	m     *Mind
	tx    *store.Tx
	ws    ids.Workspace
	same  map[said]Fact // what is known already
	texts []text        // of facts that were added, to be put into the indexes together
}

// said is what a fact says, in the space it is for.
type said struct{ space, print string }

// lookUp finds what is known of what the candidates say.
func (w *writing) lookUp(ctx context.Context, list []candidate) error {
	prints := map[string][]string{}
	for _, c := range list {
		name := space(w.ws, c.Scope, KindFact)
		prints[name] = append(prints[name], c.print)
	}
	w.same = make(map[said]Fact, len(list))
	for name, of := range prints {
		wanted, err := json.Marshal(of)
		if err != nil {
			return err
		}
		rows, err := store.All[printed](ctx, w.tx, w.m.engine.prints, string(wanted), name)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if key := (said{name, r.Print}); w.same[key].ID == "" || r.ID < w.same[key].ID {
				w.same[key] = r.Fact
			}
		}
	}
	return nil
}

// printed is a fact with its fingerprint.
type printed struct {
	Fact
	Print string `db:"print"`
}

func (w *writing) remember(ctx context.Context, c candidate) (AddedFact, error) {
	key := said{space(w.ws, c.Scope, KindFact), c.print}
	if known, ok := w.same[key]; ok {
		out, err := w.again(ctx, known, c)
		w.same[key] = out.Fact
		return out, err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	f := Fact{
		ID: ids.New[ids.Fact](), Workspace: w.ws, Scope: c.Scope, State: Active, Text: c.Text, Subject: c.claim.subject, Value: c.claim.value, Confidence: c.Confidence,
		Origin: c.Origin, Pinned: c.Pinned, Source: c.Source, Heard: 1, CreatedAt: now, UpdatedAt: now,
	}
	out := AddedFact{Fact: f, Outcome: Added}
	if f.Confidence < w.m.rules.Confidence {
		out.State, out.Outcome = Review, Queued
	}
	if err := w.insert(ctx, out.Fact, c.print); err != nil {
		return out, err
	}
	w.same[key] = out.Fact
	if out.State == Review {
		return out, nil
	}
	w.texts = append(w.texts, out.piece())
	var err error
	out.Replaces, err = w.supersede(ctx, out.Fact)
	if out.Replaces != "" {
		out.Outcome = Replaced
	}
	return out, err
}

func (w *writing) insert(ctx context.Context, f Fact, print string) error {
	n, err := w.tx.Exec(ctx, insertFact, f.ID, f.Workspace, f.User, f.Agent, f.Project, space(f.Workspace, f.Scope, KindFact), f.State, f.Text, print, f.Subject,
		f.Value, f.Confidence, f.Origin, f.Pinned, store.JSON(f.Source), f.Heard, f.Uses, f.Useful, f.UsedAt, f.ReplacedBy, f.CreatedAt, f.UpdatedAt)
	if err != nil {
		return fmt.Errorf("adding a fact: %w", err)
	}
	if n == 0 {
		return fault.New(fault.Conflict, "fact_exists", "There is already a fact %s.", f.ID)
	}
	return w.m.say(ctx, w.tx, f.Workspace, FactAdded{f.ID, f.User, f.Origin, f.State})
}

// flush has what was added found.
func (w *writing) flush(ctx context.Context) error {
	list := w.texts
	w.texts = nil
	return w.m.putNew(ctx, w.tx, list...)
}

// piece is the fact as it is found.
func (f Fact) piece() text {
	return text{ID: string(f.ID), Workspace: f.Workspace, Scope: f.Scope, Kind: KindFact, Text: f.Text, Place: f.Source, At: f.UpdatedAt}
}

// again is something said once more: surer, and out of the queue once it is sure enough.
func (w *writing) again(ctx context.Context, f Fact, c candidate) (AddedFact, error) {
	before := f.State
	f.Heard++
	f.Confidence = 1 - (1-f.Confidence)*(1-c.Confidence)
	f.UpdatedAt = time.Now().UTC().Truncate(time.Microsecond)
	if f.Confidence >= w.m.rules.Confidence {
		f.State = Active
	}
	if _, err := w.tx.Exec(ctx, hearAgain, f.Confidence, f.State, f.UpdatedAt, f.ID); err != nil {
		return AddedFact{}, err
	}
	out := AddedFact{Fact: f, Outcome: Merged}
	if before == f.State {
		return out, nil
	}
	if err := w.m.put(ctx, w.tx, f.piece()); err != nil {
		return out, err
	}
	var err error
	if out.Replaces, err = w.supersede(ctx, f); err != nil {
		return out, err
	}
	return out, w.m.say(ctx, w.tx, f.Workspace, FactChanged{f.ID, f.User, f.State})
}

// supersede makes what says otherwise about the same subject history.
func (w *writing) supersede(ctx context.Context, f Fact) (old ids.Fact, err error) {
	if f.Subject == "" {
		return "", nil
	}
	rivals, err := store.All[Fact](ctx, w.tx, sameSubject, space(f.Workspace, f.Scope, KindFact), f.Subject)
	if err != nil {
		return "", err
	}
	for _, r := range rivals {
		if r.ID == f.ID || r.State != Active {
			continue
		}
		if err := w.flush(ctx); err != nil { // it may be one of those
			return "", err
		}
		delete(w.same, said{space(r.Workspace, r.Scope, KindFact), fingerprint(r.Text)})
		if _, err := w.tx.Exec(ctx, inheritPast, f.ID, r.ID); err != nil {
			return "", err
		}
		if _, err := w.tx.Exec(ctx, replaceFact, f.ID, f.UpdatedAt, r.ID); err != nil {
			return "", err
		}
		if err := w.m.drop(ctx, w.tx, f.Workspace, string(r.ID)); err != nil {
			return "", err
		}
		if err := w.m.say(ctx, w.tx, f.Workspace, FactReplaced{r.ID, f.ID, f.User}); err != nil {
			return "", err
		}
		old = r.ID
	}
	return old, nil
}
