package copilot

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/fluxway/fluxway/internal/kit/rawjson"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/openai"
)

// Vendor is the provider's name.
const Vendor = "copilot"

const defaultBase = "https://api.githubcopilot.com"

// Options sets the adapter up.
type Options struct {
	Accounts *providers.Accounts // required: each account's source is an Exchange
	BaseURL  string              // "": the one the exchanged token names
	HTTP     *http.Client        // nil: wire.NewHTTP
}

// Model serves the models of the plan.
type Model struct{ chat *openai.Model }

// New makes the adapter.
func New(opts Options) (*Model, error) {
	base := opts.BaseURL
	if base == "" {
		base = defaultBase
	}
	accounts := opts.Accounts
	if accounts == nil {
		accounts = providers.NewAccounts(Vendor)
	}
	chat, err := openai.New(openai.Options{
		Vendor: Vendor, BaseURL: base, Accounts: accounts, HTTP: opts.HTTP, API: openai.Chat,
		Quirks: openai.Quirks{OldMaxTokens: true, NoMetadata: true},
		Header: editor, PerRequest: initiator, PerRelay: relayInitiator,
	})
	if err != nil {
		return nil, err
	}
	return &Model{chat: chat}, nil
}

// editor is what the service wants to know of its client.
var editor = map[string]string{
	"Editor-Version":         "vscode/1.104.0",
	"Editor-Plugin-Version":  "copilot-chat/0.31.0",
	"Copilot-Integration-Id": "vscode-chat",
}

// initiator says whether a person or the agent itself asks; only the former is
// charged a premium request.
func initiator(req *providers.Request) http.Header {
	h := http.Header{}
	h.Set("X-Initiator", "agent")
	if byPerson(req) {
		h.Set("X-Initiator", "user")
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			if req.Messages[i].Parts[j].Kind == providers.PartImage {
				h.Set("Copilot-Vision-Request", "true")
			}
		}
	}
	return h
}

func byPerson(req *providers.Request) bool {
	if len(req.Messages) == 0 {
		return true
	}
	last := &req.Messages[len(req.Messages)-1]
	for i := range last.Parts {
		if last.Parts[i].Kind == providers.PartToolResult {
			return false
		}
	}
	return last.Role == providers.RoleUser
}

// Stream asks a model.
func (m *Model) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	inner, err := m.chat.Stream(ctx, req)
	if err != nil {
		return nil, err
	}
	s := &stream{Stream: inner}
	if byPerson(req) {
		s.premium = Multiplier(req.Model)
	}
	return s, nil
}

// Speaks says which dialect Relay takes.
func (m *Model) Speaks(d providers.Dialect) bool { return m.chat.Speaks(d) }

// Relay passes a chat body on.
func (m *Model) Relay(ctx context.Context, req *providers.RawRequest) (*providers.RawResponse, error) {
	resp, err := m.chat.Relay(ctx, req)
	if err != nil {
		return nil, err
	}
	if relayByPerson(req.Body) {
		resp.PremiumMilli = Multiplier(req.Model)
	}
	return resp, nil
}

func relayInitiator(req *providers.RawRequest) http.Header {
	h := http.Header{}
	h.Set("X-Initiator", "agent")
	if relayByPerson(req.Body) {
		h.Set("X-Initiator", "user")
	}
	if bytes.Contains(req.Body, []byte(`"image_url"`)) {
		h.Set("Copilot-Vision-Request", "true")
	}
	return h
}

// relayByPerson looks at the last message's role; what cannot be read counts as
// a person's, which is the dearer.
func relayByPerson(body []byte) bool {
	var messages []struct {
		Role string `json:"role"`
	}
	if json.Unmarshal(rawjson.Find(body, "messages"), &messages) != nil || len(messages) == 0 {
		return true
	}
	return messages[len(messages)-1].Role == "user"
}

// Models lists what the plan offers.
func (m *Model) Models(ctx context.Context) ([]providers.Listed, error) { return m.chat.Models(ctx) }

// stream adds the premium request to the usage, and tells a usage before the
// finish when the service told none.
type stream struct {
	providers.Stream
	premium int64
	told    bool
	finish  *providers.Chunk
}

// Next gives the next chunk.
func (s *stream) Next(c *providers.Chunk) error {
	if s.finish != nil {
		*c, s.finish = *s.finish, nil
		return nil
	}
	if err := s.Stream.Next(c); err != nil {
		return err
	}
	switch c.Kind {
	case providers.ChunkUsage:
		c.Usage.PremiumMilli = s.premium
		s.told = true
	case providers.ChunkFinish:
		if !s.told {
			held := *c
			s.finish = &held
			*c = providers.Chunk{Kind: providers.ChunkUsage, Usage: providers.Usage{PremiumMilli: s.premium, Estimated: true}}
		}
	}
	return nil
}
