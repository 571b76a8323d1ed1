package apitest

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/providers"
)

// echo is a model that repeats what it was told last.
type echo struct{}

// Stream answers in two pieces.
func (echo) Stream(_ context.Context, r *providers.Request) (providers.Stream, error) {
	last := ""
	if n := len(r.Messages); n > 0 {
		last = r.Messages[n-1].Text()
	}
	return &speech{chunks: []providers.Chunk{
		{Kind: providers.ChunkText, Text: "You said: "},
		{Kind: providers.ChunkText, Text: last},
		{Kind: providers.ChunkUsage, Usage: providers.Usage{Input: 1, Output: 2}},
		{Kind: providers.ChunkFinish, Stop: providers.StopEnd},
	}}, nil
}

type speech struct{ chunks []providers.Chunk }

// Next gives the chunks one by one.
func (s *speech) Next(c *providers.Chunk) error {
	if len(s.chunks) == 0 {
		return io.EOF
	}
	*c = s.chunks[0]
	s.chunks = s.chunks[1:]
	return nil
}

// Close has nothing to close.
func (s *speech) Close() error { return nil }

// settings are kept in memory.
type settings struct {
	mu   sync.Mutex // guards the fields below
	set  map[string]any
	file string
}

// Config lists what was set.
func (s *settings) Config(context.Context) (api.Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := api.Config{Values: []api.ConfigValue{}, Pending: []api.ConfigDiff{}, Problems: []api.ConfigProblem{}, Warnings: []api.ConfigProblem{}}
	for key := range s.set {
		out.Values = append(out.Values, api.ConfigValue{Key: key})
	}
	return out, nil
}

// ChangeConfig keeps the values.
func (s *settings) ChangeConfig(_ context.Context, change api.ConfigChange) (api.ConfigSaved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = change.Set
	return api.ConfigSaved{}, nil
}

// CheckConfig takes any text that is JSON.
func (s *settings) CheckConfig(_ context.Context, text string) (api.ConfigChecked, error) {
	return api.ConfigChecked{Valid: json.Valid([]byte(text)), Problems: []api.ConfigProblem{}}, nil
}

// ConfigFile is the text that was saved.
func (s *settings) ConfigFile(context.Context) (api.ConfigFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return api.ConfigFile{Text: s.file}, nil
}

// SaveConfigFile keeps the text.
func (s *settings) SaveConfigFile(_ context.Context, text, _ string) (api.ConfigSaved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file = text
	return api.ConfigSaved{}, nil
}

// ConfigSchema allows everything.
func (s *settings) ConfigSchema() json.RawMessage { return json.RawMessage(`true`) }
