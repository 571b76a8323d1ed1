package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

// modelRun is what these tests read of a run.
type modelRun struct {
	ID    string `json:"id"`
	Model string `json:"model"`
	State string `json:"state"`
	Error *struct {
		Code, Message, Hint string
	} `json:"error"`
}

// askAssistant asks the assistant and waits for the end of the run.
func (s *server) askAssistant(text string) (modelRun, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	var accepted struct {
		Run          modelRun `json:"run"`
		Conversation struct {
			ID string `json:"id"`
		} `json:"conversation"`
	}
	if _, err := s.call(ctx, "POST", "/api/v1/agents/assistant/chat", map[string]string{"message": text}, &accepted); err != nil {
		s.t.Fatal(err)
	}
	run := accepted.Run
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ; run.State == "queued" || run.State == "running"; <-tick.C { // another process has no other way to tell
		if _, err := s.call(ctx, "GET", "/api/v1/runs/"+run.ID, nil, &run); err != nil {
			s.t.Fatal(err)
		}
	}
	var messages struct {
		Data []struct {
			Role  string `json:"role"`
			Parts []struct {
				Text string `json:"text"`
			} `json:"parts"`
		} `json:"data"`
	}
	if _, err := s.call(ctx, "GET", "/api/v1/conversations/"+accepted.Conversation.ID+"/messages", nil, &messages); err != nil {
		s.t.Fatal(err)
	}
	answer := ""
	for _, m := range messages.Data {
		if m.Role == "assistant" && len(m.Parts) > 0 {
			answer = m.Parts[0].Text
		}
	}
	return run, answer
}

// The program with nothing but a variable answers from the vendor; with a wrong
// key it says what to do; a key that is stored meanwhile is used at once.
func TestTheAssistantAsksTheVendor(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t).Will(providerstest.Reply{Says: "Hello from the vendor."})
	s := newServer(t, "OPENAI_API_KEY="+providerstest.FakeKey, "OPENAI_BASE_URL="+fake.URL+"/v1")
	s.start()
	run, answer := s.askAssistant("Hello?")
	if run.State != "finished" || answer != "Hello from the vendor." || !strings.HasPrefix(run.Model, "openai/") {
		t.Errorf("%+v said %q\n%s", run, answer, s.log)
	}
	if out := string(s.run("auth", "test", "openai")); !strings.Contains(out, "OpenAI answers.") {
		t.Errorf("auth test printed %q", out)
	}
}

func TestAWrongKeyIsExplained(t *testing.T) {
	t.Parallel()
	fake := providerstest.FakeOpenAI(t).Will()
	s := newServer(t, "OPENAI_API_KEY=sk-wrong", "OPENAI_BASE_URL="+fake.URL+"/v1")
	s.start()
	run, _ := s.askAssistant("Hello?")
	if run.State != "failed" || run.Error == nil || run.Error.Code != "provider_auth" || !strings.Contains(run.Error.Hint, "fluxway auth") {
		t.Fatalf("%+v\n%s", run, s.log)
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(providerstest.FakeKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("auth", "add", "openai", "--key-file", key, "--name", "mine")
	if run, answer := s.askAssistant("And now?"); run.State != "finished" || answer == "" {
		t.Errorf("%+v said %q", run, answer)
	}
	var completion struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	asked := map[string]any{"model": "openai/gpt-5", "messages": []map[string]string{{"role": "user", "content": "Hello?"}}}
	if _, err := s.call(t.Context(), "POST", "/v1/chat/completions", asked, &completion); err != nil || len(completion.Choices) != 1 || completion.Choices[0].Message.Content == "" {
		t.Errorf("through OpenAI's door: %+v, %v", completion, err)
	}
	s.stop()
	if strings.Contains(s.log.String(), "sk-wrong") {
		t.Errorf("the key is in the log:\n%s", s.log)
	}
}
