package demo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/demo"
)

func tools(names ...string) []providers.Tool {
	var out []providers.Tool
	for _, n := range names {
		out = append(out, providers.Tool{Name: n})
	}
	return out
}

var all = tools("read_file", "write_file", "list_files", "run_command", "calculate", "current_time", "web_search", "fetch_url", "delegate", "remember", "recall")

func answer(t *testing.T, req *providers.Request) *providers.Response {
	t.Helper()
	got, err := providers.Complete(t.Context(), demo.New(demo.Options{}), req)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func calls(r *providers.Response) []string {
	var out []string
	for _, p := range r.Parts {
		if p.Kind == providers.PartToolCall {
			out = append(out, p.Name+string(p.Args))
		}
	}
	return out
}

func TestWordsBecomeToolCalls(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"Read the file go.mod, please":                  {`read_file{"path":"go.mod"}`},
		"please read the file README.md.":               {`read_file{"path":"README.md"}`},
		`write "a b" to the file notes.txt`:             {`write_file{"content":"a b","path":"notes.txt"}`},
		"list files in src/app":                         {`list_files{"path":"src/app"}`},
		"list the files":                                {`list_files{"path":"."}`},
		"run `go test ./...`":                           {`run_command{"command":"go test ./..."}`},
		"calculate 2+2":                                 {`calculate{"expression":"2+2"}`},
		"What is (3 + 4) * 2?":                          {`calculate{"expression":"(3 + 4) * 2"}`},
		"what time is it?":                              {`current_time{}`},
		"search for flying cars":                        {`web_search{"query":"flying cars"}`},
		"fetch https://example.com/a?b=1":               {`fetch_url{"url":"https://example.com/a?b=1"}`},
		"delegate to researcher: find the date":         {`delegate{"agent":"researcher","task":"find the date"}`},
		"ask the researcher and the coder: why?":        {`delegate{"agent":"researcher","task":"why?"}`, `delegate{"agent":"coder","task":"why?"}`},
		"Ask researcher, coder, and the critic: go on":  {`delegate{"agent":"researcher","task":"go on"}`, `delegate{"agent":"coder","task":"go on"}`, `delegate{"agent":"critic","task":"go on"}`},
		"remember that I like tea.":                     {`remember{"text":"I like tea"}`},
		"what do you remember about tea?":               {`recall{"query":"tea"}`},
		"How does photosynthesis work?":                 nil,
		"I read a book about the files of the old king": nil,
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			got := answer(t, &providers.Request{Model: demo.Name, Tools: all, Messages: []providers.Message{providers.UserText(said)}})
			if diff := cmp.Diff(want, calls(got)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			wantStop := providers.StopEnd
			if want != nil {
				wantStop = providers.StopTools
			}
			if got.Stop != wantStop || got.Usage.Input == 0 || got.Usage.Output == 0 {
				t.Errorf("stop %s, usage %+v", got.Stop, got.Usage)
			}
		})
	}
}

func TestArgumentsTakeTheSchemasNames(t *testing.T) {
	t.Parallel()
	tool := providers.Tool{Name: "mcp__read_file", Schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}`)}
	got := answer(t, &providers.Request{Tools: []providers.Tool{tool}, Messages: []providers.Message{providers.UserText("read the file a.txt")}})
	if diff := cmp.Diff([]string{`mcp__read_file{"file_path":"a.txt"}`}, calls(got)); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutTheToolItSaysSo(t *testing.T) {
	t.Parallel()
	got := answer(t, &providers.Request{Messages: []providers.Message{providers.UserText("read the file a.txt")}})
	if calls(got) != nil || !strings.Contains(got.Text(), "read_file") || !strings.Contains(got.Text(), "demonstration") {
		t.Errorf("said %q", got.Text())
	}
}

func TestHelpDocumentsEveryRuleAndEachExampleWorks(t *testing.T) {
	t.Parallel()
	help := answer(t, &providers.Request{Messages: []providers.Message{providers.UserText("help")}}).Text()
	n := 0
	for line := range strings.SplitSeq(help, "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || strings.HasPrefix(line, "| say") {
			continue
		}
		n++
		example := strings.TrimPrefix(cells[0], "| ")
		got := answer(t, &providers.Request{Tools: all, Messages: []providers.Message{providers.UserText(example)}})
		if len(calls(got)) == 0 {
			t.Errorf("the documented %q calls nothing", example)
		}
	}
	if n < 10 {
		t.Errorf("help has %d rows:\n%s", n, help)
	}
	for said, want := range map[string]string{"show a table": "|---|", "show code": "```go", "show markdown": "# A heading", "show me a formula": "$$\n", "draw a diagram": "```mermaid", "hello": "help", "what?": "demonstration"} {
		if got := answer(t, &providers.Request{Messages: []providers.Message{providers.UserText(said)}}).Text(); !strings.Contains(got, want) {
			t.Errorf("%q is answered without %q: %s", said, want, got)
		}
	}
}

func TestResultsAreSummarised(t *testing.T) {
	t.Parallel()
	msgs := []providers.Message{
		providers.UserText("read the file a.txt"),
		{Role: providers.RoleModel, Parts: []providers.Part{{Kind: providers.PartToolCall, ID: "call_1", Name: "read_file", Args: []byte(`{}`)}}},
		{Role: providers.RoleUser, Parts: []providers.Part{
			providers.ToolResult("call_1", "read_file", strings.Repeat("line\n", 30)),
			{Kind: providers.PartToolResult, ID: "call_2", Name: "list_files", Text: "no such folder", IsError: true},
			{Kind: providers.PartToolResult, ID: "call_3", Name: "screenshot", Parts: []providers.Part{{Kind: providers.PartImage, MediaType: "image/png"}}},
			providers.ToolResult("call_4", "delete_file", ""),
		}},
	}
	got := answer(t, &providers.Request{Tools: all, Messages: msgs})
	for _, want := range []string{"**read_file** returned 30 lines", "**list_files did not work:** no such folder", "**screenshot** gave a picture", "**delete_file** finished and returned nothing"} {
		if !strings.Contains(got.Text(), want) {
			t.Errorf("no %q in:\n%s", want, got.Text())
		}
	}
	if calls(got) != nil {
		t.Error("it called a tool again")
	}
	if demo.Canned(got.Text()) {
		t.Error("what tools gave counts as words of the demonstration alone")
	}
	if hello := answer(t, &providers.Request{Messages: []providers.Message{providers.UserText("hello")}}); !demo.Canned(hello.Text()) {
		t.Errorf("%q counts as more than words of the demonstration", hello.Text())
	}
}

func TestStructuredOutputFitsTheSchema(t *testing.T) {
	t.Parallel()
	got := answer(t, &providers.Request{Messages: []providers.Message{providers.UserText("x")}, Format: &providers.Format{
		Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":3},"kind":{"enum":["a","b"]},"list":{"type":"array","items":{"type":"boolean"}}}}`)}})
	if got.Text() != `{"kind":"a","list":[true],"n":3}` {
		t.Errorf("got %s", got.Text())
	}
}

func TestAStoryIsAsLongAsAsked(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{"Tell me a long story": 40, "tell a story of 7 sentences": 7, "Write a story of 999 sentences": 999} {
		got := answer(t, &providers.Request{Messages: []providers.Message{providers.UserText(said)}})
		if n := strings.Count(got.Text(), "Word after word"); n != want {
			t.Errorf("%q: %d sentences, want %d", said, n, want)
		}
	}
}
