package ws

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// TestTwoWritersDoNotMix: a worker may still be in its write when the reader
// says farewell; the bytes of both must arrive whole.
func TestTwoWritersDoNotMix(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := &Conn{conn: server}
	c.prepare()
	const each, length = 20_000, 16
	var writing sync.WaitGroup
	for _, letter := range []byte("ab") {
		writing.Go(func() {
			for range each {
				for rest := bytes.Repeat([]byte{letter}, length); len(rest) > 0; {
					n, err := c.TryWrite(rest)
					if err != nil {
						t.Error(err)
						return
					}
					if rest = rest[n:]; len(rest) > 0 {
						if err := c.WaitWritable(); err != nil {
							t.Error(err)
							return
						}
					}
				}
			}
		})
	}
	writing.Go(func() {
		got := make([]byte, 2*each*length)
		if _, err := io.ReadFull(client, got); err != nil {
			t.Error(err)
		}
		for letter, want := range map[byte]int{'a': each * length, 'b': each * length} {
			if n := bytes.Count(got, []byte{letter}); n != want {
				t.Errorf("%d bytes %c arrived, want %d", n, letter, want)
			}
		}
	})
	writing.Wait()
	server.Close()
}
