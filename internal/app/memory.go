package app

import (
	"context"
	"errors"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
)

// openMemory builds what agents know.
func (a *App) openMemory(ctx context.Context) error {
	index, embedder, err := a.openVectors(ctx)
	if err != nil {
		return err
	}
	cfg := a.cfg.Memory
	dialer, err := safenet.New(safenet.Options{Allow: a.cfg.Tools.PrivateHosts})
	if err != nil {
		return err
	}
	a.memory, err = memory.New(memory.Options{
		DB: a.db, Hub: a.hub, Jobs: a.queue, Log: a.log, Index: index, Embedder: embedder, Former: a.formerEmbedder(), Extractor: a.extractor(), Net: dialer,
		Rules: memory.Rules{
			Off: !cfg.Learn, Every: cfg.LearnEvery, Confidence: float64(cfg.Confidence) / 100, Deny: cfg.Deny, Keep: cfg.Keep.Std(), Turns: cfg.Turns,
			Session: cfg.Graph == "session", Folders: cfg.Folders, Forbidden: []string{a.data.Dir},
		},
	})
	return err
}

// putMemory gives agents the tools of memory, those of the graph also under the names with an underscore before them.
func (a *App) putMemory() error {
	if err := a.toolbox.Put(memory.ToolOrigin, a.memory.Tools()...); err != nil {
		return err
	}
	return a.toolbox.Put(memory.ToolOrigin+"/underscore", a.memory.UnderscoreTools()...)
}

// errNoMemory cannot happen once New has returned: who deletes is built before memory, and asks it later.
var errNoMemory = errors.New("app: memory is not there yet")

// userRemoved has everything forgotten that is known of someone who leaves a workspace.
func (a *App) userRemoved(ctx context.Context, tx *store.Tx, ws ids.Workspace, user ids.User) error {
	if a.memory == nil {
		return errNoMemory
	}
	return a.memory.ForgetUserTx(ctx, tx, memory.Owner{Workspace: ws, User: user})
}

// conversationDeleted has what was said in a conversation forgotten.
func (a *App) conversationDeleted(ctx context.Context, tx *store.Tx, ws ids.Workspace, id ids.Conversation) error {
	if a.memory == nil {
		return errNoMemory
	}
	return a.memory.ForgetConversation(ctx, tx, ws, id)
}
