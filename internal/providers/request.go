package providers

import (
	"encoding/json"
	"strings"
)

// Request is one question to a model. Adapters do not change it.
type Request struct {
	Model    string    `json:"model"`
	System   []Part    `json:"system,omitempty"` // text only
	Messages []Message `json:"messages"`

	Tools      []Tool     `json:"tools,omitempty"`
	ToolChoice ToolChoice `json:"tool_choice,omitzero"`
	Format     *Format    `json:"format,omitempty"` // nil: free text

	MaxTokens   int64     `json:"max_tokens,omitempty"` // 0: the model's own limit
	Temperature *float64  `json:"temperature,omitempty"`
	TopP        *float64  `json:"top_p,omitempty"`
	Stop        []string  `json:"stop,omitempty"`
	Reasoning   Reasoning `json:"reasoning,omitzero"`

	Cache    CacheHint         `json:"cache,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
	User     string            `json:"user,omitempty"` // an opaque id, for the vendor's abuse checks

	// Extra holds fields in the vendor's own words, merged into the body as
	// they are; for what this type has no word for.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`

	// Whole says that nobody waits for pieces and the answer is short: an adapter
	// may ask for it in one.
	Whole bool `json:"-"`

	Trail Trail `json:"-"`
}

// Trail says how a request came to its present model; the routing wrappers
// write it on their own copies.
type Trail struct {
	Asked   string // the name the caller used
	Attempt int    // counted from 1 over every retry and fallback; 0: not routed
	tries   *int   // shared by the copies of one request
}

// next is the trail of the next attempt.
func (t Trail) next() Trail {
	if t.tries == nil {
		t.tries = new(int)
	}
	*t.tries++
	t.Attempt = *t.tries
	return t
}

// shared makes the copies of one request count together.
func (t Trail) shared() Trail {
	if t.tries == nil {
		t.tries = new(int)
	}
	return t
}

// Role says who speaks.
type Role string

// The roles. Tool results travel in a user message as parts.
const (
	RoleUser  Role = "user"
	RoleModel Role = "assistant"
)

// Message is one side's turn.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// Text joins the text parts.
func (m Message) Text() string { return joinText(m.Parts) }

// PartKind says which fields of a Part matter.
type PartKind string

// The kinds of part.
const (
	PartText       PartKind = "text"        // Text
	PartReasoning  PartKind = "reasoning"   // Text, Signature, Redacted, Vendor: give back untouched
	PartToolCall   PartKind = "tool_call"   // ID, Name, Args, Signature
	PartToolResult PartKind = "tool_result" // ID, Name, Text or Parts, IsError
	PartImage      PartKind = "image"       // Data and MediaType, or URL
	PartDocument   PartKind = "document"    // Data and MediaType, or URL; Name is the file name
	PartAudio      PartKind = "audio"       // Data and MediaType
)

// Part is a typed piece of a message. One struct for all kinds keeps messages
// flat and storable.
type Part struct {
	Kind      PartKind        `json:"kind"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	Parts     []Part          `json:"parts,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Data      []byte          `json:"data,omitempty"`
	URL       string          `json:"url,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Signature string          `json:"signature,omitempty"` // opaque; only the vendor that made it understands it
	Redacted  bool            `json:"redacted,omitempty"`
	Vendor    string          `json:"vendor,omitempty"` // who made Signature; empty: unknown, so it is offered to all
	Model     string          `json:"model,omitempty"`  // which of its models did
	Cache     bool            `json:"cache,omitempty"`  // the prompt up to here is worth caching
}

// Shows says whether models can be shown pictures of a media type.
func Shows(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// SignedBy says whether the part's signature may be sent to the vendor.
func (p *Part) SignedBy(vendor string) bool {
	return p.Signature != "" && (p.Vendor == "" || p.Vendor == vendor)
}

// Text makes a text part.
func Text(s string) Part { return Part{Kind: PartText, Text: s} }

// UserText makes a user's message of plain text.
func UserText(s string) Message { return Message{Role: RoleUser, Parts: []Part{Text(s)}} }

// ToolResult makes the part that answers a call.
func ToolResult(id, name, text string) Part {
	return Part{Kind: PartToolResult, ID: id, Name: name, Text: text}
}

// Tool is a function the model may ask for.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the arguments; nil: none
	Strict      bool            `json:"strict,omitempty"` // the vendor must hold the model to the schema
	Cache       bool            `json:"cache,omitempty"`
}

// ToolChoice says whether and which tool must be called.
type ToolChoice struct {
	Mode       ToolMode `json:"mode,omitempty"`
	Name       string   `json:"name,omitempty"`       // with ToolNamed
	Sequential bool     `json:"sequential,omitempty"` // at most one call a turn
}

// ToolMode is how free the model is to call tools.
type ToolMode string

// The modes; empty is ToolAuto.
const (
	ToolAuto     ToolMode = "auto"
	ToolNone     ToolMode = "none"
	ToolRequired ToolMode = "required"
	ToolNamed    ToolMode = "named"
)

// Format asks for JSON; a nil Schema means any object.
type Format struct {
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict bool            `json:"strict,omitempty"`
}

// Effort is how hard the model should think.
type Effort string

// The efforts; empty leaves it to the model.
const (
	EffortNone    Effort = "none"
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortMax     Effort = "max"
)

// Reasoning asks for thinking; Budget, in tokens, wins over Effort where a
// vendor takes a budget.
type Reasoning struct {
	Effort Effort `json:"effort,omitempty"`
	Budget int64  `json:"budget,omitempty"`
}

// Wanted says whether thinking was asked for.
func (r Reasoning) Wanted() bool {
	return r.Budget > 0 || (r.Effort != "" && r.Effort != EffortNone)
}

// Tokens is the thinking budget: the one asked for, or a usual one for the effort.
func (r Reasoning) Tokens() int64 {
	if r.Budget > 0 {
		return r.Budget
	}
	switch r.Effort {
	case EffortMinimal:
		return 1024
	case EffortLow:
		return 2048
	case EffortMedium:
		return 8192
	case EffortHigh:
		return 24576
	case EffortMax:
		return 32768
	}
	return 0
}

// CacheHint says how long a vendor should keep the prompt's stable part.
type CacheHint string

// The hints; empty asks for nothing.
const (
	CacheOff   CacheHint = ""
	CacheShort CacheHint = "short" // minutes
	CacheLong  CacheHint = "long"  // about an hour, at a higher price to write
)

func joinText(parts []Part) string {
	if len(parts) == 1 && parts[0].Kind == PartText {
		return parts[0].Text
	}
	var b strings.Builder
	for i := range parts {
		if parts[i].Kind == PartText {
			b.WriteString(parts[i].Text)
		}
	}
	return b.String()
}

// ResultText is what a tool result says, its nested text parts joined.
func (p *Part) ResultText() string {
	if p.Text != "" || len(p.Parts) == 0 {
		return p.Text
	}
	return joinText(p.Parts)
}
