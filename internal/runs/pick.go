package runs

import (
	"context"
	"slices"

	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

// Said is one message of a conversation that may have to be left out for room.
type Said struct {
	Message ids.Message
	Text    string
	Tokens  int64
}

// Room is how much of a conversation a model is given.
type Room struct {
	Messages int
	Tokens   int64 // 0: unknown
}

// Picker chooses which messages of a long conversation a model is given: the newest, and those that are most about
// the question. It gives their places, in order.
type Picker interface {
	Pick(ctx context.Context, q Question, said []Said, room Room) []int
}

// reach is how many times as many messages a picker chooses from as the model is given.
const reach = 5

// picked leaves out what a model has no room for. The last message is the question and always stays.
func (d *Desk) picked(ctx context.Context, a *attempt, rows []conversations.Message, n int) []conversations.Message {
	room := Room{Messages: n}
	if d.opts.Context != nil {
		room.Tokens = d.opts.Context(a.run.Model) / 2 // the other half is for instructions, tools, and the run itself
	}
	said := make([]Said, len(rows))
	var sum int64
	for i, m := range rows {
		whole := providers.Message{Role: m.Role, Parts: m.Parts}
		said[i] = Said{Message: m.ID, Text: whole.Text(), Tokens: providers.EstimateRequest(&providers.Request{Messages: []providers.Message{whole}})}
		sum += said[i].Tokens
	}
	if len(rows) <= n && (room.Tokens == 0 || sum <= room.Tokens) {
		return rows
	}
	last := len(rows) - 1
	places := d.opts.Picker.Pick(ctx, a.question(said[last].Text), said, room)
	var kept []conversations.Message
	for i, m := range rows {
		if i == last || slices.Contains(places, i) {
			kept = append(kept, m)
		}
	}
	return kept
}
