package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
)

// The most that is read from standard input and from a file to attach.
const (
	maxPiped  = conversations.MaxMessage
	maxAttach = 20 << 20
)

func (e *env) runCommand() *cobra.Command {
	var q question
	var conversation string
	var files []string
	cmd := &cobra.Command{
		Use:   "run [MESSAGE]",
		Short: "Ask once, print the answer and end",
		Long: "Asks an agent and prints its answer. What comes in on standard input is put behind the message, so that\n" +
			"output can be piped in and the answer on. With --json every event is printed as a line, as it happens.\n" +
			"Ctrl-C stops the run.\n\n" +
			"Exit codes besides the usual: 0 the run finished, 1 it failed, 8 it waits for an answer (go on with\n" +
			"fluxway chat --conversation ID), 130 it was stopped.",
		Example: "  fluxway run \"What is in this folder?\"\n  git diff | fluxway run --agent reviewer \"Review this change\"\n  fluxway run --json \"hello\" | jq -r .kind",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if q.Message, err = e.message(args); err != nil {
				return err
			}
			if conversation != "" {
				if q.Conversation, err = ids.Parse[ids.Conversation](conversation); err != nil {
					return err
				}
			}
			c, err := e.api()
			if err != nil {
				return err
			}
			ctx := context.WithoutCancel(cmd.Context()) // Ctrl-C stops the run first
			for _, name := range files {
				a, err := attach(ctx, c, name)
				if err != nil {
					return err
				}
				q.Attachments = append(q.Attachments, a.ID)
			}
			return e.runOnce(ctx, c, q)
		},
	}
	cmd.Flags().StringVar(&q.Agent, "agent", "", "whom to ask (default: whoever fits)")
	cmd.Flags().StringVar(&q.Model, "model", "", "the model, as provider/model (default: the agent's)")
	cmd.Flags().StringVar(&conversation, "conversation", "", "go on with this conversation (default: a new one)")
	cmd.Flags().StringArrayVar(&files, "attach", nil, "a file to send along; may be given again")
	return cmd
}

// message is what is asked: the arguments, and what is piped in behind them.
func (e *env) message(args []string) (string, error) {
	text := strings.TrimSpace(strings.Join(args, " "))
	if !onTerminal(e.streams.In) {
		piped, err := io.ReadAll(io.LimitReader(e.streams.In, maxPiped+1))
		switch {
		case err != nil:
			return "", fmt.Errorf("reading standard input: %w", err)
		case len(piped) > maxPiped:
			return "", usageError{fmt.Errorf("standard input has more than %d bytes; send a file with --attach", maxPiped)}
		case !utf8.Valid(piped):
			return "", usageError{errors.New("standard input is not text; send it as a file with --attach")}
		}
		if more := strings.TrimRight(string(piped), "\n"); more != "" {
			text = strings.TrimSpace(text + "\n\n" + more)
		}
	}
	if text == "" {
		return "", usageError{errors.New(`there is no message; write fluxway run "your question", or pipe one in`)}
	}
	return text, nil
}

func (e *env) runOnce(ctx context.Context, c *client.Client, q question) error {
	p := e.printer()
	f := &follower{api: c, show: silent{}}
	live := p.colour && !p.json
	switch {
	case p.json:
		f.show = lines{p}
	case live:
		f.show = newLively(p)
	}
	o, err := f.ask(ctx, q)
	if err != nil {
		return err
	}
	if !live && !p.json && o.state.Over() {
		text, err := f.answerText(ctx, o)
		if err != nil && o.err() == nil {
			return err
		}
		if text = strings.TrimRight(text, "\n"); text != "" {
			p.line("%s", text)
		}
	}
	return o.err()
}

// attach uploads a file for a message.
func attach(ctx context.Context, c *client.Client, name string) (conversations.Attachment, error) {
	var out conversations.Attachment
	info, err := os.Stat(name)
	if err != nil {
		return out, usageError{err}
	}
	if !info.Mode().IsRegular() || info.Size() > maxAttach {
		return out, usageError{fmt.Errorf("%s is not a file of at most %d MB", name, maxAttach>>20)}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return out, usageError{err}
	}
	kind := mime.TypeByExtension(filepath.Ext(name))
	if kind == "" {
		kind = http.DetectContentType(data)
	}
	kind, _, _ = strings.Cut(kind, ";")
	err = c.Do(ctx, "POST", "/api/v1/attachments", map[string]any{"name": filepath.Base(name), "media_type": kind, "data": data}, &out)
	return out, err
}
