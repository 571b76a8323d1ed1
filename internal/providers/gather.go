package providers

import (
	"encoding/json"
	"strings"
)

// Gather builds a Response from chunks; the zero value is ready.
type Gather struct {
	r     Response
	by    string          // the vendor that signs
	open  PartKind        // what buf belongs to
	buf   strings.Builder // text or reasoning being received
	sig   strings.Builder // its signature
	calls []pendingCall
}

type pendingCall struct {
	part int // where in r.Parts
	args strings.Builder
}

// Add takes one chunk.
func (g *Gather) Add(c *Chunk) {
	switch c.Kind {
	case ChunkStart:
		g.r.ID, g.r.Model, g.by = c.ID, c.Model, c.Name
	case ChunkText:
		g.begin(PartText)
		g.buf.WriteString(c.Text)
	case ChunkReasoning:
		if g.sig.Len() > 0 {
			g.flush()
		}
		g.begin(PartReasoning)
		g.buf.WriteString(c.Text)
	case ChunkSignature:
		g.begin(PartReasoning)
		g.sig.WriteString(c.Text)
	case ChunkRedacted:
		g.flush()
		g.r.Parts = append(g.r.Parts, g.signed(Part{Kind: PartReasoning, Redacted: true, Signature: c.Text}))
	case ChunkToolStart:
		g.flush()
		for len(g.calls) <= c.Index {
			g.calls = append(g.calls, pendingCall{part: -1})
		}
		g.calls[c.Index].part = len(g.r.Parts)
		g.r.Parts = append(g.r.Parts, g.signed(Part{Kind: PartToolCall, ID: c.ID, Name: c.Name, Signature: c.Text}))
	case ChunkToolArgs:
		if c.Index < len(g.calls) {
			g.calls[c.Index].args.WriteString(c.Text)
		}
	case ChunkToolEnd:
		g.end(c.Index)
	case ChunkUsage:
		g.r.Usage = c.Usage
	case ChunkFinish:
		g.r.Stop = c.Stop
	}
}

// Response is what was gathered so far; Stop is empty until the finish chunk.
func (g *Gather) Response() *Response {
	g.flush()
	for i := range g.calls {
		g.end(i)
	}
	r := g.r
	return &r
}

func (g *Gather) begin(kind PartKind) {
	if g.open != kind {
		g.flush()
		g.open = kind
	}
}

func (g *Gather) flush() {
	if g.open == "" {
		return
	}
	g.r.Parts = append(g.r.Parts, g.signed(Part{Kind: g.open, Text: g.buf.String(), Signature: g.sig.String()}))
	g.open = ""
	g.buf.Reset()
	g.sig.Reset()
}

func (g *Gather) signed(p Part) Part {
	if p.Signature != "" {
		p.Vendor, p.Model = g.by, g.r.Model
	}
	return p
}

// end closes a call. Arguments that are not JSON (a model's slip, or a cut) are
// kept as a JSON string, so that the part can always be stored and shown.
func (g *Gather) end(index int) {
	if index >= len(g.calls) || g.calls[index].part < 0 {
		return
	}
	p := &g.r.Parts[g.calls[index].part]
	if p.Args != nil {
		return
	}
	p.Args = ToolArgs(g.calls[index].args.String())
}

// ToolArgs makes a model's arguments storable: empty becomes {}, and text that
// is not JSON becomes a JSON string of it.
func ToolArgs(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil { // a string always marshals
		return json.RawMessage("{}")
	}
	return quoted
}
