package sse

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

type got struct {
	Name, Data, ID string
	Retry          time.Duration
}

func read(r io.Reader, limit int) ([]got, error) {
	reader := NewReader(r, limit)
	var all []got
	var ev Event
	for {
		if err := reader.Next(&ev); err != nil {
			return all, err
		}
		all = append(all, got{string(ev.Name), string(ev.Data), string(ev.ID), ev.Retry})
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   string
		want []got
	}{
		"plain":                       {"data: a\n\ndata: b\n\n", []got{{Data: "a"}, {Data: "b"}}},
		"named":                       {"event: ping\ndata: {}\n\n", []got{{Name: "ping", Data: "{}"}}},
		"comments keep it alive":      {": hello\n\n:\n\ndata: a\n: inside\n\n", []got{{Data: "a"}}},
		"several data lines":          {"data: a\ndata: b\ndata:\n\n", []got{{Data: "a\nb\n"}}},
		"CRLF":                        {"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []got{{Name: "x", Data: "a"}, {Data: "b"}}},
		"bare CR":                     {"data: a\r\rdata: b\r\r", []got{{Data: "a"}, {Data: "b"}}},
		"no space, two spaces":        {"data:a\n\ndata:  b\n\n", []got{{Data: "a"}, {Data: " b"}}},
		"id stays, retry does not":    {"id: 7\nretry: 1500\ndata: a\n\ndata: b\n\n", []got{{Data: "a", ID: "7", Retry: 1500 * time.Millisecond}, {Data: "b", ID: "7"}}},
		"an id with NUL is ignored":   {"id: a\x00b\ndata: x\n\n", []got{{Data: "x"}}},
		"unknown fields are ignored":  {"foo: bar\nbaz\ndata: x\n\n", []got{{Data: "x"}}},
		"a name without data is none": {"event: ping\n\ndata: x\n\n", []got{{Data: "x"}}},
		"byte order mark":             {"\xef\xbb\xbfdata: x\n\n", []got{{Data: "x"}}},
		"the cut-off last is dropped": {"data: a\n\ndata: half", []got{{Data: "a"}}},
		"empty data":                  {"data\n\n", []got{{Data: ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)), "data with EOF": iotest.DataErrReader(strings.NewReader(tt.in))} {
				all, err := read(r, 0)
				if diff := cmp.Diff(tt.want, all); diff != "" || err != io.EOF {
					t.Errorf("%s: err %v (-want +got):\n%s", how, err, diff)
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"one long line": "data: " + strings.Repeat("x", 20_000) + "\n\n",
		"many lines":    strings.Repeat("data: "+strings.Repeat("x", 100)+"\n", 200) + "\n",
	} {
		if _, err := read(strings.NewReader(in), 10_000); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: err = %v", name, err)
		}
		if all, err := read(strings.NewReader(in), 1<<20); len(all) != 1 || err != io.EOF {
			t.Errorf("%s within the limit: %d events, %v", name, len(all), err)
		}
	}
	if _, err := read(iotest.ErrReader(io.ErrUnexpectedEOF), 0); err != io.ErrUnexpectedEOF {
		t.Errorf("the reader's error is lost: %v", err)
	}
}

// FuzzReader: however the bytes arrive, the events are the same.
func FuzzReader(f *testing.F) {
	f.Add("data: a\r\n\r\nevent: x\rdata: b\n\n")
	f.Add(": c\n\ndata\ndata: \n\nid: 3\nretry: 99999999999\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		whole, err1 := read(strings.NewReader(in), 4096)
		single, err2 := read(iotest.OneByteReader(strings.NewReader(in)), 4096)
		if diff := cmp.Diff(whole, single); diff != "" && err1 == io.EOF && err2 == io.EOF {
			t.Errorf("chunking matters (-whole +single):\n%s", diff)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	in := strings.Repeat("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n", 1000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		r := NewReader(strings.NewReader(in), 0)
		var ev Event
		for r.Next(&ev) == nil {
		}
	}
}
