package providers

import (
	"context"
	"io"
)

// Model is the port to whatever can answer a Request. An adapter serves every
// model of its vendor; Request.Model says which.
type Model interface {
	// Stream starts one attempt. An error here means that nothing was received.
	// Cancelling ctx ends the stream promptly, whatever it is doing.
	Stream(ctx context.Context, req *Request) (Stream, error)
}

// Stream is an answer being received. It is used by one goroutine.
type Stream interface {
	// Next fills c with the next chunk. It answers io.EOF only after a
	// ChunkFinish; every other end is an error. c is overwritten entirely.
	Next(c *Chunk) error
	// Close gives the connection back; it may be called at any time and twice.
	Close() error
}

// Counter is a Model whose vendor counts the tokens of a request exactly.
type Counter interface {
	CountTokens(ctx context.Context, req *Request) (int64, error)
}

// Lister is a Model that can say which models it serves now.
type Lister interface {
	Models(ctx context.Context) ([]Listed, error)
}

// Listed is one model as its vendor lists it; zero means not told.
type Listed struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	Context   int64  `json:"context,omitempty"`
	MaxOutput int64  `json:"max_output,omitempty"`
}

// ChunkKind says which fields of a Chunk matter.
type ChunkKind uint8

// The kinds of chunk, in the order a stream usually has them.
const (
	ChunkStart     ChunkKind = iota + 1 // ID, Model, Name (the vendor that signs): the answer begins
	ChunkReasoning                      // Text: a piece of visible reasoning
	ChunkSignature                      // Text: the seal of the reasoning just ended; may come in pieces
	ChunkRedacted                       // Text: reasoning the vendor keeps sealed, whole
	ChunkText                           // Text: a piece of the answer
	ChunkToolStart                      // Index, ID, Name; Text: the vendor's seal of the call, if any
	ChunkToolArgs                       // Index, Text: a piece of the arguments' JSON
	ChunkToolEnd                        // Index: the arguments are complete
	ChunkUsage                          // Usage so far; each replaces the one before
	ChunkFinish                         // Stop: the answer is complete
)

var chunkNames = [...]string{"none", "start", "reasoning", "signature", "redacted", "text", "tool_start", "tool_args", "tool_end", "usage", "finish"}

// String names the kind, for logs and tests.
func (k ChunkKind) String() string {
	if int(k) < len(chunkNames) {
		return chunkNames[k]
	}
	return "unknown"
}

// Chunk is one piece of a streamed answer. Callers reuse one value for a whole
// stream; the strings in it stay valid.
type Chunk struct {
	Kind  ChunkKind
	Index int // of the tool call, counted from 0 within the answer
	Text  string
	ID    string
	Name  string
	Model string // the model that really answers
	Usage Usage
	Stop  StopReason
	More  bool // the next one is here already: whoever passes chunks on may wait for it
}

// StopReason says why a model stopped.
type StopReason string

// The reasons, one word for every vendor's.
const (
	StopEnd      StopReason = "end"            // it said all it wanted to
	StopTools    StopReason = "tools"          // it waits for tool results
	StopLength   StopReason = "length"         // MaxTokens or the context window is used up
	StopSequence StopReason = "stop_sequence"  // one of Request.Stop appeared
	StopFiltered StopReason = "content_filter" // the vendor withheld the rest
	StopRefused  StopReason = "refusal"        // the model declined
	StopPaused   StopReason = "paused"         // a long vendor-side turn; send the answer back to continue
)

// Response is a whole answer.
type Response struct {
	ID    string
	Model string
	Parts []Part // reasoning, text and tool calls, in order
	Usage Usage
	Stop  StopReason
}

// Text joins the text parts.
func (r *Response) Text() string { return joinText(r.Parts) }

// Message is the answer as a message to send back in the next turn.
func (r *Response) Message() Message { return Message{Role: RoleModel, Parts: r.Parts} }

// Complete asks and collects the whole answer. With an error it still returns
// what was received, so that its tokens can be accounted for.
func Complete(ctx context.Context, m Model, req *Request) (*Response, error) {
	s, err := m.Stream(ctx, req)
	if err != nil {
		return &Response{}, err
	}
	defer s.Close()
	var g Gather
	var c Chunk
	for {
		err := s.Next(&c)
		if err == io.EOF {
			return g.Response(), nil
		}
		if err != nil {
			return g.Response(), err
		}
		g.Add(&c)
	}
}
