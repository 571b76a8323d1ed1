package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain makes this binary a server too, when it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "be-a-server" {
		if err := serve(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// serve is a server that behaves, or does not, as its mode says.
func serve(mode string, args []string) error {
	switch mode {
	case "exit":
		return errors.New("the configuration is missing")
	case "silent":
		woken := make(chan os.Signal, 1) // without it the runtime would see that nobody wakes it, and end
		signal.Notify(woken, syscall.SIGUSR1)
		<-woken
		return nil
	case "raw":
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			if err := rawAnswer(os.Stdout, in.Bytes()); err != nil {
				return err
			}
		}
		return nil
	case "babble":
		out := bufio.NewWriter(os.Stdout)
		for {
			fmt.Fprintln(out, strings.Repeat("no JSON at all ", 100))
		}
	case "broken":
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			fmt.Println(`{"jsonrpc":"2.0","id":"what","result":{{{}`)
		}
		return nil
	}
	opts := &sdk.ServerOptions{}
	if mode == "older" || mode == "watched" { // the newer protocol does not tell whether a wish to watch was heard
		opts.SupportedProtocolVersions = []string{"2025-06-18", "2025-11-25"}
	}
	if mode == "watched" {
		opts.SubscribeHandler, opts.UnsubscribeHandler = refuseFirst()
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, opts)
	if mode == "file" { // the tools are the lines of a file: name and description
		text, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			name, says, _ := strings.Cut(strings.TrimSpace(line), " ")
			addTool(server, name, says, func(context.Context, *sdk.CallToolRequest, map[string]any) (string, error) { return name, nil })
		}
	} else {
		hostileTools(server)
	}
	fmt.Fprintln(os.Stderr, "ready")
	return server.Run(context.Background(), &sdk.StdioTransport{})
}

// refuseFirst refuses the first who wants to watch a resource, and nobody else.
func refuseFirst() (func(context.Context, *sdk.SubscribeRequest) error, func(context.Context, *sdk.UnsubscribeRequest) error) {
	var asked atomic.Bool
	return func(context.Context, *sdk.SubscribeRequest) error {
		if asked.Swap(true) {
			return nil
		}
		return errors.New("not today")
	}, func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
}

func addTool(s *sdk.Server, name, says string, f func(context.Context, *sdk.CallToolRequest, map[string]any) (string, error)) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Description: says}, func(ctx context.Context, req *sdk.CallToolRequest, in map[string]any) (*sdk.CallToolResult, any, error) {
		text, err := f(ctx, req, in)
		if err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, nil
	})
}

func hostileTools(s *sdk.Server) {
	type in = map[string]any
	goOn := make(chan struct{})
	addTool(s, "echo", "Says it again.", func(_ context.Context, _ *sdk.CallToolRequest, a in) (string, error) {
		return fmt.Sprint(a["text"]), nil
	})
	addTool(s, "env", "Says a variable.", func(_ context.Context, _ *sdk.CallToolRequest, a in) (string, error) {
		return os.Getenv(fmt.Sprint(a["name"])), nil
	})
	addTool(s, "pid", "Says who it is.", func(context.Context, *sdk.CallToolRequest, in) (string, error) { return fmt.Sprint(os.Getpid()), nil })
	addTool(s, "refuse", "Fails.", func(context.Context, *sdk.CallToolRequest, in) (string, error) { return "", errors.New("out of paper") })
	addTool(s, "die", "Dies.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		fmt.Fprintln(os.Stderr, "I am dying")
		os.Exit(7)
		return "", nil
	})
	addTool(s, "hang", "Never answers.", func(ctx context.Context, _ *sdk.CallToolRequest, _ in) (string, error) {
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "told to stop")
		return "", ctx.Err()
	})
	addTool(s, "freeze", "Stops reading, too.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			return "", err
		}
		select {}
	})
	addTool(s, "flood", "Writes 5 MB to stderr and noise to stdout.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		line := strings.Repeat("x", 999) + "\n"
		for range 5000 {
			fmt.Fprint(os.Stderr, line)
		}
		fmt.Fprint(os.Stdout, "a banner of a library\n")
		return "flooded", nil
	})
	addTool(s, "garbage", "Writes half a message.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		fmt.Fprint(os.Stdout, "{\"jsonrpc\":}\n")
		return "after garbage", nil
	})
	addTool(s, "steps", "Reports progress.", func(ctx context.Context, req *sdk.CallToolRequest, _ in) (string, error) {
		for i := range 3 {
			if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Message: fmt.Sprint("step ", i+1), Progress: float64(i + 1), Total: 3,
			}); err != nil {
				return "", err
			}
		}
		<-goOn
		return "three steps", nil
	})
	addTool(s, "goon", "Lets steps end.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		goOn <- struct{}{}
		return "", nil
	})
	addTool(s, "rename", "Takes a tool away and adds one.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		s.RemoveTools("echo")
		addTool(s, "echo2", "Says it again, differently.", func(context.Context, *sdk.CallToolRequest, in) (string, error) { return "2", nil })
		return "renamed", nil
	})
	addTool(s, "nap", "Waits a little.", func(context.Context, *sdk.CallToolRequest, in) (string, error) {
		<-time.After(5 * time.Millisecond)
		return "awake", nil
	})
	addTool(s, "touch", "Changes a note.", func(ctx context.Context, _ *sdk.CallToolRequest, _ in) (string, error) {
		return "", s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "note://a/1"})
	})
	olderTools(s)
	offerings(s)
}

// offerings are what the server has besides tools.
func offerings(s *sdk.Server) {
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + req.Params.Arguments["who"]}}}}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "secret plan"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	})
	read := func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, Text: "the content of " + req.Params.URI}}}, nil
	}
	for _, uri := range []string{"note://a/1", "secret://b", "file:///etc/shadow"} {
		s.AddResource(&sdk.Resource{Name: uri, URI: uri}, read)
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "notes", URITemplate: "note://a/{id}"}, read)
}

// rawAnswer is a whole server in a few lines, for answers that no SDK would send: the tool large answers with 50 MB.
func rawAnswer(w io.Writer, request []byte) error {
	var req struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if err := json.Unmarshal(request, &req); err != nil {
		return err
	}
	if len(req.ID) == 0 {
		return nil
	}
	result := `"result":{}`
	switch req.Method {
	case "server/discover":
		result = `"error":{"code":-32601,"message":"not known"}`
	case "initialize":
		result = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"0"}}`
	case "tools/list":
		result = `"result":{"tools":[{"name":"large","inputSchema":{"type":"object"}},{"name":"pid","inputSchema":{"type":"object"}}` + rawSchemas + `]}`
	case "tools/call":
		result = fmt.Sprintf(`"result":{"content":[{"type":"text","text":"%d"}]}`, os.Getpid())
		if req.Params.Name == "large" {
			return rawLarge(w, req.ID)
		}
	}
	_, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", req.ID, strings.ReplaceAll(result, "\n", ""))
	return err
}

// rawSchemas are tools that say nonsense of their arguments.
const rawSchemas = `,{"name":"typo","inputSchema":{"type":"object","properties":{"a":{"type":"strnig"}}}},{"name":"list","inputSchema":[1,2]},
	{"name":"words","inputSchema":"a text"},{"name":"elsewhere","inputSchema":{"$ref":"https://example.com/x.json"}},
	{"name":"flag","inputSchema":{"type":"object","properties":{"a":{"type":"string","required":true}}}},{"name":"number","inputSchema":{"type":"object","required":7}}`

func rawLarge(w io.Writer, id json.RawMessage) error {
	if _, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id); err != nil {
		return err
	}
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range 50 {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\"}]}}\n")
	return err
}
