package anthropic

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

type messagesRequest struct {
	Model         string        `json:"model"`
	MaxTokens     int64         `json:"max_tokens"`
	System        []block       `json:"system,omitempty"`
	Messages      []message     `json:"messages"`
	Tools         []tool        `json:"tools,omitempty"`
	ToolChoice    *toolChoice   `json:"tool_choice,omitempty"`
	Temperature   *float64      `json:"temperature,omitempty"`
	TopP          *float64      `json:"top_p,omitempty"`
	StopSequences []string      `json:"stop_sequences,omitempty"`
	Stream        bool          `json:"stream"`
	Thinking      *thinking     `json:"thinking,omitempty"`
	OutputConfig  *outputConfig `json:"output_config,omitempty"`
	Metadata      *metadata     `json:"metadata,omitempty"`
}

type countRequest struct {
	Model      string      `json:"model"`
	System     []block     `json:"system,omitempty"`
	Messages   []message   `json:"messages"`
	Tools      []tool      `json:"tools,omitempty"`
	ToolChoice *toolChoice `json:"tool_choice,omitempty"`
	Thinking   *thinking   `json:"thinking,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is every kind of content block; Text is a pointer because an empty text
// must not appear on other kinds.
type block struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text,omitempty"`
	Thinking     *string         `json:"thinking,omitempty"`
	Signature    string          `json:"signature,omitempty"`
	Data         string          `json:"data,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      []block         `json:"content,omitempty"`
	IsError      bool            `json:"is_error,omitempty"`
	Source       *source         `json:"source,omitempty"`
	Title        string          `json:"title,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"` // base64, url, text
	MediaType string `json:"media_type,omitempty"`
	Data      any    `json:"data,omitempty"` // []byte as base64, or string for text
	URL       string `json:"url,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       bool            `json:"strict,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type       string `json:"type"`
	Name       string `json:"name,omitempty"`
	OneAtATime bool   `json:"disable_parallel_tool_use,omitempty"`
}

type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int64  `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitempty"`
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type metadata struct {
	UserID string `json:"user_id,omitempty"`
}

func (m *Model) build(req *providers.Request) (*messagesRequest, error) {
	cache := cacheOf(req.Cache)
	out := &messagesRequest{
		Model: req.Model, MaxTokens: req.MaxTokens, Stream: !req.Whole,
		Temperature: req.Temperature, TopP: req.TopP, StopSequences: req.Stop,
		ToolChoice: choice(req),
	}
	if out.MaxTokens == 0 && m.maxOut != nil {
		out.MaxTokens = m.maxOut(req.Model)
	}
	out.MaxTokens = cmp.Or(out.MaxTokens, defaultMaxTokens)
	out.think(req)
	if req.User != "" {
		out.Metadata = &metadata{UserID: req.User}
	}
	for i := range req.System {
		if text := req.System[i].Text; text != "" {
			out.System = append(out.System, block{Type: "text", Text: &text, CacheControl: mark(req.System[i].Cache, cache)})
		}
	}
	for _, t := range req.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = raw(`{"type":"object","properties":{}}`)
		}
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: schema, Strict: t.Strict, CacheControl: mark(t.Cache, cache)})
	}
	for i := range req.Messages {
		if err := out.add(&req.Messages[i], cache); err != nil {
			return nil, err
		}
	}
	if cache != nil {
		out.markPrompt(cache)
	}
	return out, nil
}

func cacheOf(hint providers.CacheHint) *cacheControl {
	switch hint {
	case providers.CacheShort:
		return &cacheControl{Type: "ephemeral"}
	case providers.CacheLong:
		return &cacheControl{Type: "ephemeral", TTL: "1h"}
	}
	return nil
}

func mark(wanted bool, cache *cacheControl) *cacheControl {
	if !wanted {
		return nil
	}
	if cache == nil {
		return &cacheControl{Type: "ephemeral"}
	}
	return cache
}

// markPrompt sets the break points of a conversation that grows: after the
// tools and the system text, and after the last message. The vendor allows four;
// marks that the caller set are counted.
func (r *messagesRequest) markPrompt(cache *cacheControl) {
	left := 4
	for _, t := range r.Tools {
		if t.CacheControl != nil {
			left--
		}
	}
	for _, b := range r.System {
		if b.CacheControl != nil {
			left--
		}
	}
	for _, msg := range r.Messages {
		for _, b := range msg.Content {
			if b.CacheControl != nil {
				left--
			}
		}
	}
	set := func(p **cacheControl) {
		if left > 0 && *p == nil {
			*p = cache
			left--
		}
	}
	if n := len(r.System); n > 0 {
		set(&r.System[n-1].CacheControl)
	} else if n := len(r.Tools); n > 0 {
		set(&r.Tools[n-1].CacheControl)
	}
	if n := len(r.Messages); n > 0 {
		content := r.Messages[n-1].Content
		if k := len(content); k > 0 && content[k-1].Type != "thinking" && content[k-1].Type != "redacted_thinking" {
			set(&content[k-1].CacheControl)
		}
	}
}

// modelVersion finds 4 and 6 in claude-opus-4-6 and 3 and 7 in claude-3-7-sonnet-20250219.
var modelVersion = regexp.MustCompile(`-(\d{1,2})(?:[-.](\d{1,2}))?(?:-|$|@)`)

// adaptive says whether a model decides itself how long to think; later ones
// refuse a budget, earlier ones demand it.
func adaptive(model string) bool {
	return strings.Contains(model, "mythos") || since(model, 4, 6)
}

// fixedSampling says whether a model refuses temperature and top_p altogether.
func fixedSampling(model string) bool {
	return strings.Contains(model, "mythos") || since(model, 4, 7)
}

// since says whether a model's version is at least the given one.
func since(model string, major, minor int) bool {
	match := modelVersion.FindStringSubmatch(model)
	if match == nil {
		return false
	}
	a, _ := strconv.Atoi(match[1]) // digits by the pattern
	b, _ := strconv.Atoi(match[2]) // digits or empty, which is 0
	return a > major || (a == major && b >= minor)
}

func (r *messagesRequest) think(req *providers.Request) {
	if f := req.Format; f != nil && len(f.Schema) > 0 {
		r.OutputConfig = &outputConfig{Format: &outputFormat{Type: "json_schema", Schema: f.Schema}}
	}
	if req.Reasoning.Wanted() || fixedSampling(req.Model) {
		r.Temperature, r.TopP = nil, nil // refused together with thinking, and by later models always
	}
	if !req.Reasoning.Wanted() {
		return
	}
	if adaptive(req.Model) {
		r.Thinking = &thinking{Type: "adaptive", Display: "summarized"}
		if effort := effortOf(req.Reasoning); effort != "" {
			if r.OutputConfig == nil {
				r.OutputConfig = &outputConfig{}
			}
			r.OutputConfig.Effort = effort
		}
		return
	}
	budget := max(1024, req.Reasoning.Tokens())
	r.Thinking = &thinking{Type: "enabled", BudgetTokens: budget}
	if r.MaxTokens <= budget {
		r.MaxTokens = budget + defaultMaxTokens
	}
}

func effortOf(r providers.Reasoning) string {
	switch r.Effort {
	case providers.EffortMinimal, providers.EffortLow:
		return "low"
	case providers.EffortMedium:
		return "medium"
	case providers.EffortHigh:
		return "high"
	case providers.EffortMax:
		return "max"
	}
	switch { // only a budget was given
	case r.Budget == 0:
		return ""
	case r.Budget <= 4096:
		return "low"
	case r.Budget <= 16384:
		return "medium"
	}
	return "high"
}

func choice(req *providers.Request) *toolChoice {
	if len(req.Tools) == 0 {
		return nil
	}
	c := toolChoice{Type: "auto", OneAtATime: req.ToolChoice.Sequential}
	switch req.ToolChoice.Mode {
	case providers.ToolNone:
		return &toolChoice{Type: "none"}
	case providers.ToolRequired:
		c.Type = "any"
	case providers.ToolNamed:
		c.Type, c.Name = "tool", req.ToolChoice.Name
	default:
		if !c.OneAtATime {
			return nil
		}
	}
	return &c
}

// add appends a message; two of the same role in a row become one, as the
// protocol wants turns to alternate.
func (r *messagesRequest) add(msg *providers.Message, cache *cacheControl) error {
	role := "user"
	if msg.Role == providers.RoleModel {
		role = "assistant"
	}
	var content []block
	for i := range msg.Parts {
		b, ok, err := toBlock(&msg.Parts[i], r.Model, cache)
		if err != nil {
			return err
		}
		if ok {
			content = append(content, b)
		}
	}
	if len(content) == 0 {
		return nil
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, content...)
		return nil
	}
	r.Messages = append(r.Messages, message{Role: role, Content: content})
	return nil
}

func toBlock(p *providers.Part, model string, cache *cacheControl) (block, bool, error) {
	cc := mark(p.Cache, cache)
	switch p.Kind {
	case providers.PartText:
		return block{Type: "text", Text: &p.Text, CacheControl: cc}, p.Text != "", nil
	case providers.PartReasoning:
		if !p.SignedBy(Vendor) || !sameModel(p.Model, model) {
			return block{}, false, nil // thoughts are bound to their vendor and model
		}
		if p.Redacted {
			return block{Type: "redacted_thinking", Data: p.Signature}, true, nil
		}
		return block{Type: "thinking", Thinking: &p.Text, Signature: p.Signature}, true, nil
	case providers.PartToolCall:
		return block{Type: "tool_use", ID: p.ID, Name: p.Name, Input: objectArgs(p.Args), CacheControl: cc}, true, nil
	case providers.PartToolResult:
		b := block{Type: "tool_result", ToolUseID: p.ID, IsError: p.IsError, CacheControl: cc}
		if p.Text != "" {
			b.Content = append(b.Content, block{Type: "text", Text: &p.Text})
		}
		for i := range p.Parts {
			inner, ok, err := toBlock(&p.Parts[i], model, nil)
			if err != nil {
				return b, false, err
			}
			if ok {
				b.Content = append(b.Content, inner)
			}
		}
		return b, true, nil
	case providers.PartImage:
		return block{Type: "image", Source: sourceOf(p), CacheControl: cc}, true, nil
	case providers.PartDocument:
		return block{Type: "document", Source: sourceOf(p), Title: p.Name, CacheControl: cc}, true, nil
	}
	return block{}, false, fault.New(fault.Invalid, "part_unsupported", "Anthropic's models do not take %s input.", p.Kind).
		WithHint("Transcribe it first, or choose a model that takes it.")
}

// sameModel takes a dated build and its plain name as one.
func sameModel(a, b string) bool {
	return a == "" || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

func sourceOf(p *providers.Part) *source {
	switch {
	case p.URL != "":
		return &source{Type: "url", URL: p.URL}
	case strings.HasPrefix(p.MediaType, "text/"):
		return &source{Type: "text", MediaType: "text/plain", Data: string(p.Data)}
	}
	return &source{Type: "base64", MediaType: p.MediaType, Data: p.Data}
}

// objectArgs keeps arguments an object, which the protocol demands even of a
// model's broken ones.
func objectArgs(args json.RawMessage) json.RawMessage {
	trimmed := strings.TrimSpace(string(args))
	if strings.HasPrefix(trimmed, "{") {
		return args
	}
	if trimmed == "" || trimmed == "null" {
		return raw("{}")
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"value": args})
	if err != nil {
		return raw("{}")
	}
	return wrapped
}
