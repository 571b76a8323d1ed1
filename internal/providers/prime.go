package providers

import "io"

// prime reads a stream up to its first piece of content. Until then nothing
// was shown to anyone, so that a failure may still be repeated elsewhere.
func prime(s Stream) (*primed, error) {
	p := &primed{Stream: s}
	for {
		var c Chunk
		err := s.Next(&c)
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			_ = s.Close() // the stream's own error is the one to tell
			return nil, err
		}
		p.held = append(p.held, c)
		if c.Kind != ChunkStart && c.Kind != ChunkUsage {
			return p, nil
		}
	}
}

// primed is a stream whose first chunks were already read.
type primed struct {
	Stream
	held []Chunk
}

// Next gives the held chunks first.
func (p *primed) Next(c *Chunk) error {
	if len(p.held) > 0 {
		*c, p.held = p.held[0], p.held[1:]
		return nil
	}
	return p.Stream.Next(c)
}
