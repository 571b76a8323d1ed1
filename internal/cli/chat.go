package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/runs"
)

func (e *env) chatCommand() *cobra.Command {
	var agent, model, conversation string
	var last bool
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with agents in the terminal",
		Long: "Reads messages, one a line, and shows the answers as they come. /help lists the commands.\n" +
			"A line that ends with \\ goes on in the next. Ctrl-C stops the answer; twice, it ends the chat.\n" +
			"Without a terminal it reads lines from standard input and prints plain text.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			s := &session{env: e, api: c, p: e.printer(), agent: agent, model: model}
			s.in = newLineReader(e.streams)
			ctx := context.WithoutCancel(cmd.Context()) // Ctrl-C is the session's own business
			if err := s.open(ctx, conversation, last); err != nil {
				return err
			}
			return s.loop(ctx)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "whom to ask (default: whoever fits)")
	cmd.Flags().StringVar(&model, "model", "", "the model, as provider/model (default: the agent's)")
	cmd.Flags().StringVar(&conversation, "conversation", "", "go on with this conversation")
	cmd.Flags().BoolVar(&last, "continue", false, "go on with the last conversation")
	return cmd
}

// session is one chat.
type session struct {
	env    *env
	api    *client.Client
	p      printer
	in     lineReader
	routes map[string]bool // "POST /api/v1/broadcast"

	agent        string // "": whoever fits
	model        string // "": the agent's
	conversation ids.Conversation
	parent       ids.Message // the next message follows it; "": the last one
	files        []ids.Attachment
	said         []runs.Accepted // the questions of this session
}

// open looks what the server can do and finds the conversation to go on with.
func (s *session) open(ctx context.Context, conversation string, last bool) error {
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := s.api.Do(ctx, "GET", "/openapi.json", nil, &doc); err != nil {
		return err
	}
	s.routes = map[string]bool{}
	for path, methods := range doc.Paths {
		for method := range methods {
			s.routes[strings.ToUpper(method)+" "+path] = true
		}
	}
	switch {
	case conversation != "":
		id, err := ids.Parse[ids.Conversation](conversation)
		if err != nil {
			return err
		}
		s.conversation = id
	case last:
		var list page.Page[conversations.Conversation]
		if err := s.api.Do(ctx, "GET", "/api/v1/conversations?limit=1", nil, &list); err != nil {
			return err
		}
		if len(list.Data) > 0 {
			s.conversation = list.Data[0].ID
		}
	}
	if s.conversation == "" {
		return nil
	}
	var c conversations.Conversation
	if err := s.api.Do(ctx, "GET", "/api/v1/conversations/"+string(s.conversation), nil, &c); err != nil {
		return err
	}
	s.say("%s", c.Title)
	return s.settle(ctx)
}

// settle answers what the last run of the conversation waits for.
func (s *session) settle(ctx context.Context) error {
	var waiting page.Page[json.RawMessage]
	if err := s.api.Do(ctx, "GET", "/api/v1/runs?state=waiting&conversation="+string(s.conversation), nil, &waiting); err != nil {
		return err
	}
	for _, raw := range waiting.Data {
		var run struct {
			Needs []need `json:"needs"`
		}
		if err := json.Unmarshal(raw, &run); err != nil {
			return fmt.Errorf("reading a run that waits: %w", err)
		}
		if err := s.answer(ctx, run.Needs); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) say(format string, args ...any) {
	s.p.line("%s", s.p.paint(dim, harmless(fmt.Sprintf(format, args...))))
}

// errQuit ends the session.
var errQuit = errors.New("quit")

func (s *session) loop(ctx context.Context) error {
	if s.in.interactive() {
		s.say("Ask away. /help lists the commands, Ctrl-C twice ends it.")
	}
	for interrupts := 0; ; {
		line, err := s.in.read(s.prompt())
		switch {
		case errors.Is(err, errInterrupted):
			if interrupts++; interrupts == 2 {
				return nil
			}
			s.say("Ctrl-C again ends the chat.")
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		interrupts = 0
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		err = s.handle(ctx, line)
		switch {
		case errors.Is(err, errQuit):
			return nil
		case errors.Is(err, context.Canceled):
			return nil // a second Ctrl-C while an answer was stopping
		case err != nil && !s.in.interactive():
			return err
		case err != nil:
			report(s.p, s.env.streams.Err, err)
		}
	}
}

func (s *session) prompt() string {
	if s.agent == "" {
		return "› "
	}
	return s.agent + " › "
}

func (s *session) handle(ctx context.Context, line string) error {
	if strings.HasPrefix(line, "/") {
		return s.command(ctx, line)
	}
	return s.ask(ctx, line)
}

// ask sends a message and shows the answer.
func (s *session) ask(ctx context.Context, text string) error {
	q := question{Agent: s.agent, Message: text, Conversation: s.conversation, Model: s.model, Attachments: s.files, Parent: s.parent}
	f := &follower{api: s.api, show: s.viewer()}
	o, err := f.ask(ctx, q)
	if o != nil && o.accepted.Run.ID != "" {
		s.conversation, s.parent, s.files = o.accepted.Conversation.ID, "", nil
		s.said = append(s.said, o.accepted)
	}
	if err != nil {
		return err
	}
	if o.state == runs.Waiting {
		return s.answer(ctx, o.needs)
	}
	if o.state == runs.Cancelled {
		return nil
	}
	if !s.p.colour && o.state.Over() {
		answer, err := f.answerText(ctx, o)
		if err != nil && o.err() == nil {
			return err
		}
		if answer = strings.TrimRight(answer, "\n"); answer != "" {
			s.p.line("%s", answer)
		}
	}
	return o.err()
}

func (s *session) viewer() viewer {
	if s.p.colour {
		return newLively(s.p)
	}
	return silent{}
}

// answer asks the person what a run wants to know, and follows the run on.
func (s *session) answer(ctx context.Context, needs []need) error {
	if len(needs) == 0 {
		return nil
	}
	f := &follower{api: s.api, show: s.viewer()}
	o, stream, err := f.rejoin(ctx, needs[0].Run, s.conversation)
	if err != nil {
		return err
	}
	defer stream.Close()
	for _, n := range needs {
		s.p.line("%s %s", s.p.paint(yellow, "?"), harmless(n.Question))
		if n.Help != "" {
			s.p.line("%s", harmless(n.Help))
		}
		if err := s.answerOne(ctx, n); err != nil {
			return err
		}
	}
	if err := f.follow(ctx, stream, o); err != nil {
		return err
	}
	if o.state == runs.Waiting {
		return s.answer(ctx, o.needs)
	}
	if !s.p.colour {
		text, err := f.answerText(ctx, o)
		if err != nil {
			return err
		}
		s.p.line("%s", text)
	}
	return o.err()
}

func (s *session) answerOne(ctx context.Context, n need) error {
	if n.Kind == "approval" && n.Ticket != "" {
		line, err := s.in.read("Allow it? [y/N] ")
		if err != nil && !errors.Is(err, errInterrupted) && !errors.Is(err, io.EOF) {
			return err
		}
		decision := "deny"
		if yes := strings.ToLower(strings.TrimSpace(line)); yes == "y" || yes == "yes" {
			decision = "approve"
		}
		return s.api.Do(ctx, "POST", "/api/v1/guard/approvals/"+n.Ticket+"/answer", map[string]string{"decision": decision}, nil)
	}
	options := optionLabels(n.Options)
	for i, o := range options {
		s.p.line("  %d. %s", i+1, harmless(o))
	}
	line, err := s.in.read("Answer: ")
	if err != nil {
		return err
	}
	line = strings.TrimSpace(line)
	if i, err := strconv.Atoi(line); err == nil && i >= 1 && i <= len(options) {
		line = options[i-1]
	}
	return s.api.Do(ctx, "POST", "/api/v1/runs/"+string(n.Run)+"/answer", map[string]string{"call": n.Call, "answer": line}, nil)
}

// optionLabels reads options that are texts, or tables with a label.
func optionLabels(raw json.RawMessage) []string {
	var plain []string
	if json.Unmarshal(raw, &plain) == nil {
		return plain
	}
	var tables []struct {
		Label string `json:"label"`
	}
	if json.Unmarshal(raw, &tables) != nil {
		return nil
	}
	for _, t := range tables {
		plain = append(plain, t.Label)
	}
	return plain
}

// lineReader reads what the person types.
type lineReader interface {
	read(prompt string) (string, error)
	interactive() bool
}

// errInterrupted is Ctrl-C at the prompt.
var errInterrupted = errors.New("interrupted")

func newLineReader(streams Streams) lineReader {
	if in, ok := streams.In.(*os.File); ok && onTerminal(in) && onTerminal(streams.Out) {
		keys := &keyboard{Reader: in, Writer: streams.Out}
		return &terminalReader{file: in, keys: keys, term: term.NewTerminal(keys, "")}
	}
	lines := bufio.NewScanner(streams.In)
	lines.Buffer(nil, conversations.MaxMessage)
	return &pipeReader{lines}
}

// pipeReader reads lines that are not typed.
type pipeReader struct{ lines *bufio.Scanner }

func (r *pipeReader) interactive() bool { return false }

func (r *pipeReader) read(string) (string, error) {
	var whole strings.Builder
	for r.lines.Scan() {
		line, more := strings.CutSuffix(r.lines.Text(), `\`)
		whole.WriteString(line)
		if !more {
			return whole.String(), nil
		}
		whole.WriteByte('\n')
	}
	if err := r.lines.Err(); err != nil {
		return "", fmt.Errorf("reading standard input: %w", err)
	}
	if whole.Len() > 0 {
		return whole.String(), nil
	}
	return "", io.EOF
}

// keyboard notes whether Ctrl-C was typed, which the line editor takes for the end.
type keyboard struct {
	io.Reader
	io.Writer
	interrupted bool
}

// Read passes keys on.
func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.interrupted = k.interrupted || strings.IndexByte(string(p[:n]), 3) >= 0
	return n, err
}

// terminalReader edits lines, with a history.
type terminalReader struct {
	file *os.File
	keys *keyboard
	term *term.Terminal
}

func (r *terminalReader) interactive() bool { return true }

func (r *terminalReader) read(prompt string) (line string, err error) {
	state, err := term.MakeRaw(int(r.file.Fd()))
	if err != nil {
		return "", fmt.Errorf("preparing the terminal: %w", err)
	}
	defer func() {
		if back := term.Restore(int(r.file.Fd()), state); err == nil {
			err = back
		}
	}()
	if width, height, err := term.GetSize(int(r.file.Fd())); err == nil && width > 0 {
		_ = r.term.SetSize(width, height) // fails only for a width of 0
	}
	var whole strings.Builder
	for {
		r.keys.interrupted = false
		r.term.SetPrompt(prompt)
		part, err := r.term.ReadLine()
		switch {
		case err != nil && r.keys.interrupted:
			_, _ = r.keys.Write([]byte("\r\n"))
			return "", errInterrupted
		case err != nil && !errors.Is(err, term.ErrPasteIndicator):
			_, _ = r.keys.Write([]byte("\r\n"))
			return "", err
		}
		head, more := strings.CutSuffix(part, `\`)
		whole.WriteString(head)
		if !more && err == nil {
			return whole.String(), nil
		}
		whole.WriteByte('\n')
		prompt = "… "
	}
}
