package providers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func TestCompleteGathersAWholeTurn(t *testing.T) {
	t.Parallel()
	model := providerstest.Script(t, providerstest.Together(
		providerstest.Thinks("Two files to read."),
		providerstest.Says("I read both."),
		providerstest.Calls("read_file", `{"path":"go.mod"}`),
		providerstest.Calls("read_file", `{"path":"a rather longer/path/so/that/it/is/cut.txt"}`),
	))
	got, err := providers.Complete(t.Context(), model, &providers.Request{Model: "m", Messages: []providers.Message{providers.UserText("go")}})
	if err != nil {
		t.Fatal(err)
	}
	want := []providers.Part{
		{Kind: providers.PartReasoning, Text: "Two files to read."},
		providers.Text("I read both."),
		{Kind: providers.PartToolCall, ID: "call_1", Name: "read_file", Args: []byte(`{"path":"go.mod"}`)},
		{Kind: providers.PartToolCall, ID: "call_2", Name: "read_file", Args: []byte(`{"path":"a rather longer/path/so/that/it/is/cut.txt"}`)},
	}
	if diff := cmp.Diff(want, got.Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got.Stop != providers.StopTools || got.Usage.Output == 0 || got.Usage.Reasoning == 0 || got.Usage.Input == 0 {
		t.Errorf("stop %q, usage %+v; want tools and all three counts", got.Stop, got.Usage)
	}
}

func TestGatherKeepsReasoningBlocksApart(t *testing.T) {
	t.Parallel()
	var g providers.Gather
	for _, c := range []providers.Chunk{
		{Kind: providers.ChunkReasoning, Text: "one "}, {Kind: providers.ChunkReasoning, Text: "two"},
		{Kind: providers.ChunkSignature, Text: "sig"}, {Kind: providers.ChunkSignature, Text: "A"},
		{Kind: providers.ChunkReasoning, Text: "three"}, {Kind: providers.ChunkSignature, Text: "sigB"},
		{Kind: providers.ChunkRedacted, Text: "sealed"},
		{Kind: providers.ChunkToolStart, Index: 1, ID: "b", Name: "second"},
		{Kind: providers.ChunkToolStart, Index: 0, ID: "a", Name: "first", Text: "seal"},
		{Kind: providers.ChunkToolArgs, Index: 0, Text: `{"x"`}, {Kind: providers.ChunkToolArgs, Index: 1, Text: `not json`},
		{Kind: providers.ChunkToolArgs, Index: 0, Text: `:1}`}, {Kind: providers.ChunkToolEnd, Index: 0},
	} {
		g.Add(&c)
	}
	want := []providers.Part{
		{Kind: providers.PartReasoning, Text: "one two", Signature: "sigA"},
		{Kind: providers.PartReasoning, Text: "three", Signature: "sigB"},
		{Kind: providers.PartReasoning, Redacted: true, Signature: "sealed"},
		{Kind: providers.PartToolCall, ID: "b", Name: "second", Args: []byte(`"not json"`)},
		{Kind: providers.PartToolCall, ID: "a", Name: "first", Signature: "seal", Args: []byte(`{"x":1}`)},
	}
	if diff := cmp.Diff(want, g.Response().Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}
