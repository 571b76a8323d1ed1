package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

func (e *env) mcpServe() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Be an MCP server over stdin and stdout, for programs that start their servers",
		Long: "Passes the messages of an MCP client on to the running server, as the owner of its data folder.\nPut this into the client's settings: {\"command\": \"fluxway\", \"args\": [\"mcp\", \"serve\"]}",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, _, err := e.load(nil)
			if err != nil {
				return err
			}
			data := app.Data{Dir: loaded.Config.Data}
			if !data.Serving() {
				return fault.New(fault.Unavailable, "not_running", "No server runs on %s.", data.Dir).WithHint("Start it with fluxway up.")
			}
			return relay(cmd.Context(), e.streams, data.Socket())
		},
	}
}

type nopCloser struct{ io.Writer }

// Close leaves stdout alone.
func (nopCloser) Close() error { return nil }

// relay passes messages between stdin and stdout and the server behind a socket.
func relay(ctx context.Context, streams Streams, socket string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	here, err := (&sdk.IOTransport{Reader: io.NopCloser(streams.In), Writer: nopCloser{streams.Out}}).Connect(ctx)
	if err != nil {
		return err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 64}}
	there, err := (&sdk.StreamableClientTransport{Endpoint: mcpEndpoint, HTTPClient: client, DisableStandaloneSSE: true}).Connect(ctx)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer there.Close()
	wg.Go(func() {
		for {
			m, err := there.Read(ctx)
			if err != nil || here.Write(ctx, m) != nil {
				cancel()
				return
			}
		}
	})
	for {
		m, err := here.Read(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				return nil
			}
			return err
		}
		if req, ok := m.(*jsonrpc.Request); ok && (req.Method == "initialize" || req.Method == "notifications/initialized") {
			if err := there.Write(ctx, m); err != nil { // the session is made by these, so nothing may overtake them
				return err
			}
			if req.Method == "notifications/initialized" {
				wg.Go(func() { hear(ctx, client, there.SessionID(), here) })
			}
			continue
		}
		wg.Go(func() { pass(ctx, here, there, m) })
	}
}

// mcpEndpoint is the server's address behind its socket.
const mcpEndpoint = "http://localhost/mcp"

// hear passes on what the server says by itself within a session: that a list or a resource changed. Without it a client
// works on and learns of changes when it asks.
func hear(ctx context.Context, client *http.Client, session string, here sdk.Connection) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, mcpEndpoint, nil)
	if err != nil || session == "" {
		return
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", session)
	answer, err := client.Do(req)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() { // the server writes a message on one line
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(data)); err == nil && here.Write(ctx, m) != nil {
			return
		}
	}
}

// pass sends one message on; a call that cannot be sent is answered here.
func pass(ctx context.Context, here, there sdk.Connection, m jsonrpc.Message) {
	err := there.Write(ctx, m)
	req, ok := m.(*jsonrpc.Request)
	if err == nil || !ok || !req.ID.IsValid() {
		return
	}
	_ = here.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}}) // the client is gone
}
