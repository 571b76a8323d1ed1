package guard

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/observe"
)

const (
	secretsLife  = time.Minute
	shortestKept = 8 // a shorter secret would be found in any text
)

type knownSecrets struct {
	list  []secret.Text
	until time.Time
}

// stored is what must not leave the workspace.
func (g *Guard) stored(ctx context.Context, ws ids.Workspace) ([]secret.Text, error) {
	if g.opts.Secrets == nil {
		return nil, nil
	}
	now := g.now()
	g.mu.RLock()
	known, ok := g.secrets[ws]
	g.mu.RUnlock()
	if ok && now.Before(known.until) {
		return known.list, nil
	}
	list, err := g.opts.Secrets(ctx, ws)
	if err != nil {
		return nil, fmt.Errorf("listing the secrets of the workspace: %w", err)
	}
	g.mu.Lock()
	g.secrets[ws] = knownSecrets{list, now.Add(secretsLife)}
	g.mu.Unlock()
	return list, nil
}

// judgeContent looks for secrets in what a tool would send away.
func (g *Guard) judgeContent(ctx context.Context, j *judging) (finding, error) {
	if !j.network {
		return finding{}, nil
	}
	text := leaves(j.call.Args)
	list, err := g.stored(ctx, j.call.Workspace)
	if err != nil {
		return finding{}, err
	}
	for _, s := range list {
		if len(s.Reveal()) >= shortestKept && strings.Contains(text, s.Reveal()) {
			return final("guard.secret_stored", "The arguments hold a secret that is stored in this workspace, and it would leave.", "Send it without the secret; never pass on keys you were not given for this."), nil
		}
	}
	if observe.Redact(text) != text {
		return finding{action: j.policy.Secrets, rule: "guard.secret_shape", reason: "The arguments hold what looks like a key, a token or a password, and it would leave this machine.",
			hint: "Send it without the secret, or ask the person."}, nil
	}
	return finding{}, nil
}
