package conversations

import (
	"context"

	"github.com/fluxway/fluxway/internal/ids"
)

// Presence is a window that shows a conversation. It is told to the other windows and kept nowhere: each says again
// now and then that it is there, and one that falls silent is gone.
type Presence struct {
	Window string   `json:"window" doc:"Made up by the window; tells two windows of one person apart."`
	User   ids.User `json:"user"`
	Name   string   `json:"name"`
	Device string   `json:"device,omitempty" doc:"What kind of device: desktop, tablet or phone."`
	Typing bool     `json:"typing,omitempty"`
	Left   bool     `json:"left,omitempty" doc:"It has just been closed."`
	Asks   bool     `json:"asks,omitempty" doc:"It has just come and wants to know who is there."`
}

// Kind names the delta.
func (Presence) Kind() string { return "conversations.presence" }

// Appear tells everyone who follows a conversation that a window shows it.
func (b *Book) Appear(ctx context.Context, who Asker, id ids.Conversation, p Presence) error {
	if _, err := b.Get(ctx, who, id); err != nil {
		return err
	}
	b.hub.Publish(who.Workspace, Channel(id), p)
	return nil
}
