package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/kit/suggest"
	"github.com/fluxway/fluxway/internal/runs"
	"github.com/fluxway/fluxway/internal/tools"
)

// slash is a command of a chat.
type slash struct {
	name  string
	usage string
	help  string
	needs string // a route the server must have; "": none
	run   func(s *session, ctx context.Context, arg string) error
}

func slashes() []slash {
	return []slash{
		{"agent", "[NAME|auto]", "talk with another agent; auto: whoever fits", "GET /api/v1/agents", (*session).switchAgent},
		{"model", "[PROVIDER/MODEL|auto]", "use another model; auto: the agent's own", "", (*session).switchModel},
		{"broadcast", "A,B MESSAGE", "ask several agents the same and compare", "POST /api/v1/broadcast", (*session).broadcast},
		{"tools", "", "list the tools the agent may use", "GET /api/v1/tools", (*session).listTools},
		{"usage", "", "what this conversation cost so far", "GET /api/v1/costs/totals", (*session).usage},
		{"attach", "FILE", "send a file with the next message", "POST /api/v1/attachments", (*session).attachFile},
		{"undo", "", "take the last message and its answer back", "", (*session).undo},
		{"save", "FILE", "write the conversation to a file, Markdown or .json", "GET /api/v1/conversations/{conversation}/export", (*session).save},
		{"new", "", "begin another conversation", "", (*session).begin},
		{"help", "", "list these commands", "", (*session).help},
		{"quit", "", "end the chat", "", func(*session, context.Context, string) error { return errQuit }},
	}
}

// offered are the commands that this server can do.
func (s *session) offered() []slash {
	return slices.DeleteFunc(slashes(), func(c slash) bool { return c.needs != "" && !s.routes[c.needs] })
}

func (s *session) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	var names []string
	for _, c := range s.offered() {
		if c.name == name {
			return c.run(s, ctx, strings.TrimSpace(arg))
		}
		names = append(names, c.name)
	}
	if near, ok := suggest.Closest(name, names); ok {
		return usageError{fmt.Errorf("there is no /%s; did you mean /%s?", name, near)}
	}
	return usageError{fmt.Errorf("there is no /%s; /help lists the commands", name)}
}

func (s *session) help(context.Context, string) error {
	var rows [][]string
	for _, c := range s.offered() {
		rows = append(rows, []string{strings.TrimSpace("/" + c.name + " " + c.usage), c.help})
	}
	s.p.table([]string{"command", "does"}, rows)
	return nil
}

func (s *session) switchAgent(ctx context.Context, name string) error {
	switch name {
	case "":
		var list page.Page[agents.Agent]
		if err := s.api.Do(ctx, "GET", "/api/v1/agents?limit=500", nil, &list); err != nil {
			return err
		}
		for _, a := range list.Data {
			s.p.line("%s %s", s.p.paint(bold, a.Name), cutTo(a.Description, 80))
		}
		return nil
	case "auto":
		s.agent = ""
		s.say("Whoever fits answers.")
		return nil
	}
	var a agents.Agent
	if err := s.api.Do(ctx, "GET", agentURL(name), nil, &a); err != nil {
		return err
	}
	s.agent = a.Name
	s.say("%s answers, with %s.", a.Name, a.Model)
	return nil
}

func (s *session) switchModel(_ context.Context, name string) error {
	switch name {
	case "":
		if s.model == "" {
			s.say("The agent's own model.")
		} else {
			s.say("%s", s.model)
		}
		return nil
	case "auto":
		s.model = ""
		s.say("The agent's own model.")
		return nil
	}
	s.model = name
	s.say("%s from the next message on.", name)
	return nil
}

// broadcast asks several agents and shows their answers one below the other.
func (s *session) broadcast(ctx context.Context, arg string) error {
	names, message, ok := strings.Cut(arg, " ")
	if !ok || strings.TrimSpace(message) == "" {
		return usageError{errors.New("write /broadcast coder,reviewer and the message")}
	}
	var started struct {
		Data []runs.Accepted `json:"data"`
	}
	if err := s.api.Do(ctx, "POST", "/api/v1/broadcast", map[string]any{"agents": strings.Split(names, ","), "message": strings.TrimSpace(message)}, &started); err != nil {
		return err
	}
	for _, a := range started.Data {
		s.p.line("%s", s.p.paint(bold, "── "+a.Run.Agent+" ──"))
		if err := s.showAnswer(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// showAnswer waits for a run of another conversation and shows its answer.
func (s *session) showAnswer(ctx context.Context, a runs.Accepted) error {
	f := &follower{api: s.api, show: silent{}}
	o, stream, err := f.rejoin(ctx, a.Run.ID, a.Conversation.ID)
	if err != nil {
		return err
	}
	defer stream.Close()
	o.state = o.accepted.Run.State
	if !o.state.Over() { // else it ended before we listened
		if err := f.follow(ctx, stream, o); err != nil {
			return err
		}
	}
	if o.state != runs.Finished {
		report(s.p, s.env.streams.Err, o.err())
		return nil
	}
	text, err := f.answerText(ctx, o)
	if err != nil {
		return err
	}
	if !s.p.colour {
		s.p.line("%s", strings.TrimRight(text, "\n"))
		return nil
	}
	md := newMarkdown(s.p.out)
	md.write(text)
	md.end()
	return nil
}

func (s *session) listTools(ctx context.Context, _ string) error {
	filter := tools.All()
	if s.agent != "" {
		var a agents.Agent
		if err := s.api.Do(ctx, "GET", agentURL(s.agent), nil, &a); err != nil {
			return err
		}
		filter = a.Tools
	}
	var list page.Page[tools.Spec]
	if err := s.api.Do(ctx, "GET", "/api/v1/tools?limit=500", nil, &list); err != nil {
		return err
	}
	var rows [][]string
	for _, t := range list.Data {
		if filter.Has(t.Name) {
			rows = append(rows, []string{t.Name, string(t.Level), t.Title})
		}
	}
	if len(rows) == 0 {
		s.say("None.")
		return nil
	}
	s.p.table([]string{"tool", "level", "what"}, rows)
	return nil
}

func (s *session) usage(ctx context.Context, _ string) error {
	if s.conversation == "" {
		s.say("Nothing was said yet.")
		return nil
	}
	var sums costs.Sums
	if err := s.api.Do(ctx, "GET", "/api/v1/costs/totals?conversation="+url.QueryEscape(string(s.conversation)), nil, &sums); err != nil {
		return err
	}
	line := fmt.Sprintf("%d calls, %d tokens in, %d out, %s", sums.Calls, sums.Input, sums.Output, sums.Price)
	if sums.Unpriced > 0 {
		line += fmt.Sprintf(" and %d calls of unknown price", sums.Unpriced)
	}
	s.say("%s.", line)
	return nil
}

func (s *session) attachFile(ctx context.Context, name string) error {
	if name == "" {
		return usageError{errors.New("write /attach and a file")}
	}
	a, err := attach(ctx, s.api, name)
	if err != nil {
		return err
	}
	s.files = append(s.files, a.ID)
	s.say("%s goes with the next message.", filepath.Base(name))
	return nil
}

// undo goes back before the last question: the next message takes its place, on
// a branch of its own. Nothing is deleted.
func (s *session) undo(context.Context, string) error {
	if len(s.said) == 0 {
		s.say("There is nothing to take back.")
		return nil
	}
	last := s.said[len(s.said)-1]
	s.said = s.said[:len(s.said)-1]
	if s.parent = last.Message.Parent; s.parent == "" {
		s.conversation = ""
	} else {
		s.conversation = last.Conversation.ID
	}
	s.say("Taken back: %s", cutTo(messageText(last), 80))
	return nil
}

func messageText(a runs.Accepted) string {
	var b strings.Builder
	for _, p := range a.Message.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (s *session) save(ctx context.Context, name string) error {
	switch {
	case name == "":
		return usageError{errors.New("write /save and a file, such as chat.md or chat.json")}
	case s.conversation == "":
		s.say("Nothing was said yet.")
		return nil
	}
	format := "markdown"
	if strings.EqualFold(filepath.Ext(name), ".json") {
		format = "json"
	}
	if err := s.env.download(ctx, s.api, "/api/v1/conversations/"+string(s.conversation)+"/export?format="+format, name); err != nil {
		return err
	}
	s.say("Saved to %s.", name)
	return nil
}

func (s *session) begin(context.Context, string) error {
	s.conversation, s.parent, s.files, s.said = "", "", []ids.Attachment{}, nil
	s.say("A new conversation.")
	return nil
}
