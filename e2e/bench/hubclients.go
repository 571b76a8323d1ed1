package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// hubProcess is one of the two servers, in a process of its own.
type hubProcess struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	address string
	key     string
}

func startHub(ctx context.Context, args ...string) (*hubProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &hubProcess{cmd: exec.CommandContext(ctx, self, append([]string{"-helper"}, args...)...)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if !p.out.Scan() {
		return nil, fmt.Errorf("%s did not start", args[0])
	}
	_, err = fmt.Sscanf(p.out.Text(), "ready %s %s", &p.address, &p.key)
	return p, err
}

func (p *hubProcess) burst(n int) error {
	if _, err := fmt.Fprintf(p.in, "burst %d\n", n); err != nil {
		return err
	}
	if !p.out.Scan() || p.out.Text() != "done" {
		return errors.New("the server did not answer a burst")
	}
	return nil
}

// heap is how many bytes are alive in the server.
func (p *hubProcess) heap() (n int64, err error) {
	if _, err := fmt.Fprintln(p.in, "heap"); err != nil {
		return 0, err
	}
	if !p.out.Scan() {
		return 0, errors.New("the server did not tell its heap")
	}
	_, err = fmt.Sscan(p.out.Text(), &n)
	return n, err
}

func (p *hubProcess) stop() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// crowd is many WebSocket clients that count what they get.
type crowd struct {
	conns []net.Conn
	got   atomic.Int64
	want  atomic.Int64
	full  chan struct{} // got has reached want
	wrong atomic.Int64
	ended atomic.Int64 // connections that the server closed
	wg    sync.WaitGroup
}

// join connects n clients and waits until each is subscribed. after is put into
// the subscription as it is; empty: only what comes.
func join(p *hubProcess, n int, after string) (*crowd, error) {
	c := &crowd{full: make(chan struct{}, 1)}
	c.want.Store(-1)
	gate := make(chan struct{}, 64)
	errs := make(chan error, n)
	var mu sync.Mutex
	var dialling sync.WaitGroup
	for range n {
		gate <- struct{}{}
		dialling.Go(func() {
			defer func() { <-gate }()
			conn, rest, err := dial(p, after)
			if err != nil {
				errs <- err
				return
			}
			mu.Lock()
			c.conns = append(c.conns, conn)
			mu.Unlock()
			c.wg.Go(func() { c.read(conn, rest) })
		})
	}
	dialling.Wait()
	close(errs)
	if err := <-errs; err != nil {
		c.leave()
		return nil, fmt.Errorf("%d of %d clients connected: %w", len(c.conns), n, err)
	}
	return c, nil
}

// dial does the handshake and subscribes; rest is what came behind the
// confirmation.
func dial(p *hubProcess, after string) (net.Conn, []byte, error) {
	conn, err := net.DialTimeout("tcp", p.address, 30*time.Second)
	if err != nil {
		return nil, nil, err
	}
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(conn, "GET /api/v1/ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		p.address, base64.StdEncoding.EncodeToString(nonce), p.key)
	if err := conn.SetReadDeadline(time.Now().Add(60 * time.Second)); err != nil {
		return nil, nil, err
	}
	r := bufio.NewReaderSize(conn, 1024)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, nil, fmt.Errorf("handshake: %s", resp.Status)
	}
	if p.key != "none" {
		subscribe := fmt.Sprintf(`{"op":"subscribe","channels":["jobs/**"]%s,"id":"c"}`, after)
		if _, err := conn.Write(masked(subscribe)); err != nil {
			return nil, nil, err
		}
	}
	text, err := readFrame(r)
	if err != nil {
		return nil, nil, err
	}
	if !strings.Contains(string(text), `"subscribed"`) {
		return nil, nil, fmt.Errorf("instead of a confirmation: %s", text)
	}
	rest, err := r.Peek(r.Buffered())
	if err != nil {
		return nil, nil, err
	}
	return conn, append([]byte(nil), rest...), conn.SetReadDeadline(time.Time{})
}

// masked is a short text frame of a client; a mask of zeroes changes nothing.
func masked(text string) []byte {
	return append([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}, text...)
}

func readFrame(r *bufio.Reader) ([]byte, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	n := int(head[1] & 0x7f)
	if n == 126 {
		var ext [2]byte
		if _, err := io.ReadFull(r, ext[:]); err != nil {
			return nil, err
		}
		n = int(binary.BigEndian.Uint16(ext[:]))
	}
	text := make([]byte, n)
	_, err := io.ReadFull(r, text)
	return text, err
}

// readBuffers are shared by the clients: only those with something to read need one.
var readBuffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// read counts whole text frames until the connection ends. It waits with a
// buffer of a few bytes, so that ten thousand idle clients cost little.
func (c *crowd) read(conn net.Conn, rest []byte) {
	f := framer{c: c, conn: conn}
	f.feed(rest)
	var first [1]byte
	for {
		if _, err := conn.Read(first[:]); err != nil {
			c.ended.Add(1)
			return
		}
		f.feed(first[:])
		buf := readBuffers.Get().(*[]byte)
		n, err := readNow(conn, *buf)
		f.feed((*buf)[:n])
		readBuffers.Put(buf)
		if err != nil {
			c.ended.Add(1)
			return
		}
	}
}

// readNow takes what has arrived without waiting for more.
func readNow(conn net.Conn, buf []byte) (n int, err error) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	err = raw.Read(func(fd uintptr) bool {
		got, e := syscall.Read(int(fd), buf)
		if got > 0 {
			n = got
		}
		if e == nil && got == 0 {
			err = io.EOF
		}
		return true
	})
	return n, err
}

const (
	opText = 1
	opPing = 9
)

// framer follows the frames of one connection.
type framer struct {
	c    *crowd
	conn net.Conn
	head []byte
	left int // bytes of the payload still to come
	op   byte
}

func (f *framer) feed(b []byte) {
	for len(b) > 0 {
		if f.left > 0 {
			n := min(f.left, len(b))
			f.left -= n
			b = b[n:]
			if f.left == 0 {
				f.end()
			}
			continue
		}
		f.head = append(f.head, b[0])
		b = b[1:]
		need := 2
		if len(f.head) >= 2 {
			switch f.head[1] & 0x7f {
			case 126:
				need = 4
			case 127:
				need = 10
			}
		}
		if len(f.head) < need || len(f.head) < 2 {
			continue
		}
		switch need {
		case 2:
			f.left = int(f.head[1] & 0x7f)
		case 4:
			f.left = int(binary.BigEndian.Uint16(f.head[2:]))
		case 10:
			f.left = int(binary.BigEndian.Uint64(f.head[2:]))
		}
		f.op = f.head[0] & 0x0f
		f.head = f.head[:0]
		if f.left == 0 {
			f.end()
		}
	}
}

func (f *framer) end() {
	switch f.op {
	case opPing: // a client that does not answer is taken for dead
		if _, err := f.conn.Write([]byte{0x8a, 0x80, 0, 0, 0, 0}); err != nil {
			f.c.ended.Add(1)
		}
		return
	case opText:
	default:
		f.c.wrong.Add(1)
		return
	}
	if f.c.got.Add(1) == f.c.want.Load() {
		f.c.full <- struct{}{}
	}
}

// expect counts from zero up to n.
func (c *crowd) expect(n int64) {
	c.want.Store(n)
	c.got.Store(0)
}

func (c *crowd) wait(ctx context.Context) error {
	select {
	case <-c.full:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(60 * time.Second):
		return fmt.Errorf("only %d of %d deliveries came within a minute; the server closed %d connections, %d frames were no text",
			c.got.Load(), c.want.Load(), c.ended.Load(), c.wrong.Load())
	}
}

func (c *crowd) leave() {
	for _, conn := range c.conns {
		conn.Close()
	}
	c.wg.Wait()
}
