package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/kit/lifecycle"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/secret"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/vendors"
	"github.com/fluxway/fluxway/internal/store"
)

// The fake vendor's answers. A stream has so many tokens; a paced one pauses
// after each, and goes on until the client leaves.
const (
	vendorTokens = 64
	vendorPace   = 100 * time.Millisecond
	vendorThinks = 50 * time.Millisecond // less than any real one does
)

var (
	chatWhole = []byte(`{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("some words of an answer ", 20) + `","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":50,"completion_tokens":100,"total_tokens":150}}`)
	chatToken = []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-test","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n")
	chatEnd   = []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-test","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}` + "\n\n" +
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-test","choices":[],"usage":{"prompt_tokens":50,"completion_tokens":64,"total_tokens":114}}` + "\n\ndata: [DONE]\n\n")
	claudeWhole = []byte(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-test","content":[{"type":"text","text":"` +
		strings.Repeat("some words of an answer ", 20) + `"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":50,"output_tokens":100}}`)
	claudeStart = []byte("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-test\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":50,\"output_tokens\":1}}}\n\n" +
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n")
	claudeToken = []byte("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" token\"}}\n\n")
	claudeEnd   = []byte("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":64}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
)

// vendorServer is the fake upstream of every gateway in the lane.
func vendorServer([]string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("ready", l.Addr(), "none")
	go http.Serve(l, http.HandlerFunc(vendorAnswer)) //nolint:errcheck // it ends with the process
	return obey(func(int) error { return nil })
}

func vendorAnswer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if bytes.Contains(body, []byte("thinks")) {
		time.Sleep(vendorThinks)
	}
	start, token, end, whole := []byte(nil), chatToken, chatEnd, chatWhole
	if strings.HasSuffix(r.URL.Path, "/messages") {
		start, token, end, whole = claudeStart, claudeToken, claudeEnd, claudeWhole
	}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		_, _ = w.Write(whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(start)
	out := http.NewResponseController(w)
	paced := bytes.Contains(body, []byte("paced"))
	for i := 0; i < vendorTokens || paced; i++ {
		if _, err := w.Write(token); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		if paced {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(vendorPace):
			}
		}
	}
	_, _ = w.Write(end)
}

// proxyServer is the usual baseline: the standard library's reverse proxy.
func proxyServer(args []string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	to := &url.URL{Scheme: "http", Host: args[0]}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1024
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1, Transport: transport}
	fmt.Println("ready", l.Addr(), "none")
	// Without full duplex the server closes a request's body when the answer begins,
	// which now and then is before the transport has seen that body's end.
	handler := func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/1.1 always can
		proxy.ServeHTTP(w, r)
	}
	go http.Serve(l, http.HandlerFunc(handler)) //nolint:errcheck // it ends with the process
	return obey(func(int) error { return nil })
}

// rawServer is the floor: bytes from one socket to another.
func rawServer(args []string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("ready", l.Addr(), "none")
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go rawRelay(conn, args[0])
		}
	}()
	return obey(func(int) error { return nil })
}

func rawRelay(client net.Conn, to string) {
	defer client.Close()
	vendor, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer vendor.Close()
	var wg sync.WaitGroup
	wg.Go(func() { pump(vendor, client) })
	pump(client, vendor)
	vendor.Close()
	client.Close()
	wg.Wait()
}

// pump copies by hand: io.Copy would splice inside the kernel, which no program
// that looks at what it relays can do.
func pump(to, from net.Conn) {
	buf := make([]byte, 4<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// attempts makes a span of every attempt, as the product does.
type attempts struct{ watch *observe.Observe }

// Begin starts the span.
func (a attempts) Begin(ctx context.Context, at *providers.Attempt) context.Context {
	ctx, _ = a.watch.Start(ctx, "model "+at.Operation, attribute.String("gen_ai.provider.name", at.Provider), attribute.String("gen_ai.request.model", at.Model))
	return ctx
}

// End closes it with what was used.
func (a attempts) End(ctx context.Context, at *providers.Attempt) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(attribute.Int64("gen_ai.usage.input_tokens", at.Usage.TotalInput()), attribute.Int64("gen_ai.usage.output_tokens", at.Usage.TotalOutput()))
	observe.End(span, at.Err)
}

// gatewayServer is ours: identity, limits, a budget, the ledger and tracing on.
// "burst N" waits until the ledger has N settled rows.
func gatewayServer(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	vendor := "http://" + args[1]
	g, err := openGround(ctx, args[0])
	if err != nil {
		return err
	}
	defer g.db.Close()
	price := int64(1_000_000)
	prices := []providers.Price{{Rates: providers.Rates{Input: &price, Output: &price}}}
	catalogue, err := providers.NewCatalogue([]providers.Entry{{ID: "acme/gpt-test", MaxOutput: 1000, Prices: prices}, {ID: "anthropic/claude-test", MaxOutput: 1000, Prices: prices}})
	if err != nil {
		return err
	}
	ledger, err := costs.New(costs.Options{DB: g.db, Hub: g.hub, Catalogue: catalogue, Sole: true, Journal: filepath.Join(args[0], "journal")})
	if err != nil {
		return err
	}
	if _, err := ledger.CreateBudget(ctx, g.workspace, costs.Budget{Name: "bench", Scope: costs.ScopeWorkspace, Period: costs.Monthly, Zone: "UTC", Unit: costs.Money, Amount: 1e15, AtLimit: costs.Block, Enabled: true}); err != nil {
		return err
	}
	router, err := benchRouter(vendor, catalogue, ledger, g.watch)
	if err != nil {
		return err
	}
	server, err := api.New(api.Options{
		DB: g.db, Directory: g.directory, Hub: g.hub, Observe: g.watch, Gateway: api.Everyone{All: router},
		Listen: "127.0.0.1:0", PerIdentity: api.Rate{PerMinute: 1 << 30}, PerAddress: api.Rate{PerMinute: 1 << 30},
	})
	if err != nil {
		return err
	}
	var group lifecycle.Group
	group.Add("observe", g.watch)
	group.Add("events", g.hub)
	group.Add("costs", ledger)
	group.Add("api", server)
	failed := make(chan error, 1)
	go func() { failed <- group.Run(ctx) }()
	addr, err := server.Addr(ctx)
	if err != nil {
		return errors.Join(err, <-failed)
	}
	fmt.Println("ready", addr, g.key)
	return obey(func(want int) error { return settledRows(ctx, g.db, want) })
}

// benchRouter stacks the wrappers as the product does.
func benchRouter(vendor string, catalogue *providers.Catalogue, ledger *costs.Ledger, watch *observe.Observe) (*providers.Router, error) {
	models := map[string]providers.Model{}
	for name, base := range map[string]string{"acme": vendor + "/v1", "anthropic": vendor} {
		m, err := vendors.New(vendors.Spec{Name: name, BaseURL: base, Catalogue: catalogue, Accounts: providers.OneKey(name, secret.New("key"))})
		if err != nil {
			return nil, err
		}
		m = providers.Observe(costs.Meter(ledger, name, m), name, attempts{watch})
		models[name] = providers.Retry(providers.NewBreaker(providers.FirstTokenTimeout(m, time.Minute), providers.BreakerOptions{Provider: name}), retry.Policy{})
	}
	return providers.NewRouter(providers.RouterOptions{Providers: models, Catalogue: catalogue})
}

// settledRows waits for the ledger, which writes behind, and compares.
func settledRows(ctx context.Context, db *store.DB, want int) error {
	var rows int
	for range 100 {
		var err error
		if rows, err = store.One[int](ctx, db.Read(), `SELECT count(*) FROM costs_records WHERE outcome = 'ok' AND output > 0 AND price > 0`); err != nil {
			return err
		}
		if rows == want {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("the ledger has %d rows of %d requests", rows, want)
}
