package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// maxMessage bounds one message of a server.
const maxMessage = 8 << 20

// keptEnds is how much of the beginning and the end of a message that is too large is looked at.
const keptEnds = 512

// messages reads a server's stdout and passes on lines that can be messages. What is no message (banners,
// debug output) goes to the log, and a message that is too large becomes an error answer to its call, so that
// neither ends the connection.
type messages struct {
	from    io.ReadCloser
	in      *bufio.Reader
	log     *into
	limit   int
	pending []byte
}

func newMessages(from io.ReadCloser, log *ring) *messages {
	return &messages{from: from, in: bufio.NewReaderSize(from, 64<<10), log: &into{ring: log, from: "stdout"}, limit: maxMessage}
}

// Close closes what is read from.
func (m *messages) Close() error { return m.from.Close() }

// Read gives the next piece of a message.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.pending) == 0 {
		line, err := m.line()
		if len(line) > 0 {
			m.pending = line
			break
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, m.pending)
	m.pending = m.pending[n:]
	return n, nil
}

// line gives the next line that is a message, or nothing if it was none.
func (m *messages) line() ([]byte, error) {
	first, err := m.in.ReadSlice('\n')
	if err == nil || len(first) > 0 && err == io.EOF {
		return m.judge(bytes.Clone(first)), nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	whole := bytes.Clone(first)
	for errors.Is(err, bufio.ErrBufferFull) {
		var more []byte
		more, err = m.in.ReadSlice('\n')
		if len(whole)+len(more) > m.limit {
			return m.tooLarge(whole, more, err)
		}
		whole = append(whole, more...)
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	return m.judge(whole), nil
}

func (m *messages) judge(line []byte) []byte {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return nil
	}
	if trimmed[0] != '{' && trimmed[0] != '[' || trimmed[len(trimmed)-1] != '}' && trimmed[len(trimmed)-1] != ']' {
		_, _ = m.log.Write(append(trimmed, '\n')) // it never fails
		return nil
	}
	return append(trimmed, '\n')
}

// Where servers write the id of an answer: first, as most do, or last. They are compiled when one is too large, which is rare.
var (
	idFirst = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18}|"[^"\\]{1,64}")\s*,`)
	})
	idLast = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[,{]\s*"id"\s*:\s*(\d{1,18}|"[^"\\]{1,64}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
	})
)

// tooLarge reads to the end of a line without keeping it, and answers its call with an error.
func (m *messages) tooLarge(head, more []byte, err error) ([]byte, error) {
	begin := bytes.Clone(head[:min(len(head), keptEnds)])
	end := bytes.Clone(more[max(0, len(more)-keptEnds):])
	size := len(head) + len(more)
	for errors.Is(err, bufio.ErrBufferFull) {
		more, err = m.in.ReadSlice('\n')
		size += len(more)
		end = append(end, more...)
		end = bytes.Clone(end[max(0, len(end)-keptEnds):])
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	found := idFirst().FindSubmatch(begin)
	if found == nil {
		found = idLast().FindSubmatch(end)
	}
	if found == nil {
		return nil, fmt.Errorf("the server sent a message of %d bytes that answers nothing", size)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the answer has %d bytes"}}`+"\n", found[1], codeTooLarge, size), nil
}

// codeTooLarge is the code of the answer that stands for one that was too large.
const codeTooLarge = -32070
