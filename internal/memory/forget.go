package memory

import (
	"context"
	"fmt"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

// ForgetUser removes everything about a user of a workspace: facts, what was
// said, profile, graph, knowledge of their own, vectors and settings.
func (m *Mind) ForgetUser(ctx context.Context, o Owner) error {
	return m.db.InTx(ctx, func(tx *store.Tx) error { return m.ForgetUserTx(ctx, tx, o) })
}

// ForgetUserTx is ForgetUser in the caller's transaction.
func (m *Mind) ForgetUserTx(ctx context.Context, tx *store.Tx, o Owner) error {
	if o.User == "" {
		return nil // what belongs to nobody belongs to all
	}
	if err := m.clearVectors(ctx, tx, o); err != nil {
		return err
	}
	for _, statement := range []string{
		deleteHeardOf, deleteFactsOf, deleteTextsOf, deleteSpacesOf, deleteProfileOf, deleteRelationsOf, deleteEntitiesOf, deleteSourcesOf, deleteSettingsOf,
	} {
		if _, err := tx.Exec(ctx, statement, o.Workspace, o.User); err != nil {
			return fmt.Errorf("forgetting %s: %w", o.User, err)
		}
	}
	if l, ok := m.embedder.(Learner); ok {
		if err := l.Forget(ctx, tx, o); err != nil {
			return err
		}
	}
	return m.say(ctx, tx, o.Workspace, UserForgotten{o.User})
}

func (m *Mind) clearVectors(ctx context.Context, tx *store.Tx, o Owner) error {
	names, err := store.All[string](ctx, tx, selectSpacesOf, o.Workspace, o.User)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() { m.samples.drop(names...) })
	if m.index == nil {
		return nil
	}
	for _, name := range names {
		if err := m.index.Clear(ctx, tx, Partition{Workspace: o.Workspace, Scope: name}); err != nil {
			return fmt.Errorf("forgetting the vectors of %s: %w", o.User, err)
		}
	}
	return nil
}

// ForgetConversation removes what was said in a conversation, and the graph
// that was only for it. Facts that were learned from it stay.
func (m *Mind) ForgetConversation(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation) error {
	if id == "" {
		return nil
	}
	if err := m.dropThread(ctx, tx, ws, string(id)); err != nil {
		return err
	}
	for _, statement := range []string{deleteHeardIn, deleteEntitiesIn, deleteRelationsIn} {
		if _, err := tx.Exec(ctx, statement, ws, id); err != nil {
			return fmt.Errorf("forgetting %s: %w", id, err)
		}
	}
	return nil
}

// ForgetWorkspace removes everything of a workspace.
func (m *Mind) ForgetWorkspace(ctx context.Context, tx *store.Tx, ws ids.Workspace) error {
	if ws == "" {
		return nil
	}
	tx.AfterCommit(m.samples.dropAll)
	if m.index != nil {
		if err := m.index.Clear(ctx, tx, Partition{Workspace: ws}); err != nil {
			return fmt.Errorf("forgetting the vectors of %s: %w", ws, err)
		}
	}
	for _, statement := range []string{
		deleteAllHeardIn, deleteFactsIn, deleteTextsIn, deleteSpacesIn, deleteProfilesIn, deleteAllRelationsIn, deleteAllEntitiesIn, deleteSourcesIn, deleteSettingsIn,
	} {
		if _, err := tx.Exec(ctx, statement, ws); err != nil {
			return fmt.Errorf("forgetting %s: %w", ws, err)
		}
	}
	if l, ok := m.embedder.(Learner); ok {
		return l.Forget(ctx, tx, Owner{Workspace: ws})
	}
	return nil
}
