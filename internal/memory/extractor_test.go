package memory_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func TestModelExtractor(t *testing.T) {
	t.Parallel()
	model := providerstest.Script(t,
		providerstest.Says("Here it is:\n```json\n{\"facts\":[{\"text\":\"The user keeps goats\",\"confidence\":0.99},{\"text\":\"\",\"confidence\":0.9},{\"text\":\"Odd\",\"confidence\":7}],\"entities\":[{\"name\":\"Bella\",\"type\":\"goat\"},{\"name\":\" \",\"type\":\"x\"}],\"relations\":[{\"from\":\"user\",\"to\":\"Bella\",\"type\":\"keeps\"}]}\n```"),
		providerstest.Says("I found nothing."),
	)
	e := memory.ModelExtractor{Model: func(context.Context, ids.Workspace) (providers.Model, string, error) { return model, "test/model", nil }}
	said := []memory.Exchange{{Workspace: ids.New[ids.Workspace](), Asked: "My goats ate the roses"}}
	got, err := e.Extract(t.Context(), said)
	want := memory.Extracted{
		Facts: []memory.Guess{{Text: "The user keeps goats", Confidence: 0.95}}, Entities: []memory.Node{{Name: "Bella", EntityType: "goat"}},
		Relations: []memory.Relation{{From: "user", To: "Bella", RelationType: "keeps"}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Extract: %v\n%s", err, diff)
	}
	if got, err := e.Extract(t.Context(), said); err == nil {
		t.Errorf("an answer that is none was read as %v", got)
	}
}
