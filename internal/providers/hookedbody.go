package providers

import "io"

// hookedBody tells of the first read, of the end and of the close.
type hookedBody struct {
	io.ReadCloser
	first  func()          // nil: nobody asks; called once
	ended  func(err error) // nil: nobody asks; io.EOF is a good end
	closed func()
}

// onClose has f called when the body is closed; f may be called more than once.
func onClose(body io.ReadCloser, f func()) io.ReadCloser {
	h, ok := body.(*hookedBody)
	if !ok {
		return &hookedBody{ReadCloser: body, closed: f}
	}
	before := h.closed
	h.closed = func() {
		if before != nil {
			before()
		}
		f()
	}
	return h
}

// Read passes on.
func (b *hookedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && b.first != nil {
		b.first()
		b.first = nil
	}
	if err != nil && b.ended != nil {
		b.ended(err)
	}
	return n, err
}

// Close passes on.
func (b *hookedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.closed != nil {
		b.closed()
	}
	return err
}
