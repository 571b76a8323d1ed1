package tools

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
)

const (
	maxKept  = 16 << 20 // of one output
	maxImage = 8 << 20  // of all images, sounds and the like of one result
	bodyKind = "tool_result"
)

// cut bounds what the model gets and keeps the whole apart.
func (b *Toolbox) cut(ctx context.Context, spec Spec, call Call, r Result) Result {
	r = dropLargeImages(r)
	size := 0
	for _, p := range r.Parts {
		size += len(p.Text) + len(p.JSON)
	}
	if size <= spec.MaxOutput {
		return r
	}
	whole := r.Text()
	if r.Full == nil {
		r.Full = b.keep(ctx, call, []byte(whole))
	}
	r.Truncated = true
	short := Middle(whole, spec.MaxOutput)
	if r.Full != nil {
		short += fmt.Sprintf("\n[The whole output (%d bytes) is kept: read_output with id %q.]", r.Full.Size, r.Full.Body)
	}
	parts := []Part{{Kind: PartText, Text: short}}
	for _, p := range r.Parts {
		if p.Kind != PartText && p.Kind != PartJSON {
			parts = append(parts, p)
		}
	}
	r.Parts = parts
	return r
}

func dropLargeImages(r Result) Result {
	size := 0
	for i, p := range r.Parts {
		if size += len(p.Data); len(p.Data) > 0 && size > maxImage {
			parts := append([]Part(nil), r.Parts...)
			parts[i] = Part{Kind: PartText, Text: fmt.Sprintf("[An image of %d bytes was left out: too large.]", len(p.Data))}
			if p.Kind == PartText {
				parts[i].Text = p.Text
			}
			r.Parts, r.Truncated = parts, true
			size -= len(p.Data)
		}
	}
	return r
}

// keep stores an output; nil when there is no store or it fails, which costs the
// rest of an output and nothing else.
func (b *Toolbox) keep(ctx context.Context, call Call, content []byte) *Full {
	if b.opts.Bodies == nil {
		return nil
	}
	full := &Full{Size: int64(len(content))}
	if len(content) > maxKept {
		content, full.Cut, full.Size = content[:maxKept], true, maxKept
	}
	packed, err := b.opts.Bodies.Pack(store.NewBody{Kind: bodyKind, MediaType: "text/plain; charset=utf-8", Content: content})
	if err == nil {
		err = b.opts.DB.InTx(ctx, func(tx *store.Tx) error { return b.opts.Bodies.Put(ctx, tx, call.Workspace, packed) })
	}
	if err != nil {
		b.log.WarnContext(ctx, "a tool's output could not be kept", "tool", call.Tool, "run", call.Run, "err", err)
		return nil
	}
	full.Body = ids.Body(packed.ID)
	return full
}

// Middle cuts text to about limit bytes by leaving out its middle, at whole characters:
// the beginning says what it is, the end how it went.
func Middle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit*2/3, limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	from := len(text) - tail
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[:head] + fmt.Sprintf("\n[… %d bytes left out …]\n", from-head) + text[from:]
}
