package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// vendor is a model at the other end of the wire, in OpenAI's chat format: what it answers follows from what it is
// asked, whatever process asks, so that it can be asked again after a kill.
type vendor struct {
	*httptest.Server
	reply func(asked asked) answer

	mu     sync.Mutex // guards models
	models map[string]int
}

// asked is what a model is asked.
type asked struct {
	Model string
	Task  string // the first thing the person said
	Last  string // the last one
	Turn  int    // answers so far
	Gone  <-chan struct{}
}

// answer is what a model says.
type answer struct {
	Says  []string // in pieces
	Pause func()   // before each piece
	Calls []vendorCall
}

type vendorCall struct {
	Tool string
	Args any
}

func newVendor(t testing.TB, reply func(asked) answer) *vendor {
	t.Helper()
	v := &vendor{reply: reply, models: make(map[string]int)}
	v.Server = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(v.Close)
	return v
}

// env is how a server finds the vendor.
func (v *vendor) env() []string {
	return []string{"VLLM_BASE_URL=" + v.URL + "/v1", "FLUXWAY_MODELS_DEFAULT=vllm/any", "FLUXWAY_LIMITS_PER_IDENTITY=1000000"}
}

// count says how often a model was asked.
func (v *vendor) count(model string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.models[model]
}

func (v *vendor) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"list","data":[{"id":"any","object":"model"}]}`)
		return
	}
	var body struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := asked{Model: body.Model, Gone: r.Context().Done()}
	for _, m := range body.Messages {
		switch m.Role {
		case "assistant":
			a.Turn++
		case "user":
			a.Last = plainText(m.Content)
			if a.Task == "" {
				a.Task = a.Last
			}
		}
	}
	v.mu.Lock()
	v.models[body.Model]++
	v.mu.Unlock()
	v.write(w, body.Stream, v.reply(a))
}

// plainText is the text of a message's content, which may be a list of parts.
func plainText(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		text := ""
		for _, p := range c {
			if part, ok := p.(map[string]any); ok {
				text += fmt.Sprint(part["text"])
			}
		}
		return text
	}
	return ""
}

func (v *vendor) write(w http.ResponseWriter, stream bool, a answer) {
	type object = map[string]any
	usage := object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	calls, stop := []object{}, "stop"
	for i, c := range a.Calls {
		args, _ := json.Marshal(c.Args)
		if raw, ok := c.Args.(string); ok {
			args = []byte(raw)
		}
		calls = append(calls, object{"index": i, "id": fmt.Sprintf("call_%d", i+1), "type": "function", "function": object{"name": c.Tool, "arguments": string(args)}})
		stop = "tool_calls"
	}
	if !stream {
		message := object{"role": "assistant", "content": strings.Join(a.Says, "")}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"id": "x", "object": "chat.completion", "model": "any", "usage": usage,
			"choices": []object{{"index": 0, "message": message, "finish_reason": stop}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choice object, more object) {
		chunk := object{"id": "x", "object": "chat.completion.chunk", "model": "any", "choices": []object{}}
		if choice != nil {
			chunk["choices"] = []object{choice}
		}
		for k, val := range more {
			chunk[k] = val
		}
		text, _ := json.Marshal(chunk)
		fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
	}
	for _, piece := range a.Says {
		if a.Pause != nil {
			a.Pause()
		}
		send(object{"index": 0, "delta": object{"role": "assistant", "content": piece}}, nil)
	}
	if len(calls) > 0 {
		send(object{"index": 0, "delta": object{"tool_calls": calls}}, nil)
	}
	send(object{"index": 0, "delta": object{}, "finish_reason": stop}, nil)
	send(nil, object{"usage": usage})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// agent makes an agent.
func (s *server) agent(name string, fields map[string]any) {
	s.t.Helper()
	all := map[string]any{"name": name, "description": "Does " + name + ".", "instructions": "Work.", "memory": map[string]any{"recall": false, "remember": false}}
	for k, v := range fields {
		all[k] = v
	}
	if _, err := s.call(s.t.Context(), "POST", "/api/v1/agents", all, nil); err != nil {
		s.t.Fatal(err)
	}
}
