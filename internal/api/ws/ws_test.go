package ws

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// clientFrame is a masked frame as a client sends it.
func clientFrame(first byte, payload []byte) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n <= 125:
		b = append(b, 0x80|byte(n))
	case n <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	key := [4]byte{1, 2, 3, 4}
	b = append(b, key[:]...)
	masked := bytes.Clone(payload)
	mask(masked, key, 0)
	return append(b, masked...)
}

// wire is a connection that reads from memory.
type wire struct {
	net.Conn
	in io.Reader
}

func (w wire) Read(b []byte) (int, error) { return w.in.Read(b) }

type said struct {
	op   Op
	text string
}

// read takes everything out of raw, one or all bytes at a time.
func read(raw []byte, step int) (messages []said, replies []byte, err error) {
	var in io.Reader = bytes.NewReader(raw)
	if step > 0 {
		in = &slowReader{in, step}
	}
	c := &Conn{conn: wire{in: in}}
	for err == nil {
		err = c.Next(1000, func(f []byte) error {
			replies = append(replies, f...)
			return nil
		}, func(op Op, p []byte) error {
			messages = append(messages, said{op, string(p)})
			return nil
		})
	}
	return messages, replies, err
}

type slowReader struct {
	r    io.Reader
	step int
}

func (s *slowReader) Read(b []byte) (int, error) { return s.r.Read(b[:min(len(b), s.step)]) }

func TestReading(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 400)
	tests := []struct {
		name    string
		frames  [][]byte
		want    []said
		replies []byte
		code    Code // of the *Error; 0: a *Closed or the end
	}{
		{"a text", [][]byte{clientFrame(0x81, []byte("hi"))}, []said{{Text, "hi"}}, nil, 0},
		{"an empty text", [][]byte{clientFrame(0x81, nil)}, []said{{Text, ""}}, nil, 0},
		{"a long text", [][]byte{clientFrame(0x81, []byte(long))}, []said{{Text, long}}, nil, 0},
		{"a binary", [][]byte{clientFrame(0x82, []byte{0xff})}, []said{{Binary, "\xff"}}, nil, 0},
		{"fragments with a ping inside", [][]byte{clientFrame(0x01, []byte("a")), clientFrame(0x89, []byte("p")), clientFrame(0x00, []byte("b")), clientFrame(0x80, []byte("c"))}, []said{{Text, "abc"}}, Pong([]byte("p")), 0},
		{"a rune across fragments", [][]byte{clientFrame(0x01, []byte("\xc3")), clientFrame(0x80, []byte("\xa9"))}, []said{{Text, "é"}}, nil, 0},
		{"ping and pong", [][]byte{clientFrame(0x89, nil), clientFrame(0x8a, []byte("x"))}, nil, Pong(nil), 0},
		{"close", [][]byte{clientFrame(0x88, []byte{3, 232, 'b'})}, nil, nil, 0},
		{"close without a code", [][]byte{clientFrame(0x88, nil)}, nil, nil, 0},
		{"close with one byte", [][]byte{clientFrame(0x88, []byte{3})}, nil, nil, Protocol},
		{"close with a code of nobody", [][]byte{clientFrame(0x88, []byte{3, 237})}, nil, nil, Protocol},
		{"close with a bad reason", [][]byte{clientFrame(0x88, []byte{3, 232, 0xff})}, nil, nil, BadText},
		{"bad UTF-8", [][]byte{clientFrame(0x81, []byte{0xff})}, nil, nil, BadText},
		{"too long", [][]byte{clientFrame(0x81, bytes.Repeat([]byte("x"), 1001))}, nil, nil, TooBig},
		{"too long in pieces", [][]byte{clientFrame(0x01, bytes.Repeat([]byte("x"), 600)), clientFrame(0x80, bytes.Repeat([]byte("x"), 600))}, nil, nil, TooBig},
		{"a lie about the length", [][]byte{{0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4}}, nil, nil, TooBig},
		{"a negative length", [][]byte{{0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}}, nil, nil, Protocol},
		{"a length that is not shortest", [][]byte{{0x82, 0xfe, 0, 5, 1, 2, 3, 4}}, nil, nil, Protocol},
		{"no mask", [][]byte{{0x81, 0x01, 'a'}}, nil, nil, Protocol},
		{"reserved bits", [][]byte{clientFrame(0xc1, nil)}, nil, nil, Protocol},
		{"an unknown kind", [][]byte{clientFrame(0x83, nil)}, nil, nil, Protocol},
		{"a continuation of nothing", [][]byte{clientFrame(0x80, nil)}, nil, nil, Protocol},
		{"a message inside another", [][]byte{clientFrame(0x01, nil), clientFrame(0x81, nil)}, nil, nil, Protocol},
		{"a control frame in pieces", [][]byte{clientFrame(0x09, nil)}, nil, nil, Protocol},
		{"a long control frame", [][]byte{clientFrame(0x89, make([]byte, 126))}, nil, nil, Protocol},
	}
	for _, tt := range tests {
		raw := bytes.Join(tt.frames, nil)
		for _, step := range []int{0, 1, 3} {
			messages, replies, err := read(raw, step)
			var bad *Error
			if errors.As(err, &bad) != (tt.code != 0) || (bad != nil && bad.Code != tt.code) {
				t.Errorf("%s, %d at a time: %v, want code %d", tt.name, step, err, tt.code)
			}
			if len(messages) != len(tt.want) || (len(messages) > 0 && messages[0] != tt.want[0]) || !bytes.Equal(replies, tt.replies) {
				t.Errorf("%s, %d at a time: %v and %q, want %v and %q", tt.name, step, messages, replies, tt.want, tt.replies)
			}
		}
	}
}

func TestCutOffFrames(t *testing.T) {
	t.Parallel()
	raw := clientFrame(0x81, []byte("hello"))
	for n := 1; n < len(raw); n++ {
		if messages, _, err := read(raw[:n], 0); !errors.Is(err, io.ErrUnexpectedEOF) || len(messages) > 0 {
			t.Errorf("%d bytes: %v, %v", n, messages, err)
		}
	}
	if _, _, err := read(nil, 0); !errors.Is(err, io.EOF) {
		t.Errorf("nothing: %v", err)
	}
}

func TestCloseFitsAControlFrame(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"", "bye", strings.Repeat("é", 100)} {
		frame := Close(Policy, reason)
		if len(frame) > 2+maxControl || frame[0] != 0x88 || int(frame[1]) != len(frame)-2 {
			t.Errorf("%q: %x", reason, frame[:4])
		}
		if c, bad := parseClose(frame[2:]); bad != nil || c.Code != Policy || !strings.HasPrefix(reason, c.Reason) {
			t.Errorf("%q: %v %v", reason, c, bad)
		}
	}
}

func TestHandshakeRefusals(t *testing.T) {
	t.Parallel()
	good := http.Header{
		"Connection": {"keep-alive, Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
	for header, value := range map[string]string{
		"Connection": "keep-alive", "Upgrade": "h2c", "Sec-Websocket-Version": "8", "Sec-Websocket-Key": "short",
	} {
		r := httptest.NewRequest("GET", "/ws", nil)
		r.Header = good.Clone()
		r.Header.Set(header, value)
		_, err := Accept(httptest.NewRecorder(), r)
		if f := fault.From(err); f.Code != "bad_handshake" || !strings.EqualFold(f.Param, header) || f.Hint == "" {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// Whatever comes in, reading ends, never panics, never keeps more than the
// limit, and gives the same in one piece and byte by byte.
func FuzzReading(f *testing.F) {
	f.Add(clientFrame(0x81, []byte("hi")))
	f.Add(append(clientFrame(0x01, []byte("a")), clientFrame(0x80, []byte("b"))...))
	f.Add(clientFrame(0x88, []byte{3, 232, 'b'}))
	f.Add([]byte{0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, raw []byte) {
		whole, answered, err1 := read(raw, 0)
		piecewise, answered2, err2 := read(raw, 1)
		if err1.Error() != err2.Error() || len(whole) != len(piecewise) || !bytes.Equal(answered, answered2) {
			t.Fatalf("%v %v, %v %v", whole, err1, piecewise, err2)
		}
		for i := range whole {
			if whole[i] != piecewise[i] || len(whole[i].text) > 1000 {
				t.Fatalf("message %d: %v %v", i, whole[i], piecewise[i])
			}
		}
	})
}
