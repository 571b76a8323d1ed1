package guard

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/fluxway/fluxway/internal/ids"
)

// Check says what the analyser thinks of a command; nothing is kept and no policy counts. One that breaks or does not come
// back is an error: everything else a ruling waits for ends with ctx, so the analyser is left behind here.
func (g *Guard) Check(ctx context.Context, c Command) (CommandRuling, error) {
	type answer struct {
		ruling CommandRuling
		err    error
	}
	done := make(chan answer, 1)
	g.analyses.Go(func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("the judge of commands panicked: %v\n%s", p, debug.Stack())
			}
			done <- a
		}()
		a.ruling, a.err = g.check(ctx, c)
	})
	select {
	case a := <-done:
		return a.ruling, a.err
	case <-ctx.Done():
		return CommandRuling{}, fmt.Errorf("judging a command: %w", context.Cause(ctx))
	}
}

func (g *Guard) check(ctx context.Context, c Command) (CommandRuling, error) {
	commands, err := g.opts.Commands()
	if err != nil {
		return CommandRuling{}, fmt.Errorf("building the judge of commands: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, analysisTime)
	defer cancel()
	return commands.Judge(ctx, c), nil
}

// PackInfo is what people want to know of a pack.
type PackInfo struct {
	ID     string     `json:"id"`
	Family string     `json:"family"`
	About  string     `json:"about"`
	Rules  []PackRule `json:"rules"`
}

// PackRule is one rule of a pack.
type PackRule struct {
	ID          string `json:"id"` // as rulings name it
	Severity    string `json:"severity"`
	Effect      string `json:"effect"`
	Alternative string `json:"alternative,omitempty"`
	Example     string `json:"example,omitempty"`
}

// Packs lists the packs that commands are judged by.
func (g *Guard) Packs() ([]PackInfo, error) {
	list, err := Packs(g.opts.UserPacks)
	if err != nil {
		return nil, err
	}
	out := make([]PackInfo, 0, len(list))
	for _, p := range list {
		info := PackInfo{ID: p.ID, Family: p.Family, About: p.About, Rules: make([]PackRule, 0, len(p.Rules))}
		for _, r := range p.Rules {
			rule := PackRule{ID: p.ID + "." + r.ID, Severity: r.Severity, Effect: r.Effect, Alternative: r.Alternative}
			if len(r.Dangerous) > 0 {
				rule.Example = r.Dangerous[0]
			}
			info.Rules = append(info.Rules, rule)
		}
		out = append(out, info)
	}
	return out, nil
}

// FindApproval is one approval, by its id or, while it is asked, its code.
func (g *Guard) FindApproval(ctx context.Context, ws ids.Workspace, ref string) (Approval, error) {
	a, err := g.find(ctx, g.db.Read(), ws, ref)
	if err != nil {
		return a, err
	}
	return a, g.asOfNow(ctx, ws, &a)
}
