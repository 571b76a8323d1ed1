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
List also the people, organisations, places, projects and tools the facts name, each with its type, and how they relate; the person is the entity "user".
Answer with one JSON object and nothing else: {"facts":[{"text":"…","confidence":0.0 to 1.0}],"entities":[{"name":"…","type":"…"}],"relations":[{"from":"…","to":"…","type":"works for"}]}. A list may be empty.`

var extractorSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["facts","entities","relations"],"properties":{
	"facts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","confidence"],"properties":{"text":{"type":"string"},"confidence":{"type":"number"}}}},
	"entities":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","type"],"properties":{"name":{"type":"string"},"type":{"type":"string"}}}},
	"relations":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["from","to","type"],"properties":{"from":{"type":"string"},"to":{"type":"string"},"type":{"type":"string"}}}}}}`)

const mostGuesses = 20

// Extract asks the model about exchanges of one workspace.
func (e ModelExtractor) Extract(ctx context.Context, exchanges []Exchange) (Extracted, error) {
	if len(exchanges) == 0 {
		return Extracted{}, nil
	}
	model, name, err := e.Model(ctx, exchanges[0].Workspace)
	if err != nil {
		return Extracted{}, err
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
		return Extracted{}, fmt.Errorf("asking for facts: %w", err)
	}
	return parseExtracted(answer.Text())
}

// parseExtracted reads the answer, also when the model wrapped it in something.
func parseExtracted(text string) (Extracted, error) {
	start, end := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if start < 0 || end < start {
		return Extracted{}, fmt.Errorf("the model did not answer with JSON: %.80q", text)
	}
	var answer struct {
		Facts []struct {
			Text       string  `json:"text"`
			Confidence float64 `json:"confidence"`
		} `json:"facts"`
		Entities []struct {
			Name string `json:"name"`
			Type string `json:"type"`
		} `json:"entities"`
		Relations []struct {
			From string `json:"from"`
			To   string `json:"to"`
			Type string `json:"type"`
		} `json:"relations"`
	}
	if err := json.Unmarshal([]byte(text[start:end+1]), &answer); err != nil {
		return Extracted{}, fmt.Errorf("the model did not answer with facts: %w", err)
	}
	var out Extracted
	for _, f := range answer.Facts[:min(len(answer.Facts), mostGuesses)] {
		if f.Confidence > 0 && f.Confidence <= 1 && strings.TrimSpace(f.Text) != "" {
			out.Facts = append(out.Facts, Guess{f.Text, min(f.Confidence, 0.95)}) // nobody said it in these words
		}
	}
	for _, e := range answer.Entities[:min(len(answer.Entities), mostGuesses)] {
		if name := tidy(e.Name); name != "" {
			out.Entities = append(out.Entities, Node{Name: name, EntityType: tidy(e.Type)})
		}
	}
	for _, r := range answer.Relations[:min(len(answer.Relations), mostGuesses)] {
		out.Relations = append(out.Relations, Relation{From: tidy(r.From), To: tidy(r.To), RelationType: tidy(r.Type)})
	}
	return out, nil
}
