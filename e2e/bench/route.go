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
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
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

const (
	readPath    = "/api/v1/agents/assistant"
	changePath  = "/api/v1/system/mode"
	changeBody  = `{"mode":"normal"}`
	routeVerify = "/api/v1/audit/verify"
)

// The requests, up to the headers that differ by server. The read and the change
// touch memory only, so that what surrounds a route is measured, not what it
// does: for the change that is a row of the audit, durable before the answer.
var (
	routeRead   = "GET " + readPath + " HTTP/1.1\r\n"
	routeChange = fmt.Sprintf("POST %s HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", changePath, len(changeBody))
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

func routeLane(ctx context.Context, b *bench) error {
	var servers [3]*hubProcess
	for i, args := range [][]string{{"route", mustDir(b)}, {"bareroute"}, {"rowroute", mustDir(b)}} {
		p, err := startHub(ctx, args...)
		if err != nil {
			return err
		}
		defer p.stop()
		servers[i] = p
	}
	ours, bare, row := servers[0], servers[1], servers[2]
	before, err := keptBy(ctx, ours, row)
	if err != nil {
		return err
	}
	wrong, acknowledged := 0, [2]int64{}
	for _, clients := range []int{1, 32} {
		slice := func(p *hubProcess, request string) func() (sample, error) {
			return func() (sample, error) { return requests(ctx, b, p, clients, request, &wrong) }
		}
		o, n, err := b.alternate(slice(ours, routeRead), slice(bare, routeRead))
		if err != nil {
			return err
		}
		b.judge(fmt.Sprintf("CPU per request, %d clients", clients), "µs", o, n, sample.perOp, routeBar, 0)
		b.judge(fmt.Sprintf("requests/s, %d clients", clients), "/s", o, n, sample.perSecond, 0, 0)
		all, err := b.rotate(slice(ours, routeChange), slice(row, routeChange), slice(bare, routeChange))
		if err != nil {
			return err
		}
		b.judge(fmt.Sprintf("CPU per audited change, %d clients, beside a handler that keeps a row", clients), "µs", all[0], all[1], sample.perOp, routeBar, 0)
		b.judge(fmt.Sprintf("CPU per audited change, %d clients, beside one that keeps nothing", clients), "µs", all[0], all[2], sample.perOp, 0, 0)
		b.judge(fmt.Sprintf("audited changes/s, %d clients, beside a handler that keeps a row", clients), "/s", all[0], all[1], sample.perSecond, 0, 0)
		for side := range acknowledged {
			for _, s := range all[side] {
				acknowledged[side] += int64(s.ops)
			}
		}
	}
	b.must("answers that are not 200", wrong)
	after, err := keptBy(ctx, ours, row)
	if err != nil {
		return err
	}
	for side, who := range []string{"of the audit", "of the baseline"} {
		missing := acknowledged[side] - (after[side] - before[side])
		b.must("acknowledged rows missing "+who, int(max(missing, -missing)))
	}
	return nil
}

// keptBy is how many rows ours has in a chain that verifies, and the baseline.
func keptBy(ctx context.Context, ours, row *hubProcess) (rows [2]int64, err error) {
	for i, p := range []*hubProcess{ours, row} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+routeVerify, nil)
		if err != nil {
			return rows, err
		}
		r.Header.Set("Authorization", "Bearer "+p.key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return rows, err
		}
		defer resp.Body.Close()
		var v identity.Verification
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
			return rows, err
		}
		if !v.OK {
			return rows, fmt.Errorf("the rows do not verify: %+v", v)
		}
		rows[i] = v.Rows
	}
	return rows, nil
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
		request = append(request, changeBody...)
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
