package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/jobs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/demo"
	"github.com/fluxway/fluxway/internal/runs"
)

// routeBar is how much more CPU than a bare handler a typed route may take.
const routeBar = 3.0

// routePath is a typed route that reads memory only, so that what surrounds it
// is measured, not a database.
const routePath = "/api/v1/agents/assistant"

// routeChange is a typed route that changes memory only, and is audited: a row
// of the chain is durable before the answer.
const (
	routeChange = "/api/v1/system/mode"
	routeBody   = `{"mode":"normal"}`
)

// routeServer is ours: identity, rate limits, tracing and audit all on.
func routeServer(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g, err := openGround(ctx, args[0])
	if err != nil {
		return err
	}
	defer g.db.Close()
	queue, err := jobs.New(jobs.Options{DB: g.db, Hub: g.hub, Sole: true})
	if err != nil {
		return err
	}
	book, err := conversations.New(conversations.Options{DB: g.db, Hub: g.hub})
	if err != nil {
		return err
	}
	roster := agents.New(agents.Always(demo.Vendor + "/" + demo.Name))
	model := demo.New(demo.Options{})
	desk, err := runs.New(runs.Options{DB: g.db, Hub: g.hub, Jobs: queue, Conversations: book, Agents: roster,
		Model: func(context.Context, ids.Workspace, string) (providers.Model, string, error) {
			return model, demo.Name, nil
		}})
	if err != nil {
		return err
	}
	server, err := api.New(api.Options{
		DB: g.db, Directory: g.directory, Hub: g.hub, Jobs: queue, Conversations: book, Agents: roster, Runs: desk, Observe: g.watch,
		Listen: "127.0.0.1:0", PerIdentity: api.Rate{PerMinute: 1 << 30}, PerAddress: api.Rate{PerMinute: 1 << 30},
	})
	if err != nil {
		return err
	}
	var group lifecycle.Group
	group.Add("observe", g.watch)
	group.Add("api", server)
	failed := make(chan error, 1)
	go func() { failed <- group.Run(ctx) }()
	addr, err := server.Addr(ctx)
	if err != nil {
		return errors.Join(err, <-failed)
	}
	fmt.Println("ready", addr, g.key)
	return obey(func(int) error { return nil })
}

// discard is a destination for spans that keeps none.
type discard struct{}

// Receive throws them away.
func (discard) Receive(context.Context, []observe.Finished) error { return nil }

// bareRoute is the floor: the same answer from a bare handler.
func bareRoute([]string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	agent, err := agents.New(agents.Always(demo.Vendor+"/"+demo.Name)).Get(context.Background(), "", "assistant")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/agents/{agent}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(agent) // the client is gone
	})
	mux.HandleFunc("POST "+routeChange, func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Mode string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(in) // the client is gone
	})
	fmt.Println("ready", l.Addr(), "none")
	go http.Serve(l, mux) //nolint:errcheck // it ends with the process
	return obey(func(int) error { return nil })
}

func routeLane(ctx context.Context, b *bench) error {
	ours, err := startHub(ctx, "route", mustDir(b))
	if err != nil {
		return err
	}
	defer ours.stop()
	base, err := startHub(ctx, "bareroute")
	if err != nil {
		return err
	}
	defer base.stop()
	wrong := 0
	read, change := "GET "+routePath+" HTTP/1.1\r\n", "POST "+routeChange+" HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(routeBody))+"\r\n"
	for _, clients := range []int{1, 32} {
		o, n, err := b.alternate(
			func() (sample, error) { return requests(ctx, b, ours, clients, read, &wrong) },
			func() (sample, error) { return requests(ctx, b, base, clients, read, &wrong) })
		if err != nil {
			return err
		}
		b.judge(fmt.Sprintf("CPU per request, %d clients", clients), "µs", o, n, sample.perOp, routeBar, 0)
		b.judge(fmt.Sprintf("requests/s, %d clients", clients), "/s", o, n, sample.perSecond, 0, 0)
		o, n, err = b.alternate(
			func() (sample, error) { return requests(ctx, b, ours, clients, change, &wrong) },
			func() (sample, error) { return requests(ctx, b, base, clients, change, &wrong) })
		if err != nil {
			return err
		}
		b.judge(fmt.Sprintf("CPU per audited change, %d clients", clients), "µs", o, n, sample.perOp, routeBar, 0)
	}
	b.must("answers that are not 200", wrong)
	return nil
}

// requests asks the same route over kept connections for one slice.
func requests(ctx context.Context, b *bench, p *hubProcess, clients int, request string, wrong *int) (sample, error) {
	var s sample
	cpu, err := preciseCPU(p.cmd.Process.Pid)
	if err != nil {
		return s, err
	}
	var done, bad atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	began := time.Now()
	for range clients {
		wg.Go(func() {
			if err := ask(ctx, p, request, began.Add(b.slice), &done, &bad); err != nil {
				failed.Store(&err)
			}
		})
	}
	wg.Wait()
	s.wall, s.ops = time.Since(began), float64(done.Load())
	*wrong += int(bad.Load())
	if err := failed.Load(); err != nil {
		return s, *err
	}
	now, err := preciseCPU(p.cmd.Process.Pid)
	s.cpu = now - cpu
	return s, err
}

// ask is a client that costs as little as possible.
func ask(ctx context.Context, p *hubProcess, start string, until time.Time, done, bad *atomic.Int64) error {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	request := fmt.Appendf(nil, "%sHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", start, p.address, p.key)
	if strings.HasPrefix(start, "POST") {
		request = append(request, routeBody...)
	}
	r := bufio.NewReader(conn)
	for time.Now().Before(until) && ctx.Err() == nil {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return err
		}
		resp.Body.Close()
		done.Add(1)
		if resp.StatusCode != http.StatusOK {
			bad.Add(1)
		}
	}
	return nil
}
