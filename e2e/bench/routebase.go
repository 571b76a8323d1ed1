package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/store/sqlite"
)

// bareRoute is the floor: the same answers from bare handlers.
func bareRoute([]string) error {
	agent, err := agents.New(agents.Always(demo.Vendor+"/"+demo.Name)).Get(context.Background(), "", "assistant")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/agents/{agent}", func(w http.ResponseWriter, _ *http.Request) { say(w, agent) })
	mux.HandleFunc("POST "+changePath, func(w http.ResponseWriter, r *http.Request) {
		if in, ok := hear(w, r); ok {
			say(w, in)
		}
	})
	return serveBare(mux)
}

// rowRoute is the floor of a durable change: a bare handler that keeps one plain
// row, in the same kind of file as ours, before it answers.
func rowRoute(args []string) error {
	k, err := newKeeper(context.Background(), filepath.Join(args[0], "rows.db"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+changePath, func(w http.ResponseWriter, r *http.Request) {
		in, ok := hear(w, r)
		if !ok {
			return
		}
		if err := k.keep(in.Mode); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		say(w, in)
	})
	mux.HandleFunc("GET "+routeVerify, func(w http.ResponseWriter, r *http.Request) {
		v := identity.Verification{OK: true}
		if err := k.read.QueryRowContext(r.Context(), "SELECT count(*) FROM bench_rows").Scan(&v.Rows); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		say(w, v)
	})
	return serveBare(mux)
}

type change struct {
	Mode string `json:"mode"`
}

func hear(w http.ResponseWriter, r *http.Request) (in change, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return in, false
	}
	return in, true
}

func say(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

func serveBare(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("ready", l.Addr(), "none")
	go http.Serve(l, h) //nolint:errcheck // it ends with the process
	return obey(func(int) error { return nil })
}

// keeper is the raw group commit: whoever comes first commits what waits, with
// prepared statements and nothing around them.
type keeper struct {
	read *sql.DB

	committing sync.Mutex   // held by the one who commits; guards the fields below
	stmts      [3]*sql.Stmt // begin, insert, commit
	next       int

	mu    sync.Mutex // guards the field below
	queue []*keeping
}

type keeping struct {
	data string
	done bool // guarded by keeper.committing
	err  error
}

func newKeeper(ctx context.Context, path string) (*keeper, error) {
	engine, err := sqlite.Open(path)
	if err != nil {
		return nil, err
	}
	conn, err := engine.Write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, benchTable); err != nil {
		return nil, err
	}
	k := &keeper{read: engine.Read}
	for i, text := range []string{engine.Begin, benchInsert, "COMMIT"} {
		if k.stmts[i], err = conn.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// keep returns once the row is durable.
func (k *keeper) keep(data string) error {
	own := &keeping{data: data}
	k.mu.Lock()
	k.queue = append(k.queue, own)
	k.mu.Unlock()
	k.committing.Lock()
	defer k.committing.Unlock()
	if own.done { // by the one before
		return own.err
	}
	k.mu.Lock()
	batch := k.queue
	k.queue = nil
	k.mu.Unlock()
	err := k.commit(batch)
	for _, b := range batch {
		b.done, b.err = true, err
	}
	return err
}

func (k *keeper) commit(batch []*keeping) error {
	if _, err := k.stmts[0].Exec(); err != nil {
		return err
	}
	for _, b := range batch {
		k.next++
		if _, err := k.stmts[1].Exec(k.next, "ws_bench", "bench.appended", time.Now().UnixMicro(), b.data); err != nil {
			return err
		}
	}
	_, err := k.stmts[2].Exec()
	return err
}
