package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/kit/seal"
	"github.com/fluxway/fluxway/internal/tools"
	"github.com/fluxway/fluxway/internal/tools/mcp"
)

// The bars of tool calls.
const (
	callOverhead = 30.0 // microseconds of CPU of one call in process, beside the bare function
	mcpRatio     = 1.3  // CPU of a call of an MCP server, client and server together, beside the SDK alone
	manyCalls    = 1000 // calls at once
)

// toolsLane measures what a call costs on its way through the toolbox, judged and journalled: of a function in this process,
// and of MCP servers over stdio and HTTP beside the same call with the bare SDK.
func toolsLane(ctx context.Context, b *bench) error {
	w, err := openWorkshop(ctx, b)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.inProcess(ctx, b); err != nil {
		return err
	}
	for _, kind := range []mcp.Transport{mcp.Stdio, mcp.HTTP} {
		if err := w.overMCP(ctx, b, kind); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// workshop is a toolbox behind the guard, with MCP servers.
type workshop struct {
	ground  *ground
	box     *tools.Toolbox
	bare    *tools.Toolbox // judges and keeps no journal
	manager *mcp.Manager
	stop    func()
}

func openWorkshop(ctx context.Context, b *bench) (*workshop, error) {
	g, err := openGround(ctx, mustDir(b))
	if err != nil {
		return nil, err
	}
	policy := guard.DefaultPolicy()
	policy.Rates = nil
	commands := sync.OnceValues(func() (*guard.Commands, error) {
		return guard.NewCommands(guard.CommandOptions{FS: guard.Disk{}}, "")
	})
	judge, err := guard.New(guard.Options{DB: g.db, Hub: g.hub, Commands: commands, Policy: &policy, Journal: mustDir(b)})
	if err != nil {
		return nil, err
	}
	w := &workshop{ground: g}
	if w.box, err = tools.New(tools.Options{Gate: judge, Auditor: judge}); err != nil {
		return nil, err
	}
	if w.bare, err = tools.New(tools.Options{Gate: judge}); err != nil {
		return nil, err
	}
	if err := errors.Join(w.box.Put("bench", echo{}), w.bare.Put("bench", echo{})); err != nil {
		return nil, err
	}
	keys, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		return nil, err
	}
	if w.manager, err = mcp.New(mcp.Options{DB: g.db, Hub: g.hub, Box: keys, Toolbox: w.box}); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{g.hub.Run, judge.Run} {
		wg.Go(func() { _ = run(running) })
	}
	w.stop = func() { cancel(); wg.Wait(); g.db.Close() }
	return w, w.manager.Load(ctx)
}

func (w *workshop) close() {
	w.manager.Close()
	w.stop()
}

// asks is one call of a tool, by its number, and whether the answer was right.
type asks func(ctx context.Context, n int) error

// ours calls through the toolbox.
func (w *workshop) ours(box *tools.Toolbox, tool string) (asks, error) {
	belt, err := box.In(w.ground.workspace, tools.All())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, n int) error {
		args := echoArgs(n)
		r, err := belt.Call(ctx, tools.Call{ID: "call_" + strconv.Itoa(n), Tool: tool, Agent: "coder", Run: "run_1", Door: "chat", Args: args})
		if err != nil || r.IsError || r.Text() != string(args) {
			return errors.Join(err, fmt.Errorf("call %d: %s %q", n, r.Code, r.Text()))
		}
		return nil
	}, nil
}

func echoArgs(n int) json.RawMessage { return json.RawMessage(`{"n":` + strconv.Itoa(n) + `}`) }

// asking makes calls one after the other, for as long as a slice is.
func (b *bench) asking(ctx context.Context, ask asks, server func() (time.Duration, error)) (sample, error) {
	before, err := server()
	if err != nil {
		return sample{}, err
	}
	began, cpu, n := time.Now(), ownCPU(), 0
	for ; time.Since(began) < b.slice; n++ {
		if err := ask(ctx, n); err != nil {
			return sample{}, err
		}
	}
	s := sample{ops: float64(n), cpu: ownCPU() - cpu, wall: time.Since(began)}
	after, err := server()
	s.cpu += after - before
	return s, err
}

func nobody() (time.Duration, error) { return 0, nil }

func (w *workshop) inProcess(ctx context.Context, b *bench) error {
	ours, err := w.ours(w.box, "echo")
	if err != nil {
		return err
	}
	unkept, err := w.ours(w.bare, "echo")
	if err != nil {
		return err
	}
	direct := func(ctx context.Context, n int) error {
		args := echoArgs(n)
		r, err := echo{}.Run(ctx, tools.Call{ID: "call_" + strconv.Itoa(n), Tool: "echo", Agent: "coder", Run: "run_1", Door: "chat", Args: args})
		if err != nil || r.Text() != string(args) {
			return errors.Join(err, fmt.Errorf("call %d: %q", n, r.Text()))
		}
		return nil
	}
	all, err := b.rotate(
		func() (sample, error) { return b.asking(ctx, direct, nobody) },
		func() (sample, error) { return b.asking(ctx, unkept, nobody) },
		func() (sample, error) { return b.asking(ctx, ours, nobody) },
	)
	if err != nil {
		return err
	}
	var cost [3]float64
	for i, samples := range all {
		cost[i] = median(values(samples, sample.perOp))
	}
	b.limit("CPU that a call in process adds to the function, its row of the audit included", "µs", cost[2]-cost[0], cost[0], callOverhead)
	b.shown("of that, to be found, checked, judged and bounded", "µs", cost[1]-cost[0])
	b.shown("of that, its row in the journal and, in groups, in the database", "µs", cost[2]-cost[1])
	return nil
}

// rival is the same server, asked with the SDK and nothing else.
type rival struct {
	session *sdk.ClientSession
	ask     asks
	cpu     func() (time.Duration, error)
	stop    func()
}

func (w *workshop) overMCP(ctx context.Context, b *bench, kind mcp.Transport) error {
	raw, err := newRival(ctx, b, kind)
	if err != nil {
		return err
	}
	defer raw.stop()
	name := "bench" + string(kind)
	ours, cpu, stop, err := w.server(ctx, b, name, kind)
	if err != nil {
		return err
	}
	defer stop()
	o, n, err := b.alternate(
		func() (sample, error) { return b.asking(ctx, ours, cpu) },
		func() (sample, error) { return b.asking(ctx, raw.ask, raw.cpu) },
	)
	if err != nil {
		return err
	}
	b.judge(fmt.Sprintf("CPU of a call over %s MCP, client and server, beside the bare SDK", kind), "µs", o, n, sample.perOp, mcpRatio, 0)
	b.judge(fmt.Sprintf("calls/s over %s MCP, one after the other", kind), "/s", o, n, sample.perSecond, 0, 0)
	wrong := 0
	o, n, err = b.alternate(
		func() (sample, error) { return b.crowd(ctx, ours, cpu, &wrong) },
		func() (sample, error) { return b.crowd(ctx, raw.ask, raw.cpu, &wrong) },
	)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%d calls at once over %s MCP", manyCalls, kind)
	b.judge("CPU of each of "+what+", beside the bare SDK", "µs", o, n, sample.perOp, mcpRatio, 0)
	b.judge("time for "+what, "ms", o, n, func(s sample) float64 { return s.wall.Seconds() * 1000 / (s.ops / manyCalls) }, 0, 0)
	b.must("wrong answers to "+what, wrong)
	return nil
}

// crowd makes a thousand calls at once, again and again until the slice is over.
func (b *bench) crowd(ctx context.Context, ask asks, server func() (time.Duration, error), wrong *int) (sample, error) {
	before, err := server()
	if err != nil {
		return sample{}, err
	}
	var failed atomic.Int64
	began, cpu, ops := time.Now(), ownCPU(), 0
	for ops == 0 || time.Since(began) < b.slice {
		var wg sync.WaitGroup
		for n := range manyCalls {
			wg.Go(func() {
				if err := ask(ctx, n); err != nil {
					failed.Add(1)
				}
			})
		}
		wg.Wait()
		ops += manyCalls
	}
	*wrong += int(failed.Load())
	s := sample{ops: float64(ops), cpu: ownCPU() - cpu, wall: time.Since(began)}
	after, err := server()
	s.cpu += after - before
	return s, err
}

// server adds a server of ours and gives how to call it.
func (w *workshop) server(ctx context.Context, b *bench, name string, kind mcp.Transport) (asks, func() (time.Duration, error), func(), error) {
	def := mcp.Definition{Name: name, Timeout: time.Minute, ReadOnly: []string{"*"}}
	stop := func() {}
	var pid func() int
	if kind == mcp.HTTP {
		p, err := webServer(ctx)
		if err != nil {
			return nil, nil, nil, err
		}
		def.URL, stop, pid = p.url, p.stop, func() int { return p.cmd.Process.Pid }
	} else {
		self, err := os.Executable()
		if err != nil {
			return nil, nil, nil, err
		}
		def.Command, def.Args = self, []string{"-helper", "mcpstdio"}
		pid = func() int {
			s, err := w.manager.Server(ctx, w.ground.workspace, name, "")
			if err != nil {
				return 0
			}
			return s.PID
		}
	}
	if err := w.manager.Add(ctx, w.ground.workspace, def); err != nil {
		return nil, nil, nil, err
	}
	if err := w.manager.Start(ctx, w.ground.workspace, name, ""); err != nil {
		return nil, nil, nil, err
	}
	ask, err := w.ours(w.box, name+"__echo")
	if err != nil {
		return nil, nil, nil, err
	}
	return ask, func() (time.Duration, error) { return preciseCPU(pid()) }, stop, nil
}

func newRival(ctx context.Context, b *bench, kind mcp.Transport) (*rival, error) {
	r := &rival{}
	var transport sdk.Transport
	var pid int
	if kind == mcp.HTTP {
		p, err := webServer(ctx)
		if err != nil {
			return nil, err
		}
		pid, r.stop = p.cmd.Process.Pid, p.stop
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		transport = &sdk.StreamableClientTransport{Endpoint: p.url, HTTPClient: client}
	} else {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, self, "-helper", "mcpstdio")
		transport, r.stop = &sdk.CommandTransport{Command: cmd}, func() {}
		defer func() { r.cpu = func() (time.Duration, error) { return preciseCPU(cmd.Process.Pid) } }()
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	end := r.stop
	r.session, r.stop = session, func() { _ = session.Close(); end() }
	r.cpu = func() (time.Duration, error) { return preciseCPU(pid) }
	r.ask = func(ctx context.Context, n int) error {
		args := echoArgs(n)
		res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: args})
		if err != nil {
			return err
		}
		if text, ok := res.Content[0].(*sdk.TextContent); !ok || text.Text != string(args) {
			return fmt.Errorf("call %d: %v", n, res.Content[0])
		}
		return nil
	}
	return r, nil
}

// webProcess is a helper that serves MCP over HTTP.
type webProcess struct {
	cmd  *exec.Cmd
	url  string
	stop func()
}

func webServer(ctx context.Context) (*webProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &webProcess{cmd: exec.CommandContext(ctx, self, "-helper", "mcphttp")}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.stop = func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() }
	line := make([]byte, 256)
	n, err := out.Read(line)
	p.url = strings.TrimSpace(string(line[:n]))
	return p, err
}

// echoServer is the server that is asked.
func echoServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: filepath.Base(os.Args[0]), Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "echo", Description: "Gives back what it gets.", InputSchema: echo{}.Spec().Schema},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(req.Params.Arguments)}}}, nil
		})
	return s
}

// mcpStdio is the server as a program.
func mcpStdio([]string) error { return echoServer().Run(context.Background(), &sdk.StdioTransport{}) }

// mcpHTTP is the server behind an address, which it prints.
func mcpHTTP([]string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	s := echoServer()
	return http.Serve(listener, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
}
