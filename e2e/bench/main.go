// Command bench measures the product beside a floor or a peer in one run.
//
// Machines are noisy, so nothing here is judged by absolute time: baseline and
// product alternate in short slices, and the ratio of their medians is held
// against a bar. A lane also counts correctness: a fast wrong answer fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// lane is one thing measured.
type lane struct {
	name string
	what string
	run  func(ctx context.Context, b *bench) error
}

var lanes = []lane{
	{"start", "start-up CPU and idle memory, beside a bare net/http program", startLane},
	{"route", "a typed route with identity, limits, tracing and audit, beside a bare handler, and one that keeps a row", routeLane},
	{"hub", "WebSocket fan-out, beside one channel per client", hubLane},
	{"gateway", "/v1/chat/completions with identity, budget, ledger and tracing, beside a raw relay and httputil.ReverseProxy", gatewayLane},
	{"loop", "turns of the native loop with a tool call, journal, guard and ledger on, beside a bare Go loop with JSON", loopLane},
	{"memory", "vectors in the SQLite file, beside a loop over all of them and beside pgvector; the built-in embedder", memoryLane},
	{"guard", "one decision about a command, beside the bare parser of shells", guardLane},
	{"tools", "a tool call through the toolbox: in process beside the bare function, over MCP beside the bare SDK", toolsLane},
	{"store", "durable appends, beside a raw group-commit loop on the same kind of file", storeLane},
}

// helpers are the programs a lane starts beside itself: this binary again, with
// -helper NAME.
var helpers = map[string]func(args []string) error{
	"bare":      bareServer,
	"hub":       hubServer,
	"channels":  channelServer,
	"route":     routeServer,
	"bareroute": bareRoute,
	"rowroute":  rowRoute,

	"vendor":       vendorServer,
	"gateway":      gatewayServer,
	"reverseproxy": proxyServer,
	"rawrelay":     rawServer,

	"mcpstdio": mcpStdio,
	"mcphttp":  mcpHTTP,
}

func main() {
	name := flag.String("lane", "", "one lane only; empty: all")
	helper := flag.String("helper", "", "be a lane's helper program")
	quick := flag.Bool("quick", false, "fewer and shorter rounds: to see that a lane works, not to judge")
	million := flag.Bool("million", false, "the lane memory with a million vectors and facts instead: a quarter of an hour")
	binary := flag.String("binary", "", "the fluxway binary to measure; empty: build it")
	flag.Parse()
	if *helper != "" {
		if err := helpers[*helper](flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := newBench(*quick, *binary)
	defer b.close()
	b.million = *million
	if *name != "" && !slices.ContainsFunc(lanes, func(l lane) bool { return l.name == *name }) {
		fmt.Fprintf(os.Stderr, "there is no lane %q; there are: %s\n", *name, names())
		os.Exit(2)
	}
	failed := false
	for _, l := range lanes {
		if *name != "" && l.name != *name {
			continue
		}
		fmt.Printf("\n%s: %s\n", l.name, l.what)
		b.lane = l.name
		if err := l.run(ctx, b); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", l.name, err)
			failed = true
		}
	}
	if b.print(os.Stdout) || failed {
		b.close()
		os.Exit(1)
	}
}

func names() string {
	var all []string
	for _, l := range lanes {
		all = append(all, l.name)
	}
	return strings.Join(all, ", ")
}
