package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

// ModelExtractor finds facts with a model.
type ModelExtractor struct {
	// Model gives the model of a workspace and the name to ask it by.
	Model func(ctx context.Context, ws ids.Workspace) (providers.Model, string, error)
}

const extractorText = `You read what a person said to an assistant and list lasting facts about the person or their work that will still be useful in later conversations: names, preferences, people, places, projects, decisions, constraints.
Leave out questions, requests, greetings, passing states, anything the assistant said, and every secret such as a password, key or number of a card.
Write each fact as one short sentence that is clear by itself, in the person's language, calling them "the user".
Answer with one JSON object and nothing else: {"facts":[{"text":"…","confidence":0.0 to 1.0}]}. No facts: {"facts":[]}.`

var extractorSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["facts"],"properties":{"facts":{"type":"array","items":{
	"type":"object","additionalProperties":false,"required":["text","confidence"],"properties":{"text":{"type":"string"},"confidence":{"type":"number"}}}}}}`)

const mostGuesses = 20

// Extract asks the model about exchanges of one workspace.
func (e ModelExtractor) Extract(ctx context.Context, exchanges []Exchange) ([]Guess, error) {
	if len(exchanges) == 0 {
		return nil, nil
	}
	model, name, err := e.Model(ctx, exchanges[0].Workspace)
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	for _, x := range exchanges {
		fmt.Fprintf(&said, "The person said:\n%s\n\n", x.Asked)
	}
	answer, err := providers.Complete(ctx, model, &providers.Request{
		Model: name, System: []providers.Part{providers.Text(extractorText)}, MaxTokens: 1000, Format: &providers.Format{Name: "facts", Schema: extractorSchema, Strict: true},
		Messages: []providers.Message{{Role: providers.RoleUser, Parts: []providers.Part{providers.Text(said.String())}}},
	})
	if err != nil {
		return nil, fmt.Errorf("asking for facts: %w", err)
	}
	return parseGuesses(answer.Text())
}

// parseGuesses reads the answer, also when the model wrapped it in something.
func parseGuesses(text string) ([]Guess, error) {
	start, end := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if start < 0 || end < start {
		return nil, fmt.Errorf("the model did not answer with JSON: %.80q", text)
	}
	var out struct {
		Facts []struct {
			Text       string  `json:"text"`
			Confidence float64 `json:"confidence"`
		} `json:"facts"`
	}
	if err := json.Unmarshal([]byte(text[start:end+1]), &out); err != nil {
		return nil, fmt.Errorf("the model did not answer with facts: %w", err)
	}
	var list []Guess
	for _, f := range out.Facts[:min(len(out.Facts), mostGuesses)] {
		if f.Confidence > 0 && f.Confidence <= 1 && strings.TrimSpace(f.Text) != "" {
			list = append(list, Guess{f.Text, min(f.Confidence, 0.95)}) // nobody said it in these words
		}
	}
	return list, nil
}
