package guard

import (
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/tools"
)

// entryVersion is the first byte of a row in the journal's files.
const entryVersion = 1

// append writes the row down, without what only the database adds.
func (c *ToolCall) append(to []byte) []byte {
	to = append(to, entryVersion)
	for _, text := range [...]string{
		string(c.ID), string(c.Workspace), c.Door, string(c.User), c.Agent, string(c.Run), string(c.Conversation), c.Turn, c.Call, c.Tool, c.Origin,
		string(c.Level), c.Folder, c.Args, string(c.Verdict), c.Rule, c.Reason, c.Ticket, string(c.Outcome), c.Code,
	} {
		to = spool.AppendText(to, text)
	}
	truncated := int64(0)
	if c.Truncated {
		truncated = 1
	}
	for _, n := range [...]int64{c.ArgsSize, c.Took, c.ResultSize, truncated} {
		to = spool.AppendNumber(to, n)
	}
	return spool.AppendTime(to, c.At)
}

// readCall is the row that was written down.
func readCall(entry []byte) (ToolCall, error) {
	if len(entry) == 0 || entry[0] != entryVersion {
		return ToolCall{}, spool.ErrEntry
	}
	in := spool.Reader{Rest: entry[1:]}
	c := ToolCall{
		ID: ids.ToolCall(in.Text()), Workspace: ids.Workspace(in.Text()), Door: in.Text(), User: ids.User(in.Text()), Agent: in.Text(), Run: ids.Run(in.Text()),
		Conversation: ids.Conversation(in.Text()), Turn: in.Text(), Call: in.Text(), Tool: in.Text(), Origin: in.Text(), Level: tools.Level(in.Text()),
		Folder: in.Text(), Args: in.Text(), Verdict: tools.Verdict(in.Text()), Rule: in.Text(), Reason: in.Text(), Ticket: in.Text(),
		Outcome: Outcome(in.Text()), Code: in.Text(),
	}
	c.ArgsSize, c.Took, c.ResultSize, c.Truncated = in.Number(), in.Number(), in.Number(), in.Number() == 1
	c.At = in.Time()
	return c, in.End()
}
