package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/tools"
)

// putApart keeps the pictures and other bytes of a result as files of the conversation, so that the journal and what is
// said of it only name them. The model still gets them from memory.
func (a *attempt) putApart(ctx context.Context, c *agents.Call) error {
	if c.State != agents.CallFinished || !a.d.opts.Conversations.Keeps() {
		return nil
	}
	for i := range c.Result.Parts {
		p := &c.Result.Parts[i]
		if len(p.Data) == 0 || p.Kept != nil {
			continue
		}
		file, err := a.d.opts.Conversations.Keep(context.WithoutCancel(ctx), conversations.Given{
			Workspace: a.run.Workspace, User: a.run.User, Conversation: a.run.Conversation, Run: a.run.ID, Name: c.Tool, MediaType: p.MediaType, Content: p.Data,
		})
		if err != nil {
			return fmt.Errorf("keeping a file that %s gave: %w", c.Tool, err)
		}
		p.Kept = &tools.Kept{ID: file.ID, MediaType: file.MediaType, Size: file.Size}
		if p.Kind == tools.PartImage {
			p.Kept.Width, p.Kept.Height = conversations.Measure(p.Data)
		}
	}
	return nil
}

// fetch puts the contents back that a journal only names, as far as the model is shown them.
func (d *Desk) fetch(ctx context.Context, ws ids.Workspace, j *journal) (err error) {
	for i := range j.entries {
		e := &j.entries[i]
		if e.Said, err = d.opts.Conversations.Load(ctx, ws, e.Said); err != nil {
			return err
		}
		if e.Turn == nil {
			continue
		}
		for _, c := range e.Turn.Calls {
			if err := d.fetchImages(ctx, ws, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Desk) fetchImages(ctx context.Context, ws ids.Workspace, c *agents.Call) (err error) {
	if c.Result == nil {
		return nil
	}
	for i := range c.Result.Parts {
		p := &c.Result.Parts[i]
		if p.Kind != tools.PartImage || p.Kept == nil {
			continue
		}
		if p.Data, err = d.opts.Conversations.Content(ctx, ws, p.Kept.ID); err != nil {
			return fmt.Errorf("reading a picture that %s gave: %w", c.Tool, err)
		}
	}
	return nil
}

// references are the pictures of a call's result as messages name them.
func references(c *agents.Call) []providers.Part {
	if c.Result == nil {
		return nil
	}
	var parts []providers.Part
	for _, k := range c.Result.Images() {
		parts = append(parts, conversations.Reference(k.ID, k.MediaType))
	}
	return parts
}

// forgetPictures leaves the pictures that tools gave out of all answers but the last: they cost a model much to look at
// again, and what it said of them stays.
func forgetPictures(history []conversations.Message) {
	last := len(history) - 1
	for last >= 0 && history[last].Role != providers.RoleModel {
		last--
	}
	for i := range history[:max(last, 0)] {
		m := &history[i]
		if !slices.ContainsFunc(m.Parts, func(p providers.Part) bool { return len(p.Parts) > 0 }) {
			continue
		}
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind == providers.PartToolResult && len(p.Parts) > 0 {
				p.Text, p.Parts = p.ResultText()+"\n[A picture was shown here.]", nil
			}
		}
	}
}
