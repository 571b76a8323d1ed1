package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// Both servers of the lane hub are helpers of this program: they print "ready
// ADDRESS KEY", then obey lines on standard input: "burst N" says N events and
// prints "done", "heap" prints how many bytes are alive, stacks included.

const benchChannel = "jobs/job_bench"

// benchEvent is as large as events usually are.
type benchEvent struct {
	Text string `json:"text"`
	Sent int64  `json:"sent"`
}

// Kind names it.
func (benchEvent) Kind() string { return "jobs.progressed" }

var benchText = strings.Repeat("so large is what an agent says at once. ", 4)

// hubServer is ours: store, hub and the WebSocket door of the product.
func hubServer(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dir, memory := args[0], int64(2<<20)
	if len(args) > 1 && args[1] == "large" {
		memory = 1 << 30
	}
	engine, err := sqlite.Open(filepath.Join(dir, "hub.db"))
	if err != nil {
		return err
	}
	db, err := store.New(store.Options{Engine: engine})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	hub, err := events.New(events.Options{DB: db, LogBytes: memory, TotalBytes: memory, LogTTL: time.Hour})
	if err != nil {
		return err
	}
	box, err := seal.OpenFile(filepath.Join(dir, "key"))
	if err != nil {
		return err
	}
	directory, err := identity.New(identity.Options{DB: db, Box: box, CacheTTL: time.Hour})
	if err != nil {
		return err
	}
	key, ws, err := benchKey(ctx, directory)
	if err != nil {
		return err
	}
	server, err := api.New(api.Options{DB: db, Directory: directory, Hub: hub, Listen: "127.0.0.1:0", PerIdentity: api.Rate{PerMinute: -1}, PerAddress: api.Rate{PerMinute: -1}})
	if err != nil {
		return err
	}
	var group lifecycle.Group
	group.Add("events", hub)
	group.Add("api", server)
	failed := make(chan error, 1)
	go func() { failed <- group.Run(ctx) }()
	addr, err := server.Addr(ctx)
	if err != nil {
		return errors.Join(err, <-failed)
	}
	fmt.Println("ready", addr, key)
	return obey(func(n int) error { return hubBurst(ctx, db, hub, ws, n) })
}

// hubBurst says n facts in one transaction.
func hubBurst(ctx context.Context, db *store.DB, hub *events.Hub, ws ids.Workspace, n int) error {
	const chunk = 10_000
	for n > 0 {
		k := min(n, chunk)
		evs := make([]events.Event, k)
		for i := range evs {
			evs[i] = benchEvent{benchText, time.Now().UnixNano()}
		}
		if err := db.InTx(ctx, func(tx *store.Tx) error { return hub.Append(ctx, tx, ws, benchChannel, evs...) }); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func benchKey(ctx context.Context, d *identity.Directory) (string, ids.Workspace, error) {
	if _, _, err := d.SetUpLocally(ctx, identity.Setup{Login: "bench", Password: "a long enough passphrase"}); err != nil {
		return "", "", err
	}
	who, err := d.LocalIdentity(ctx, "")
	if err != nil {
		return "", "", err
	}
	_, text, err := d.CreateKey(identity.With(ctx, who), identity.NewKey{Name: "bench"})
	return text.Reveal(), who.Workspace, err
}

// obey runs bursts until standard input ends.
func obey(burst func(n int) error) error {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if in.Text() == "heap" {
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			fmt.Println(memory.HeapAlloc + memory.StackInuse)
			continue
		}
		var n int
		if _, err := fmt.Sscanf(in.Text(), "burst %d", &n); err != nil {
			return err
		}
		if err := burst(n); err != nil {
			return err
		}
		fmt.Println("done")
	}
	return nil
}

// channelServer is the baseline: the usual design, with one channel and one
// writing goroutine per client, each message written by itself.
func channelServer([]string) error {
	var mu sync.Mutex                                // guards clients
	clients := make(map[chan []byte]<-chan struct{}) // each with what ends when it leaves
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	serve := func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			return
		}
		defer conn.CloseNow()
		ctx := conn.CloseRead(context.Background())
		queue := make(chan []byte, 256)
		mu.Lock()
		clients[queue] = ctx.Done()
		mu.Unlock()
		defer func() {
			mu.Lock()
			delete(clients, queue)
			mu.Unlock()
		}()
		if conn.Write(ctx, websocket.MessageText, []byte(`{"op":"subscribed"}`)) != nil {
			return
		}
		for {
			select {
			case <-ctx.Done():
				return
			case message := <-queue:
				if conn.Write(ctx, websocket.MessageText, message) != nil {
					return
				}
			}
		}
	}
	go http.Serve(l, http.HandlerFunc(serve)) //nolint:errcheck // it ends with the process
	fmt.Println("ready", l.Addr(), "none")
	cursor := 0
	return obey(func(n int) error {
		for range n {
			cursor++
			message := fmt.Appendf(nil, `{"cursor":%d,"channel":%q,"kind":"jobs.progressed","at":%q,"data":{"text":%q,"sent":%d}}`,
				cursor, benchChannel, time.Now().UTC().Format(time.RFC3339Nano), benchText, time.Now().UnixNano())
			mu.Lock()
			for queue, left := range clients {
				select {
				case queue <- message:
				case <-left:
				}
			}
			mu.Unlock()
		}
		return nil
	})
}
