package app

import (
	"cmp"
	"context"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/push"
)

// project is where the maker of a push service finds us when a server has no public address of its own.
const project = "https://github.com/fluxway/fluxway"

// openPush makes the part that tells people on their devices.
func (a *App) openPush(context.Context) error {
	dialer, err := safenet.New(safenet.Options{Allow: a.cfg.Tools.PrivateHosts})
	if err != nil {
		return err
	}
	contact := project
	if strings.HasPrefix(a.cfg.PublicURL, "https://") {
		contact = a.cfg.PublicURL
	}
	a.push, err = push.New(push.Options{
		DB: a.db, Hub: a.hub, Jobs: a.queue, Box: a.box, Directory: a.directory, Guard: a.guard, Runs: a.runs, Net: dialer, Contact: contact, Log: a.log,
		Agent: func(ctx context.Context, ws ids.Workspace, name string) string {
			agent, err := a.agents.Get(ctx, ws, name)
			if err != nil { // deleted meanwhile
				return name
			}
			return cmp.Or(agent.Title, name)
		},
	})
	return err
}
