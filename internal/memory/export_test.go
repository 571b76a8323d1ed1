package memory

import (
	"context"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Learn learns from what was heard in a conversation without waiting for the job.
func (m *Mind) Learn(ctx context.Context, ws ids.Workspace, user ids.User, conv ids.Conversation) (map[string]int, error) {
	return m.learnFrom(ctx, ws, learnArgs{user, conv})
}

// EmbedNow embeds what waits without waiting for the job.
func (m *Mind) EmbedNow(ctx context.Context) (int64, error) {
	return m.embedWaiting(ctx, func(int64, int64) error { return nil })
}

// SaveUsage writes down what was used.
func (m *Mind) SaveUsage(ctx context.Context) { m.saveUsage(ctx) }

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// Index reads a source without waiting for the job.
func (m *Mind) Index(ctx context.Context, id ids.Source) (Indexed, error) {
	return m.indexSource(ctx, id, func(int, int, string) error { return nil })
}

// IndexUntil reads a source and tells how many files were begun.
func (m *Mind) IndexUntil(ctx context.Context, id ids.Source, tell func(done int)) (Indexed, error) {
	return m.indexSource(ctx, id, func(done, _ int, _ string) error { tell(done); return nil })
}

// Reconcile finds texts that lost their vectors.
func (m *Mind) Reconcile(ctx context.Context) error { return m.reconcile(ctx) }

// Holding counts the texts someone sees that hold several of some words, as if each were in too many texts to look at them all.
func (m *Mind) Holding(ctx context.Context, o Owner, words ...string) (int, error) {
	var terms []term
	for _, w := range words {
		terms = append(terms, term{word: w, count: mostHolders})
	}
	found, err := m.oldHolders(ctx, spaces(o.Workspace, Scope{User: o.User}, allKinds), terms)
	return len(found), err
}
